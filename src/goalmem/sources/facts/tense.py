"""If a fact is asserted of the time that an atom asks about: its modality, tense and modal verb."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from goalmem.language.lexicon import verb_kinds
from goalmem.language.lexnames import VerbKind
from goalmem.language.verb_forms import (
    forms_of,
    is_of_any_tense,
    is_over,
    is_past,
    is_perfect,
    is_simple_present,
    is_under_way,
    verb_bases,
)
from goalmem.language.words.doubts import NO_MORE
from goalmem.language.words.function_words import ABLE_MODALS, MODALS_SAID, SITUATING
from goalmem.language.words.verbs import ENDING_HABITS, MOTION
from goalmem.logic.terms import Aggregate, Binding, Goal
from goalmem.records import Fact, Modality
from goalmem.sources.certainty.doubts import was_over
from goalmem.sources.frame_reader import FrameReading
from goalmem.sources.numbers import number_in

PRESENT = re.compile(r"\b(?:is|are|am)\b", re.IGNORECASE)
"""Auxiliaries of the present before participles that look like the past: `is married to`."""
PERFECT = re.compile(r"\b(?:has|have)\b", re.IGNORECASE)
"""Auxiliaries of the present perfect, whose states last until now (Quirk et al. 1985, section 4.20)."""
JUST = re.compile(r"\bjust\b", re.IGNORECASE)
"""What has happened just now (Quirk et al. 1985, section 8.98)."""
NEGATION = re.compile(r"\bcan['’]t\b|n['’]t\b")
NOT_UNTIL_NOW = re.compile(r"\b(?:(?:ha[sv]e?|could)(?:n['’]?t| not|['’]?ve not))\b", re.IGNORECASE)
"""Denials of the past that no form of the verb shows: `haven't renewed`, `couldn't find`."""
UNDER_WAY = re.compile(r"\b(?:am|is|are) (?:\w+ly |still )?\w+ing\b", re.IGNORECASE)
"""A question for what somebody is doing."""
BEGUN = re.compile(
    r"\b(?:beg[aiu]n|begins|starts?|started|continue[sd]?|resume[sd]?|keeps?|kept|carry on|carried on|g[eo]t) (?:on )?(?:to )?(?P<verb>(?<=to )\w+|\w+ing\b)",
    re.IGNORECASE,
)
"""Verbs of beginning and continuing before another verb (Freed 1979)."""
A_YEAR = timedelta(days=366)
ASSERTED = frozenset({Modality.ASSERTED})
PLANNED = frozenset({Modality.ASSERTED, Modality.PLANNED})
ACTS = VerbKind.named("body change competition consumption contact creation motion")
"""Kinds of verbs of what somebody does."""


def is_habit(fact: Fact) -> bool:
    """True if a fact tells what somebody does, not that they did it: `she waters the plants`. What is in the present was so when it was told."""
    if not any(kind in ACTS for kind in verb_kinds(fact.predicate)[:1]) or fact.kind != "clause":
        return False
    return is_simple_present(fact.text, fact.predicate)


def is_of_the_past(fact: Fact, bindings: Sequence[Binding], reading: FrameReading, goal: Goal) -> bool:
    """True if it is asked when something is, and a fact says when it was; but who was born on a day has a birthday each year."""
    timed = fact.predicate != "bear" and any(b.variable.type == "time" and b.variable == goal.answer for b in bindings)
    return timed and goal.aggregate is Aggregate.ONE and not reading.past and was_over(fact)


def _words(text: str) -> list[str]:
    """The words of a text in lower case, auxiliaries without `n't`."""
    return re.findall(r"\w+", NEGATION.sub(lambda m: "can" if m[0].startswith("can") else "", text.casefold()))


def meant(fact: Fact, reading: FrameReading) -> bool:
    """True if a fact of this modality can prove the atom: a plan proves only a plan, and a former state nothing about today."""
    if fact.modality is Modality.FORMER:
        return not asks_now(reading)
    if fact.modality is Modality.ASSERTED and not agrees(fact, reading):
        return False
    return fact.modality in (PLANNED if reading.scheduled else ASSERTED)


def asks_now(reading: FrameReading) -> bool:
    """True if the question is about the present."""
    return not reading.past or PRESENT.search(reading.text) is not None


def lasts(goal: Goal) -> bool:
    """True if the question is about how long a state has lasted until now: `How long has Ann lived in Leeds?`."""
    return goal.aggregate is Aggregate.DURATION and any(PERFECT.search(str(atom)) for atom in goal.atoms)


def agrees(fact: Fact, reading: FrameReading) -> bool:
    """True if the tense and the modal verb of a fact suit the atom: a past state need not hold now, a current activity is not finished,
    and neither what was nor what is tells what will, should or may be.
    """
    if reading.modal and not _says_modal(fact, reading.modal):
        return False
    if reading.past:
        under_way = is_under_way(fact.text, fact.predicate) or _is_only_begun(fact)
        return not under_way and (fact.polarity or _denies_past(fact))
    if reading.ahead:
        return _lies_ahead(fact)
    timed = any(frame.time is not None for frame in reading.frames)
    if UNDER_WAY.search(reading.text) is not None and is_of_any_tense(fact.text, fact.predicate):
        return False  # `I read Dune` may be long ago.
    return timed or became(fact) or not is_over(fact.text, fact.predicate)


def _is_only_begun(fact: Fact) -> bool:
    """True if somebody began, or went on with, what comes to an end: who started writing a book need not have written it."""
    verb = forms_of(fact.predicate.split(" ")[0])
    begun = any(found["verb"].casefold() in verb for found in BEGUN.finditer(fact.text))
    return begun and fact.polarity and fact.arg("object") is not None


def _says_modal(fact: Fact, modal: str) -> bool:
    """True if a fact says what a modal verb does; who does something is able to."""
    said = not MODALS_SAID[modal].isdisjoint(_words(fact.text))
    return said or (modal in ABLE_MODALS and fact.polarity)


def _denies_past(fact: Fact) -> bool:
    """True if a denial is about the past, or all time up to now: `didn't play`, `has never played`; not `no longer plays`."""
    verb = forms_of(fact.predicate.split(" ")[0])
    if verb.isdisjoint(_words(fact.text)) or NOT_UNTIL_NOW.search(fact.text) is not None:
        return True  # The `not Tom` of `Ana won, not Tom` has the tense of the clause.
    if NO_MORE.search(fact.text) is not None and not is_perfect(fact.text, fact.predicate):
        return False
    over = is_over(fact.text, fact.predicate) or is_perfect(fact.text, fact.predicate)
    over |= is_past(fact.text) and verb_bases(fact.text).isdisjoint(verb.split()[0] for verb in ENDING_HABITS)
    return over or "never" in fact.text.casefold().split() or fact.modality is not Modality.ASSERTED


def _lies_ahead(fact: Fact) -> bool:
    """True if an asserted fact is about what is to come: what is arranged, or goes by a timetable (Quirk et al. 1985, sections 4.44, 4.45)."""
    if is_over(fact.text, fact.predicate):
        return False
    if fact.when is not None:
        return fact.when.end > fact.said.replace(tzinfo=None)
    subject = fact.arg("subject")
    if (
        subject is not None and subject.type == "person"
    ):  # What somebody does on Thursdays is a habit, what they are at is now.
        return is_under_way(fact.text, fact.predicate) and fact.predicate.split(" ")[0] in MOTION
    timed = any(a.type == "time" or (a.role == "at" and a.type == "quantity") for a in fact.args)
    return timed or (fact.predicate == "be" and any(a.role in SITUATING for a in fact.args))


def became(fact: Fact) -> bool:
    """True if a fact tells how old somebody became on a day within a year of saying it: what they are since."""
    age = fact.arg("object") if fact.predicate == "turn" and fact.slot == "age" else None
    if age is None or any(number_in(word) is None for word in age.text.split()):
        return False
    if fact.when is None:
        return JUST.search(fact.text) is not None
    return timedelta() <= fact.said.replace(tzinfo=None) - fact.when.start < A_YEAR


def looks_back(goal: Goal) -> bool:
    """True if replaced statements count: the goal asks for a time, an order, or about a time."""
    timed = any(v.type == "time" for a in goal.atoms for v in a.variables)
    return timed or goal.aggregate in (
        Aggregate.EARLIEST,
        Aggregate.LATEST,
        Aggregate.DURATION,
        Aggregate.AGE,
        Aggregate.BIRTHDAY,
    )


def article(modality: Modality) -> str:
    """A modality with its article."""
    return {
        Modality.PLANNED: "a plan",
        Modality.QUESTION: "a question",
        Modality.HYPOTHETICAL: "a supposition",
        Modality.CONDITIONAL: "so on a condition",
        Modality.WISH: "a wish",
        Modality.COMMAND: "a request",
        Modality.QUOTED: "a quotation",
        Modality.REPORTED: "hearsay",
        Modality.FORMER: "something of the past",
        Modality.JOKE: "a joke",
    }.get(modality, "stated")
