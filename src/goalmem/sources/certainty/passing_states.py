"""If what somebody is at for a time (an activity under way, a habit, a need, an illness) may be over by what is done to the same thing: `I'm
waiting for a parcel` once `the parcel came`.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from goalmem.language.lexicon import can_be, is_a, verb_kinds
from goalmem.language.morphology import singular
from goalmem.language.verb_forms import is_over, is_simple_present, is_under_way
from goalmem.language.words.doubts import FULFILLING, QUITTING
from goalmem.language.words.endings import (
    DONE_WITH,
    ENDING,
    NEEDING,
    OF_PLACES_TOO,
    PASSING,
    PLACES_GIVEN,
    QUEUES,
    SEEKING,
)
from goalmem.language.words.verbs import ATTITUDES, HOLDING
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.certainty.thing_endings import MEANT
from goalmem.sources.certainty.topics import is_state, words_in
from goalmem.sources.certainty.verb_effects import UNAFFECTED

NOUN_LEFT_OUT = re.compile(rf"{MEANT.pattern}|one|two|some|they", re.IGNORECASE)
"""Words for what was sought."""
CONCERNED = frozenset("subject object complement from of on over with".split())
"""Roles of what a statement is about, not only its place or receiver."""
BELONGING = frozenset("at for in to with as".split())
"""Roles of what somebody belongs to."""


def nouns_of(fact: Fact) -> list[str]:
    """What a state or an activity of somebody is about, in the singular; nothing for any other fact."""
    if fact.modality is not Modality.ASSERTED or not fact.polarity or fact.kind not in ("clause", "identity"):
        return []
    if is_over(fact.text, fact.predicate):
        return []
    about = [a for a in fact.args if a.role != "subject" and a.type != "time" and a.head]
    return list(dict.fromkeys(word for a in about for word in (a.entity, singular(a.head)) if word and word != "user"))


def may_be_over(told: Fact, fact: Fact, nouns: list[str]) -> bool:
    """True if a later statement about what a state or an activity is about may mean that it is over.

    Anything done to it may end an activity, a need or an illness; other states only what says so.
    """
    if told.modality is not Modality.ASSERTED or told.kind == "possession" or told.predicate == fact.predicate:
        return False
    concerned = CONCERNED | (BELONGING if told.predicate in QUITTING else frozenset())
    about = [a for a in told.args if a.role in concerned and _names(a, nouns)]
    if not about:
        return _finds_what_is_sought(told, fact)
    if told.predicate in HOLDING:
        said = words_in(re.sub(r"\w+['’]s\b", " ", told.text))
        return told.predicate == "be" and bool(said & DONE_WITH) and is_passing(fact)
    verbs = {told.predicate, told.predicate.split(" ")[0]}
    if verbs & (ENDING - OF_PLACES_TOO):
        return told.polarity
    if verbs & OF_PLACES_TOO and any(a.role in BELONGING and _names(a, nouns) for a in fact.args):
        return told.polarity and any(a.type != "place" and not can_be(singular(a.head), "location") for a in about)
    if not is_passing(fact):
        return False
    return bool(verbs & FULFILLING) or UNAFFECTED.isdisjoint(verb_kinds(told.predicate)[:1])


def _finds_what_is_sought(told: Fact, fact: Fact) -> bool:
    """True if a statement says that somebody has what they were after without naming it: `I found one!`, `I got the place`."""
    if not told.polarity or FULFILLING.isdisjoint((told.predicate, told.predicate.split(" ")[0])):
        return False
    listed = any(a.role in ("on", "in") and is_a(a.head, kind) for a in fact.args for kind in QUEUES)
    if not listed and SEEKING.isdisjoint((fact.predicate, fact.predicate.split(" ")[0])):
        return False
    found = told.arg("object") or told.arg("subject")
    unnamed = found is not None and not found.entity and NOUN_LEFT_OUT.fullmatch(found.text) is not None
    return unnamed or (listed and found is not None and found.head in PLACES_GIVEN)


def _names(argument: Argument, nouns: Collection[str]) -> bool:
    return argument.entity in nouns or not {singular(word) for word in words_in(argument.text)}.isdisjoint(nouns)


def is_passing(fact: Fact) -> bool:
    """True for what somebody is at, or has, for a time: an activity, a habit, a need, an illness, a job that somebody does for them."""
    verb = fact.predicate.split(" ")[0]
    if verb in HOLDING:
        free = {"on", "under"} if verb == "be" and fact.subject == "user" else frozenset()
        under = {"on", "in", "under", "with"} if verb == "be" else {"object"}
        return any(
            a.role in free or (a.role in under and any(can_be(singular(a.head), kind) for kind in PASSING))
            for a in fact.args
        )
    if is_under_way(fact.text, fact.predicate) or verb in NEEDING:
        return True
    return verb not in ATTITUDES and not is_state(fact) and is_simple_present(fact.text, fact.predicate)
