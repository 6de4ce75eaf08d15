"""What somebody is at for a time (an activity under way, a habit, a need, an illness), and the later statements that may mean its end.

`I'm waiting for a parcel` is over once `the parcel came`: the later statement names the same thing, and its verb does something to it.
"""

from __future__ import annotations

import re

from goalmem.language.lexicon import can_be, is_a, is_known, verb_kinds
from goalmem.language.lexnames import VerbKind
from goalmem.language.morphology import singular
from goalmem.language.verb_forms import forms_of, is_simple_present, is_under_way
from goalmem.language.words.doubts import ENDING_ROLES, ENDING_THINGS, FULFILLING
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
ENDING = frozenset({*FULFILLING, *ENDING_ROLES, *ENDING_THINGS, *CALLING_OFF})
DONE_WITH = frozenset("over done finished through off gone out in back here ready cured better clear".split())
"""What is said to be, if somebody is no longer at it."""


def nouns_of(fact: Fact) -> list[str]:
    """What a passing activity or state is about, in the singular; nothing for any other fact."""
    if fact.modality is not Modality.ASSERTED or not fact.polarity or fact.kind not in ("clause", "identity"):
        return []
    about = [a for a in fact.args if a.role != "subject" and a.type != "time" and a.head]
    verb = fact.predicate.split(" ")[0]
    active = is_under_way(fact.text, fact.predicate)
    if verb in HOLDING:
        free = {"on", "under"} if verb == "be" and fact.subject == "user" else frozenset()
        under = {"on", "in", "under", "with"} if verb == "be" else {"object"}
        about = [a for a in about if a.role in free or (a.role in under and _is_passing(singular(a.head)))]
    elif not active and verb not in NEEDING:
        lasting = verb in ATTITUDES or is_state(fact)
        about = [] if lasting or not is_simple_present(fact.text, fact.predicate) else about
    return list(dict.fromkeys(word for a in about for word in (a.entity, singular(a.head)) if word and word != "user"))


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


def _is_passing(noun: str) -> bool:
    return any(can_be(noun, kind) for kind in PASSING)


def may_be_over(told: Fact, fact: Fact, nouns: list[str]) -> bool:
    """True if a later statement about what an activity is about may mean that it is over."""
    if told.modality is not Modality.ASSERTED or told.kind == "possession" or told.predicate == fact.predicate:
        return False
    named = {singular(word) for a in told.args for word in words_in(a.text)} | {a.entity for a in told.args}
    if named.isdisjoint(nouns):
        return False
    if told.predicate in HOLDING:
        said = words_in(re.sub(r"\w+['’]s\b", " ", told.text))
        return told.predicate == "be" and bool(said & DONE_WITH)
    if told.predicate in ENDING:
        return True
    return not UNAFFECTED.issuperset(kinds := verb_kinds(told.predicate)) or not kinds
