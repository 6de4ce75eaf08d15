"""Decide if a later statement may have changed what a fact says. It may, unless it is known not to.

This depends on the kind of its verb (WordNet's lexicographer files) and on its arguments. A statement that is not understood may have
changed anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from goalmem.language import lexicon
from goalmem.language.terms import terms_of
from goalmem.language.times_words import DAY_NAMES, MONTH_NAMES
from goalmem.language.verb_forms import is_under_way, verb_bases
from goalmem.language.words.attributes import ATTRIBUTES, BECOMING, STATES
from goalmem.language.words.attributes import NAMING as RENAMING
from goalmem.language.words.doubts import CHANGED, ENDING_ROLES, ENDING_THINGS, OTHER, YIELDING
from goalmem.language.words.verbs import CALLING_OFF, DYING, HOLDING, NAMING, RELOCATING, RESCHEDULING
from goalmem.records import Argument, Fact, Modality, Turn
from goalmem.rules.morphology import singular
from goalmem.sources.state.attribute_text import AttributeTopic, is_colour, topic_of

CALENDAR = frozenset({*DAY_NAMES, *MONTH_NAMES})
"""Words that say when something is, not which: `Friday's lesson`."""
PRONOUNS = frozenset("it they them that this".split())
BODY, CHANGE, COGNITION, COMMUNICATION, COMPETITION, CONSUMPTION, CONTACT, CREATION = range(29, 37)
EMOTION, MOTION, PERCEPTION, POSSESSION, SOCIAL, STATIVE, WEATHER = range(37, 44)
"""Lexicographer files of verbs (lexnames(5WN))."""
INERT = frozenset({COGNITION, COMMUNICATION, COMPETITION, EMOTION, PERCEPTION})
"""Kinds of verbs that do not change their objects."""
HARMLESS = {
    "place": INERT | {BODY, WEATHER},
    "held": INERT | {CREATION},
    "colour": INERT | {CONSUMPTION, MOTION, POSSESSION, SOCIAL, STATIVE},
    "day": INERT | {CONSUMPTION},
    "name": (INERT - {COMMUNICATION}) | {BODY, CONSUMPTION, CONTACT, MOTION, POSSESSION, WEATHER},
    "number": INERT | {BODY, CONSUMPTION, CONTACT, CREATION, MOTION, SOCIAL, WEATHER},
    "count": INERT,
    "": INERT | {BODY, CONSUMPTION, CREATION, MOTION, SOCIAL, STATIVE, WEATHER},
}
"""By kind of fact about a thing (its place, its owner …), the kinds of verbs that do not change it."""
ACTING = frozenset({BODY, CONSUMPTION, STATIVE})
"""Kinds of verbs that leave their subject with its owner."""
NOUNS = {"name": "name", "number": "price", "day": "day", "colour": "colour", "held": "owner"}
"""The noun of each kind of attribute."""
LOCATIVE = frozenset(
    "in at on near by under behind beside inside around above over below beneath within about during before after next".split()
)
"""Roles of the place, time or topic of an event."""
UNDOING = frozenset(
    {*CALLING_OFF, *DYING, "hide", "conceal", "stash", "disappear", "vanish", "burn", "burn down", "fall through"}
)
EXISTING = frozenset({"be", "happen", "take place", "go ahead", "exist", "go on"})
OF_THEM = frozenset("them one two all some another both none couple few several many more most rest half".split())
LEAVING_HOME = frozenset({"sell up", "pack up", "clear out", "up sticks", "move on"})
"""Verbs after which somebody may live elsewhere, even if nothing says where they lived."""
ILLNESS = ("ill health", "disease", "symptom", "injury")
WELL = frozenset("clear better recovered cured well healed gone over fine remission".split())
"""Words for the end of an illness."""
ENDING_EVENTS = frozenset(
    "retirement farewell funeral leaving resignation divorce separation breakup redundancy wake burial death departure goodbye".split()
)
"""Events after which a relation or role may have ended (WordNet, hyponyms of `departure`, `ending`)."""
MEANT = re.compile(
    r"it|that|(?:(?:one|two|some|all|both|none|most|half|neither) of )?(?:them|these|those)", re.IGNORECASE
)
"""Pronouns for a thing, for several, or for some of them."""
WEARY = frozenset("sick tired weary bored fed through done finished".split())
QUITTING = frozenset({"quit", "resign", "retire", "stop", "give up", "drop out", "pack in", "step down", "leave"})
"""Verbs of ending an activity that need no object (Levin 1993, verbs of ceasing, 55.2; VerbNet, `stop` and `resign`)."""
BEGINNING = frozenset("start begin join work".split())
VISITING = frozenset("visit tour see explore travel love like miss know meet leave".split())
HOMES = ("dwelling", "housing", "residence", "lease", "rent")
WORK = ("occupation", "employment", "educational institution", "job")
NAMED = frozenset({*NAMING, "called", "named", "nicknamed", "christened"})
"""Verbs of an identity that gives a name."""
GONE = frozenset("away out back off over on".split())
"""Particles of moving on to something else."""


def alters(told: Fact, fact: Fact, topic: AttributeTopic | str) -> bool:
    """True if a later statement about a topic may have ended what a fact says of it."""
    if (told.polarity, told.predicate, values_of(told)) == (fact.polarity, fact.predicate, values_of(fact)):
        return False
    if told.kind == "possession":
        return False
    if is_liking(fact):
        return alters_liking(told, fact)
    if isinstance(topic, str):
        somebody = "'s " not in topic or any(a.entity == topic and a.type == "person" for a in (*fact.args, *told.args))
        return somebody and alters_person(told, fact, topic)
    if fact.slot.startswith("count "):
        return recounts(told, fact.slot.removeprefix("count "))
    if _is_unknown(told, topic):
        return True
    naming = [a for a in told.args if names(a, topic)]
    meant = naming or [a for a in told.args if MEANT.fullmatch(a.text) and not a.entity]
    kind, held = kind_of(fact), told.predicate in HOLDING
    if not meant or (held and (not naming or told.turn == fact.turn)):
        return False
    if not naming and harmless(told, HARMLESS[kind] | {WEATHER}):
        return False
    return _alters_thing(told, fact, kind, naming, meant)


def _alters_thing(told: Fact, fact: Fact, kind: str, naming: Sequence[Argument], meant: Sequence[Argument]) -> bool:
    """See `alters`, for a thing that arguments name or may refer to."""
    if kind == "day" and naming and any({*a.text.casefold().split()} & OTHER for a in told.args if a not in naming):
        return True  # "we'll do the review some other time"
    assured = told.modality in (Modality.ASSERTED, Modality.REPORTED, Modality.COMMAND)
    if assured and (naming or told.turn != fact.turn) and rivals(told, fact, kind):
        return True
    if any(ATTRIBUTES.get(a.head) == NOUNS.get(kind, "-") for a in told.args):
        return True
    if not told.polarity:
        same = told.predicate == fact.predicate and any(a.text.casefold() in PRONOUNS for a in told.args[1:])
        lost = kind == "place" and told.arg("object") in naming  # "nobody can find it"
        return same or lost or _denies(told, meant)
    used = kind == "place" and told.modality is Modality.PLANNED
    put_off = bool({told.predicate, told.predicate.split()[0]} & {*CALLING_OFF, *RESCHEDULING})
    if told.modality is not Modality.ASSERTED and not used and not (put_off and told.modality is Modality.PLANNED):
        return False
    if naming and kind and marks_change(told, naming):
        return True
    given = told.arg("indirect")
    if given is not None and meant == [given]:
        return False  # "I gave the parrot a bath"
    if told.predicate in HOLDING - {"be"} and kind in ("", "colour", "day") and meant == [told.arg("subject")]:
        return False
    if told.predicate == "be" and told.arg("subject") in meant:
        return _is_other(told, kind)
    where = LOCATIVE if kind == "place" else LOCATIVE - {"on"}  # "pulled the plug on the gala"
    acted = [a for a in meant if a.role.split()[0] not in where]
    if not acted and not any(is_colour(a.head) for a in naming):
        return False
    verb, head = told.predicate, told.predicate.split()[0]
    if verb in UNDOING or (head in BECOMING and told.arg("subject") in meant and verb not in STATES):
        return True
    does = kind == "held" and acted == [told.arg("subject")]
    return not harmless(told, HARMLESS[kind] | (ACTING if does else frozenset()))


def marks_change(told: Fact, naming: Iterable[Argument]) -> bool:
    """True if an adverb says that something is not as it was, or if the thing itself is called new."""
    found = {m.group().casefold() for m in CHANGED.finditer(told.text)}
    return bool(found - {"new"}) or ("new" in found and any("new" in a.text.casefold().split() for a in naming))


def recounts(told: Fact, noun: str) -> bool:
    """True if a statement is about counted things or some of them, so that there may be more or fewer now."""
    said = told.arg("attribute")
    none = said is not None and said.text.casefold().startswith(("no ", "zero ", "none"))
    if harmless(told, INERT) or (told.predicate == "be" and said is not None and not none):
        return False
    words = (singular(w) for a in told.args for w in re.findall(r"\w+", a.text.casefold()))
    return any(w in OF_THEM or w == noun or lexicon.is_a(w, noun) for w in words)


def is_liking(fact: Fact) -> bool:
    """True if a fact is about what somebody likes, or likes best."""
    return fact.kind == "preference" or fact.slot.startswith("favorite ")


def alters_liking(told: Fact, fact: Fact) -> bool:
    """True if a statement about something that somebody likes may have ended that."""
    liked = {w for a in fact.args if a.role != "subject" for w in (a.head, a.entity.casefold())} - {""}
    named = any(
        liked & {a.head, a.entity.casefold(), *map(singular, re.findall(r"\w+", a.text.casefold()))} for a in told.args
    )
    if named and told.modality in (Modality.ASSERTED, Modality.REPORTED):
        verbs = {told.predicate, *(f"{told.predicate} {a.role}" for a in told.args)}
        weary = told.predicate == "be" and any(WEARY & {a.head, *a.text.split()[:1]} for a in told.args)
        eaten = INERT | {BODY, CONSUMPTION, CREATION, POSSESSION, STATIVE}
        return not told.polarity or weary or bool(verbs & ENDING_THINGS) or not harmless(told, eaten)
    best = fact.slot.startswith("favorite ")
    if best and any(a.entity and a.entity == b.entity and "'s " in a.entity for a in told.args for b in fact.args):
        return not harmless(told, INERT)
    return best and told.polarity and (told.predicate == "prefer" or told.slot.startswith("favorite "))


def calls_off(told: Fact, beside: Iterable[Fact], fact: Fact, topics: Sequence[AttributeTopic | str]) -> bool:
    """True if somebody cancels or postpones something unnamed, next to words that name the scheduled thing."""
    putting_off = told.predicate in CALLING_OFF or told.predicate.split()[0] in RESCHEDULING
    if kind_of(fact) != "day" or not putting_off or told.arg("object") is not None:
        return False
    return any(names(a, topic) for f in beside for a in f.args for topic in topics if not isinstance(topic, str))


def _is_unknown(told: Fact, topic: AttributeTopic) -> bool:
    """True if somebody is said not to know something about a topic: `we no longer know when the meeting is`."""
    thought = {*lexicon.supersenses(told.predicate, "v")[:1]} <= {COGNITION, COMMUNICATION}
    if told.polarity or not thought:
        return False
    return any(a.role != "subject" and topic.head in re.findall(r"\w+", a.text.casefold()) for a in told.args)


def _denies(told: Fact, meant: Sequence[Argument]) -> bool:
    """True if a statement denies that something exists, takes place or lasts."""
    subject = told.arg("subject")
    if subject not in meant or told.modality not in (Modality.ASSERTED, Modality.PLANNED):
        return False
    if told.predicate == "be":
        return told.arg("attribute") is None
    missing = told.arg("attribute") is None and told.arg("object") is None
    going = f"{told.predicate} {' '.join(a.text for a in told.args if a.role == 'manner')}".strip()
    return (missing and bool({told.predicate, going} & EXISTING)) or lexicon.same_verb(told.predicate, "survive")


def _is_other(told: Fact, kind: str) -> bool:
    """True if something is said to be what it cannot be at the same time."""
    said = told.arg("attribute")
    if said is None:
        return False
    owner = kind == "held" and said.text.casefold().removesuffix(" now").endswith(
        ("'s", "mine", "yours", "hers", "theirs", "ours")
    )
    return owner or (kind == "name" and (said.entity != "" or said.text[:1].isupper()))


def harmless(told: Fact, classes: frozenset[int]) -> bool:
    """True if a verb is known, and each of its main senses is of a harmless kind."""
    verb, head = told.predicate, told.predicate.split()[0]
    if any(a.role in ("out of", "into") for a in told.args):
        return False  # "talked Ilse out of the boat": the result comes from talking (resultatives: Levin 1993, section 7.5)
    found = lexicon.supersenses(verb, "v") or lexicon.supersenses(head, "v")
    return bool(found) and classes.issuperset(found)


def alters_person(told: Fact, fact: Fact, name: str) -> bool:
    """True if a statement about a person may have ended what they were, liked, had, or were with."""
    own = f"{name.casefold()}'s "
    if fact.slot == "residence" and _helped_to_move(told, name):
        return True
    concerned = any(a.entity.casefold() == name.casefold() or a.entity.casefold().startswith(own) for a in told.args)
    if not concerned or told.kind == "possession" or told.modality not in (Modality.ASSERTED, Modality.PLANNED):
        return False
    others = [a for a in told.args if not (a.role == "subject" and a.entity.casefold() == name.casefold())]
    if _parted(told, fact, name) or _quits(told, fact, name):
        return True
    state = fact.predicate == "be" and not any(a.type == "person" for a in fact.args if a.role == "attribute")
    if (state or fact.slot in ("residence", "employment")) and any(a.text.casefold() == "it" for a in others):
        return True  # "packed it in", "did not make it"
    about = any({*terms_of(a.text)} & {*terms_of(fact.text)} for a in others)
    if not told.polarity:
        return about  # "can't face the bingo"
    if not fact.polarity and told.predicate in YIELDING:
        return True
    if kind_of(fact) == "number" and "birthday" in told.text:
        return True
    if state and len(others) == len(told.args):
        return not harmless(told, INERT | {SOCIAL, MOTION, CONSUMPTION, STATIVE, POSSESSION})
    return _undoes(told, fact, name, others, about=about) or _moves_on(told, fact, name)


def _undoes(told: Fact, fact: Fact, name: str, others: Sequence[Argument], *, about: bool) -> bool:
    """See `alters_person`: by a verb that ends the state, or by one that affects what the person had or liked."""
    verbs = {told.predicate, *(f"{told.predicate} {a.role}" for a in told.args)}
    gained = told.arg("object")
    grown = kind_of(fact) == "number" and told.predicate in BECOMING - STATES
    grown &= gained is None or gained.type == "quantity"
    if fact.predicate == "be" and (verbs & ENDING_ROLES or grown):
        return True
    values = {w for a in fact.args if a.role != "subject" for w in (a.head, a.entity.casefold())} - {""}
    again = any(a.head in values or a.entity.casefold() in values or a.text.casefold() in PRONOUNS for a in others)
    weary = told.predicate == "be" and any(
        WEARY & {a.head, a.text.split()[0], *a.role.split()[:1]} for a in others if a.text
    )
    if (weary and about) or (again and (weary or verbs & ENDING_THINGS)):
        return True
    again &= not any(a.role == "indirect" and a.head in values for a in others)
    altering = not harmless(told, HARMLESS["held"] | {BODY, CONSUMPTION, SOCIAL, STATIVE})
    lasting = fact.predicate in HOLDING - {"be"} or (fact.slot and fact.predicate not in HOLDING)
    if again and lasting and told.predicate.split()[0] not in HOLDING | {fact.predicate} and altering:
        return True
    itself = any(a.role == "subject" and a.entity.casefold() == name.casefold() for a in told.args)
    return itself and told.predicate == fact.predicate and CHANGED.search(told.text) is not None  # "I pay 12 now"


def _quits(told: Fact, fact: Fact, name: str) -> bool:
    """True if a person is said to quit, without what or the job, and the fact is about their work or about something under way."""
    subject = told.arg("subject")
    if told.predicate not in QUITTING or subject is None or subject.entity.casefold() != name.casefold():
        return False
    what = [a for a in told.args if a.role in ("object", "complement", "from")]
    if any(a.head != "job" and not lexicon.is_mainly(a.head, "occupation") for a in what):
        return False
    begun = fact.predicate.split()[0] in BEGINNING
    work = fact.slot == "employment" or (begun and any(a.type == "organization" for a in fact.args))
    return work or (not what and (begun or is_under_way(fact.text, fact.predicate)))


def _parted(told: Fact, fact: Fact, name: str) -> bool:
    """True if a person is said to leave, or to be expelled by, a partner or group: `Ann and Bo split up`."""
    person = any(a.type == "person" for a in fact.args if a.role in ("object", "attribute"))
    if person and fact.predicate in HOLDING and told.predicate in ENDING_ROLES and told.polarity:
        return True
    words = {w for a in told.args for w in re.findall(r"[a-z]+", a.text.casefold())}
    if words & ENDING_EVENTS or (fact.kind == "identity" and not told.polarity and len(told.args) > 1):
        return True
    values = {w for a in fact.args if a.role != "subject" for w in (a.head, a.entity.casefold())} - {""}
    done_to = any(a.role == "object" and a.entity.casefold() == name.casefold() for a in told.args)
    if done_to and any(a.role == "as" and a.head in values for a in told.args):
        return True
    said = {a.text.casefold() for a in fact.args if a.role != "subject"}
    well = fact.predicate in HOLDING and any(lexicon.is_a(v, kind) for v in values | said if v for kind in ILLNESS)
    return well and bool(words & WELL)


def _helped_to_move(told: Fact, name: str) -> bool:
    """`We helped Lena move`: the person is named beside a verb of moving house."""
    words = verb_bases(told.text)
    return told.modality is Modality.ASSERTED and name.casefold() in told.text.casefold() and bool(words & RELOCATING)


def _moves_on(told: Fact, fact: Fact, name: str) -> bool:
    """True if a person is said to live elsewhere or to take up other work from then on, or if this is done to them."""
    if fact.slot not in ("residence", "employment"):
        return False
    subject = told.arg("subject")
    itself = subject is not None and subject.entity.casefold() == name.casefold()
    done_to = any(a.role == "object" and a.entity.casefold() == name.casefold() for a in told.args)
    if not itself:
        return done_to and not harmless(
            told, INERT | ({SOCIAL, MOTION, CONSUMPTION} if subject is not None else frozenset())
        )
    others = [a for a in told.args if a.role not in ("subject", "time", "frequency", "duration")]
    if told.predicate in DYING or told.predicate in LEAVING_HOME:
        return True
    if harmless(told, INERT - {COMMUNICATION}):
        return False
    held = {w for a in fact.args if a.role != "subject" for w in (a.head, a.entity.casefold())} - {""}
    value = any(a.head in held or a.entity.casefold() in held for a in others)
    if told.modality is Modality.PLANNED:  # "I fly to Rome on Friday" is a trip
        return value or bool({told.predicate} & RELOCATING)
    lately = marks_change(told, ())
    alone = not any(a.role in ("object", "to", "into", "complement") for a in others)
    gone = alone and not harmless(told, INERT | {BODY, CONSUMPTION, CONTACT, CREATION, SOCIAL, STATIVE, POSSESSION})
    gone |= (
        bool(GONE & {*told.predicate.split()[1:]} | GONE & {a.text.casefold() for a in others})
        and told.predicate != "be"
    )
    if fact.slot == "residence":
        elsewhere = [a for a in others if (a.entity or a.type == "place") and a.role not in ("with", "for", "from")]
        proper = any(a.text[:1].isupper() or lexicon.is_a(a.head, "country") for a in elsewhere)
        home = any(lexicon.is_mainly(a.head, kind) or a.head == kind for a in others for kind in HOMES)
        visits = told.predicate.split()[0] in VISITING
        return gone or ((value or proper or home or lately) and not visits) or (told.predicate == "leave" and value)
    work = any(lexicon.is_mainly(a.head, kind) or a.head == kind for a in others for kind in WORK)
    person = told.predicate in STATES and any(a.role == "attribute" and a.type == "person" for a in others)
    return gone or value or work or person or lately or told.predicate in BECOMING - STATES


def understood(told: Iterable[Fact], topic: AttributeTopic) -> bool:
    """True if the facts of a turn that contains the topic's noun cover what the turn says about it."""
    found = [f for f in told if f.kind != "possession"]
    return any(
        topic.head in re.findall(r"\w+", a.text.casefold()) or f"{topic.head}s" in a.text.casefold()
        for f in found
        for a in f.args
    )


def understood_of(told: Iterable[Fact], turn: Turn, name: str) -> bool:
    """True if a turn with a name in subject position has facts about the person; `lenas new flat` has none."""
    if re.search(rf"\b{name}s\b", turn.content, re.IGNORECASE):
        return False
    subject = re.search(rf"(?:^|[.!?;]\s+){name}(?:['’]s)?\s+[a-z]", turn.content)
    called = re.compile(rf"{re.escape(name)}(?:['’]s? .*|(?: [A-Z][\w-]*)*)", re.IGNORECASE)
    return subject is None or any(called.fullmatch(a.entity) for f in told for a in f.args)


def names(argument: Argument, topic: AttributeTopic) -> bool:
    """True if an argument names a topic, or something that may be it."""
    found = topic_of(argument.text) or (topic_of(argument.entity) if argument.entity else None)
    if argument.entity and argument.entity.casefold() == topic.text.casefold():
        return True
    if found is None:
        return False
    words = found.words - CALENDAR if found.head not in CALENDAR else found.words
    if (
        len(words) == 1
        and words < topic.words
        and argument.text[:4].casefold() == "the "
        and argument.text[4:5].isupper()
    ):
        return True  # "the Peugeot", of a Peugeot 208
    if words == topic.words or words | {"user"} == topic.words:
        return True
    if re.search(
        rf"\bof\s+(?:(?:the|our|my|this|that)\s+)?(?:\w+\s+)?{re.escape(topic.head)}$", argument.text.casefold()
    ):
        return True
    if topic.head not in words or not (words < topic.words or topic.words < words):
        return False
    more = words - topic.words
    # The parser may include a colour that follows in the phrase: `dyed the kitchen wall pink`.
    return (
        not more or is_colour(argument.head) or bool(more & OTHER) or (len(more) == 1 and is_colour(next(iter(more))))
    )


def kind_of(fact: Fact) -> str:
    """The kind of value that a fact gives."""
    if fact.slot.startswith("count "):
        return "count"
    named = fact.kind == "identity" and any(lexicon.base_form(w) in NAMED for w in fact.text.casefold().split())
    if named or fact.predicate in RENAMING | NAMING:
        return "name"
    if fact.predicate in HOLDING - {"be"} or fact.predicate == "belong":
        return "held"
    if any(a.role == "time" for a in fact.args):
        return "day"
    placed = [a for a in fact.args if a.role in ("in", "on", "at", "inside", "under", "behind", "place")]
    if any(not {*re.findall(r"[a-z]+", a.text.casefold())} & ATTRIBUTES.keys() for a in placed):
        return "place"
    if placed:
        return "number"  # `at version 5.2`
    values = [a for a in fact.args if a.role in ("attribute", "object", "complement")]
    if any(is_colour(a.text) for a in values):
        return "colour"
    return "number" if any(a.type == "quantity" or re.search(r"\d", a.text) for a in values) else ""


def values_of(fact: Fact) -> frozenset[str]:
    """The words of what a fact says of its subject."""
    return frozenset(a.text.casefold() for a in fact.args if a.role != "subject")


def rivals(told: Fact, fact: Fact, kind: str) -> bool:
    """True if a statement gives another value of the kind."""
    own = {*re.findall(r"[\w.]+", fact.text.casefold())}
    if kind == "day":
        return any(
            a.role == "time" and re.search(r"\d", a.text) and not {*re.findall(r"\w+", a.text.casefold())} <= own
            for a in told.args
        )
    if kind == "number":
        numbers = {*re.findall(r"\d[\d.,]*", told.text)}
        return bool(numbers) and not numbers <= {*re.findall(r"\d[\d.,]*", fact.text)}
    if kind == "colour":
        return any(is_colour(w) and w not in own for w in re.findall(r"[a-z]+", told.text.casefold()) if w in told.text)
    return False
