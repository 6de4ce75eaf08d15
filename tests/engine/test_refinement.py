"""Refinements inside refinements, and one angle after the other; every proof found is checked by the checker."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest
from tests.engine.test_build import ASKED, Checker

from goalmem.engine.budget import Budget
from goalmem.engine.search import prove
from goalmem.logic.terms import Aggregate
from goalmem.proof.build import build_proof
from goalmem.proof.check import verify
from goalmem.proof.document import Proof


def asked(toy, goal, *sources, **budget) -> Proof:
    """The proof that is found, checked."""
    outcome = prove(goal, list(sources), Budget(**budget))
    proof = build_proof(outcome, goal, question=goal.question, space="s", asked_at=ASKED)
    assert Proof.from_json(proof.to_json()) == proof
    checker = Checker(toy, sources)
    assert verify(proof, evidence=checker, entails=checker, closed=checker).failures == ()
    return proof


def chain(toy, levels):
    """Relations of which each is found only once that of the next one is known, and the last one at once."""
    facts = toy.Lookup([(f"Ada rel{n} Q{n}", 0.9) for n in range(levels)] + [(f"Maya rel{levels} Ada", 0.9)])
    bodies = [f"(x:thing) rel{n} (w{n}:thing)" for n in range(1, levels)] + [f"Maya rel{levels} (x:thing)"]
    return facts, toy.Refiner({f"rel{n}": [body] for n, body in enumerate(bodies)})


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
def test_refinements_nest_to_the_depth_that_is_allowed(toy, levels):
    facts, refiner = chain(toy, levels)
    goal = toy.goal("(a:thing) rel0 (b:thing)", answer="b")
    for depth in range(levels + 2):
        proof = asked(toy, goal, facts, refiner, depth=depth)
        assert proof.status == ("proved" if depth >= levels else "unknown")
        assert proof.spent.get("depth", 0) == min(depth, levels)
    assert proof.answer == "Q0"
    assert sum(n.kind == "refinement" for _, n in proof.root.walk()) == levels


@pytest.mark.parametrize("levels", [2, 3])
def test_an_antecedent_may_hold_by_a_rule_that_nobody_stated(toy, levels):
    """A refinement whose antecedent an open source turns into other atoms: the outer atom waits for all of them."""
    facts, refiner = chain(toy, levels)
    facts.facts = [(t, s) for t, s in facts.facts if not t.startswith("Maya")] + [("Maya owns Ada", 0.9)]
    rules = toy.Rules.of(f"Maya rel{levels} (t:thing) if Maya owns (t:thing)")
    assert (
        asked(toy, toy.goal("(a:thing) rel0 (b:thing)", answer="b"), facts, refiner, rules, depth=levels).answer == "Q0"
    )


def test_what_is_left_open_at_the_end_of_the_depth_is_what_is_missing(toy):
    facts, refiner = chain(toy, 3)
    proof = asked(toy, toy.goal("(a:thing) rel0 (b:thing)", answer="b"), facts, refiner, depth=2)
    assert "rel2" in " ".join(m.atom.read_as()[0] for m in proof.missing)


def angles(toy):
    facts = toy.Lookup([("Tea is served in Luna", 0.9), ("Alice liked Luna", 0.9)])
    refiner = toy.Refiner(
        {"is served in": ["Bob opened (y:cafe)", "Alice visited (y:cafe)", "Alice liked (y:cafe)", "Eve sold (y:cafe)"]}
    )
    return facts, refiner, toy.goal("(d:drink) is served in (c:cafe)", answer="d")


@pytest.mark.parametrize("breadth", [0, 1, 2, 3, 4])
def test_the_third_angle_is_found_where_three_are_allowed(toy, breadth):
    facts, refiner, goal = angles(toy)
    proof = asked(toy, goal, facts, refiner, breadth=breadth)
    assert proof.answer == ("Tea" if breadth >= 3 else "")
    assert proof.spent.get("breadth", 0) == min(breadth, 3)
    told = [n for atom, n in refiner.asked if "served" in atom]
    assert told == list(range(min(breadth, 3)))  # one at a time, told of those that failed


@pytest.mark.parametrize("breadth", [1, 3])
def test_rules_that_an_open_source_offers_are_no_refinements(toy, breadth):
    facts, refiner, goal = angles(toy)
    bodies = ("Bob owns (c:cafe)", "Eve runs (c:cafe)", "Carol rents (c:cafe)", "Dora swept (c:cafe)")
    rules = replace(toy.Rules.of(*(f"(d:drink) is served in (c:cafe) if {body}" for body in bodies)), closed=False)
    assert asked(toy, goal, facts, rules, breadth=breadth).spent.get("breadth", 0) == 0
    assert asked(toy, goal, facts, rules, refiner, breadth=breadth).spent["breadth"] == breadth


def test_an_angle_is_asked_for_only_after_the_one_before_failed(toy):
    facts, refiner, goal = angles(toy)
    facts.facts.append(("Alice visited Luna", 0.5))
    assert asked(toy, goal, facts, refiner, breadth=4).answer == "Tea"
    assert [n for atom, n in refiner.asked if "served" in atom] == [0, 1]
    refiner.asked.clear()
    facts.facts.append(("Milk is sold in Roma", 0.9))
    assert asked(toy, toy.goal("(d:drink) is sold in Roma", answer="d"), facts, refiner).answer == "Milk"
    assert refiner.asked == []


def test_a_failure_deep_down_is_a_reason_for_another_angle_further_up(toy):
    facts = toy.Lookup([("Tea is served in Luna", 0.9), ("Alice liked Luna", 0.9), ("Carol knows Rita", 0.9)])
    refiner = toy.Refiner(
        {
            "is served in": ["(w:person) visited (y:cafe)", "Alice liked (y:cafe)"],
            "visited": ["Carol knows (x:person)", "Dora knows (x:person)"],
        }
    )
    goal = toy.goal("(d:drink) is served in (c:cafe)", answer="d")
    assert asked(toy, goal, facts, refiner, breadth=1).status == "unknown"
    assert asked(toy, goal, facts, refiner, breadth=2).answer == "Tea"


def test_what_only_repeats_is_no_angle(toy):
    facts, refiner, goal = angles(toy)
    refiner.angles["is served in"] = [
        "(x:drink) is served in (y:cafe)",
        "(y:drink) Is  served in (x:cafe)",
        "Alice visited (y:cafe) & (w:cat) lives in (y:cafe)",
        "(m:pet) lives in (y:cafe) & alice visited (y:cafe)",
        "Alice liked (y:cafe)",
    ]
    offered = {"steps": lambda self, r: [s for t in range(5) for s in one(self, r, t)]}

    def one(self, request, number):
        only = toy.Refiner({"is served in": [refiner.angles["is served in"][number]]})
        return only.refine(request)

    eager = type(
        "Eager", (), {**offered, "name": "model", "closed": False, "cost": 0, "near_misses": lambda self, r: []}
    )()
    assert asked(toy, goal, facts, eager, breadth=2).answer == "Tea"
    assert asked(toy, goal, facts, eager, breadth=1).status == "unknown"


def test_a_refinement_that_leads_back_to_its_own_atom_ends(toy):
    facts = toy.Lookup([("Ann likes Bob", 0.9)])
    refiner = toy.Refiner({"likes": ["(x:person) knows (y:person)"], "knows": ["(x:person) likes (y:person)"]})
    outcome = prove(toy.goal("(a:person) likes (b:person)", answer="b"), [facts, refiner], Budget(depth=16, breadth=4))
    assert outcome.status == "unknown"
    assert not outcome.exhausted
    assert outcome.levels == 2


def test_a_refinement_has_variables_of_its_own(toy):
    facts = toy.Lookup([(t, 0.9) for t in ("Zoe met Zed", "Leo praised Ann", "Ann hired Kim", "Ann likes Dan")])
    refiner = toy.Refiner({"likes": ["Leo praised (x:person) & (x:person) hired (z:person)"]})
    goal = toy.goal("(a:person) likes (b:person)", "(z_own:person) met Zed", answer="b")  # called like the refinement's
    assert asked(toy, goal, facts, refiner).answer == "Dan"


def test_antecedents_that_say_nothing_of_the_atom_are_no_refinement(toy):
    facts = toy.Lookup([("Tea is served in Luna", 0.9), ("Alice likes Luna", 0.9), ("Rex likes Bob", 0.9)])
    refiner = toy.Refiner({"is served in": ["Alice likes (y:cafe) & (z:pet) likes Bob"]})
    goal = toy.goal("(d:drink) is served in (c:cafe)", answer="d")
    assert asked(toy, goal, facts, refiner).status == "unknown"


def test_an_atom_that_is_found_only_once_more_is_known_waits_for_the_others(toy):
    atoms = ["(a:person) works at (b:firm)", "(b:firm) lies in (c:place)", "Leo met (a:person)"]
    facts = toy.Lookup([("Ines works at Acme", 0.9), ("Acme lies in Porto", 0.9), ("Leo met Ines", 0.9)])
    refiner = toy.Refiner({"lies in": ["Leo visited (y:place)"], "works at": ["Leo hired (x:person)"]})
    for order in permutations(atoms):
        assert asked(toy, toy.goal(*order, answer="c"), facts, refiner).answer == "Porto"
    opening = toy.Lookup([*facts.facts[:2], ("Leo hired Ines", 0.9)])
    for order in permutations(atoms[:2]):
        assert asked(toy, toy.goal(*order, answer="c"), opening, refiner).answer == "Porto"


def test_a_question_of_how_many_is_refined_where_nothing_was_found(toy):
    facts, refiner, _ = angles(toy)
    facts.facts.append(("Milk is served in Luna", 0.9))
    goal = toy.goal("(d:drink) is served in (c:cafe)", answer="d", aggregate=Aggregate.COUNT)
    assert asked(toy, goal, facts, refiner, breadth=3).answer == "2"
