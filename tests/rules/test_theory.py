"""What a theory decides agrees with the obvious, slow way; deep, wide and cyclic theories are decided all the same."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given

from goalmem.errors import RuleError, UnstratifiedError
from goalmem.logic.terms import Variable
from goalmem.rules import Clause, Literal, Strategy, Theory, World
from goalmem.rules.derivation import RuleDerivation
from tests.cases import examples
from tests.rules.naive import Naive
from tests.rules.theories import CONSTANTS, X, Y, ground_literals, theories


def lit(predicate: str, *terms: str | Variable) -> Literal:
    negated = predicate.startswith("not ")
    return Literal(predicate.removeprefix("not "), terms, negated)


def rule(head: Literal, *body: Literal) -> Clause:
    return Clause(head, body, "A rule.")


@examples(20, 500)
@given(theories)
def test_a_closed_world_is_decided_as_by_trying_everything(clauses: tuple[Clause, ...]) -> None:
    same_as_naive(clauses, "closed")


@given(theories)
@examples(20, 60)
def test_an_open_world_is_decided_as_by_trying_everything(clauses: tuple[Clause, ...]) -> None:
    same_as_naive(clauses, "open")


def same_as_naive(clauses: tuple[Clause, ...], world: World) -> None:
    theory, naive = Theory(clauses, world), Naive(clauses, world == "closed")
    heights = naive.heights()
    named = {t for c in clauses for x in (c.head, *c.body) for t in x.terms if isinstance(t, str)}
    for literal in ground_literals():
        if not set(literal.terms) <= named:
            continue
        both = (literal, literal.denied)
        if any(x in naive.possible and x not in naive.true for x in both):
            with pytest.raises(UnstratifiedError):
                theory.decide(literal)
            continue
        verdict = theory.decide(literal)
        for_, against = (x in naive.true for x in both)
        if for_ != against:
            assert verdict.status == ("proved" if for_ else "disproved")
            assert verdict.derivation is not None
            assert verdict.derivation.height == heights[literal if for_ else literal.denied]
        elif for_:
            assert verdict.conflict
            assert verdict.status == "unknown"
        else:
            expected = ("proved" if literal.negated else "disproved") if world == "closed" else "unknown"
            assert (verdict.status, verdict.strategy) == (expected, Strategy.FAIL_TO_PROVE)


@given(theories)
@examples(20, 60)
def test_every_instance_of_an_open_goal_is_found(clauses: tuple[Clause, ...]) -> None:
    theory, naive = Theory(clauses), Naive(clauses)
    for goal in (lit("_ is big", X), lit("_ likes _", X, Y), lit("_ likes _", X, X), lit("_ sees _", "Anne", Y)):
        undecided = {x for x in naive.possible - naive.true if x.predicate == goal.predicate}
        if undecided:
            continue
        found = {said for said, _ in theory.find(goal)}
        assert found == {x for x in naive.true if x.predicate == goal.predicate and not x.negated and fits(goal, x)}


def fits(goal: Literal, literal: Literal) -> bool:
    held: dict[str | Variable, str | Variable] = {}
    return all(
        t == s if isinstance(t, str) else held.setdefault(t, s) == s
        for t, s in zip(goal.terms, literal.terms, strict=True)
    )


@given(theories)
@examples(20, 60)
def test_every_listed_proof_holds_and_the_shortest_is_among_them(clauses: tuple[Clause, ...]) -> None:
    theory, naive = Theory(clauses), Naive(clauses)
    for literal in sorted(naive.true, key=str)[:6]:
        if literal.denied in naive.possible and literal.denied not in naive.true:
            continue
        listed = list(theory.proofs(literal, limit=200))
        assert listed
        for proof in islice(listed, 20):
            sound(proof, theory, naive)
        shortest = naive.heights()[literal]
        assert len(listed) == 200 or min(p.height for p in listed if p.kind != "failure") == shortest


def sound(proof: RuleDerivation, theory: Theory, naive: Naive) -> None:
    said = theory.index.said(proof.statement)
    if proof.kind == "failure":
        assert said.negated
        assert said.denied not in naive.possible
    elif proof.kind == "fact":
        assert said in naive.stated()
    else:
        body = tuple(theory.index.said(c.statement) for c in proof.children)
        assert (said, body) in naive.ground
        for child in proof.children:
            sound(child, theory, naive)


def test_a_chain_of_ten_thousand_rules_is_followed_to_its_end() -> None:
    depth = 10_000
    chain = [rule(lit(f"_ is p{n + 1}", X), lit(f"_ is p{n}", X)) for n in range(depth)]
    verdict = Theory((rule(lit("_ is p0", "Bob")), *chain)).decide(lit(f"_ is p{depth}", "Bob"))
    assert verdict.status == "proved"
    assert verdict.derivation is not None
    assert verdict.derivation.height == depth


def test_ten_thousand_ways_to_prove_a_goal_are_tried() -> None:
    ways = [rule(lit("_ is good", X), lit(f"_ is q{n}", X)) for n in range(10_000)]
    theory = Theory((*ways, rule(lit("_ is q9999", "Bob"))))
    assert theory.decide(lit("_ is good", "Bob")).status == "proved"
    assert theory.decide(lit("_ is good", "Eve")).status == "disproved"


def test_rules_in_a_circle_end() -> None:
    ring = [rule(lit("_ sees _", f"c{n}", f"c{(n + 1) % 500}")) for n in range(500)]
    z = Variable("z", "thing")
    reach = [rule(lit("_ reaches _", X, Y), lit("_ sees _", X, Y)),
             rule(lit("_ reaches _", X, Y), lit("_ sees _", X, z), lit("_ reaches _", z, Y))]  # fmt: skip
    theory = Theory((*ring, *reach))
    assert theory.decide(lit("_ reaches _", "c0", "c0")).derivation.height == 500  # type: ignore[union-attr]
    assert theory.decide(lit("_ reaches _", "c0", "nowhere")).status == "disproved"


def test_a_proof_that_is_needed_twice_at_each_level_is_made_once() -> None:
    doubling = [rule(lit(f"_ is p{n + 1}", X), lit(f"_ is p{n}", X), lit(f"_ is p{n}", X)) for n in range(300)]
    verdict = Theory((rule(lit("_ is p0", "Bob")), *doubling)).decide(lit("_ is p300", "Bob"))
    assert verdict.derivation is not None
    assert len(list(verdict.derivation.steps())) == 301


def test_a_large_theory_is_asked_only_for_what_bears_on_the_goal() -> None:
    facts = [rule(lit("_ is p0", f"person {n}")) for n in range(10_000)]
    rules = [rule(lit(f"_ is p{n + 1}", X), lit(f"_ is p{n}", X)) for n in range(1_000)]
    theory = Theory((*facts, *rules))
    solved = theory.solved(lit("_ is p10", "person 77"))
    assert len(solved.model.instances) == 10


def test_an_unstratified_goal_names_its_circle() -> None:
    theory = Theory((rule(lit("_ is big", "Bob")), rule(lit("_ is blue", X), lit("_ is big", X), lit("not _ is red", X)),
                     rule(lit("_ is red", X), lit("_ is big", X), lit("not _ is blue", X))))  # fmt: skip
    with pytest.raises(UnstratifiedError, match="Bob is red") as caught:
        theory.decide(lit("_ is blue", "Bob"))
    assert {"Bob is blue", "not Bob is red"} <= set(caught.value.cycle)
    assert theory.decide(lit("_ is big", "Bob")).status == "proved"


def test_negation_between_different_constants_is_no_circle() -> None:
    theory = Theory((rule(lit("_ is free", "a")), rule(lit("_ is next to _", "a", "b")),
                     rule(lit("_ wins", X), lit("_ is next to _", X, Y), lit("not _ wins", Y))))  # fmt: skip
    assert theory.decide(lit("_ wins", "a")).status == "proved"


def test_someone_whom_no_condition_names_is_everyone_whom_the_theory_names() -> None:
    theory = Theory((rule(lit("_ is young", "Bob")), rule(lit("_ is old", "Eve")),
                     rule(lit("_ is kind", X), lit("not _ is young", X))))  # fmt: skip
    assert [said.terms for said, _ in theory.find(lit("_ is kind", X))] == [("Eve",)]
    # Whom only the question names is one of them.
    assert theory.decide(lit("_ is kind", "Zed")).status == "proved"


def test_a_contradiction_is_reported() -> None:
    theory = Theory((rule(lit("_ is big", "Bob")), rule(lit("not _ is big", "Bob"))))
    for goal in (lit("_ is big", "Bob"), lit("not _ is big", "Bob")):
        verdict = theory.decide(goal)
        assert verdict.conflict
        assert verdict.status == "unknown"


def test_an_empty_theory_proves_nothing() -> None:
    assert Theory(()).decide(lit("_ is big", "Bob")).status == "disproved"
    assert Theory((), "open").decide(lit("_ is big", "Bob")).status == "unknown"
    assert list(Theory(()).find(lit("_ is big", X))) == []


def test_constants_are_compared_without_case_and_printed_as_first_named() -> None:
    theory = Theory((rule(lit("_ is big", "The  Cat")),))
    assert theory.decide(lit("_ is big", "the cat")).status == "proved"
    assert CONSTANTS


def test_what_would_take_forever_is_refused() -> None:
    many = [rule(lit("_ is big", f"c{n}")) for n in range(3_000)]
    theory = Theory((*many, rule(lit("_ is ready", "it"), lit("not _ sees _", X, Y), lit("not _ is big", Y))))
    with pytest.raises(RuleError, match="too many"):
        list(theory.find(lit("not _ sees _", X, Y)))
    assert len(list(theory.find(lit("not _ sees _", "c1", Y)))) == 3_001
