"""The place, the receiver and the moment that a fact tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from goalmem.language import lexicon
from goalmem.language.lexnames import NounKind
from goalmem.language.words.changes import GIVING, GOING, TAKING
from goalmem.language.words.pronouns import THING_PRONOUNS
from goalmem.records import Argument, Fact
from goalmem.sources.state.things import EventContext, Thing, is_being, thing_of

DAYPARTS = {
    "morning": 8,
    "noon": 12,
    "midday": 12,
    "lunchtime": 12,
    "afternoon": 15,
    "evening": 19,
    "night": 22,
    "tonight": 22,
}
"""Typical hours of parts of a day, to order them."""
ABSTRACT = frozenset({"time", "quantity", "work"})
PLACED = NounKind.named("artifact location object")
"""Kinds of nouns for what something can be in."""
LONG_AGO = timedelta(days=30)
"""How long it may be there. A month is a guess: no data tell."""
PASSING = GIVING - TAKING


def is_long_ago(fact: Fact) -> bool:
    """True if a fact says that something happened long before it was told."""
    return fact.when is not None and fact.said.replace(tzinfo=None) - fact.when.end > LONG_AGO


def is_usual(fact: Fact) -> bool:
    """True if a fact is about a habit, or about something that nearly happened."""
    text = fact.text.casefold()
    usual = re.search(r"\b(?:often|usually|always|sometimes|every|regularly|never|rarely|nearly|almost)\b", text)
    return usual is not None or any(a.role == "frequency" for a in fact.args)


def has_there(fact: Fact) -> bool:
    """True if the fact contains `there` or `here`."""
    return any(a.text.casefold() in ("there", "here") for a in fact.args)


def home_or_there(fact: Fact) -> Thing | None:
    """Home, outside, upstairs: places that are adverbs."""
    words = {w for a in fact.args if a.role in ("place", "manner", "attribute") for w in a.text.casefold().split()}
    adverb = next(
        (w for w in ("home", "upstairs", "downstairs", "outside", "indoors", "outdoors", "abroad") if w in words), None
    )
    return Thing(adverb, adverb, adverb) if adverb is not None else None


def place_of(fact: Fact, roles: Iterable[str], context: EventContext) -> Thing | None:
    """The place in one of some roles of a fact."""
    for role in roles:
        argument = fact.arg(role)
        if argument is None or not argument.text or not is_place(argument):
            continue
        if argument.text.casefold() in THING_PRONOUNS:
            return None
        return thing_of(argument, context.similarity)
    return None


def is_place(argument: Argument) -> bool:
    """True if something can be in what an argument names: no time, no amount and no event."""
    kinds = set(lexicon.supersenses(argument.head))
    return argument.type not in ABSTRACT or (argument.type != "time" and bool(kinds & PLACED))


def receiver_of(fact: Fact, context: EventContext, before: Sequence[Fact]) -> Thing | None:
    """The receiver of something."""
    argument = fact.arg("indirect") or fact.arg("to")
    given = argument is not None and argument.resolved == "name" and fact.predicate in PASSING - GOING
    if argument is None or (fact.arg("indirect") is None and not is_being(argument, context) and not given):
        return None
    toward = re.search(rf"\bto\s+{re.escape(argument.text)}", fact.text) is not None
    place = argument.type != "person" or lexicon.coarse_type(argument.head) == "place"
    if (toward and argument.resolved == "name" and place and fact.predicate in TAKING) and context.similarity.canonical(
        argument.entity
    ) not in context.acting:
        return None  # `brought it to Lyon`: a name that never acts may also be a place.
    people = context.people_of(argument, before)
    return people[0] if len(people) == 1 else None


def receiver_from(fact: Fact, context: EventContext) -> Thing | None:
    """The person from whom something is taken, who then no longer has it."""
    argument = fact.arg("from")
    return thing_of(argument, context.similarity) if argument is not None and is_being(argument, context) else None


def moment_of(fact: Fact) -> datetime:
    """The time of an event: as stated, with the part of the day, otherwise when it was said."""
    said = fact.said.replace(tzinfo=None)
    if fact.when is None or not fact.when_text:
        return said
    if fact.when.start <= said < fact.when.end and not any(p in fact.when_text.casefold() for p in DAYPARTS):
        return said
    hour = next((h for word, h in DAYPARTS.items() if word in fact.when_text.casefold()), 0)
    return fact.when.start + timedelta(hours=hour)
