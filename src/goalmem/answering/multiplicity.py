"""How many values a goal can have: whether a later one replaces the one before, or holds beside it."""

from __future__ import annotations

import re
from enum import Enum
from functools import partial

from goalmem.language.lexicon import base_form
from goalmem.language.terms import LETTERS
from goalmem.language.verb_forms import forms_of, is_past
from goalmem.language.words.nouns import LASTING, ONE_ONLY, SINGLE_VALUED
from goalmem.language.words.verbs import ONCE, ONE_AT_A_TIME
from goalmem.logic.terms import Atom, Goal, Variable

GOING_ON = re.compile(r"\b(?:am|is|are|'m|'s|'re)\s+(?:\w+ly\s+|still\s+|now\s+)?\w+ing\b")
"""A present progressive."""
IDENTIFIED = re.compile(r"(?:is|are)\s+(?:the\b|(?:\w+(?:'s?|’s?))(?=\s))")
"""What stands behind a subject that is one particular person or thing: `(x:person) is the boss`, `(x:person) is user's boss`."""


class Multiplicity(Enum):
    """How many values of one thing can hold."""

    ONE = "one"
    """One for ever, or at the time that is asked about: a birthplace, an age, a rent that was. Two are a conflict."""
    ONE_AT_A_TIME = "one at a time"
    """A later one replaces it: a password."""
    USUALLY_ONE = "usually one"
    """A later one usually replaces it: who drives a Volvo now no longer drives the Fiat."""
    SEVERAL = "several"
    """A later one holds beside it: what somebody is allergic to."""


def multiplicity(goal: Goal) -> Multiplicity:
    """How many values the answer of a goal can have."""
    if goal.answer is None:
        return Multiplicity.SEVERAL
    kinds = goal.answer.type.split()
    named = {base_form(w) for w in (*_words_about(goal, goal.answer), *kinds)}
    if not ONE_ONLY.isdisjoint(kinds) or happens_once(goal):
        return Multiplicity.ONE
    if not SINGLE_VALUED.isdisjoint(named):
        changes = LASTING.isdisjoint(named) and not is_past(goal.question)
        return Multiplicity.ONE_AT_A_TIME if changes else Multiplicity.ONE
    return Multiplicity.USUALLY_ONE if _is_usually_one(goal, goal.answer) else Multiplicity.SEVERAL


def happens_once(goal: Goal) -> bool:
    """True if a goal asks about an event that happens once in a life, so that two values can never both be right."""
    said = _words_about(goal, goal.answer) if goal.answer is not None else frozenset()
    return any(said & forms_of(verb) for verb in ONCE)


def _words_about(goal: Goal, answer: Variable) -> frozenset[str]:
    """The words of the atoms that a variable stands in, in lower case."""
    texts = (a.read_as()[0] for a in goal.atoms if answer in a.variables)
    return frozenset(w.casefold() for text in texts for w in LETTERS.findall(text))


def _is_usually_one(goal: Goal, answer: Variable) -> bool:
    """True for amounts, what is under way, present places, what or who somebody is, and verbs of which one object at a time is usual; and a
    singular noun (`which city`) asks for one.
    """
    kind = answer.type.split()[-1]
    if kind in ("amount", "quantity"):
        return True
    if re.search(rf"\b(?:which|what)\b[\w\s-]*\b{re.escape(kind)}\b", goal.question, re.IGNORECASE) is not None:
        return True
    return not is_past(goal.question) and any(map(partial(_has_one_now, answer), goal.atoms))


def _has_one_now(answer: Variable, atom: Atom) -> bool:
    """True if an atom in the present tense usually holds of one value of a variable only."""
    if answer not in atom.variables:
        return False
    text, spans = atom.read_as()
    before, behind = text[: spans[answer.name][0]].split(), text[spans[answer.name][1] :].strip()
    if not before:
        return IDENTIFIED.match(behind) is not None
    once = before[-1] != "with" and any(w.casefold() in forms_of(verb) for verb in ONE_AT_A_TIME for w in before)
    is_what = before[-1] in ("am", "is", "are")
    return once or is_what or answer.type == "place" or GOING_ON.search(text) is not None
