"""Sentences without a condition: facts, and rules about all of a kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from goalmem.language.lexicon import base_form
from goalmem.rules.english import MODALS
from goalmem.rules.grammar.reference import Referents
from goalmem.rules.grammar.said import Said, said
from goalmem.rules.grammar.text import UnreadableError
from goalmem.rules.grammar.tree import All, Any, Formula, Group, Kind, Noun, State, Term
from goalmem.rules.morphology import is_past, third_person

__all__ = ["plain"]


def plain(formula: Formula) -> Iterator[Said]:
    """The clauses that a sentence without a condition states. Raises UnreadableError."""
    yield from _plain(_resumed(formula))


def _plain(formula: Formula) -> Iterator[Said]:
    if isinstance(formula, Any):
        yield from _any_subject(formula)
        return
    if isinstance(formula, State):
        yield from _stated(formula)
        return
    for item in formula.items:
        yield from _plain(item)


def _any_subject(formula: Any) -> Iterator[Said]:
    """`Cats or dogs are animals` speaks of both; any other `or` leaves open which holds."""
    subjects = [s.terms[0] for s in formula.items if isinstance(s, State)]
    general = (Kind.EVERY, Kind.ANY)
    if (
        len(subjects) < len(formula.items)
        or len({id(s) for s in subjects}) < len(subjects)
        or any(not isinstance(s, Noun) or s.kind not in general for s in subjects)
    ):
        raise UnreadableError("it says that one of several things holds, but not which")
    for item in formula.items:
        yield from _plain(item)


def _stated(state: State) -> Iterator[Said]:
    subject = state.terms[0]
    if isinstance(subject, Group):
        raise UnreadableError("it joins nouns at a place where that cannot be read: write two sentences")
    if subject.kind is Kind.SOMEONE and subject.where is None:
        raise UnreadableError("it says that there is someone or something, but not which")
    if subject.kind in (Kind.A, Kind.ANY, Kind.SOMEONE) and len(state.words) > 1 and _is_told(state.words[1]):
        raise UnreadableError("it tells what happened to some, not what holds of all")
    state = _denying(state)
    if subject.kind in (Kind.A, Kind.SOMEONE):
        state = replace(state, terms=(replace(subject, kind=Kind.EVERY), *state.terms[1:]))
    for way in _adjective_ways(state):
        referents = Referents()
        head = referents.literal(way, head=True)
        yield said(head, referents.taken(), referents)


def _is_told(verb: str) -> bool:
    """True for a verb in the past tense."""
    base = base_form(verb)
    present = verb in MODALS or base == verb or third_person(base) == verb
    return verb == "was" or is_past(verb) or not present


def _denying(state: State) -> State:
    """`Nobody likes Bob` denies it of everyone, and `Bob likes nobody` too."""
    none = [t for t in state.terms if isinstance(t, Noun) and t.kind is Kind.NONE]
    if not none:
        return state
    if len(none) > 1 or state.negated:
        raise UnreadableError("it denies twice")
    every = replace(none[0], kind=Kind.EVERY)
    return replace(state, negated=True, terms=tuple(every if t is none[0] else t for t in state.terms))


def _adjective_ways(state: State) -> Iterator[State]:
    """`Red or big people are kind` is a rule for the red ones and one for the big ones."""
    subject = state.terms[0]
    if isinstance(subject, Noun) and subject.how == "or":
        for adjective in subject.adjectives:
            yield replace(state, terms=(replace(subject, adjectives=(adjective,), how="and"), *state.terms[1:]))
    elif isinstance(subject, Noun) and subject.where is not None and isinstance(subject.where, Any):
        for item in subject.where.items:
            yield replace(state, terms=(replace(subject, where=item), *state.terms[1:]))
    else:
        yield state


def _resumed(formula: Formula) -> Formula:
    """`Penguins are birds but they cannot fly`: a pronoun behind one subject alone is that subject."""
    if not isinstance(formula, All):
        return formula
    subject: Term | None = None
    items: list[Formula] = []
    for item in (part for each in formula.items for part in (each.items if isinstance(each, All) else (each,))):
        state = item
        if isinstance(state, State) and isinstance(state.terms[0], Noun) and state.terms[0].kind is Kind.PRONOUN:
            if not isinstance(subject, Noun) or subject.plural != (state.terms[0].text == "they"):
                return formula
            state = replace(state, terms=(subject, *state.terms[1:]))
        elif not isinstance(state, State) or len(state.terms) > 1 or subject not in (None, state.terms[0]):
            return formula
        else:
            subject = state.terms[0]
        items.append(state)
    return All(tuple(items))
