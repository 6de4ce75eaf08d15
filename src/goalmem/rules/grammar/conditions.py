"""Sentences with a condition: their conclusions, for every way in which the condition may hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product

from goalmem.rules.grammar.reference import Referents, states
from goalmem.rules.grammar.said import Said, said
from goalmem.rules.grammar.text import UnreadableError
from goalmem.rules.grammar.tree import All, Any, Formula, Kind, Noun, State, Term
from goalmem.rules.terms import Literal

__all__ = ["Parts", "conditional", "denied"]

MAX_WAYS = 64
"""Ways in which conditions joined by `or` may hold, of one sentence; each makes a clause."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A sentence taken apart."""

    head: Formula
    body: Formula | None = None
    unless: bool = False
    head_first: bool = False


def conditional(parts: Parts, body: Formula, *, open_head: bool = False) -> Iterator[Said]:
    """The clauses of a sentence with a condition. With `open_head` its condition may speak of what a conclusion that
    stands before it brings in. Raises UnreadableError.
    """
    heads = states(parts.head) if not isinstance(parts.head, Any) else _no_choice()
    for way in _ways(denied(body) if parts.unless else body):
        referents = Referents(conditional=True)
        there: dict[int, Noun] = {}
        first: list[Literal] = []
        if parts.head_first:
            heads = [_condition(state, there) for state in heads]
            for state in heads:  # `Someone is kind if they are nice` names first what its condition speaks of
                for term in state.terms if open_head else state.terms[:1]:
                    if isinstance(term, Noun) and term.kind is not Kind.PRONOUN:
                        referents.term(term)
            first = [referents.literal(state, head=True) for state in heads]
        literals: list[Literal] = referents.taken()
        for state in way:
            literal = referents.literal(_condition(state, there))
            literals += [*referents.taken(), literal]
        for state in () if first else heads:
            head = referents.literal(state, head=True)
            yield said(head, [*literals, *referents.taken()], referents)
        for head in first:
            yield said(head, literals, referents)


def _no_choice() -> list[State]:
    raise UnreadableError("it says that one of several things holds, but not which")


def denied(body: Formula) -> Formula:
    """The denial of a formula."""
    if isinstance(body, State):
        return replace(body, negated=not body.negated)
    parts = tuple(denied(item) for item in body.items)
    return All(parts) if isinstance(body, Any) else Any(parts)


def _ways(body: Formula) -> list[list[State]]:
    """The ways in which a condition may hold: statements that hold together."""
    if isinstance(body, State):
        return [[body]]
    parts = [_ways(item) for item in body.items]
    if isinstance(body, Any):
        found = [way for part in parts for way in part]
    else:
        found = [[s for part in parts_ for s in part] for parts_ in islice(product(*parts), MAX_WAYS + 1)]
    if len(found) > MAX_WAYS:
        raise UnreadableError(f"its 'or's make more than {MAX_WAYS} rules: write several sentences")
    return found


def _condition(state: State, there: dict[int, Noun]) -> State:
    """A statement of a condition, where `anyone` is someone `there`."""
    if any(isinstance(t, Noun) and t.kind is Kind.EVERY for t in state.terms):
        raise UnreadableError("it asks whether something holds of everything, which cannot be decided")
    return replace(state, terms=tuple(_some(t, there) for t in state.terms))


def _some(term: Term, there: dict[int, Noun]) -> Term:
    if not isinstance(term, Noun) or term.kind is not Kind.ANY:
        return term
    if id(term) not in there:
        there[id(term)] = replace(term, kind=Kind.A if term.text else Kind.SOMEONE)
    return there[id(term)]
