"""What was denied and may be so by now: by a later statement, or because it only had not happened yet."""

from __future__ import annotations

import re

from goalmem.language.lexicon import is_a, is_known
from goalmem.language.morphology import singular
from goalmem.language.verb_forms import forms_of
from goalmem.language.words.endings import ENDING
from goalmem.language.words.nouns import ANY_ANIMAL
from goalmem.language.words.pronouns import THIRD_PERSON
from goalmem.language.words.verbs import ACQUIRING, MOTION
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.certainty.later_statements import MOST, Statements
from goalmem.sources.certainty.topics import topics_of

NOT_YET = re.compile(r"\b(?:ha(?:s|ve)(?:n['’]?t| not)|yet)\b", re.IGNORECASE)
"""Denials up to the time of speaking: the perfect (Quirk et al. 1985, section 4.20), `yet`."""
UP_TO_NOW = re.compile(r"\bnever\b", re.IGNORECASE)
"""Denials of anything up to the time of speaking; `not yet` has a doubt of its own."""
NO_SUCH = re.compile(r"(?:no|any|zero)\b", re.IGNORECASE)


def is_overtaken(denied: Fact, statements: Statements) -> bool:
    """True if what a denial denies may be so by a later statement about the same person."""
    if denied.polarity and not any(NO_SUCH.match(a.text) for a in denied.args):
        return False
    about = {a.entity for a in denied.args if a.role == "subject" and a.entity}
    told = [f for who in about for f in statements.told(entity=who, newest=MOST)]
    if not about and denied.predicate in ACQUIRING:
        told = [f for verb in sorted(ACQUIRING) for f in statements.told(predicate=verb, newest=MOST)]
    return any(_overtakes(f, denied) and statements.is_after(f, denied) for f in told)


def is_done_then(denied: Fact, statements: Statements) -> bool:
    """True if right behind a denial somebody unnamed is said to have done what it denies: `They paid on the 4th`. What had not happened yet
    may be done at any time later.
    """
    if denied.polarity or denied.modality is not Modality.ASSERTED:
        return False
    if NOT_YET.search(denied.text) is not None:
        later = [f for f in statements.told(predicate=denied.predicate, newest=MOST) if statements.is_after(f, denied)]
    else:
        later = [f for turn in statements.later(denied, ()) for f in turn.facts]
    return any(_says_done(f, denied) for f in later)


def _says_done(told: Fact, denied: Fact) -> bool:
    """True if a statement, whose subject is a pronoun, has the verb of a denial about somebody else than its speaker, and no other object."""
    who, whose = told.arg("subject"), denied.arg("subject")
    if not told.polarity or told.modality is not Modality.ASSERTED or told.predicate != denied.predicate:
        return False
    if who is None or who.text.casefold() not in THIRD_PERSON or whose is None or whose.resolved == "speaker":
        return False
    lacked = {a.head for a in denied.args if a.role == "object"}
    return all(a.head in lacked or a.text.casefold() in THIRD_PERSON for a in told.args if a.role == "object")


def may_be_done_by_now(denied: Fact, statements: Statements) -> bool:
    """True if what had not happened yet may have happened: a day has passed, or a later statement says so without naming who did it."""
    if denied.polarity or NOT_YET.search(denied.text) is None:
        return False
    told = (f for later in statements.later(denied, topics_of(denied)) for f in later.facts)
    passed = statements.until is not None and denied.said.date() < statements.until.date()
    return passed or any(
        f.polarity
        and f.modality is Modality.ASSERTED
        and f.predicate == denied.predicate
        and not f.subject[:1].isupper()
        for f in told
    )


def _overtakes(told: Fact, denied: Fact) -> bool:
    """True if what a denial denies may be so by a statement: `I have no car`, `I bought a Skoda`; `has never been to Rome`, `went to Rome`."""
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
