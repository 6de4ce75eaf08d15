"""If a later statement about a thing may have changed its place, owner, colour, day, name or number."""

from __future__ import annotations

import re
from collections.abc import Sequence

from goalmem.language import lexicon
from goalmem.language.morphology import singular
from goalmem.language.words.attributes import ATTRIBUTES, BECOMING, STATIVE_COPULAS
from goalmem.language.words.doubts import NOT_THE_SAME
from goalmem.language.words.endings import EXISTING, OF_THEM
from goalmem.language.words.verbs import CALLING_OFF, HOLDING, RESCHEDULING
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.certainty.same_matter import LOCATIVE, marks_change
from goalmem.sources.certainty.topics import kind_of, names, words_in
from goalmem.sources.certainty.verb_effects import BODY, CONSUMPTION, HARMLESS, INERT, STATIVE, WEATHER, is_harmless
from goalmem.sources.state.attribute_text import AttributeTopic, is_colour

ACTING = frozenset({BODY, CONSUMPTION, STATIVE})
"""Kinds of verbs that leave their subject with its owner."""
NOUNS = {"name": "name", "number": "price", "day": "day", "colour": "colour", "held": "owner"}
"""The noun of each kind of attribute."""
MEANT = re.compile(
    r"it|that|(?:(?:one|two|some|all|both|none|most|half|neither) of )?(?:them|these|those)", re.IGNORECASE
)
"""Pronouns for a thing, for several, or for some of them."""
NO_MORE_THERE = frozenset({"gone", "sold", "history", "dead", "no more"})
"""What a thing is that there is no longer."""


def alters_thing(told: Fact, fact: Fact, topic: AttributeTopic) -> bool:
    """True if a later statement may have ended what a fact says of a thing."""
    naming = [a for a in told.args if names(a, topic)]
    meant = naming or [a for a in told.args if MEANT.fullmatch(a.text) and not a.entity]
    kind, same_turn = kind_of(fact), told.turn == fact.turn
    if not meant or (told.predicate in HOLDING and (not naming or same_turn)):
        return False
    if not naming and is_harmless(told, HARMLESS[kind] | {WEATHER}):
        return False
    if any(ATTRIBUTES.get(a.head) == NOUNS.get(kind, "-") for a in told.args):
        return True
    if kind == "day" and naming and any(words_in(a.text) & NOT_THE_SAME for a in told.args if a not in naming):
        return True  # "we'll do the review some other time"
    if not told.polarity:
        lost = kind == "place" and told.arg("object") in naming  # "nobody can find it"
        return lost or _denies(told, meant)
    put_off = bool({told.predicate, told.predicate.split()[0]} & {*CALLING_OFF, *RESCHEDULING})
    if told.modality is not Modality.ASSERTED and not (told.modality is Modality.PLANNED and put_off):
        return False
    return (bool(naming and kind) and marks_change(told, naming)) or _acts_on(told, kind, naming, meant)


def _acts_on(told: Fact, kind: str, naming: Sequence[Argument], meant: Sequence[Argument]) -> bool:
    """True if a statement tells of something that is done to a thing, or that it does, and that may change a value of a kind."""
    subject, verb, head = told.arg("subject"), told.predicate, told.predicate.split()[0]
    if meant == [told.arg("indirect")]:
        return False  # "I gave the parrot a bath"
    if verb == "be" and subject in meant:
        if any(a.head in NO_MORE_THERE or a.text.casefold() in NO_MORE_THERE for a in told.args):
            return kind != "colour"
        name = told.arg("attribute") if kind == "name" else None
        return name is not None and (name.entity != "" or name.text[:1].isupper())
    if verb in HOLDING - {"be"} and kind in ("", "colour", "day") and meant == [subject]:
        return False
    where = LOCATIVE if kind == "place" else LOCATIVE - {"on"}  # "pulled the plug on the gala"
    acted = [a for a in meant if a.role.split()[0] not in where]
    if not acted and not any(is_colour(a.head) for a in naming):
        return False
    if head in BECOMING and subject in meant and verb not in STATIVE_COPULAS:
        return True
    does = kind == "held" and acted == [subject]
    return not is_harmless(told, HARMLESS[kind] | (ACTING if does else frozenset()))


def _denies(told: Fact, meant: Sequence[Argument]) -> bool:
    """True if a statement denies that something exists, takes place or lasts."""
    if told.arg("subject") not in meant or told.modality not in (Modality.ASSERTED, Modality.PLANNED):
        return False
    going = " ".join([told.predicate, *(a.text for a in told.args if a.role == "manner")])
    exists = not any(a.role in ("attribute", "object") for a in told.args)
    return (exists and bool({told.predicate, going} & EXISTING)) or lexicon.same_verb(told.predicate, "survive")


def recounts(told: Fact, noun: str) -> bool:
    """True if a statement is about counted things or some of them, so that there may be more or fewer now."""
    said = told.arg("attribute")
    none = said is not None and said.text.casefold().startswith(("no ", "zero ", "none"))
    if is_harmless(told, INERT) or (told.predicate == "be" and said is not None and not none):
        return False
    words = (singular(w) for a in told.args for w in words_in(a.text))
    return any(w in OF_THEM or w == noun or lexicon.is_a(w, noun) for w in words)
