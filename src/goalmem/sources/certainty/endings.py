"""Decide if a later statement may have ended what an earlier one says.

A state may have ended unless the later statement is known not to end it (`may_end`): by the kind of its verb (WordNet's lexicographer files),
by its arguments, and by tense and adverbs (`same_matter`). A statement that is not understood may have changed anything. What somebody is
at for a time (an activity under way, a habit, a need, an illness) is over by what is done to the same thing (`may_be_over`): `I'm waiting for
a parcel` once `the parcel came`. Nothing is proved by this: it only makes the earlier statement doubtful.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from goalmem.language import lexicon
from goalmem.language.lexicon import can_be, is_a, verb_kinds
from goalmem.language.lexnames import VerbKind
from goalmem.language.morphology import singular
from goalmem.language.terms import terms_of
from goalmem.language.verb_forms import is_over, is_simple_present, is_under_way, verb_bases
from goalmem.language.words.attributes import ATTRIBUTES, BECOMING, STATIVE_COPULAS
from goalmem.language.words.doubts import (
    CHANGED,
    ENDING_ROLES,
    ENDING_THINGS,
    FULFILLING,
    NOT_THE_SAME,
    QUITTING,
    YIELDING,
)
from goalmem.language.words.endings import (
    BEGINNING,
    DONE_WITH,
    ENDING,
    ENDING_EVENTS,
    EXISTING,
    GONE,
    HOMES,
    ILLNESS,
    LEAVING_HOME,
    LIVING_TOGETHER,
    MOVING_OUT,
    NEEDING,
    OF_PLACES_TOO,
    OF_THEM,
    PASSING,
    PLACES_GIVEN,
    QUEUES,
    SEEKING,
    VISITING,
    WEARY,
    WELL,
    WORK,
)
from goalmem.language.words.verbs import ATTITUDES, CALLING_OFF, HOLDING, RELOCATING, RESCHEDULING
from goalmem.records import Argument, Fact, Modality, Turn
from goalmem.sources.certainty.same_matter import LOCATIVE, SameMatter, marks_change
from goalmem.sources.certainty.topics import (
    CALLED,
    PRONOUNS,
    Topic,
    is_liking,
    is_state,
    kind_of,
    named_values,
    names,
    values_of,
    words_in,
)
from goalmem.sources.state.attribute_text import AttributeTopic, is_colour

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
NOUN_LEFT_OUT = re.compile(rf"{MEANT.pattern}|one|two|some|they", re.IGNORECASE)
"""Words for what was sought."""
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
CONCERNED = frozenset("subject object complement from of on over with".split())
"""Roles of what a statement is about, not only its place or receiver."""
BELONGING = frozenset("at for in to with as".split())
"""Roles of what somebody belongs to."""


def may_end(told: Fact, fact: Fact, topics: Sequence[Topic], matter: SameMatter) -> bool:
    """True if a later statement may have ended what a fact says of its topics."""
    if told.kind == "possession" or _says_again(told, fact):
        return False
    return any(_alters(told, fact, topic) for topic in topics) or matter.ended(told, fact, topics)


def may_replan(told: Fact, plan: Fact) -> bool:
    """True unless a statement says what somebody is, has or likes, or the plan once more."""
    return told.kind == "clause" and not _says_again(told, plan)


def is_understood(turn: Turn, told: Iterable[Fact], topic: Topic) -> bool:
    """True if the facts of a turn cover what it says of a topic that it names; `lenas new flat` has none about Lena."""
    if not isinstance(topic, str):
        forms = {topic.head, f"{topic.head}s"}
        return any(forms & words_in(a.text) for f in told if f.kind != "possession" for a in f.args)
    if re.search(rf"\b{topic}s\b", turn.content, re.IGNORECASE):
        return False
    subject = re.search(rf"(?:^|[.!?;]\s+){topic}(?:['’]s)?\s+[a-z]", turn.content)
    called = re.compile(rf"{re.escape(topic)}(?:['’]s? .*|(?: [A-Z][\w-]*)*)", re.IGNORECASE)
    return subject is None or any(called.fullmatch(a.entity) for f in told for a in f.args)


def _says_again(told: Fact, fact: Fact) -> bool:
    """True if a statement says the same of its subject."""
    return (told.polarity, told.predicate, values_of(told)) == (fact.polarity, fact.predicate, values_of(fact))


def _alters(told: Fact, fact: Fact, topic: Topic) -> bool:
    """True if a statement about a topic may have ended what a fact says of it, by the kind of its verb and its arguments."""
    if is_liking(fact):
        return _alters_liking(told, fact)
    if isinstance(topic, str):
        somebody = "'s " not in topic or any(a.entity == topic and a.type == "person" for a in (*fact.args, *told.args))
        return somebody and _alters_person(told, fact, topic)
    if fact.slot.startswith("count "):
        return _recounts(told, fact.slot.removeprefix("count "))
    return _alters_thing(told, fact, topic)


# -- verbs ------------------------------------------------------------------------------------------------------------


def _is_harmless(told: Fact, kinds: frozenset[VerbKind]) -> bool:
    """True if a verb is known, and each of its main senses is of a harmless kind."""
    if any(a.role in ("out of", "into") for a in told.args):
        return False  # "talked Ilse out of the boat": the result comes from talking (resultatives: Levin 1993, section 7.5)
    found = verb_kinds(told.predicate)
    return bool(found) and kinds.issuperset(found)


def _verbs(told: Fact) -> set[str]:
    """The verb of a statement, alone and with the preposition of each argument."""
    return {told.predicate, *(f"{told.predicate} {a.role}" for a in told.args)}


def _is_weary(told: Fact) -> bool:
    """True if a statement says that somebody has had enough: `is sick of olives`."""
    words = (w for a in told.args for w in (a.head, *a.text.split()[:1], *a.role.split()[:1]))
    return told.predicate == "be" and not WEARY.isdisjoint(words)


def _is(word: str, kinds: Iterable[str]) -> bool:
    """True if a noun is mainly of one of these kinds."""
    return any(word == kind or lexicon.is_mainly(word, kind) for kind in kinds)


# -- of things --------------------------------------------------------------------------------------------------------


def _alters_thing(told: Fact, fact: Fact, topic: AttributeTopic) -> bool:
    """See `_alters`, for a thing."""
    naming = [a for a in told.args if names(a, topic)]
    meant = naming or [a for a in told.args if MEANT.fullmatch(a.text) and not a.entity]
    kind, same_turn = kind_of(fact), told.turn == fact.turn
    if not meant or (told.predicate in HOLDING and (not naming or same_turn)):
        return False
    if not naming and _is_harmless(told, HARMLESS[kind] | {WEATHER}):
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
    return not _is_harmless(told, HARMLESS[kind] | (ACTING if does else frozenset()))


def _denies(told: Fact, meant: Sequence[Argument]) -> bool:
    """True if a statement denies that something exists, takes place or lasts."""
    if told.arg("subject") not in meant or told.modality not in (Modality.ASSERTED, Modality.PLANNED):
        return False
    going = " ".join([told.predicate, *(a.text for a in told.args if a.role == "manner")])
    exists = not any(a.role in ("attribute", "object") for a in told.args)
    return (exists and bool({told.predicate, going} & EXISTING)) or lexicon.same_verb(told.predicate, "survive")


def _recounts(told: Fact, noun: str) -> bool:
    """True if a statement is about counted things or some of them, so that there may be more or fewer now."""
    said = told.arg("attribute")
    none = said is not None and said.text.casefold().startswith(("no ", "zero ", "none"))
    if _is_harmless(told, INERT) or (told.predicate == "be" and said is not None and not none):
        return False
    words = (singular(w) for a in told.args for w in words_in(a.text))
    return any(w in OF_THEM or w == noun or lexicon.is_a(w, noun) for w in words)


# -- of people --------------------------------------------------------------------------------------------------------


def _alters_liking(told: Fact, fact: Fact) -> bool:
    """True if a statement about something that somebody likes may have ended that."""
    liked = named_values(fact)
    if told.modality in (Modality.ASSERTED, Modality.REPORTED) and any(
        liked & {a.head, a.entity.casefold(), *map(singular, words_in(a.text))} for a in told.args
    ):
        enjoyed = INERT | {BODY, CONSUMPTION, CREATION, POSSESSION, STATIVE}
        return (
            not told.polarity
            or _is_weary(told)
            or bool(_verbs(told) & ENDING_THINGS)
            or not _is_harmless(told, enjoyed)
        )
    return fact.slot.startswith("favorite ") and told.polarity and told.predicate == "prefer"


def _alters_person(told: Fact, fact: Fact, name: str) -> bool:
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
            return not _is_harmless(told, INERT | {SOCIAL, MOTION, CONSUMPTION, STATIVE, POSSESSION})
        active = {SOCIAL, MOTION, CONSUMPTION} if told.arg("subject") is not None else frozenset()
        affected = settled and "object" in roles and not _is_harmless(told, INERT | active)
        return affected or _undoes(told, fact, others)
    again = told.predicate == fact.predicate and CHANGED.search(told.text) is not None  # "I pay 12 now"
    return again or _undoes(told, fact, others) or (settled and _moves_on(told, fact, others))


def _undoes(told: Fact, fact: Fact, others: Sequence[Argument]) -> bool:
    """See `_alters_person`: by a verb that ends the state, or by one that affects what the person had or liked."""
    gained, values = told.arg("object"), named_values(fact)
    grown = kind_of(fact) == "number" and told.predicate in BECOMING - STATIVE_COPULAS
    grown &= gained is None or gained.type == "quantity"
    if fact.predicate == "be" and (grown or _verbs(told) & ENDING_ROLES):
        return True
    if EXPECTING.search(fact.text) and BORN.search(told.text):
        return True
    if told.predicate in MOVING_OUT and not LIVING_TOGETHER.isdisjoint(a.head for a in fact.args):
        return True
    again = any({a.head, a.entity.casefold()} & values or a.text.casefold() in PRONOUNS for a in others)
    if again and _verbs(told) & ENDING_THINGS:
        return True
    lasting = fact.predicate in HOLDING - {"be"} or (fact.slot and fact.predicate not in HOLDING)
    given = any(a.role == "indirect" and a.head in values for a in others)
    if not (again and lasting) or given or told.predicate.split()[0] in HOLDING | {fact.predicate}:
        return False
    return not _is_harmless(told, HARMLESS["held"] | {BODY, CONSUMPTION, SOCIAL, STATIVE})


def _quits(told: Fact, fact: Fact) -> bool:
    """True if the subject quits, without what or the job, and the fact is about their work or about something under way."""
    what = [a for a in told.args if a.role in ("object", "complement", "from")]
    if GIVING_NOTICE.search(told.text):
        return fact.slot == "employment"
    if told.predicate not in QUITTING or not all(_is(a.head, ("job", "occupation")) for a in what):
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
        return told.predicate in RELOCATING
    gone = told.predicate != "be" and not GONE.isdisjoint([*particles, *(a.text.casefold() for a in others)])
    if gone or told.predicate in LEAVING_HOME:
        return True
    if not any(a.role in ("object", "to", "into", "complement") for a in others) and not _is_harmless(
        told, INERT | {BODY, CONSUMPTION, CONTACT, CREATION, SOCIAL, STATIVE, POSSESSION}
    ):
        return True
    nouns = WORK if fact.slot == "employment" else HOMES
    placed = [a for a in others if (a.entity or a.type == "place") and a.role not in ("with", "for", "from")]
    elsewhere = fact.slot == "residence" and any(
        a.text[:1].isupper() or lexicon.is_a(a.head, "country") for a in placed
    )
    lately = elsewhere or marks_change(told) or any(_is(a.head, nouns) for a in others)
    return lately and head not in VISITING and not _is_harmless(told, INERT - {COMMUNICATION})


# -- of what passes ---------------------------------------------------------------------------------------------------


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
