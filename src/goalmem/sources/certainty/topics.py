"""What a statement is about, and which kind of value it gives it: by these, later statements about the same are found and compared."""

from __future__ import annotations

import re

from goalmem.language import lexicon
from goalmem.language.lexnames import VerbKind
from goalmem.language.times_words import DAY_NAMES, MONTH_NAMES
from goalmem.language.verb_forms import is_over, is_under_way
from goalmem.language.words.attributes import ATTRIBUTES, RENAMING
from goalmem.language.words.doubts import NOT_THE_SAME
from goalmem.language.words.pronouns import PLURAL_PRONOUNS, POSSESSIVES, THING_PRONOUNS
from goalmem.language.words.verbs import HOLDING, NAMING
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.state.attribute_text import AttributeTopic, is_colour, topic_of

Topic = AttributeTopic | str
"""A thing, by the words of its phrase, or a person or thing with a name."""
CALENDAR = frozenset({*DAY_NAMES, *MONTH_NAMES})
"""Words that say when something is, not which: `Friday's lesson`."""
ARRANGED = ("meeting", "appointment", "event", "class", "lesson", "session", "activity")
"""Kinds of events that are scheduled."""
PLACES = frozenset("in on at under behind beside inside near above below place".split())
"""Roles of the place of an event or state."""
PRONOUNS = THING_PRONOUNS | (PLURAL_PRONOUNS - {"both"})
PERSONAL = frozenset("he him she her they them".split())
NAMED = frozenset({*NAMING, "called", "named", "nicknamed", "christened"})
"""Verbs of an identity that gives a name."""
CALLED = frozenset("name surname nickname".split())
"""What somebody is called, which may change with whom they marry."""


def words_in(text: str) -> frozenset[str]:
    """The words of a text in lower case."""
    return frozenset(re.findall(r"\w+", text.casefold()))


def topics_of(fact: Fact) -> list[Topic]:
    """The topics of a fact: things by the words of their phrases, people by name."""
    found: list[Topic] = []
    subject, object_ = fact.arg("subject"), fact.arg("object")
    if fact.slot.startswith("count "):
        head = fact.slot.removeprefix("count ")
        found.append(AttributeTopic(frozenset({head}), head))
    named = kind_of(fact) == "name"
    described = fact.arg("attribute") if named and fact.kind == "identity" else None
    done_to = fact.predicate in HOLDING or subject is None or not is_state(fact)
    for argument in (subject, described, object_ if done_to else None):
        if argument is None or argument.text.casefold() in PRONOUNS:
            continue
        somebody = fact.slot in ("residence", "employment", "relationship") and not argument.entity
        name = argument.text if somebody and re.fullmatch(r"[A-Z][\w-]+", argument.text) else ""
        if argument.entity or name:
            found.append(argument.entity or name)
        if "'s " in argument.entity and (own := topic_of(argument.entity)) is not None:
            found.append(own)
        if argument.head in CALLED and "'s " in argument.entity:
            found.append(argument.entity.rpartition("'s ")[0])
        if (
            not name
            and (argument.resolved in ("", "owner", "alias") or (named and argument.text[:1].islower()))
            and (argument.type not in ("quantity", "time") or argument.role == "subject")
            and (topic := topic_of(argument.text)) is not None
            and topic.words
        ):
            found.append(topic)
    if is_liking(fact):
        found += [a.entity.partition("'s ")[0] for a in fact.args if a.role == "subject" and a.entity]
        found += [t for a in fact.args if a.role in ("object", "attribute") and (t := topic_of(a.text)) and t.words]
    if kind_of(fact) == "day":
        found += [AttributeTopic(frozenset({w}), w) for t in found if not isinstance(t, str) for w in _modifiers(t)]
    if fact.slot == "relationship":
        found += [a.entity for a in fact.args if a.role != "subject" and a.entity]
    return found


def _modifiers(topic: AttributeTopic) -> frozenset[str]:
    """Nouns before that of a scheduled event that can stand for it: `the dentist` for `the dentist appointment`."""
    arranged = any(lexicon.is_mainly(topic.head, kind) for kind in ARRANGED)
    return frozenset(w for w in topic.words - {topic.head} if arranged and lexicon.is_known(w, "n"))


def names(argument: Argument, topic: AttributeTopic) -> bool:
    """True if an argument names a topic, or something that may be it."""
    if argument.entity and argument.entity.casefold() == topic.text.casefold():
        return True
    text = argument.text.casefold()
    found = topic_of(text) or (topic_of(argument.entity) if argument.entity else None)
    if found is None:
        return argument.head == topic.head and text.split()[0] in POSSESSIVES
    words = found.words - CALENDAR if found.head not in CALENDAR else found.words
    if len(words) == 1 and words < topic.words and re.match(r"[Tt]he [A-Z]", argument.text):
        return True  # "the Peugeot", of a Peugeot 208
    if words == topic.words or words | {"user"} == topic.words:
        return True
    if re.search(rf"\bof\s+(?:(?:the|our|my|this|that)\s+)?(?:\w+\s+)?{re.escape(topic.head)}$", text):
        return True
    if topic.head not in words or not (words < topic.words or topic.words < words):
        return False
    more = words - topic.words
    # The parser may include a colour that follows in the phrase: `dyed the kitchen wall pink`.
    return not more or is_colour(argument.head) or bool(more & NOT_THE_SAME) or any(map(is_colour, more))


def may_mean(told: Fact, topic: Topic) -> bool:
    """True if a statement names a topic, or has a pronoun that may stand for it."""
    return any(
        a.text.casefold() in PRONOUNS | PERSONAL
        or (a.entity == topic or a.entity.startswith(f"{topic}'s ") if isinstance(topic, str) else names(a, topic))
        for a in told.args
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
    placed = [a for a in fact.args if a.role in PLACES]
    if placed:
        attributes = all(words_in(a.text) & ATTRIBUTES.keys() for a in placed)
        return "number" if attributes else "place"  # `at version 5.2`
    values = [a for a in fact.args if a.role in ("attribute", "object", "complement")]
    if any(is_colour(a.text) for a in values):
        return "colour"
    return "number" if any(a.type == "quantity" or re.search(r"\d", a.text) for a in values) else ""


def values_of(fact: Fact) -> frozenset[str]:
    """The words of what a fact says of its subject."""
    return frozenset(a.text.casefold() for a in fact.args if a.role != "subject")


def named_values(fact: Fact) -> frozenset[str]:
    """The nouns and names in what a fact says of its subject."""
    return frozenset(w for a in fact.args if a.role != "subject" for w in (a.head, a.entity.casefold()) if w)


def is_liking(fact: Fact) -> bool:
    """True if a fact is about what somebody likes, or likes best."""
    return fact.kind == "preference" or fact.slot.startswith("favorite ")


def is_state(fact: Fact) -> bool:
    """True if a fact describes a present state rather than an event."""
    if fact.modality is not Modality.ASSERTED or fact.kind == "possession" or is_over(fact.text, fact.predicate):
        return False
    present = re.search(r"\b(?:is|are|am)\b", fact.text) is not None
    return (
        bool(fact.slot)
        or fact.predicate in HOLDING
        or fact.kind in ("identity", "preference")
        or VerbKind.STATIVE in lexicon.verb_kinds(fact.predicate)[:2]
        or (present and (fact.predicate.split()[0] in NAMING or is_under_way(fact.text, fact.predicate)))
    )


def is_former_state(fact: Fact) -> bool:
    """True if a fact describes a state in the past."""
    state = fact.predicate in HOLDING | NAMING and fact.kind in ("clause", "identity")
    return state and is_over(fact.text, fact.predicate)
