"""Theories made by chance, for properties that hold of every theory."""

from __future__ import annotations

from hypothesis import strategies as st

from goalmem.logic.terms import Variable
from goalmem.rules import Clause, Literal

X, Y = Variable("x", "thing"), Variable("y", "thing")
CONSTANTS = ("Anne", "Bob", "the cat")
PREDICATES = {"_ is big": 1, "_ is kind": 1, "_ is red": 1, "_ is sad": 1, "_ likes _": 2, "_ sees _": 2}


def literals(terms: tuple[str | Variable, ...], predicates: dict[str, int] = PREDICATES) -> st.SearchStrategy[Literal]:
    def made(predicate: str) -> st.SearchStrategy[Literal]:
        chosen = st.tuples(*[st.sampled_from(terms)] * predicates[predicate])
        return st.builds(Literal, st.just(predicate), chosen, st.booleans())

    return st.sampled_from(sorted(predicates)).flatmap(made)


def said(literal: Literal) -> str:
    words = literal.predicate
    for term in literal.terms:
        words = words.replace("_", str(term), 1)
    return f"{'not ' * literal.negated}{words}"


@st.composite
def clauses(draw: st.DrawFn) -> Clause:
    if draw(st.booleans()):
        head = draw(literals(CONSTANTS))
        return Clause(head, (), f"{said(head)}.")
    terms = (X, X, Y, "Anne")
    head, body = draw(literals(terms)), tuple(draw(st.lists(literals(terms), min_size=1, max_size=3)))
    return Clause(head, body, f"{said(head)} if {' and '.join(map(said, body))}.")


theories = st.lists(clauses(), min_size=1, max_size=14).map(tuple)


def ground_literals() -> list[Literal]:
    return [
        Literal(predicate, (a, b)[:arity], negated)
        for predicate, arity in PREDICATES.items()
        for a in CONSTANTS
        for b in (CONSTANTS if arity == 2 else ("",))
        for negated in (False, True)
    ]
