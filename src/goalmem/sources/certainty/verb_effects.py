"""What kinds of verbs leave what they are said of as it was (WordNet's lexicographer files)."""

from __future__ import annotations

from collections.abc import Iterable

from goalmem.language import lexicon
from goalmem.language.lexicon import verb_kinds
from goalmem.language.lexnames import VerbKind
from goalmem.language.words.endings import WEARY
from goalmem.records import Fact

BODY, CHANGE, COGNITION, COMMUNICATION, COMPETITION, CONSUMPTION, CONTACT, CREATION, *_MORE = VerbKind
EMOTION, MOTION, PERCEPTION, POSSESSION, SOCIAL, STATIVE, WEATHER = _MORE
INERT = frozenset({COGNITION, COMMUNICATION, COMPETITION, EMOTION, PERCEPTION})
"""Kinds of verbs that do not change their objects."""
UNAFFECTED = INERT | {BODY, CONSUMPTION, CREATION, SOCIAL, STATIVE, WEATHER}
"""Kinds of verbs after which what somebody is at goes on as before."""
HARMLESS = {
    "place": INERT | {BODY, WEATHER},
    "held": INERT | {CREATION},
    "colour": INERT | {CONSUMPTION, MOTION, POSSESSION, SOCIAL, STATIVE},
    "day": INERT | {CONSUMPTION},
    "name": (INERT - {COMMUNICATION}) | {BODY, CONSUMPTION, CONTACT, MOTION, POSSESSION, WEATHER},
    "number": INERT | {BODY, CONSUMPTION, CONTACT, CREATION, MOTION, SOCIAL, WEATHER},
    "count": INERT,
    "": UNAFFECTED | {MOTION},
}
"""By kind of fact about a thing (its place, its owner …), the kinds of verbs that do not change it."""


def is_harmless(told: Fact, kinds: frozenset[VerbKind]) -> bool:
    """True if a verb is known, and each of its main senses is of a harmless kind."""
    if any(a.role in ("out of", "into") for a in told.args):
        return False  # "talked Ilse out of the boat": the result comes from talking (resultatives: Levin 1993, section 7.5)
    found = verb_kinds(told.predicate)
    return bool(found) and kinds.issuperset(found)


def verbs_of(told: Fact) -> set[str]:
    """The verb of a statement, alone and with the preposition of each argument."""
    return {told.predicate, *(f"{told.predicate} {a.role}" for a in told.args)}


def is_weary(told: Fact) -> bool:
    """True if a statement says that somebody has had enough: `is sick of olives`."""
    words = (w for a in told.args for w in (a.head, *a.text.split()[:1], *a.role.split()[:1]))
    return told.predicate == "be" and not WEARY.isdisjoint(words)


def is_mainly_of(word: str, kinds: Iterable[str]) -> bool:
    """True if a noun is mainly of one of these kinds."""
    return any(word == kind or lexicon.is_mainly(word, kind) for kind in kinds)
