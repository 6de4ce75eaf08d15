"""Whether what is told later may have changed what a fact says: it may, unless it is known to leave that as it is.

By what its verb does (WordNet's lexicographer files), and by what it does it to. What is not understood may have changed anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from goalmem.language import lexicon
from goalmem.language.words.attributes import ATTRIBUTES, BECOMING, STATES
from goalmem.language.words.attributes import NAMING as RENAMING
from goalmem.language.words.doubts import CHANGED, ENDING_ROLES, ENDING_THINGS, OTHER
from goalmem.language.words.verbs import CALLING_OFF, DYING, HOLDING, NAMING
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.attribute_text import Topic, is_colour, topic_of

__all__ = ["PRONOUNS", "alters", "kind_of", "names", "understood"]

PRONOUNS = frozenset("it they them that this".split())
BODY, CHANGE, COGNITION, COMMUNICATION, COMPETITION, CONSUMPTION, CONTACT, CREATION = range(29, 37)
EMOTION, MOTION, PERCEPTION, POSSESSION, SOCIAL, STATIVE, WEATHER = range(37, 44)
"""Lexicographer files of verbs (lexnames(5WN))."""
INERT = frozenset({COGNITION, COMMUNICATION, COMPETITION, EMOTION, PERCEPTION})
"""Verbs that do nothing to what they speak of."""
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
"""Verbs that leave as it is what is told of a thing, by the kind of what is told: where it is, who has it, and so on."""
NOUNS = {"name": "name", "number": "price", "day": "day", "colour": "colour", "held": "owner"}
"""What an attribute of a kind is called."""
LOCATIVE = frozenset(
    "in at on near by under behind beside inside around above over below beneath within about during before after next".split()
)
"""Roles of what is only where, when or about what something happens."""
UNDOING = frozenset(
    {*CALLING_OFF, *DYING, "hide", "conceal", "stash", "disappear", "vanish", "burn", "burn down", "fall through"}
)
EXISTING = frozenset({"be", "happen", "take place", "go ahead", "exist", "go on"})
OF_THEM = frozenset("them one two all some another both none".split())
WEARY = frozenset("sick tired weary bored fed".split())
VISITING = frozenset("visit tour see explore travel love like miss know meet leave".split())
HOMES = ("dwelling", "housing", "residence", "lease", "rent")
WORK = ("occupation", "employment", "educational institution", "job")
GONE = frozenset("away out back off over on".split())
"""Particles of one who goes on to something else."""


def alters(told: Fact, fact: Fact, topic: Topic | str) -> bool:
    """Whether what is told later of a topic may have ended what a fact says of it."""
    if (told.polarity, told.predicate, values_of(told)) == (fact.polarity, fact.predicate, values_of(fact)):
        return False
    if told.kind == "possession":
        return False
    if isinstance(topic, str):
        return "'s " not in topic and alters_person(told, fact, topic)
    naming = [a for a in told.args if names(a, topic)]
    meant = naming or [a for a in told.args if a.text.casefold() in ("it", "that") and not a.entity]
    kind, held = kind_of(fact), told.predicate in HOLDING
    if not meant or (held and (not naming or told.turn == fact.turn)):
        return False
    if not naming and harmless(told, HARMLESS[kind] | {WEATHER}):
        return False
    return _alters_thing(told, fact, kind, naming, meant)


def _alters_thing(told: Fact, fact: Fact, kind: str, naming: Sequence[Argument], meant: Sequence[Argument]) -> bool:
    """See `alters`, of a thing that arguments name, or may mean."""
    assured = told.modality in (Modality.ASSERTED, Modality.REPORTED, Modality.COMMAND)
    if assured and naming and rivals(told, fact, kind):
        return True
    if any(ATTRIBUTES.get(a.head) == NOUNS.get(kind, "-") for a in told.args):
        return True
    if not told.polarity:
        same = told.predicate == fact.predicate and any(a.text.casefold() in PRONOUNS for a in told.args)
        return same or _denies(told, meant)
    if told.modality is not Modality.ASSERTED:
        return False
    if naming and CHANGED.search(told.text):
        return True
    if told.predicate == "be" and told.arg("subject") in meant:
        return _is_other(told, kind)
    acted = [a for a in meant if a.role.split()[0] not in LOCATIVE]
    if not acted and not any(is_colour(a.head) for a in naming):
        return False
    verb, head = told.predicate, told.predicate.split()[0]
    if verb in UNDOING or (head in BECOMING and told.arg("subject") in meant and verb not in STATES):
        return True
    return not harmless(told, HARMLESS[kind])


def _denies(told: Fact, meant: Sequence[Argument]) -> bool:
    """Whether it is denied that something is, takes place or lasts."""
    subject = told.arg("subject")
    if subject not in meant or told.modality not in (Modality.ASSERTED, Modality.PLANNED):
        return False
    if told.predicate == "be":
        return told.arg("attribute") is None
    missing = told.arg("attribute") is None and told.arg("object") is None
    going = f"{told.predicate} {' '.join(a.text for a in told.args if a.role == 'manner')}".strip()
    return (missing and bool({told.predicate, going} & EXISTING)) or lexicon.same_verb(told.predicate, "survive")


def _is_other(told: Fact, kind: str) -> bool:
    """Whether something is said to be what it cannot be besides what was told."""
    said = told.arg("attribute")
    if said is None:
        return False
    owner = kind == "held" and said.text.casefold().removesuffix(" now").endswith(
        ("'s", "mine", "yours", "hers", "theirs", "ours")
    )
    return owner or (kind == "name" and (said.entity != "" or said.text[:1].isupper()))


def harmless(told: Fact, classes: frozenset[int]) -> bool:
    """Whether a verb is known, and in each of its main senses one of those that change nothing."""
    verb, head = told.predicate, told.predicate.split()[0]
    found = lexicon.supersenses(verb, "v") or lexicon.supersenses(head, "v")
    return bool(found) and found[0] in classes


def alters_person(told: Fact, fact: Fact, name: str) -> bool:
    """Whether what is told of somebody may have ended what they were, liked, had, or were with."""
    own = f"{name.casefold()}'s "
    concerned = any(a.entity.casefold() == name.casefold() or a.entity.casefold().startswith(own) for a in told.args)
    if not concerned or told.kind == "possession" or told.modality is not Modality.ASSERTED:
        return False
    others = [a for a in told.args if not (a.role == "subject" and a.entity.casefold() == name.casefold())]
    if fact.slot.startswith("count "):
        return told.polarity and any(a.head in OF_THEM | {fact.slot.removeprefix("count ")} for a in others)
    if not told.polarity:
        return False
    verbs = {told.predicate, *(f"{told.predicate} {a.role}" for a in told.args)}
    if fact.predicate == "be" and (
        verbs & ENDING_ROLES
        or (kind_of(fact) == "number" and ("birthday" in told.text or told.predicate in BECOMING - STATES))
    ):
        return True
    values = {w for a in fact.args if a.role != "subject" for w in (a.head, a.entity.casefold())} - {""}
    again = any(a.head in values or a.entity.casefold() in values for a in others)
    weary = told.predicate == "be" and any(a.head in WEARY or a.text.split()[0] in WEARY for a in others if a.text)
    about = any({*re.findall(r"\w+", a.text)} & {*re.findall(r"\w+", fact.text)} for a in others)
    if (weary and about) or (again and (weary or verbs & ENDING_THINGS)):
        return True
    altering = not harmless(told, HARMLESS["held"] | {BODY, CONSUMPTION, SOCIAL, STATIVE})
    if again and fact.predicate in HOLDING - {"be"} and told.predicate.split()[0] not in HOLDING and altering:
        return True
    return _moves_on(told, fact, name)


def _moves_on(told: Fact, fact: Fact, name: str) -> bool:
    """Whether somebody is told to live, or to do for a living, something else from then on, or that this is done to them."""
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
    if told.predicate in DYING:
        return True
    if harmless(told, INERT - {COMMUNICATION}):
        return False
    held = {w for a in fact.args if a.role != "subject" for w in (a.head, a.entity.casefold())} - {""}
    if any(a.text.casefold() == "it" for a in others):
        return True  # `packed it in`
    value = any(a.head in held or a.entity.casefold() in held for a in others)
    lately = CHANGED.search(told.text) is not None
    gone = not any(a.role in ("object", "to", "into") for a in others) and harmless(told, frozenset({MOTION}))
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


def understood(told: Iterable[Fact], topic: Topic) -> bool:
    """Whether the facts of a turn that holds the noun of a topic say what the turn tells of it."""
    found = [f for f in told if f.kind != "possession"]
    return any(
        topic.head in re.findall(r"\w+", a.text.casefold()) or f"{topic.head}s" in a.text.casefold()
        for f in found
        for a in f.args
    )


def names(argument: Argument, topic: Topic) -> bool:
    """Whether an argument names a topic, or something that may be it."""
    found = topic_of(argument.text)
    if found is None:
        return False
    words = found.words
    if words == topic.words:
        return True
    if re.search(rf"\bof\s+(?:the|our|my|this|that)\s+(?:\w+\s+)?{re.escape(topic.head)}$", argument.text.casefold()):
        return True
    if topic.head not in words or not (words < topic.words or topic.words < words):
        return False
    more = words - topic.words
    # The parser may take a colour that follows for a part of the phrase: `dyed the kitchen wall pink`.
    return (
        not more or is_colour(argument.head) or bool(more & OTHER) or (len(more) == 1 and is_colour(next(iter(more))))
    )


def kind_of(fact: Fact) -> str:
    """Of which kind the value is that a fact tells."""
    if fact.slot.startswith("count "):
        return "count"
    if fact.predicate in RENAMING | NAMING:
        return "name"
    if fact.predicate in HOLDING - {"be"} or fact.predicate == "belong":
        return "held"
    if any(a.role == "time" for a in fact.args):
        return "day"
    if any(a.role in ("in", "on", "at", "inside", "under", "behind", "place") for a in fact.args):
        return "place"
    values = [a for a in fact.args if a.role in ("attribute", "object", "complement")]
    if any(is_colour(a.text) for a in values):
        return "colour"
    return "number" if any(a.type == "quantity" or re.search(r"\d", a.text) for a in values) else ""


def values_of(fact: Fact) -> frozenset[str]:
    """What a fact says of its subject, in words."""
    return frozenset(a.text.casefold() for a in fact.args if a.role != "subject")


def rivals(told: Fact, fact: Fact, kind: str) -> bool:
    """Whether a fact tells another value of the kind."""
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
