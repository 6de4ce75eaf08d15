from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalmem.engine.budget import Budget
from goalmem.engine.search import WIDTH_ALL, prove
from goalmem.logic.interval import Interval
from goalmem.logic.terms import Aggregate, Constraint, Value


def answers(outcome, name="x"):
    return [s.substitution[name].text for s in outcome.solutions]


def test_one_fact_proves_one_atom(toy):
    outcome = prove(
        toy.goal("Maya adopted (x:pet)", answer="x"), [toy.Facts([("Maya adopted Biscuit", 0.9)])], Budget()
    )
    assert outcome.status == "proved"
    assert answers(outcome) == ["Biscuit"]
    assert outcome.solutions[0].score == 0.9


def test_two_hops_share_a_variable(toy):
    facts = toy.Facts([("Ines lives in Porto", 0.9), ("Tom lives in Rome", 1.0), ("Maya is sister of Ines", 0.9)])
    goal = toy.goal("(y:person) lives in (x:city)", "Maya is sister of (y:person)", answer="x")
    outcome = prove(goal, [facts], Budget())
    assert answers(outcome) == ["Porto"]
    assert [n.step.evidence[0].quote for n in outcome.solutions[0].nodes] == [
        "Ines lives in Porto",
        "Maya is sister of Ines",
    ]


def test_backtracks_from_the_better_fact_that_leads_nowhere(toy):
    facts = toy.Facts([("Maya visited Roma", 1.0), ("Maya visited Luna", 0.5), ("Luna serves matcha", 0.9)])
    outcome = prove(toy.goal("Maya visited (z:cafe)", "(z:cafe) serves (x:drink)", answer="x"), [facts], Budget())
    assert answers(outcome) == ["matcha"]


def test_an_open_atom_is_missing_with_the_nearest_facts(toy):
    facts = toy.Facts([("Maya is sister of Ines", 0.9), ("Tom lives in Rome", 1.0)])
    goal = toy.goal("Maya is sister of (y:person)", "(y:person) lives in (x:city)", answer="x")
    outcome = prove(goal, [facts], Budget())
    assert outcome.status == "unknown"
    assert [m.atom.read_as()[0] for m in outcome.missing] == ["Ines lives in city"]
    assert outcome.missing[0].misses[0].evidence.quote == "Tom lives in Rome"
    assert outcome.partial.nodes[0].step is not None
    assert outcome.partial.nodes[1].step is None


def test_close_answers_are_a_conflict_and_distant_ones_are_not(toy):
    goal = toy.goal("Maya has (x:pet)", answer="x")
    close = prove(goal, [toy.Facts([("Maya has Rex", 0.9), ("Maya has Tom", 0.89)])], Budget())
    assert close.conflict
    assert answers(close) == ["Rex", "Tom"]
    far = prove(goal, [toy.Facts([("Maya has Rex", 0.9), ("Maya has Tom", 0.5)])], Budget())
    assert not far.conflict
    assert answers(far) == ["Rex"]


def test_count_wants_every_solution_once(toy):
    facts = toy.Facts([("Maya visited Rome", 0.9), ("Maya visited rome", 0.4), ("Maya visited Oslo", 0.2)])
    outcome = prove(toy.goal("Maya visited (x:city)", answer="x", aggregate=Aggregate.COUNT), [facts], Budget())
    assert sorted(answers(outcome)) == ["Oslo", "Rome"]


def test_refinement_binds_what_the_atom_needs(toy):
    facts = toy.Facts(
        [("latte is served in Luna", 0.9), ("chai is served in Roma", 0.9), ("Alice visited Luna", 0.8)],
        refinements={"x is served in z": ["Alice visited (z:cafe)"]},
    )
    # Without the refinement both drinks would do; the atom alone is ambiguous, so make it unprovable while z is open.
    blocked = toy.Facts(facts.facts, refinements=facts.refinements)
    steps = blocked.steps
    blocked.steps = lambda r: [s for s in steps(r) if s.kind == "refinement" or len(s.bindings) < 2]
    outcome = prove(toy.goal("(x:drink) is served in (z:cafe)", answer="x"), [blocked], Budget())
    assert answers(outcome) == ["latte"]
    node = outcome.solutions[0].nodes[0]
    assert [c.step.kind for c in node.children] == ["fact", "fact"]
    assert (
        prove(toy.goal("(x:drink) is served in (z:cafe)", answer="x"), [blocked], Budget(depth=0)).status == "unknown"
    )


def test_refinements_that_go_in_circles_end(toy):
    facts = toy.Facts(
        [], refinements={"x likes y": ["(x:person) knows (y:person)"], "x knows y": ["(x:person) likes (y:person)"]}
    )
    outcome = prove(toy.goal("(x:person) likes (y:person)", answer="x"), [facts], Budget())
    assert outcome.status == "unknown"
    assert not outcome.exhausted


FAMILY = ("Ann is parent of Bob", "Bob is parent of Cleo", "Cleo is parent of Dan")
ANCESTOR = (
    "(x:person) is ancestor of (y:person) if (x:person) is parent of (y:person)",
    "(x:person) is ancestor of (y:person) if (x:person) is parent of (z:person) and (z:person) is ancestor of (y:person)",
)
LEFT = "(x:person) is ancestor of (y:person) if (x:person) is ancestor of (z:person) and (z:person) is parent of (y:person)"
BOTH = "(x:person) is ancestor of (y:person) if (x:person) is ancestor of (z:person) and (z:person) is ancestor of (y:person)"


@pytest.mark.parametrize("rules", [ANCESTOR, (ANCESTOR[0], LEFT)])
def test_recursion_finds_all_and_ends(toy, rules):
    source = toy.Rules.of(*FAMILY, *rules)
    goal = toy.goal("Ann is ancestor of (w:person)", answer="w", aggregate=Aggregate.LIST)
    outcome = prove(goal, [source], Budget())
    assert sorted(answers(outcome, "w")) == ["Bob", "Cleo", "Dan"]
    assert not outcome.exhausted
    up = prove(toy.goal("(w:person) is ancestor of Dan", answer="w", aggregate=Aggregate.LIST), [source], Budget())
    assert sorted(answers(up, "w")) == ["Ann", "Bob", "Cleo"]


def test_double_recursion_still_finds_what_is_asked(toy):
    source = toy.Rules.of(*FAMILY, ANCESTOR[0], BOTH)
    outcome = prove(toy.goal("Ann is ancestor of Dan", aggregate=Aggregate.WHETHER), [source], Budget())
    assert outcome.status == "proved"


def test_recursion_over_a_cyclic_graph_ends(toy):
    source = toy.Rules.of(*FAMILY, "Dan is parent of Ann", *ANCESTOR)
    goal = toy.goal("Ann is ancestor of (w:person)", answer="w", aggregate=Aggregate.COUNT)
    outcome = prove(goal, [source], Budget())
    assert sorted(answers(outcome, "w")) == ["Ann", "Bob", "Cleo", "Dan"]
    assert prove(toy.goal("Ann is ancestor of Eve"), [source], Budget()).status == "unknown"


def test_a_long_diamond_chain_is_not_exponential(toy):
    facts = [f"n{i} is parent of {side}{i}" for i in range(12) for side in "ab"]
    facts += [f"{side}{i} is parent of n{i + 1}" for i in range(12) for side in "ab"]
    outcome = prove(toy.goal("n0 is ancestor of n12"), [toy.Rules.of(*facts, *ANCESTOR)], Budget(steps=3000))
    assert not outcome.exhausted
    assert outcome.solutions


def test_negation_as_failure_over_a_closed_source(toy):
    source = toy.Rules.of(
        "Ann is person",
        "Bob is person",
        "Ann eats meat",
        "(x:person) is vegetarian if (x:person) is person and not (x:person) eats meat",
    )
    outcome = prove(toy.goal("(v:person) is vegetarian", answer="v", aggregate=Aggregate.LIST), [source], Budget())
    assert answers(outcome, "v") == ["Bob"]
    kinds = [c.step.kind for c in outcome.solutions[0].nodes[0].children]
    assert kinds == ["rule", "closed-world"]


def test_memory_is_never_closed(toy):
    outcome = prove(toy.goal("not Ann eats meat"), [toy.Facts([("Bob eats meat", 0.9)])], Budget())
    assert outcome.status == "unknown"


def test_what_memory_proves_is_not_denied_by_failure(toy):
    goal = toy.goal("not Ann eats meat", aggregate=Aggregate.WHETHER)
    rules = toy.Rules.of("Bob eats meat")
    assert prove(goal, [rules], Budget()).status == "proved"
    assert prove(goal, [rules, toy.Facts([("Ann eats meat", 0.9)])], Budget()).status == "unknown"


def test_negation_through_itself_is_unknown(toy):
    source = toy.Rules.of("Ann shaves if not Bob shaves", "Bob shaves if not Ann shaves")
    assert prove(toy.goal("Ann shaves", aggregate=Aggregate.WHETHER), [source], Budget()).status == "unknown"


def test_whether_is_settled_by_the_stronger_side(toy):
    goal = toy.goal("Maya likes tea", aggregate=Aggregate.WHETHER)
    yes = [("Maya likes tea", 0.9)]
    assert prove(goal, [toy.Facts(yes)], Budget()).status == "proved"
    assert prove(goal, [toy.Facts([], yes)], Budget()).status == "disproved"
    assert prove(goal, [toy.Facts([("Maya likes tea", 0.5)], yes)], Budget()).status == "disproved"
    both = prove(goal, [toy.Facts(yes, yes)], Budget())
    assert both.status == "unknown"
    assert both.conflict


def day(n):
    start = datetime(2023, 5, n)
    return Value(f"{n} May 2023", start.isoformat(), "time", Interval(start, start + timedelta(days=1)))


def test_constraints_hold_on_bound_times(toy):
    values = {"d3": day(3), "d9": day(9)}
    facts = toy.Facts([("Maya hiked on d3", 0.9), ("Maya hiked on d9", 0.8), ("Tom moved on d9", 0.9)], values=values)
    goal = toy.goal("Maya hiked on (t:time)", answer="t", constraints=(Constraint("t", "after", day(5).interval),))
    assert answers(prove(goal, [facts], Budget()), "t") == ["9 May 2023"]
    between = toy.goal(
        "Maya hiked on (t:time)", "Tom moved on (u:time)", answer="t", constraints=(Constraint("t", "before", "u"),)
    )
    assert answers(prove(between, [facts], Budget()), "t") == ["3 May 2023"]
    never = toy.goal("Maya hiked on (t:time)", answer="t", constraints=(Constraint("t", "after", day(20).interval),))
    outcome = prove(never, [facts], Budget())
    assert outcome.status == "unknown"
    assert "does not lie after" in outcome.missing[0].misses[0].reason


@pytest.mark.parametrize(("visited", "status"), [(WIDTH_ALL, "proved"), (WIDTH_ALL + 1, "unknown")])
def test_nothing_is_counted_of_which_there_is_more_than_is_tried(toy, visited, status):
    facts = toy.Facts([(f"Maya visited City{n}", 0.9) for n in range(visited)])
    goal = toy.goal("Maya visited (x:city)", answer="x", aggregate=Aggregate.COUNT)
    outcome = prove(goal, [facts], Budget())
    assert (outcome.status, outcome.exhausted) == (status, status == "unknown")


def test_a_proof_may_rest_on_all_kinds_of_source(toy):
    graph = toy.Graph([("Porto", "lies in", "Portugal", 0.9)])
    rules = toy.Rules.of(
        "(x:person) speaks to locals in (z:country) if (x:person) lives in (y:city) and (y:city) lies in (z:country)"
    )
    facts = toy.Facts([("Ines lives in Porto", 0.9)])
    outcome = prove(toy.goal("Ines speaks to locals in (c:country)", answer="c"), [graph, rules, facts], Budget())
    assert answers(outcome, "c") == ["Portugal"]
    node = outcome.solutions[0].nodes[0]
    assert [(c.step.source, c.step.kind) for c in node.children] == [("memory", "fact"), ("graph", "edge")]


def test_the_budget_ends_the_search_and_says_so(toy):
    facts = toy.Facts([(f"Maya knows P{i}", 0.9) for i in range(8)] + [(f"P{i} knows Q{i}", 0.9) for i in range(8)])
    goal = toy.goal("Maya knows (x:person)", "(x:person) knows (y:person)", "(y:person) knows (z:person)", answer="z")
    outcome = prove(goal, [facts], Budget(steps=3))
    assert outcome.exhausted
    assert outcome.spent.steps == 3
    assert outcome.missing[0].misses[0].stage == "over-budget"
    ticks = iter(range(1000))
    timed = prove(goal, [facts], Budget(seconds=4), clock=lambda: float(next(ticks)))
    assert timed.exhausted


def test_sources_are_asked_once(toy):
    facts = toy.Facts([(f"Maya knows P{i}", 0.9) for i in range(5)] + [("Tom lives in Rome", 0.9)])
    goal = toy.goal("Maya knows (x:person)", "Tom lives in (y:city)", answer="y")
    prove(goal, [facts], Budget())
    assert len(facts.asked) == len(set(facts.asked))


WORDS = st.sampled_from(["Ann", "Bob", "Cleo", "Dan", "Eve"])


@settings(max_examples=60, deadline=None)
@given(
    edges=st.lists(
        st.tuples(WORDS, st.sampled_from(["knows", "likes"]), WORDS, st.sampled_from([0.5, 0.9])),
        max_size=10,
        unique=True,
    ),
    order=st.randoms(use_true_random=False),
    aggregate=st.sampled_from([Aggregate.ONE, Aggregate.COUNT, Aggregate.LIST]),
)
def test_no_order_decides(toy, edges, order, aggregate):
    atoms = ["(x:person) knows (y:person)", "(y:person) likes (z:person)", "(z:person) knows Ann"]
    facts = [(f"{s} {r} {o}", score) for s, r, o, score in edges]
    rules = ["(a:person) knows (b:person) if (b:person) admires (a:person)", "Ann admires Bob", "Eve admires Cleo"]

    def run(atoms, facts, rules, flip):
        sources = [toy.Facts(facts), toy.Rules.of(*rules)]
        found = prove(toy.goal(*atoms, answer="y", aggregate=aggregate), sources[:: -1 if flip else 1], Budget())
        solutions = [
            (
                sorted((n, v.key) for n, v in s.substitution.items() if "~" not in n),
                round(s.score, 9),
                sorted(repr(n.step) for n in s.nodes),
            )
            for s in found.solutions
        ]
        return found.status, solutions, sorted(m.atom.read_as()[0] for m in found.missing), found.spent.steps

    expected = run(atoms, facts, rules, False)
    for part in (atoms, facts, rules):
        order.shuffle(part)
    assert run(atoms, facts, rules, True) == expected
