"""If a later statement about a person may have ended what they were, liked, had, or were with."""

from __future__ import annotations

import re
from collections.abc import Sequence

from goalmem.language import lexicon
from goalmem.language.morphology import singular
from goalmem.language.terms import terms_of
from goalmem.language.verb_forms import is_under_way, verb_bases
from goalmem.language.words.attributes import BECOMING, STATIVE_COPULAS
from goalmem.language.words.doubts import CHANGED, ENDING_ROLES, ENDING_THINGS, QUITTING, YIELDING
from goalmem.language.words.endings import (
    BEGINNING,
    ENDING_EVENTS,
    GONE,
    HOMES,
    ILLNESS,
    LEAVING_HOME,
    LIVING_TOGETHER,
    MOVING_OUT,
    VISITING,
    WELL,
    WORK,
)
from goalmem.language.words.verbs import HOLDING, RELOCATING
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.certainty.same_matter import marks_change
from goalmem.sources.certainty.topics import CALLED, PRONOUNS, kind_of, named_values, values_of, words_in
from goalmem.sources.certainty.verb_effects import (
    BODY,
    COMMUNICATION,
    CONSUMPTION,
    CONTACT,
    CREATION,
    HARMLESS,
    INERT,
    MOTION,
    POSSESSION,
    SOCIAL,
    STATIVE,
    is_harmless,
    is_mainly_of,
    is_weary,
    verbs_of,
)

EXPECTING = re.compile(r"\b(?:pregnant|expecting|due)\b", re.IGNORECASE)
BORN = re.compile(
    r"\b(?:(?:gave|given|giving) birth|(?:had|has had|delivered) (?:the|her|a|our|their|my) (?:baby|twins|boy|girl|son|daughter)|(?:was|were|is) born)\b",
    re.IGNORECASE,
)
GIVING_NOTICE = re.compile(
    r"\b(?:hand(?:ed|s|ing)? in|g[ai]ve(?:n|s)?(?: in)?|put in|serv(?:ed|ing)) (?:(?:my|his|her|their|your|the) )?notice\b",
    re.IGNORECASE,
)
"""Of a job, or a flat."""


def alters_liking(told: Fact, fact: Fact) -> bool:
    """True if a statement about something that somebody likes may have ended that."""
    liked = named_values(fact)
    if told.modality in (Modality.ASSERTED, Modality.REPORTED) and any(
        liked & {a.head, a.entity.casefold(), *map(singular, words_in(a.text))} for a in told.args
    ):
        enjoyed = INERT | {BODY, CONSUMPTION, CREATION, POSSESSION, STATIVE}
        return (
            not told.polarity
            or is_weary(told)
            or bool(verbs_of(told) & ENDING_THINGS)
            or not is_harmless(told, enjoyed)
        )
    return fact.slot.startswith("favorite ") and told.polarity and told.predicate == "prefer"


def alters_person(told: Fact, fact: Fact, name: str) -> bool:
    """True if a statement about a person may have ended what they were, liked, had, or were with."""
    own, settled = name.casefold(), fact.slot in ("residence", "employment")
    moved = settled and told.modality is Modality.ASSERTED and bool(verb_bases(told.text) & RELOCATING)
    if moved and own in told.text.casefold():
        return True  # "We helped Lena move"
    concerned = any(a.entity.casefold() == own or a.entity.casefold().startswith(f"{own}'s ") for a in told.args)
    if not concerned or told.modality not in (Modality.ASSERTED, Modality.PLANNED):
        return False
    roles = {a.role for a in told.args if a.entity.casefold() == own}
    if roles and told.predicate in ENDING_ROLES and any(a.role == "subject" and a.head in CALLED for a in fact.args):
        return told.polarity
    others = [a for a in told.args if not (a.role == "subject" and a.entity.casefold() == own)]
    state = fact.predicate == "be" and not any(a.type == "person" for a in fact.args if a.role == "attribute")
    if _parts(told, fact, done_to="object" in roles) or ("subject" in roles and _quits(told, fact)):
        return True
    if state and any(a.text.casefold() == "it" for a in others):
        return True  # "packed it in", "did not make it"
    if not told.polarity:  # "can't face the bingo"
        return any({*terms_of(a.text)} & {*terms_of(fact.text)} for a in others)
    if (not fact.polarity and told.predicate in YIELDING) or (kind_of(fact) == "number" and "birthday" in told.text):
        return True
    if "subject" not in roles:
        if state:
            return not is_harmless(told, INERT | {SOCIAL, MOTION, CONSUMPTION, STATIVE, POSSESSION})
        active = {SOCIAL, MOTION, CONSUMPTION} if told.arg("subject") is not None else frozenset()
        affected = settled and "object" in roles and not is_harmless(told, INERT | active)
        return affected or _undoes(told, fact, others)
    again = told.predicate == fact.predicate and CHANGED.search(told.text) is not None  # "I pay 12 now"
    return again or _undoes(told, fact, others) or (settled and _moves_on(told, fact, others))


def _undoes(told: Fact, fact: Fact, others: Sequence[Argument]) -> bool:
    """See `alters_person`: by a verb that ends the state, or by one that affects what the person had or liked."""
    gained, values = told.arg("object"), named_values(fact)
    grown = kind_of(fact) == "number" and told.predicate in BECOMING - STATIVE_COPULAS
    grown &= gained is None or gained.type == "quantity"
    if fact.predicate == "be" and (grown or verbs_of(told) & ENDING_ROLES):
        return True
    if EXPECTING.search(fact.text) and BORN.search(told.text):
        return True
    if told.predicate in MOVING_OUT and not LIVING_TOGETHER.isdisjoint(a.head for a in fact.args):
        return True
    again = any({a.head, a.entity.casefold()} & values or a.text.casefold() in PRONOUNS for a in others)
    if again and verbs_of(told) & ENDING_THINGS:
        return True
    lasting = fact.predicate in HOLDING - {"be"} or (fact.slot and fact.predicate not in HOLDING)
    given = any(a.role == "indirect" and a.head in values for a in others)
    if not (again and lasting) or given or told.predicate.split()[0] in HOLDING | {fact.predicate}:
        return False
    return not is_harmless(told, HARMLESS["held"] | {BODY, CONSUMPTION, SOCIAL, STATIVE})


def _quits(told: Fact, fact: Fact) -> bool:
    """True if the subject quits, without what or the job, and the fact is about their work or about something under way."""
    what = [a for a in told.args if a.role in ("object", "complement", "from")]
    if GIVING_NOTICE.search(told.text):
        return fact.slot == "employment"
    if told.predicate not in QUITTING or not all(is_mainly_of(a.head, ("job", "occupation")) for a in what):
        return False
    begun = fact.predicate.split()[0] in BEGINNING and (not what or any(a.type == "organization" for a in fact.args))
    return fact.slot == "employment" or begun or (not what and is_under_way(fact.text, fact.predicate))


def _parts(told: Fact, fact: Fact, *, done_to: bool) -> bool:
    """True if a person is said to leave, or to be expelled by, a partner or group, or to have recovered: `Ann and Bo split up`."""
    words, values = {w for a in told.args for w in words_in(a.text)}, named_values(fact)
    held = fact.predicate in HOLDING
    with_somebody = any(a.type == "person" for a in fact.args if a.role in ("object", "attribute"))
    return (
        (held and with_somebody and told.polarity and told.predicate in ENDING_ROLES)
        or bool(words & ENDING_EVENTS)
        or (fact.kind == "identity" and not told.polarity and len(told.args) > 1)
        or (done_to and any(a.role == "as" and a.head in values for a in told.args))
        or (
            held
            and bool(words & WELL)
            and any(lexicon.is_a(v, i) for v in values | values_of(fact) if v for i in ILLNESS)
        )
    )


def _moves_on(told: Fact, fact: Fact, others: Sequence[Argument]) -> bool:
    """True if the subject is said to live elsewhere or to take up other work from then on."""
    others = [a for a in others if a.role not in ("time", "frequency", "duration")]
    head, *particles = told.predicate.split()
    if told.modality is Modality.PLANNED:  # "I fly to Rome on Friday" is a trip
        return fact.slot == "residence" and told.predicate in RELOCATING
    gone = told.predicate != "be" and not GONE.isdisjoint([*particles, *(a.text.casefold() for a in others)])
    if gone or told.predicate in LEAVING_HOME:
        return True
    if not any(a.role in ("object", "to", "into", "complement") for a in others) and not is_harmless(
        told, INERT | {BODY, CONSUMPTION, CONTACT, CREATION, SOCIAL, STATIVE, POSSESSION}
    ):
        return True
    nouns = WORK if fact.slot == "employment" else HOMES
    placed = [a for a in others if (a.entity or a.type == "place") and a.role not in ("with", "for", "from")]
    elsewhere = fact.slot == "residence" and any(
        a.text[:1].isupper() or lexicon.is_a(a.head, "country") for a in placed
    )
    lately = elsewhere or marks_change(told) or any(is_mainly_of(a.head, nouns) for a in others)
    return lately and head not in VISITING and not is_harmless(told, INERT - {COMMUNICATION})
