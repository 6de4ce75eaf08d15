"""What puts in doubt what a fact says: it is taken back, told of something else or inexactly, or something may have changed since.

Whatever is doubted is `likely` at best. Everything here is read from the turns alone, so that who checks a proof finds the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from goalmem.language import lexicon
from goalmem.language.verb_forms import is_over
from goalmem.language.words.attributes import BECOMING, STATES
from goalmem.language.words.doubts import (
    APPROXIMATE,
    CHANGED,
    ENDING_ROLES,
    ENDING_THINGS,
    INDIRECT,
    OTHER,
    PRIVATIVE,
    RETRACTED_WITHIN,
    RETRACTION,
    TOGETHER,
)
from goalmem.language.words.verbs import CALLING_OFF, DYING, HOLDING, NAMING
from goalmem.logic.terms import Binding
from goalmem.records import Argument, Fact, Modality, Turn
from goalmem.sources.attribute_text import Topic, is_colour, topic_of
from goalmem.sources.evidence_store import Recollection
from goalmem.sources.state_loader import PhraseStore
from goalmem.sources.terse_changes import terse_change, values_of_kind

__all__ = ["DOUBTFUL", "Doubts", "beside"]

DOUBTFUL = 0.7
"""What a doubted step is worth at most: less than what may be called proved (`proof.status`)."""
SHORT = 12
"""Words of a turn that does nothing but take back the one before."""
MOST_TURNS = 300
"""Turns that name a thing; what is named more often is not gone through."""
STATIVE = 42
"""Lexicographer file of WordNet (lexnames(5WN)) for verbs of being and having."""
ALTERING = {
    "colour": frozenset({30, 35, 36}),
    "day": frozenset({30, 35, 38, 40, 41}),
    "number": frozenset({30}),
    "place": frozenset({30, 34, 35, 38, 40}),
}
"""Those of verbs that may alter what something is, by what is told of it: change, contact, creation, motion, possession, social."""
ALWAYS = frozenset({30})
UNDOING = frozenset(
    {*CALLING_OFF, *DYING, "hide", "conceal", "stash", "disappear", "vanish", "burn", "burn down", "fall through"}
)
EXISTING = frozenset({"be", "happen", "take place", "go ahead", "exist", "go on"})
OF_THEM = frozenset("them one two all some another both none".split())
WEARY = frozenset("sick tired weary bored fed".split())
NOT_YET = re.compile(r"\b(?:ha(?:s|ve)(?:n['’]?t| not)|yet)\b", re.IGNORECASE)
"""Denials up to the moment of speaking: the perfect (Quirk et al. 1985, section 4.20), `yet`."""
PAST_STATE = re.compile(r"\b(?:was|were|had|owned|possessed)\b", re.IGNORECASE)
PRONOUNS = frozenset("it they them that this".split())


@dataclass
class Doubts:
    """What speaks against the facts of one space, as far as it was said by a time."""

    store: Recollection
    space: str
    until: datetime
    _behind: dict[tuple[str, bool], str] = field(default_factory=dict)

    def of(self, fact: Fact, bindings: Sequence[Binding], asked: str, *, present: bool) -> str:
        """Why what a fact says is not sure, in the words that put it in doubt; empty where nothing does.

        `asked`: the words of the goal; `present`: whether it asks what is so now.
        """
        turn = self.store.turns(self.space, [fact.turn]).get(fact.turn)
        if turn is None:
            return ""
        return (
            self.taken_back(fact, turn)
            or inexact(fact, turn, bindings)
            or of_another(fact, asked)
            or self.namesake(fact, asked)
            or self.not_yet(fact)
            or (over(fact) if present else "")
            or (self.changed(fact) if present and states(fact) else "")
        )

    def of_last(self, because: Sequence[Fact], known: Collection[str], *, present: bool) -> str:
        """What speaks against the last of the facts that an answer rests on; of what is so now, what changed it since, too.

        `known`: ids of facts of which it is known what they change.
        """
        if not because:
            return ""
        one = len({f.turn for f in because}) == 1
        _, last = max(enumerate(because), key=lambda of: (of[1].said, of[1].start if one else 0, of[0]))
        if not because[-1].args:  # What is told without a sentence takes back itself what it rests on.
            last, because = because[-1], because[-1:]
        told = [*(self.taken_back(f, revalued=f is last) for f in because)]
        return next(filter(None, told), "") or (self.changed(last, known) if present else "")

    def known(self, said: datetime) -> bool:
        """Whether something was said by the day of asking, where it was asked."""
        both = said.tzinfo is not None and self.until.tzinfo is not None
        day: date = (said.astimezone(self.until.tzinfo) if both else said).date()
        return day <= self.until.date()

    def not_yet(self, fact: Fact) -> str:
        """The words by which something had not happened when this was said, where that was before the day of asking: it may have since."""
        found = NOT_YET.search(fact.text) if not fact.polarity else None
        if found is None or fact.said.date() >= self.until.date():
            return ""
        return found.group()

    def namesake(self, fact: Fact, asked: str) -> str:
        """Another of whom a fact may not speak and the question may: `Anna Weber`, where `Anna` is asked about and there is an `Anna Novak`."""
        words = {*re.findall(r"\w+", asked.casefold())}
        for argument in fact.args:
            first, *more = argument.entity.casefold().split()[:3] or [""]
            if not more or first not in words or words & {*more} or first.endswith("'s"):
                continue
            for other in self.store.entities(self.space):
                if other.casefold().split()[:1] == [first] and other.casefold() not in (
                    first,
                    argument.entity.casefold(),
                ):
                    return other
        return ""

    def taken_back(self, fact: Fact, turn: Turn | None = None, *, revalued: bool = True) -> str:
        """The words of the same turn, or of the next, that take back what a fact says; with `revalued` those that only give another
        value of the kind that it tells, too.
        """
        if (fact.id, revalued) not in self._behind:
            turn = turn or self.store.turns(self.space, [fact.turn]).get(fact.turn)
            words = self._taken_back(fact, turn, revalued) if turn is not None else ""
            self._behind[fact.id, revalued] = words
        return self._behind[fact.id, revalued]

    def _taken_back(self, fact: Fact, turn: Turn, revalued: bool, /) -> str:
        rest = turn.content[fact.end :]
        if (found := RETRACTED_WITHIN.match(rest)) is not None:
            return found[0].strip()
        inner = re.search(r"\W(?:no,? wait|wait,? no|i mean|scratch that|no,? sorry)\b", fact.text, re.IGNORECASE)
        if inner is not None:
            return inner[0].strip()
        if "?" in rest:
            return ""  # What follows answers that.
        behind = self.store.session_turns(self.space, turn.session, first=turn.position + 1, last=turn.position + 2)
        for n, other in enumerate(behind):
            asked = n and "?" in behind[0].content  # which "no" answers
            if n and (asked or not (other.speaker == turn.speaker != behind[0].speaker)):
                break
            if not self.known(other.at) or len(other.content.split()) > SHORT:
                continue
            if RETRACTION.match(other.content) or (revalued and self._revalued(fact, other)):
                return other.content
        return ""

    def _revalued(self, fact: Fact, other: Turn) -> bool:
        """Whether a turn does nothing but give a value of the kind that a fact tells."""
        change = terse_change(other)
        return change is not None and values_of_kind(fact.text, change.kind, fact.said.replace(tzinfo=None)) > 0

    def changed(self, fact: Fact, known: Collection[str] = ()) -> str:
        """What was said since that may have ended what a fact says of something or somebody."""
        topics = topics_of(fact)
        for told in self._later(fact, topics):
            for topic in topics:
                if told.id not in known and alters(told, fact, topic):
                    return told.text
        return ""

    def _later(self, fact: Fact, topics: Sequence[Topic | str]) -> Iterator[Fact]:
        """The facts told later of what a fact is about."""
        turns: set[str] = set()
        for topic in topics:
            if isinstance(topic, str):
                found = self.store.facts(self.space, entity=topic, newest=MOST_TURNS)
                turns |= {f.turn for f in found}
            elif isinstance(self.store, PhraseStore):
                for form in {topic.head, f"{topic.head}s"}:
                    turns |= {*self.store.phrase(self.space, form, limit=MOST_TURNS)}
        own = self.store.turns(self.space, [fact.turn]).get(fact.turn)
        if own is not None:
            turns |= {
                t.id
                for t in self.store.session_turns(self.space, own.session, first=own.position, last=own.position + 2)
            }
        for told in self.store.facts(self.space, turns=turns):
            later = told.said > fact.said or (told.said == fact.said and self._behind_in_session(told, fact))
            if later and self.known(told.said) and told.id != fact.id:
                yield told

    def _behind_in_session(self, told: Fact, fact: Fact) -> bool:
        if told.turn == fact.turn:
            return told.start > fact.start
        turns = self.store.turns(self.space, [told.turn, fact.turn])
        a, b = turns.get(told.turn), turns.get(fact.turn)
        return a is not None and b is not None and a.session == b.session and a.position > b.position


def over(fact: Fact) -> str:
    """The word by which a state is told as past."""
    state = fact.predicate in HOLDING | NAMING
    found = PAST_STATE.search(fact.text) if state and fact.kind in ("clause", "identity") else None
    return found[0] if found is not None else ""


def beside(fact: Fact, place: str) -> str:
    """The words by which a fact says that something is at a place only nearly: `next to the shed`."""
    found = re.search(rf"\b{re.escape(place)}\b", fact.text, re.IGNORECASE) if place else None
    before = INDIRECT.search(fact.text[: found.start()]) if found is not None else None
    return before[0].strip() if before is not None else ""


def states(fact: Fact) -> bool:
    """Whether a fact tells what is so, rather than what happened."""
    if fact.modality is not Modality.ASSERTED or fact.kind == "possession":
        return False
    classes = lexicon.supersenses(fact.predicate, "v") or lexicon.supersenses(fact.predicate.split()[0], "v")
    state = fact.predicate in HOLDING or STATIVE in classes[:2] or fact.kind in ("identity", "preference")
    state |= re.search(r"\b(?:is|are|am)\b", fact.text) is not None and fact.predicate.split()[0] in NAMING
    return (state or bool(fact.slot)) and not is_over(fact.text, fact.predicate)


def topics_of(fact: Fact) -> list[Topic | str]:
    """What a fact is about: things by the words of their phrases, somebody by their name."""
    found: list[Topic | str] = []
    subject, object_ = fact.arg("subject"), fact.arg("object")
    for argument in (subject, object_ if fact.predicate in HOLDING else None):
        if argument is None or argument.text.casefold() in PRONOUNS:
            continue
        if argument.entity:
            found.append(argument.entity)
        if (
            argument.resolved in ("", "owner", "alias")
            and argument.type not in ("quantity", "time")
            and (topic := topic_of(argument.text)) is not None
            and topic.words
        ):
            found.append(topic)
    if fact.slot == "relationship":
        found += [a.entity for a in fact.args if a.role != "subject" and a.entity]
    return found


def alters(told: Fact, fact: Fact, topic: Topic | str) -> bool:
    """Whether what is told later of a topic may have ended what a fact says of it."""
    if (told.polarity, told.predicate, values_of(told)) == (fact.polarity, fact.predicate, values_of(fact)):
        return False
    if isinstance(topic, str):
        return alters_person(told, fact, topic)
    naming = [
        a
        for a in told.args
        if names(a, topic) or (a.text.casefold() in PRONOUNS and told.turn != fact.turn and not a.entity)
    ]
    if not any(names(a, topic) for a in told.args):
        naming = [a for a in naming if a.role in ("subject", "object")]
    if not naming:
        return False
    if not told.polarity:
        missing = not (told.arg("attribute") or told.arg("object") if told.predicate != "be" else told.arg("attribute"))
        subject = told.arg("subject") in naming
        return (
            told.predicate in EXISTING
            and subject
            and missing
            and told.modality in (Modality.ASSERTED, Modality.PLANNED)
        )
    if not any(names(a, topic) for a in told.args):
        return False
    kind = kind_of(fact)
    if told.modality in (Modality.ASSERTED, Modality.REPORTED, Modality.COMMAND) and rivals(told, fact, kind):
        return True
    if told.modality is not Modality.ASSERTED:
        return False
    if CHANGED.search(told.text):
        return True
    affected = any(a.role in ("subject", "object") or is_colour(a.head) for a in naming)
    if not affected:
        return False
    verb, head = told.predicate, told.predicate.split()[0]
    if verb in UNDOING or (head in BECOMING and told.arg("subject") in naming and told.predicate not in STATES):
        return True
    classes = lexicon.supersenses(verb, "v") or lexicon.supersenses(head, "v")
    return not classes or bool({*classes[:1]} & (ALTERING.get(kind, ALWAYS)))


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
    if fact.predicate == "be" and (verbs & ENDING_ROLES or (kind_of(fact) == "number" and "birthday" in told.text)):
        return True
    values = {w for a in fact.args if a.role != "subject" for w in (a.head, a.entity.casefold())} - {""}
    again = any(a.head in values or a.entity.casefold() in values for a in others)
    weary = told.predicate == "be" and any(a.head in WEARY or a.text.split()[0] in WEARY for a in others if a.text)
    if weary or verbs & ENDING_THINGS:
        return again or any({*re.findall(r"\w+", a.text)} & {*re.findall(r"\w+", fact.text)} for a in others if weary)
    head = told.predicate.split()[0]
    classes = lexicon.supersenses(told.predicate, "v") or lexicon.supersenses(head, "v")
    altering = not classes or bool({*classes[:1]} & (ALTERING["place"]))
    return again and fact.predicate in HOLDING - {"be"} and head not in HOLDING and altering


def names(argument: Argument, topic: Topic) -> bool:
    """Whether an argument names a topic, or something that may be it."""
    found = topic_of(argument.text)
    if found is None:
        return False
    words = found.words
    if words == topic.words:
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


def inexact(fact: Fact, turn: Turn, bindings: Sequence[Binding]) -> str:
    """The words that make a number or a time inexact, where the answer does not say them."""
    for b in bindings:
        if b.turn != fact.turn or (b.value.number is None and b.value.interval is None):
            continue
        words = b.span or b.value.text
        place = turn.content.find(words, fact.start if words in fact.text else 0)
        number = re.search(r"\d[\d.,]*", words)
        if place < 0:
            continue
        at = place + (number.start() if number is not None else 0)
        end = place + (number.end() if number is not None else len(words))
        # A time is told with what makes it inexact only where the answer is its interval.
        for found in (APPROXIMATE.search(turn.content, 0, at) if at else None, TOGETHER.match(turn.content[end:])):
            if found is not None and found[0].casefold().strip() not in b.value.text.casefold():
                return found[0].strip()
        if fact.arg("subject") is not None and b.value.number is not None and shared(fact, turn):
            return fact.text
    return ""


def shared(fact: Fact, turn: Turn) -> bool:
    """Whether a number is told of several subjects together."""
    subject = fact.arg("subject")
    if subject is None or subject.start < 0:
        return False
    behind, before = (
        turn.content[subject.end : subject.end + 5],
        turn.content[max(0, subject.start - 5) : subject.start],
    )
    return bool(re.match(r"\s*(?:and|&|or)\s", behind) or re.search(r"\s(?:and|&|or)\s*$", before))


def of_another(fact: Fact, asked: str) -> str:
    """The words by which a fact speaks of something like what is asked about, and not of that."""
    wanted = {*re.findall(r"[\w-]+", asked.casefold())}
    for argument in fact.args:
        if argument.role == "like" and fact.predicate == "be":
            return argument.text
        if argument.role not in ("subject", "object", "attribute", "complement"):
            continue
        words = re.findall(r"[\w-]+", argument.text.casefold())
        apart = OTHER if argument.role == "subject" else OTHER | PRIVATIVE
        if wanted & {*words} and any(w in apart and w not in wanted for w in words[:-1]):
            return argument.text
    return ""
