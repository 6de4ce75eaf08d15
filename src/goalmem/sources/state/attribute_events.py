"""Facts as events that set a price, name, date or another attribute with one value at a time.

The topic of an attribute is identified by the content words of its noun phrase: `the price of the ticket` and `the ticket price` are the
same. Only assertions set a value; a change to an unknown value leaves the value open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from goalmem.language.times import find_times
from goalmem.language.words.attributes import (
    ALTERING,
    ARRANGING,
    ASSIGNING,
    BECOMING,
    CHANGING,
    COLOURING,
    PARTICIPLES,
    PLACING_IN_TIME,
    RENAMING,
    SCALING,
    SCHEDULING,
    STATIVE_COPULAS,
    STATUS,
    TAKING_OVER,
)
from goalmem.language.words.changes import WEAK
from goalmem.language.words.modifiers import EVALUATING
from goalmem.language.words.nouns import VALUED
from goalmem.language.words.pronouns import POSSESSIVES, THING_PRONOUNS
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.state.attribute_text import (
    QUANTITY,
    VERSION,
    AttributeTopic,
    attribute_alone,
    base_verb,
    is_colour,
    is_purpose,
    key_of,
    topic_of,
)
from goalmem.sources.state.event_places import is_usual, moment_of
from goalmem.sources.values import plain_value, without_article

ANY = "value"
"""The attribute of a thing's own value: `the budget is 40`."""
NEAR = 5
"""Facts after a topic in which `it` may still refer to it."""
TARGET = re.compile(
    r"\b(?P<by>to|into|at)\s+(?P<new>(?:(?!\b(?:to|into|from|since|because|after|before|until|so|and|but|by|yesterday|today"
    r"|last|this|for|on|in)\b)[^,;.!?\n]|(?<=\d)[.,](?=\d)){1,60})",
    re.IGNORECASE,
)
LATELY = re.compile(r"(?<!\s)\s+(?:now|these days|today|currently|at the moment|again|already|instead)$", re.IGNORECASE)
NAMED = re.compile(
    r"^(?P<thing>(?:[a-z][\w'’-]*\s+)+?)(?:to\s+|as\s+)?[\"“']?(?P<name>[A-Z][\w'’-]*(?: [A-Z\d][\w'’-]*)*)[\"”']?"
    r"(?:\s+(?:now|today|yesterday|then))?[.!]?$"
)
"""A thing and its name, at the end of a clause."""
REST = re.compile(r"\s+(?:to\s+[^,;.!?\n]{1,40}(?:[.,]\d+)?|[\"“']?[A-Z][\w'’-]*[\"”']?(?=\s*[.,;!?\n]|\s*$))")
"""The continuation of a clause: another value, or a name."""
LAST = re.compile(r"\s+[a-z]+(?=\s*[.,;!?\n]|\s*$)")
ORIGIN = re.compile(r"\bfrom\s++(?P<old>(?!\bto\b)[^,;!?\n]{1,40}?)(?<!\s)\s+to\b", re.IGNORECASE)
BEHIND = re.compile(r"(?<!\s)\s+(?:as|from|to|into)\b", re.IGNORECASE)
"""Words after a noun that describe the change, but that the parser includes in the noun's phrase."""
DIRECTED = re.compile(r"(?:\b(?:to|for|until|till|on|at|onto|into)|now|\bis)\s+(?:the\s+)?$", re.IGNORECASE)
FROM = re.compile(r"\b(?:from|since)\s+(?:the\s+)?$", re.IGNORECASE)
MOVED = re.compile(r"\b(?:back|up|down)\s+to\b", re.IGNORECASE)
"""Particles of a state that was another (Quirk et al. 1985, section 16.4): `is back to blue`."""
PAST_STATE = re.compile(r"\b(?:was|were|used to)\b", re.IGNORECASE)
CHARGE = re.compile(
    r"(?:the |now )*(?:owner|assignee|maintainer|person responsible|responsible|in charge|charge|person in charge)"
    r" (?:of|for) (?P<what>.+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AttributeValue:
    """What one fact says about an attribute."""

    fact: Fact
    topic: AttributeTopic
    attribute: str
    """Empty if it may be any attribute of the topic."""
    moment: datetime
    key: str = ""
    text: str = ""
    """The value; empty if it is left open."""
    change: bool = True
    """True for a change, False for a state."""
    former: bool = False
    """True for a former state."""
    ends: str = ""
    """The key of the value that ended."""
    was: str = ""
    """The previous value, if it is given."""
    meant: Fact | None = None
    """The fact that names the topic of a pronoun or an omission."""
    unsure: bool = False
    """True for a proposal, which may not have been accepted."""

    @property
    def outside_sentence(self) -> bool:
        """True if it is not in a sentence, so that no other source reads it."""
        return not self.fact.args

    @property
    def because(self) -> tuple[Fact, ...]:
        """The facts from which it is read."""
        return (self.fact,) if self.meant is None else (self.meant, self.fact)


@dataclass
class _Context:
    """The last topic, fact and place."""

    topic: AttributeTopic | None = None
    fact: Fact | None = None
    place: int = -NEAR


def attribute_values(facts: Sequence[Fact], contents: Mapping[str, str]) -> list[AttributeValue]:
    """The attribute values in a run of turns, in order; `contents`: the turns' texts."""
    context, found = _Context(), list[AttributeValue]()
    for n, told in enumerate(facts):
        fact = extend_to_clause_end(told, contents.get(told.turn, ""), facts[n + 1 :])
        if fact.kind not in ("clause", "identity") or fact.modality is Modality.QUESTION:
            continue
        reading = _AttributeReader(fact, context, n)
        found += reading.settings()
        named = reading.named()
        if named is not None and named.words:
            context.topic, context.fact, context.place = named, fact, n
    return found


def extend_to_clause_end(fact: Fact, content: str, behind: Sequence[Fact]) -> Fact:
    """A fact extended to the end of its clause, if the parser omits the new value."""
    verb = base_verb(fact.predicate)
    rest = REST.match(content, fact.end) if verb in RENAMING | SCALING | CHANGING else None
    if verb in COLOURING and (word := LAST.match(content, fact.end)) is not None and is_colour(word[0]):
        rest = word
    if rest is None:
        return fact
    end = rest.end()
    if any(f.turn == fact.turn and fact.end <= f.start < end for f in behind[:NEAR]):
        return fact
    return replace(fact, text=content[fact.start : end], end=end)


@dataclass
class _AttributeReader:
    """Reads attribute values from one fact."""

    fact: Fact
    context: _Context
    place: int
    meant: Fact | None = field(default=None)

    def named(self) -> AttributeTopic | None:
        """The thing that a fact names, for later pronouns."""
        for role in ("object", "subject"):
            argument = self.fact.arg(role)
            if argument is None or argument.type == "person" or argument.text.casefold() in THING_PRONOUNS:
                continue
            if argument.resolved in ("", "owner", "alias") and argument.text.casefold() not in POSSESSIVES | {
                "we",
                "i",
                "you",
            }:
                own = topic_of(argument.entity if argument.resolved == "owner" else argument.text)
                return self.topic(argument) if own is not None and own.attribute and not own.words else own
        return None

    def topic(self, argument: Argument | None) -> AttributeTopic | None:
        """The topic of an argument, by its name, a pronoun, or an attribute alone."""
        if argument is None or not argument.text:
            return None
        text = BEHIND.split(argument.entity if argument.resolved == "owner" else argument.text)[0]
        own = topic_of(text) if argument.text.casefold() not in THING_PRONOUNS else AttributeTopic(frozenset(), "")
        if own is None or own.words:
            return own
        last = self.context.topic if self.place - self.context.place <= NEAR else None
        if own.attribute and (last is None or last.attribute != own.attribute):
            return attribute_alone(own)
        if last is None:
            return None
        self.meant = self.context.fact
        return AttributeTopic(last.words, last.head, own.attribute or last.attribute, last.text)

    def settings(self) -> Iterator[AttributeValue]:
        """Yield the attribute values in the fact."""
        fact, verb = self.fact, base_verb(self.fact.predicate)
        asserted = fact.modality is Modality.ASSERTED and not is_usual(fact)
        arranged = fact.modality is Modality.PLANNED and verb in SCHEDULING and fact.arg("subject") is None
        if not (asserted or arranged):
            return
        if not fact.polarity:
            yield from self.denied()
            return
        if fact.kind == "identity":
            yield from self.role()
        elif verb in STATIVE_COPULAS or (
            verb in BECOMING and not (self.object_beside_colour() or fact.arg("by") or self.target())
        ):
            yield from self.state()
        else:
            yield from self.change(verb)

    def object_beside_colour(self) -> Argument | None:
        """The object; none for `turned purple`."""
        object_ = self.fact.arg("object")
        return (
            None
            if object_ is None or (self.fact.arg("subject") and is_colour(without_article(object_.text)))
            else object_
        )

    def made(
        self, topic: AttributeTopic, attribute: str, text: str, *, change: bool = True, former: bool = False
    ) -> AttributeValue:
        """The setting of a value; of no value if it is left open."""
        moment = self.fact.said.replace(tzinfo=None) if attribute == "day" else moment_of(self.fact)
        was = self.day(towards=False) if attribute == "day" else self.origin()
        return AttributeValue(
            self.fact, topic, attribute, moment, key_of(text), text, change, former, was=was, meant=self.meant
        )

    def origin(self) -> str:
        """The words of the old value."""
        found = ORIGIN.search(self.fact.text)
        return without_article(found["old"]) if found is not None else ""

    def denied(self) -> Iterator[AttributeValue]:
        """A value that no longer holds; a denied change says nothing."""
        topic, value = self.topic(self.fact.arg("subject")), self.fact.arg("attribute")
        if self.fact.predicate == "be" and topic is not None and value is not None:
            made = self.made(topic, topic.attribute, "")
            yield AttributeValue(
                self.fact,
                topic,
                topic.attribute,
                made.moment,
                ends=without_article(value.text).casefold(),
                meant=self.meant,
            )

    def role(self) -> Iterator[AttributeValue]:
        """`Ines is the captain of the team`: the holder of a role that one person has at a time."""
        who, role = self.fact.arg("subject"), self.fact.arg("attribute")
        if who is None or role is None or not who.entity or not re.match(r"the\b|.*['’]s\b", role.text, re.IGNORECASE):
            return
        topic = topic_of(role.text)
        if topic is not None and topic.words and who.type in ("", "person", "organization", "place"):
            former = PAST_STATE.search(self.fact.text) is not None
            yield self.made(topic, topic.attribute or ANY, who.entity, change=self.is_new(), former=former)

    def is_new(self) -> bool:
        """True if a state is said to be new."""
        return (
            re.search(
                r"\b(?:now|becom\w+|became|no longer|these days|currently|nowadays)\b", self.fact.text, re.IGNORECASE
            )
            is not None
        )

    def state(self) -> Iterator[AttributeValue]:
        """A state."""
        subject, value = self.fact.arg("subject"), self.fact.arg("attribute") or self.fact.arg("object")
        charged = next((a for a in self.fact.args if a.role != "subject" and CHARGE.match(f"{a.text}")), None)
        if subject is not None and subject.entity and charged is not None:
            found = CHARGE.match(charged.text)
            topic = topic_of(found["what"]) if found else None
            if topic is not None:
                yield self.made(topic, "owner", subject.entity, change=self.is_new())
            return
        if subject is not None and value is not None and subject.entity and self.fact.predicate == "become":
            yield from self.role()
            return
        topic = self.topic(subject)
        if topic is None or subject is None:
            return
        former = PAST_STATE.search(self.fact.text) is not None
        new = self.is_new() or self.fact.predicate in ("become", "turn", "go")
        day = self.day(stated=True)
        version = self.fact.arg("at") or self.fact.arg("on")
        moved = self.fact.arg("to") if value is None and MOVED.search(self.fact.text) else None
        if moved is not None:
            attribute, text = self.kind(topic, moved)
            if attribute:
                inexact = "up to" in self.fact.text.casefold() or WEAK.search(moved.text) is not None
                yield replace(self.made(topic, attribute, text), unsure=inexact)
        elif day and value is None:
            yield self.made(topic, "day", day, change=new, former=former)
        elif value is not None:
            attribute, text = self.kind(topic, value)
            if attribute:
                yield self.made(topic, attribute, text, change=new, former=former)
        elif version is not None and (v := VERSION.fullmatch(without_article(version.text))):
            yield self.made(topic, "version", v["version"], change=new, former=former)

    def kind(self, topic: AttributeTopic, value: Argument) -> tuple[str, str]:
        """The attribute of a value, and its text; none if it is only a description."""
        text = plain_value(LATELY.sub("", without_article(value.text)))
        amount = QUANTITY.match(text)
        if amount is not None:
            text = amount[0].strip()
        if text.casefold() in EVALUATING and (topic.attribute or topic.head in VALUED):
            return "", ""
        if topic.attribute:
            return topic.attribute, value.entity or text
        if text.casefold() in PARTICIPLES:
            return "status", text.casefold()
        if is_colour(text):
            return "colour", text
        if QUANTITY.fullmatch(text) or value.type == "quantity" or len(text.split()) <= 3:
            return ANY, value.entity or text
        return "", ""

    def change(self, verb: str) -> Iterator[AttributeValue]:
        """The new value of a change."""
        fact = self.fact
        subject, object_ = fact.arg("subject"), fact.arg("object")
        if object_ is not None and subject is not None and re.search(r"\d", object_.text):
            object_ = None  # `went up to 28 euros`
        topic = self.topic(object_ or subject)
        if verb in TAKING_OVER or fact.predicate in TAKING_OVER:
            role = fact.arg("as")
            yield from self.taken(topic) if role is None else self.succeeding(role)
            return
        if topic is None:
            return
        if verb in RENAMING or self.fact.predicate == "go by" or (verb == "go" and fact.arg("by") is not None):
            yield from self.renamed(topic, change=verb not in ("call", "name") or self.is_new())
        elif verb in COLOURING:
            yield from self.coloured(topic)
        elif verb in ASSIGNING and (fact.arg("to") or fact.arg("indirect")) is not None:
            who = fact.arg("to") or fact.arg("indirect")
            assert who is not None
            yield self.made(topic, "owner", who.entity or without_article(who.text))
        elif verb == "mark" and (how := fact.arg("as")) is not None:
            yield self.made(topic, "status", without_article(how.text).casefold())
        elif fact.predicate in STATUS and not self.day() and (object_ is not None) and not self.target():
            yield self.made(topic, "status", STATUS[fact.predicate])
        elif verb in SCHEDULING and (day := self.day()):
            yield self.made(topic, "day", day, change=verb not in ARRANGING)
        else:
            yield from self.altered(topic, verb, passive=object_ is not None)

    def altered(self, topic: AttributeTopic, verb: str, *, passive: bool) -> Iterator[AttributeValue]:
        """A changed amount, time or kind; `passive`: with an agent."""
        always = SCALING | {"change", "switch", "move"}
        if self.target() and (verb in always or (verb in CHANGING and passive)):
            yield self.scaled(topic)
        elif verb in PLACING_IN_TIME and topic.attribute in ("", "day"):
            yield self.made(topic, "day", "")
        elif verb in ALTERING:
            yield self.made(topic, topic.attribute, "")
        elif verb in SCALING:
            yield self.made(topic, topic.attribute or ANY, "")

    def scaled(self, topic: AttributeTopic) -> AttributeValue:
        """The amount or value to which something was changed."""
        text = self.target()
        version = VERSION.fullmatch(text)
        if version is not None and topic.attribute in ("", "version"):
            return self.made(topic, "version", version["version"])
        return self.made(topic, topic.attribute or ANY, text)

    def taken(self, topic: AttributeTopic | None) -> Iterator[AttributeValue]:
        """The new holder of a role."""
        who = self.fact.arg("subject")
        if topic is not None and who is not None and who.entity:
            yield self.made(topic, "owner", who.entity)

    def succeeding(self, role: Argument) -> Iterator[AttributeValue]:
        """`Owen has taken over from Rhys as captain`: the new holder of a role, and the former one."""
        who, before = self.fact.arg("subject"), self.fact.arg("from")
        topic = topic_of(role.entity or role.text)
        if topic is not None and topic.words and who is not None and who.entity:
            made = self.made(topic, topic.attribute or ANY, who.entity)
            yield replace(made, was=before.entity if before is not None else "")

    def renamed(self, topic: AttributeTopic, *, change: bool) -> Iterator[AttributeValue]:
        """A new name; `the kitten Juno` may be parsed as one phrase."""
        object_, indirect = self.fact.arg("object"), self.fact.arg("indirect")
        roles = ("attribute", "to", "as", "by", "complement")
        name = next((a for role in roles if (a := self.fact.arg(role)) is not None), None)
        if name is None and indirect is not None and object_ is not None:
            thing = self.topic(indirect)
            if thing is not None:
                yield self.made(thing, "name", object_.entity or without_article(object_.text), change=change)
            return
        text = name.entity or without_article(name.text) if name is not None else ""
        if (
            not text
            and object_ is not None
            and (found := NAMED.search(self.fact.text[object_.start - self.fact.start :]))
        ):
            thing = topic_of(found["thing"])
            if thing is not None and not thing.words:
                thing = self.topic(object_)
            if thing is not None:
                yield self.made(thing, "name", found["name"], change=change)
            return
        yield self.made(topic, "name", text, change=change)

    def coloured(self, topic: AttributeTopic) -> Iterator[AttributeValue]:
        """`Painted the fence green`, where the parser may include the colour in the object."""
        value, words = self.fact.arg("attribute") or self.fact.arg("complement"), topic.text.split()
        if value is not None and is_colour(without_article(value.text)):
            yield self.made(topic, "colour", without_article(value.text))
        elif len(words) > 1 and is_colour(words[-1]):
            thing = topic_of(" ".join(words[:-1]))
            if thing is not None:
                yield self.made(thing, "colour", words[-1])
        else:
            last = self.fact.text.rstrip(".!?").split()[-1]
            yield self.made(topic, "colour", last if is_colour(last) else "")

    def target(self) -> str:
        """The words of the new value; without such a phrase, only an amount or a name counts."""
        found = list(TARGET.finditer(self.fact.text))
        if not found:
            return ""
        text = without_article(found[-1]["new"].strip())
        amount = QUANTITY.match(text)
        if amount is not None:
            return amount[0].strip()
        if found[-1]["by"].casefold() == "at" or base_verb(self.fact.predicate) in SCALING - CHANGING:
            return ""  # `was cut at the meeting`, `raised to my delight`
        told = self.fact.arg(found[-1]["by"].casefold()) is not None and not is_purpose(text)
        return text if told or text[:1].isupper() else ""

    def day(self, *, stated: bool = False, towards: bool = True) -> str:
        """The planned time as a date; otherwise the time from which it is moved."""
        for argument in self.fact.args:
            if argument.role != "time" or argument.start < 0:
                continue

            before = self.fact.text[: max(0, argument.start - self.fact.start)]
            opening = re.match(r"(?:until|till|to|for|on|from|since)\b\s*", argument.text, re.IGNORECASE)
            before += opening[0] if opening is not None else ""
            directed = DIRECTED.search(before) or (stated and before.rstrip().endswith("be"))
            if bool(FROM.search(before)) == towards or (towards and not directed):
                continue
            if opening is None and argument.text == self.fact.when_text and self.fact.when is not None:
                return str(self.fact.when)
            found = find_times(
                argument.text[opening.end() if opening is not None else 0 :], self.fact.said.replace(tzinfo=None), True
            )
            return str(found[0].interval) if found else ""
        return ""
