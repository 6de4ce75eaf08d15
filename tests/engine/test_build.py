"""From a search to a proof that is accepted by the checker, which knows nothing of the search."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalmem.engine.budget import Budget
from goalmem.engine.search import prove
from goalmem.logic.interval import Interval
from goalmem.logic.terms import Aggregate, Constraint, Value
from goalmem.proof.build import build_proof
from goalmem.proof.check import verify
from goalmem.proof.document import Proof
from goalmem.proof.oracles import EvidenceTurn

ASKED = datetime(2023, 7, 1, tzinfo=UTC)


class Checker:
    """Reads the sources' words anew: a statement is entailed by the turn that says it."""

    def __init__(self, toy, sources):
        self.toy, self.sources = toy, sources
        texts = [t for s in sources for t, _ in getattr(s, "facts", [])]
        texts += ["not " + t for s in sources for t, _ in getattr(s, "against", [])]
        texts += [f"{a} {r} {b}" for s in sources for a, r, b, _ in getattr(s, "edges", [])]
        self.turns = {toy.evidence(t).turn: toy.evidence(t) for t in texts}
        self.values = {v.text: k for s in sources for k, v in getattr(s, "values", {}).items()}

    def content(self, turn_id):
        e = self.turns.get(turn_id)
        return EvidenceTurn(e.quote, e.speaker, e.said, e.session) if e else None

    def entails(self, atom, bindings, evidence, negated):
        said = {n: Value(self.values.get(b.value.text, b.value.text), b.value.key) for n, b in bindings.items()}
        ground = ("not " if negated else "") + atom.substitute(said).read_as()[0]
        return any(e.quote.casefold() == ground.casefold() for e in evidence), ground

    def states(self, rule):
        return any(rule in getattr(s, "rules", []) for s in self.sources)

    def proves(self, atom):
        goal = self.toy.goal(atom.read_as()[0], aggregate=Aggregate.WHETHER)
        return prove(goal, [s for s in self.sources if s.closed], Budget()).status == "proved"


def asked(toy, goal, *sources, budget=None, **more) -> Proof:
    outcome = prove(goal, list(sources), budget or Budget())
    proof = build_proof(outcome, goal, question=goal.question, space="s", asked_at=ASKED, **more)
    assert Proof.from_json(proof.to_json()) == proof
    checker = Checker(toy, sources)
    assert verify(proof, evidence=checker, entails=checker, closed=checker).failures == ()
    return proof


def test_an_answer_over_three_kinds_of_source(toy):
    graph = toy.Graph([("Porto", "lies in", "Portugal", 0.9)])
    rules = toy.Rules.of(
        "(x:person) knows locals in (z:country) if (x:person) lives in (y:city) and (y:city) lies in (z:country)"
    )
    proof = asked(
        toy,
        toy.goal("Ines knows locals in (c:country)", answer="c"),
        graph,
        rules,
        toy.Facts([("Ines lives in Porto", 0.9)]),
    )
    assert (proof.status, proof.answer) == ("proved", "Portugal")
    assert proof.confidence == pytest.approx(0.81)
    assert {e.quote for e in proof.evidence()} == {"Ines lives in Porto", "Porto lies in Portugal"}


def test_recursion_and_failure_in_one_proof(toy):
    rules = toy.Rules.of(
        "Ann is parent of Bob", "Bob is parent of Cleo",
        "(x:person) is ancestor of (y:person) if (x:person) is parent of (y:person)",
        "(x:person) is ancestor of (y:person) if (x:person) is parent of (z:person) and (z:person) is ancestor of (y:person)",
        "(x:person) is root if (x:person) is ancestor of Cleo and not Bob is parent of (x:person)",
    )  # fmt: skip
    proof = asked(toy, toy.goal("Ann is root"), rules)
    assert proof.status == "unknown"  # a goal for a value that names no variable
    proof = asked(toy, toy.goal("Ann is root", aggregate=Aggregate.WHETHER), rules)
    assert (proof.status, proof.answer) == ("proved", "Yes")
    assert {n.kind for _, n in proof.root.walk()} == {"aggregate", "conjunction", "rule", "closed-world"}
    everyone = asked(toy, toy.goal("(w:person) is ancestor of Cleo", answer="w", aggregate=Aggregate.LIST), rules)
    assert everyone.answer == "Ann and Bob"


def test_yes_no_and_neither(toy):
    goal = toy.goal("Maya likes tea", aggregate=Aggregate.WHETHER)
    said = [("Maya likes tea", 0.9)]
    assert asked(toy, goal, toy.Facts(said)).answer == "Yes"
    no = asked(toy, goal, toy.Facts([("Maya likes tea", 0.4)], said))
    assert (no.status, no.answer, no.confidence) == ("disproved", "No", 0.9)
    assert asked(toy, goal, toy.Facts([])).status == "unknown"
    both = asked(toy, goal, toy.Facts(said, said))
    assert both.status == "unknown"
    assert both.missing[0].stage == "conflict"
    assert len(both.alternatives) == 2


def test_a_close_second_answer_is_shown_and_can_be_a_reason_to_abstain(toy):
    goal, facts = toy.goal("Maya has (x:pet)", answer="x"), toy.Facts([("Maya has Rex", 0.9), ("Maya has Tom", 0.88)])
    proof = asked(toy, goal, facts)
    assert proof.answer == "Rex"
    assert [n.bindings[0].value.text for n in proof.alternatives] == ["Tom"]
    careful = asked(toy, goal, facts, abstain_reason="Rex and Tom are equally well supported.")
    assert (careful.status, careful.answer, careful.confidence) == ("unknown", "", 0)
    assert careful.missing[0].reason.startswith("Rex and Tom")
    assert len(careful.alternatives) == 2


def test_counting_and_its_members(toy):
    facts = toy.Facts([("Maya visited Rome", 0.9), ("Maya visited Oslo", 0.5), ("Tom visited Bern", 0.9)])
    proof = asked(toy, toy.goal("Maya visited (x:city)", answer="x", aggregate=Aggregate.COUNT), facts)
    assert (proof.answer, proof.confidence) == ("2", 0.5)
    cut = asked(
        toy, toy.goal("Maya visited (x:city)", answer="x", aggregate=Aggregate.COUNT), facts, budget=Budget(steps=0)
    )
    assert cut.status == "unknown"
    assert cut.missing[0].stage == "over-budget"


def day(n):
    start = datetime(2023, 5, n)
    interval = Interval(start, start + timedelta(days=1))
    return Value(str(interval), str(interval), "time", interval)


def test_times_between_and_since(toy):
    values = {"d3": day(3), "d9": day(9)}
    facts = toy.Facts([("Maya moved on d3", 0.9), ("Tom moved on d9", 0.9)], values=values)
    pair = (Constraint("t", "before", "u"),)
    goal = toy.goal("Maya moved on (t:time)", "Tom moved on (u:time)", aggregate=Aggregate.DURATION, constraints=pair)
    assert asked(toy, goal, facts).answer == "6 days"
    since = toy.goal("Maya moved on (t:time)", aggregate=Aggregate.DURATION, unit="weeks")
    assert asked(toy, since, facts).answer == "about 8 weeks"
    first = toy.goal("(x:person) moved on (t:time)", answer="x", aggregate=Aggregate.FIRST_OF)
    assert asked(toy, first, facts).answer == "Maya"


def test_constraints_that_fail_are_named(toy):
    facts = toy.Facts([("Maya moved on d3", 0.9)], values={"d3": day(3)})
    late = (Constraint("t", "after", day(9).interval),)
    proof = asked(toy, toy.goal("Maya moved on (t:time)", answer="t", constraints=late), facts)
    assert proof.status == "unknown"
    assert proof.missing[0].reason == "3 May 2023 does not lie after 9 May 2023"
    assert proof.missing[0].nearest[0].quote == "Maya moved on d3"


def test_what_is_missing_says_how_far_the_proof_came(toy):
    facts = toy.Facts([("Maya is sister of Ines", 0.9), ("Tom lives in Rome", 1.0)])
    proof = asked(toy, toy.goal("Maya is sister of (y:person)", "(y:person) lives in (x:city)", answer="x"), facts)
    assert [m.atom.read_as()[0] for m in proof.missing] == ["Ines lives in city"]
    assert [n.kind for n in proof.root.children[0].children] == ["fact", "assumed"]
    assert asked(toy, toy.goal("Eve flew to (x:city)", answer="x"), facts).root is None


def test_refinements_are_proofs_too(toy):
    facts = toy.Facts(
        [("chai is served in Luna", 0.9), ("Alice visited Luna", 0.8)],
        refinements={"x is served in z": ["Alice visited (z:cafe)"]},
    )
    steps = facts.steps
    facts.steps = lambda r: [s for s in steps(r) if s.kind == "refinement" or len(s.bindings) < 2]
    proof = asked(toy, toy.goal("(x:drink) is served in (z:cafe)", answer="x"), facts)
    assert proof.answer == "chai"
    assert proof.root.children[0].children[0].kind == "refinement"
    lacking = toy.Facts([("chai is served in Luna", 0.9)], refinements=facts.refinements)
    known = lacking.steps
    lacking.steps = lambda r: [s for s in known(r) if s.kind == "refinement" or len(s.bindings) < 2]
    missing = asked(toy, toy.goal("(x:drink) is served in (z:cafe)", answer="x"), lacking).missing
    assert "Alice visited cafe" in [m.atom.read_as()[0] for m in missing]


NAMES = st.sampled_from(["Ann", "Bob", "Cleo", "Dan"])


@settings(max_examples=50, deadline=None)
@given(
    edges=st.lists(
        st.tuples(NAMES, st.sampled_from(["knows", "likes"]), NAMES, st.sampled_from([0.3, 0.9])),
        max_size=8,
        unique=True,
    ),
    aggregate=st.sampled_from([Aggregate.ONE, Aggregate.COUNT, Aggregate.LIST, Aggregate.LATEST]),
)
def test_whatever_is_found_verifies(toy, edges, aggregate):
    facts = toy.Facts([(f"{s} {r} {o}", score) for s, r, o, score in edges])
    rules = toy.Rules.of("(a:person) knows (b:person) if (b:person) admires (a:person)", "Ann admires Bob",
                         "(a:person) is shy if (a:person) admires (b:person) and not (b:person) admires (a:person)")  # fmt: skip
    asked(
        toy,
        toy.goal("(x:person) knows (y:person)", "(y:person) likes (z:person)", answer="y", aggregate=aggregate),
        facts,
        rules,
    )
    asked(toy, toy.goal("(x:person) is shy", answer="x", aggregate=aggregate), facts, rules)


def test_an_ask_over_some_dozen_facts_takes_milliseconds(toy):
    facts = [(f"P{i} knows P{(i * 7) % 40}", 0.5 + i / 100) for i in range(40)] + [("P7 lives in Rome", 0.9)]
    goal = toy.goal("P1 knows (x:person)", "(x:person) knows (y:person)", "(x:person) lives in (z:city)", answer="z")

    source, answers = toy.Facts(facts), {}
    match = source.steps

    def known(request):
        key = str(request.atom.substitute(request.substitution))
        return answers[key] if key in answers else answers.setdefault(key, match(request))

    source.steps = known
    checker = Checker(toy, [source])
    times = []
    for _ in range(7):
        began = time.perf_counter()
        proof = build_proof(prove(goal, [source], Budget()), goal, question="?", space="s", asked_at=ASKED)
        assert verify(proof, evidence=checker, entails=checker).ok
        times.append(time.perf_counter() - began)
    assert proof.answer == "Rome"
    assert min(times) < 0.010
