"""The people, things and places of events, and whom or what a pronoun of theirs means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from goalmem.language import lexicon
from goalmem.language.lexnames import NounKind
from goalmem.language.words.pronouns import (
    FIRST_PERSON,
    PERSONAL_PRONOUNS,
    PLURAL_PRONOUNS,
    SINGULAR_PRONOUNS,
    THING_PRONOUNS,
)
from goalmem.records import Argument, Fact
from goalmem.sources.similarity import Similarity
from goalmem.sources.values import without_article

BEHIND = re.compile(r"(?<!\s)\s+(?:to|from|in|into|at|on|onto|back|there|here|with|for|over|up|down)\b", re.IGNORECASE)
"""Words after a noun that give its destination, but that the parser includes in the noun's phrase."""
PHYSICAL = NounKind.named("animal artifact communication food object plant possession substance")
"""Kinds of nouns for what somebody can hold."""
HAPPENINGS = NounKind.named("act attribute event feeling group phenomenon state time")
"""Kinds of nouns for what nobody can hold."""
LIGHT = frozenset({"take", "get", "have", "catch", "give", "hold", "keep"})
"""Light verbs, whose object may be the action (Levin 1993, section 7.4; Jespersen 1942)."""
CARRIERS = ("public transport", "aircraft", "taxi", "elevator", "train")
"""Vehicles and services that one takes as a passenger."""
SHOTS = frozenset({"picture", "selfie", "shot", "screenshot", "video"})
"""Pictures that WordNet does not list under photographs."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A person, thing or place in an event."""

    key: str
    """Identifies it: its name, otherwise its noun with modifiers, in lower case."""
    text: str
    head: str
    name: bool = False
    """True if it has a name, or belongs to somebody with a name."""
    new: bool = False
    """True if it is introduced as new: `an apple`."""


DEFINITE = re.compile(r"(?:the|this|that|these|those|it|them)\b", re.IGNORECASE)
"""Begins a definite phrase."""


def thing_of(argument: Argument, similarity: Similarity) -> Thing:
    """The thing that an argument names."""
    text = argument.entity or BEHIND.split(without_article(argument.text))[0]
    if argument.entity:
        return Thing(similarity.canonical(argument.entity), argument.entity, argument.head, True)
    modifiers = [
        w for w in re.findall(r"[\w'-]+", without_article(argument.text).casefold()) if w in argument.modifiers
    ]
    key = " ".join([*modifiers, argument.head or text.casefold()])
    return Thing(key, text, argument.head, new=bool(re.match(r"(?:an?|another|some)\b", argument.text, re.IGNORECASE)))


@dataclass
class EventContext:
    """The people and things mentioned before, for pronouns that the extraction left open."""

    similarity: Similarity
    acting: frozenset[str] = frozenset()
    """Keys of the speakers and of the subjects of statements."""
    thing: Thing | None = None

    def people_of(self, argument: Argument | None, before: Sequence[Fact]) -> list[Thing]:
        """The people that an argument refers to; none if that is unclear."""
        if argument is None:
            return []
        word = argument.text.casefold()
        if not argument.entity and word in FIRST_PERSON:
            return []  # unless the speaker is unknown
        if argument.entity or word not in PERSONAL_PRONOUNS | THING_PRONOUNS:
            return [thing_of(argument, self.similarity)] if argument.entity or argument.text else []
        if word in THING_PRONOUNS:
            return [self.thing] if self.thing is not None else []
        group, others = joint_subjects(before, self)
        wanted = len(group) > 1 if word in PLURAL_PRONOUNS else len(group) == 1 and not others
        return group if wanted else []

    def meant_perhaps(self, argument: Argument | None, before: Sequence[Fact]) -> list[Thing]:
        """The people that an open pronoun may refer to."""
        open_ = argument is not None and not argument.entity and argument.text.casefold() in PERSONAL_PRONOUNS
        group, others = joint_subjects(before, self)
        return [*group, *others] if open_ else []

    def thing_meant(self, argument: Argument | None) -> Thing | None:
        """The thing that an argument refers to; None if that is unclear."""
        if argument is None or (not argument.text and not argument.entity):
            return None
        if not argument.entity and argument.text.casefold() in THING_PRONOUNS:
            return self.thing
        return thing_of(argument, self.similarity)


def joint_subjects(before: Sequence[Fact], context: EventContext) -> tuple[list[Thing], list[Thing]]:
    """The subjects of the last statement about people (both, for `Mary and John went`), and the others that it names."""
    last = next((f for f in reversed(before) if (s := f.arg("subject")) is not None and s.entity), None)
    if last is None:
        return [], []
    same = [f for f in before if f.turn == last.turn and f.predicate == last.predicate and f.kind == last.kind]
    subjects = [s for f in same if (s := f.arg("subject")) is not None and s.entity]
    group = {t.key: t for t in (thing_of(s, context.similarity) for s in subjects)}
    others = (a for f in same for a in f.args if a.entity and a.role != "subject" and is_being(a, context))
    named = [thing_of(a, context.similarity) for a in others]
    return list(group.values()), [t for t in named if t.key not in group]


def is_thing(argument: Argument) -> bool:
    """True if a later `it` may refer to the argument."""
    return (
        argument.type not in ("time", "person")
        and argument.resolved != "name"
        and bool(argument.head)
        and argument.text.casefold() not in THING_PRONOUNS | PERSONAL_PRONOUNS
    )


def is_portable(what: Thing, fact: Fact) -> bool:
    """True if something can be owned and carried: no haircut, no cold, no bus that one takes, no shower."""
    kinds = set(lexicon.supersenses(what.head))
    if what.name or not kinds:
        return True
    light = fact.predicate in LIGHT and (what.new or not DEFINITE.match(fact_words(fact)))
    if not kinds & PHYSICAL or (light and (kinds & HAPPENINGS or is_shot(what.head))):
        return False
    return not (fact.predicate in LIGHT and any(lexicon.is_a(what.head, kind) for kind in CARRIERS))


def is_shot(head: str) -> bool:
    """True if taking something produces it: a photo, a screenshot."""
    return head in SHOTS or lexicon.is_a(head, "photograph")


def fact_words(fact: Fact) -> str:
    """The words of a fact's object."""
    argument = fact.arg("object")
    return argument.text if argument is not None else ""


def is_being(argument: Argument, context: EventContext) -> bool:
    """True if an argument names a person or an animal, rather than a place."""
    if argument.entity and context.similarity.canonical(argument.entity) in context.acting:
        return True
    if argument.text.casefold() in SINGULAR_PRONOUNS | {"me", "you", "us"}:
        return True
    if argument.type in ("person", "animal"):
        return True
    if argument.resolved in ("name", "speaker", "addressee", "pronoun", "presumed") and argument.type in (
        "",
        "organization",
    ):
        return True
    return not argument.entity and lexicon.coarse_type(argument.head) in ("person", "animal")
