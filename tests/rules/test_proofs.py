"""Proofs over theories: accepted by the checker, whatever their size; rejected when anything in them is altered."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import UnstratifiedError
from goalmem.logic.terms import Variable
from goalmem.proof.document import Proof, ProofFormatError
from goalmem.proof.render import text
from goalmem.rules import Clause, Literal, Reading, Theory
from tests.cases import examples
from tests.rules.theories import X, ground_literals, said, theories

AT = datetime(2024, 5, 1, tzinfo=UTC)


class Asked:
    """Reads the one question that it is made for."""

    name = "asked"

    def __init__(self, **questions: Literal) -> None:
        self.questions = questions

    def read(self, text: str) -> Reading:
        return Reading(())

    def read_statement(self, text: str) -> Literal | None:
        return self.questions.get(text)


def lit(predicate: str, *terms: str | Variable) -> Literal:
    return Literal(predicate.removeprefix("not "), terms, predicate.startswith("not "))


def rule(head: Literal, *body: Literal) -> Clause:
    return Clause(head, body, f"{said(head)}{' if ' * bool(body)}{' and '.join(map(said, body))}.")


def asked(clauses: list[Clause], goal: Literal) -> tuple[Theory, Proof]:
    theory = Theory(tuple(clauses), reader=Asked(q=goal))
    return theory, theory.prove(goal, "q", AT)


def small() -> list[Clause]:
    return [
        rule(lit("_ is big", "Bob")),
        rule(lit("_ is big", "Eve")),
        rule(lit("_ is blue", "Eve")),
        rule(lit("not _ is sad", "Tom")),
        rule(lit("_ is rough", X), lit("_ is big", X)),
        rule(lit("_ is green", X), lit("_ is rough", X), lit("not _ is blue", X)),
        rule(lit("not _ is calm", X), lit("_ is rough", X)),
        rule(lit("_ is odd", X), lit("not _ is even", X)),
    ]


GOALS = {
    "proof": (lit("_ is green", "Bob"), "proved"),
    "fact": (lit("_ is big", "Bob"), "proved"),
    "denied fact": (lit("not _ is sad", "Tom"), "proved"),
    "inverse proof": (lit("not _ is green", "Bob"), "disproved"),
    "derived denial": (lit("not _ is calm", "Bob"), "proved"),
    "inverse proof of what is denied": (lit("_ is calm", "Bob"), "disproved"),
    "failure": (lit("not _ is green", "Eve"), "proved"),
    "closed world": (lit("_ is green", "Eve"), "disproved"),
    "list": (lit("_ is rough", X), "proved"),
    "list by failure": (lit("not _ is green", X), "proved"),
    "list of whom only another sentence names": (lit("_ is odd", X), "proved"),
}
GOAL = pytest.mark.parametrize(("goal", "status"), GOALS.values(), ids=GOALS)


@GOAL
def test_an_answer_is_proved_and_its_proof_survives_its_document(goal: Literal, status: str) -> None:
    theory, proof = asked(small(), goal)
    assert proof.status == status
    assert theory.check(proof).failures == ()
    assert Proof.from_json(proof.to_json()) == proof
    assert text(proof)


@given(theories)
@examples(12, 40)
def test_every_answer_about_every_theory_holds_when_it_is_checked(clauses: tuple[Clause, ...]) -> None:
    for goal in ground_literals()[::3]:
        theory = Theory(clauses, reader=Asked(q=goal))
        try:
            verdict = theory.decide(goal)
        except UnstratifiedError:
            continue
        proof = theory.prove(goal, "q", AT)
        assert proof.status == verdict.status
        assert theory.check(proof).ok


@given(theories, theories, st.sampled_from(ground_literals()))
@examples(20, 60)
def test_a_proof_over_another_theory_is_accepted_only_where_that_says_the_same(
    clauses: tuple[Clause, ...], others: tuple[Clause, ...], goal: Literal
) -> None:
    theory, other = (Theory(c, reader=Asked(q=goal)) for c in (clauses, others))
    try:
        proof, status = theory.prove(goal, "q", AT), other.decide(goal).status
    except UnstratifiedError:
        return
    if other.check(proof).ok and proof.status != "unknown":
        assert status in (proof.status, "unknown")


# What a proof says for reading only: nothing follows from it.
FOR_READING = {"space", "note", "reason", "source", "relation", "stage", "spent", "asked_at"}


def alterations(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Every document with one field altered, left out or given twice."""
    here = document
    for step in path:
        here = here[step]
    if isinstance(here, dict):
        for key in here:
            if key not in FOR_READING:
                yield from alterations(document, (*path, key))
                yield changed(document, path, lambda d, k=key: {n: v for n, v in d.items() if n != k}), (*path, key)
    elif isinstance(here, list):
        for i in range(len(here)):
            yield from alterations(document, (*path, i))
            yield changed(document, path, lambda v, i=i: v[:i] + v[i + 1 :]), (*path, i, "left out")
            yield changed(document, path, lambda v, i=i: [*v, v[i]]), (*path, i, "twice")
    elif isinstance(here, bool):
        yield changed(document, path, lambda v: not v), (*path, "flipped")
    elif isinstance(here, int | float):
        yield changed(document, path, lambda v: v + 1), (*path, "more")
    else:
        yield changed(document, path, lambda v: f"{v}x"), (*path, "longer")
        yield changed(document, path, lambda _: "Tom"), (*path, "other")
        yield changed(document, path, lambda v: v.replace("Bob", "Eve") + "" * ("Bob" not in v)), (*path, "Eve")
        yield changed(document, path, lambda v: v.replace("not ", "")), (*path, "not denied")
        for other in ("proved", "disproved", "fact", "rule", "closed-world", "lemma", "list", "whether"):
            if path[-1] in ("status", "kind", "aggregate"):
                yield changed(document, path, lambda _, o=other: o), (*path, other)


def changed(document: Any, path: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    altered = copy.deepcopy(document)
    if not path:
        return change(altered)
    inner = altered
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = change(inner[path[-1]])
    return altered


def every_alteration_is_rejected(theory: Theory, proof: Proof, every: int = 1) -> int:
    document = json.loads(proof.to_json())
    tried = 0
    for altered, path in islice(alterations(document), 0, None, every):
        if altered == document:
            continue
        tried += 1
        try:
            read = Proof.from_json(json.dumps(altered))
        except ProofFormatError:
            continue
        assert read == proof or not theory.check(read).ok, path
    return tried


@GOAL
def test_a_proof_with_anything_altered_is_rejected(goal: Literal, status: str) -> None:
    theory, proof = asked(small(), goal)
    assert proof.status == status
    assert every_alteration_is_rejected(theory, proof) > 20


def chain(depth: int) -> list[Clause]:
    links = [rule(lit(f"_ is p{n + 1}", X), lit(f"_ is p{n}", X)) for n in range(depth)]
    return [rule(lit("_ is p0", "Bob")), *links]


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.thorough)])
def test_a_proof_with_lemmas_altered_anywhere_is_rejected(every: int) -> None:
    theory, proof = asked(chain(14), lit("_ is p14", "Bob"))
    assert len(proof.lemmas) == 1
    assert every_alteration_is_rejected(theory, proof, every) > 100 / every


def test_lemmas_in_another_order_or_in_a_circle_are_rejected() -> None:
    theory, proof = asked(chain(30), lit("_ is p30", "Bob"))
    first, second, *others = proof.lemmas
    assert not theory.check(proof.model_copy(update={"lemmas": (second, first, *others)})).ok
    around = json.loads(proof.to_json())
    node = around["lemmas"][0]
    while "children" in node:
        node = node["children"][0]
    node |= {"kind": "lemma", "lemma": 1}
    node.pop("rule"), node.pop("evidence")
    assert not theory.check(Proof.from_json(json.dumps(around))).ok


def test_a_rule_that_is_stated_no_more_proves_nothing() -> None:
    _, proof = asked(small(), lit("_ is green", "Bob"))
    for gone in (0, 4, 5):
        without = Theory(tuple(c for n, c in enumerate(small()) if n != gone), reader=Asked(q=lit("_ is green", "Bob")))
        assert not without.check(proof).ok
    # One more fact, and what held by failure holds no more.
    more = Theory((*small(), rule(lit("_ is blue", "Bob"))), reader=Asked(q=lit("_ is green", "Bob")))
    assert not more.check(proof).ok


def test_small_proofs_are_trees_and_deep_ones_have_lemmas() -> None:
    assert not asked(chain(10), lit("_ is p10", "Bob"))[1].lemmas
    theory, proof = asked(chain(200), lit("_ is p200", "Bob"))
    assert proof.lemmas
    assert theory.check(Proof.from_json(proof.to_json())).ok
    assert text(proof).count("lemma") > len(proof.lemmas)


def test_a_proof_needed_twice_at_each_level_stays_as_small_as_its_theory() -> None:
    clauses = [rule(lit("_ is p0", "Bob")), rule(lit("_ is q0", "Bob"))]
    for n in range(100):
        body = (lit(f"_ is p{n}", X), lit(f"_ is q{n}", X))
        clauses += [rule(lit(f"_ is p{n + 1}", X), *body), rule(lit(f"_ is q{n + 1}", X), *body)]
    theory, proof = asked(clauses, lit("_ is p100", "Bob"))
    assert proof.status == "proved"
    assert len(proof.lemmas) < 200
    assert theory.check(Proof.from_json(proof.to_json())).ok


def test_a_contradiction_leaves_the_answer_open_and_shows_both_sides() -> None:
    clauses = [*small(), rule(lit("not _ is big", "Bob"))]
    theory, proof = asked(clauses, lit("_ is big", "Bob"))
    assert proof.status == "unknown"
    assert [m.stage for m in proof.missing] == ["conflict"]
    assert len(proof.alternatives) == 2
    assert theory.check(proof).ok


def test_nothing_is_claimed_of_what_no_rule_names() -> None:
    theory, proof = asked(small(), lit("_ is purple", X))
    assert proof.status == "unknown"
    assert theory.check(proof).ok
