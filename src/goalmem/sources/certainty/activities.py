"""What somebody is at for a time (an activity under way, a habit, a need, an illness), and the later statements that may mean its end.

`I'm waiting for a parcel` is over once `the parcel came`: the later statement names the same thing, and its verb does something to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from goalmem.language.lexicon import can_be, is_a, is_known, verb_kinds
from goalmem.language.lexnames import VerbKind
from goalmem.language.morphology import singular
from goalmem.language.verb_forms import forms_of, is_over, is_simple_present, is_under_way
from goalmem.language.words.doubts import ENDING_ROLES, ENDING_THINGS, FULFILLING, QUITTING
from goalmem.language.words.nouns import ANY_ANIMAL
from goalmem.language.words.verbs import ACQUIRING, ATTITUDES, CALLING_OFF, HOLDING, MOTION
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.certainty.topics import is_state, words_in

PASSING = ("illness", "symptom", "injury", "medicine", "dressing", "employee", "worker")
"""What somebody has, or is on or in, for a time."""
NEEDING = frozenset("need want seek lack".split())
UNAFFECTED = VerbKind.named(
    "body cognition communication competition consumption creation emotion perception social stative weather"
)
"""Kinds of verbs after which the thing they are about goes on as before."""
ENDING = frozenset({*ENDING_ROLES, *ENDING_THINGS, *CALLING_OFF, *QUITTING, "finish", "trade", "recover", "retire"})
"""Verbs that say by themselves that what they are about is over."""
OF_PLACES_TOO = frozenset("leave stop change switch replace move".split())
"""Those that end a state only if a group or an organisation is left: who left Leeds at nine may still live there."""
CONCERNED = frozenset("subject object complement from of on over with".split())
"""Roles of what a statement is about, not only its place or receiver."""
BELONGING = frozenset("at for in to with as".split())
"""Roles of what somebody belongs to."""
DONE_WITH = frozenset("over done finished through off gone out in back here ready cured better clear".split())
"""What is said to be, if somebody is no longer at it."""


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
        return False
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


def is_overtaken(denied: Fact, told: Fact) -> bool:
    """True if what a denial denies may be so by a later statement: `I have no car`, `I bought a Skoda`; `has never been to Rome`, `went to Rome`."""
    if denied.modality is not Modality.ASSERTED or told.modality is not Modality.ASSERTED or not told.polarity:
        return False
    one, other = (f.arg("subject") or f.arg("object") for f in (denied, told))
    if one is None or other is None or told.kind == "possession" or _who(one) != _who(other):
        return False
    missing = [a for a in denied.args if a.role != "subject" and a.type != "time"]
    gained = [a for a in told.args if a.role != "subject"]
    verbs = {denied.predicate.split(" ")[0], told.predicate.split(" ")[0]}
    if told.predicate not in ENDING and any(a.role == "complement" and a.head == denied.predicate for a in gained):
        return True  # "learned to swim"
    if verbs <= ACQUIRING or (len(verbs) == 1 and denied.predicate == told.predicate):
        return any(_may_be(got, lacked) for lacked in missing for got in gained)
    if "be" in verbs and verbs & MOTION:
        return any(a.entity and a.entity == b.entity for a in missing for b in gained)
    became = {b.head for b in gained} | forms_of(told.predicate.split(" ")[0])
    return "be" in verbs and any(a.head in became for a in missing)


def _may_be(got: Argument, lacked: Argument) -> bool:
    """True if one thing is of another's kind, or has a name, by which it may be."""
    one, other = singular(got.head), singular(lacked.head)
    kind = "animal" if other in ANY_ANIMAL else other
    return one == other or is_a(one, kind) or (bool(got.entity) and not is_known(one))


def _who(argument: Argument) -> str:
    who = (argument.entity or argument.head).casefold()
    return "user" if who in ("i", "we") else who
