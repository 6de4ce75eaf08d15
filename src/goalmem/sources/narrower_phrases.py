"""Phrases that say less than they seem to: another number, an adjective without its complement, a denial of a part (condition 4 of unification)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from goalmem.language.inflection import getLemma
from goalmem.language.lexicon import can_be, is_known, tagged_uses
from goalmem.language.terms import WORD_PART, terms_of
from goalmem.language.verb_forms import forms_of
from goalmem.language.words.function_words import (
    ALMOST,
    COMPLETING,
    MODALS,
    NEGATIONS,
    NEGATIVES,
    UNDOING,
)
from goalmem.language.words.modifiers import NOT_SELECTING, OF_ITSELF, SELECTING, TIME_MARKS, WHOLLY
from goalmem.logic.unify import FramePart
from goalmem.sources.numbers import NUMBER_WORDS
from goalmem.sources.qualifiers import restricting

NEEDLESS = NOT_SELECTING | frozenset("also just yet even really".split())
"""Words of circumstances without content: `yet`; not `first`, `always`, nor the `in` of `moved in`."""
EMPTY = re.compile(r"\b(?:so far|to date|in the end|at all)\b")
"""The same of several words."""
COMPLEMENTING = COMPLETING | {"with", "in", "by", "that", "enough"}
"""Words behind an adjective that open its complement."""
COMPLEMENTS = COMPLETING | {"complement"}
"""Roles of what completes an adjective."""
SO_MANY = WHOLLY | (NUMBER_WORDS.keys() - {"zero"})
"""Words that a denial denies first: who did not sell all books, or ten, sold some."""
ANY_MORE = re.compile(r"\b(?:any|no) (?:more|longer)\b")
TIMES = {"once": "one", "twice": "two", "thrice": "three"}
BELOW_ZERO = re.compile(r"(?:(?<!\S)[-−–]|\bminus )(?=\d)")
"""The sign of a number."""
CONTRACTED = (
    (re.compile(r"\bwon['’]t\b"), "will not"),
    (re.compile(r"\bcan['’]t\b"), "can not"),
    (re.compile(r"n['’]t\b"), " not"),
    (re.compile(r"['’]ll\b"), " will"),
)
"""Contractions of negations and modal verbs, and what they stand for."""
OPENING = frozenset("to how what where when which whether".split())
"""First words of infinitives."""
DEGREES = frozenset("more most less least enough".split())
"""Words of degree beside adjectives and adverbs with which the plain word need not hold: who is old enough need not be old."""
ADVERBIAL = frozenset({"frequency", "manner", "time"})
_ALL = frozenset("all every each whole entire everything everyone".split())
QUANTIFIED = {
    **dict.fromkeys(("all", "every", "each", "whole", "entire"), _ALL | {"both"}),
    "both": frozenset({"both", "two", "all"}),
    **{word: frozenset({word}) for word in ("half", "most", "enough")},
}
"""By determiner of quantity, the words of which a fact must have one (Quirk et al. 1985, sections 5.15 to 5.18)."""
UNNAMED_OWNERS = frozenset("your their his her".split())
"""Possessives of which it is not known whom they mean."""
EVERY = re.compile(r"(?:every|each) (?!other\b|second\b|third\b)", re.IGNORECASE)
EVERY_SECOND = re.compile(
    r"every (?:other|second|third|fourth|few|couple|\d+|two|three|four|five|six)\b", re.IGNORECASE
)
"""Longer intervals than the plain unit: `every other week`."""


def adds_nothing(part: FramePart) -> bool:
    """True for adverbs that say nothing of what happened; not for the end of `after the end`."""
    if part.entity or part.role in TIME_MARKS:
        return False
    return {*WORD_PART.findall(EMPTY.sub(" ", part.text.casefold()))} <= NEEDLESS


# -- determiners -------------------------------------------------------------------------------------------------------


def is_determined_otherwise(goal: FramePart, fact: FramePart) -> bool:
    """True if the goal's determiner says more than the fact does, or something else: every book is more than a book, your car not their car."""
    asked, told = ([*WORD_PART.findall(part.text.casefold())] for part in (goal, fact))
    quantified = next((QUANTIFIED[w] for w in asked[:3] if w in QUANTIFIED), frozenset())
    if quantified and quantified.isdisjoint(told):
        return True
    owner = asked[0] if len(asked) > 1 and not goal.entity else ""
    return owner in UNNAMED_OWNERS and not ({owner, "own"} <= {*told} or told[:1] == [owner])


# -- numbers -----------------------------------------------------------------------------------------------------------


def is_numbered_otherwise(goal: FramePart, fact: FramePart) -> bool:
    """True if a fact has other numbers than the goal: 12 Mill Road is not 2 Mill Road, twice a week not once, and every other day not every day."""
    often = {goal.role, fact.role} <= ADVERBIAL and _times_in(goal.text) != _times_in(fact.text)
    seldom = EVERY.match(goal.text) is not None and EVERY_SECOND.match(fact.text) is not None
    return often or seldom or not _numbers_of(goal) <= _numbers_of(fact)


def _times_in(text: str) -> tuple[str, ...]:
    """The numbers of a frequency, in words: `two` for `twice`."""
    words = (TIMES.get(w, w) for w in WORD_PART.findall(text.casefold()))
    return tuple(w for w in words if w in NUMBER_WORDS or w.isdigit())


def _numbers_of(part: FramePart) -> frozenset[str]:
    """The words with digits that a part is named by: 12 Mill Road is not 2 Mill Road."""
    text = BELOW_ZERO.sub("minus", f"{part.text} {part.entity}".casefold())
    return frozenset(w for w in WORD_PART.findall(text) if any(map(str.isdigit, w)))


# -- adjectives --------------------------------------------------------------------------------------------------------


def is_incomplete(adjective: FramePart, beside: Collection[str]) -> bool:
    """True if an adjective means something else with a part in one of these roles: poor at spelling."""
    return _needs_complement(adjective.head) and not COMPLEMENTS.isdisjoint(beside)


def leaves_out(goal: FramePart, fact: FramePart) -> bool:
    """True if an adjective of a fact has a complement, or a noun before it, that the goal's lacks, and means something else without it."""
    words, said = WORD_PART.findall(fact.text.casefold()), {*WORD_PART.findall(goal.text.casefold())}
    if fact.head not in words or not _needs_complement(fact.head):
        return False
    place = words.index(fact.head)
    before, behind = words[max(0, place - 1) : place], words[place + 1 :]
    compound = [w for w in before if is_known(w) and tagged_uses(w) > max(tagged_uses(w, "a"), tagged_uses(w, "r"))]
    if is_known(fact.head) and tagged_uses(fact.head) > tagged_uses(fact.head, "a"):
        return False
    return bool({*compound, *behind[1:]} - said) and (bool(compound) or behind[0] in COMPLEMENTING)


def is_graded_otherwise(goal: FramePart, fact: FramePart) -> bool:
    """True if an adjective or adverb has another degree than the goal's: who is less noisy is not noisier, nor is the taller one tall."""
    if not {goal.role, fact.role} <= {"attribute", "manner"}:
        return False
    return _degree(goal) != _degree(fact)


def _degree(part: FramePart) -> str:
    """`more`, `most`, `less`, `least` or `enough`; empty for the plain form, and for equal degrees."""
    words = WORD_PART.findall((part.text or part.entity).casefold())
    said = next((w for w in words if w in DEGREES), "")
    inflected = (w for w in words if w != part.head and getLemma(w, "ADJ", lemmatize_oov=False)[:1] == (part.head,))
    form = next(inflected, "")
    return said or ("" if not form else "most" if form.endswith("st") else "more")


def _needs_complement(word: str) -> bool:
    """True for an adjective that means something else without its complement."""
    return word not in OF_ITSELF and not word.endswith("ed") and is_known(word, "a") and not can_be(word, "color")


# -- complements -------------------------------------------------------------------------------------------------------


def is_completed_otherwise(goal: FramePart, fact: FramePart) -> bool:
    """True if two infinitives or clauses say different things with the same words: somebody else is to do it (`wants me to move`), one is
    denied, has another modal verb, or names its participants in another order.
    """
    if not goal.role == fact.role == "complement":
        return False
    asked, told = (_words_in_full(part.text.casefold()) for part in (goal, fact))
    if any({*asked} & words != {*told} & words for words in (MODALS, NEGATIVES)):
        return True
    if _has_own_subject(goal, asked) != _has_own_subject(fact, told):
        return True
    stems, said = ([s for w in words for s in terms_of(w)] for words in (asked, told))
    both = {s for s in stems if stems.count(s) == said.count(s) == 1}
    return [s for s in stems if s in both] != [s for s in said if s in both]


def _words_in_full(text: str) -> list[str]:
    """The words of a text in lower case, negations and modal verbs in full."""
    for short, long in CONTRACTED:
        text = short.sub(long, text)
    return re.findall(r"\w+", text)


def _has_own_subject(part: FramePart, words: Sequence[str]) -> bool:
    """True unless a complement begins with its verb: `to move`, `how to move`, `moving`."""
    first = next((w for w in words if w not in NEGATIVES), "")
    return not (first in OPENING or first.endswith("ing") or first in forms_of(part.head))


# -- denials -----------------------------------------------------------------------------------------------------------


def denies_less(goal: FramePart | None, fact: FramePart) -> bool:
    """True if words of a denial say more than the goal's part, or anything if the goal has no such part: who has no red car may have a car."""
    if goal is None:
        told = {*WORD_PART.findall(EMPTY.sub(" ", ANY_MORE.sub(" ", fact.text.casefold())))}
        nearly = not told.isdisjoint(ALMOST) and not told.isdisjoint(NEGATIONS)  # `almost never`
        needless = told <= (NEEDLESS - SELECTING) | UNDOING and not nearly
        return fact.role != "subject" and fact.start >= 0 and not needless
    stems = {*terms_of(f"{goal.text} {goal.entity} {' '.join(goal.modifiers)}")}
    more = any(m != fact.head and not {*terms_of(m)} <= stems for m in restricting(fact.modifiers))
    return more or denies_part(goal, fact)


def denies_part(goal: FramePart, fact: FramePart) -> bool:
    """True if a denial is only of all, of so many, or of a degree: `not all my books`, `never happier`."""
    said = {*WORD_PART.findall(f"{goal.text} {goal.entity}".casefold()), *goal.modifiers, goal.head}
    words = [w for w in WORD_PART.findall(fact.text.casefold()) if w not in said]
    graded = fact.role in ("attribute", "manner")
    compared = graded and any(getLemma(w, "ADJ", lemmatize_oov=False)[:1] not in ((), (w,)) for w in words)
    return compared or not SO_MANY.isdisjoint(words) or any(map(str.isdigit, words))
