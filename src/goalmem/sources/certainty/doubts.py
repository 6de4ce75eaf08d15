"""Doubts about a fact: it is retracted, is about something else, is inexact, or may have changed since.

A doubted fact is `likely` at most. Doubts are read from the turns alone, so that the checker of a proof finds the same.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from goalmem.language import lexicon
from goalmem.language.sentences import CLAUSE_BREAK
from goalmem.language.verb_forms import is_over, is_under_way, verb_bases
from goalmem.language.words import any_of
from goalmem.language.words.changes import GIVING
from goalmem.language.words.doubts import (
    APPROXIMATE,
    DEPUTIES,
    INDIRECT,
    LASTS_AT_MOST,
    MISTAKEN,
    OTHER,
    PARTING,
    PRIVATIVE,
    RETRACTED_WITHIN,
    RETRACTION,
    TOGETHER,
)
from goalmem.language.words.pronouns import SOMEBODY
from goalmem.language.words.verbs import HOLDING, NAMING
from goalmem.logic.terms import Binding
from goalmem.records import Fact, Modality, Turn
from goalmem.sources.certainty.later import (
    PRONOUNS,
    alters,
    calls_off,
    is_liking,
    kind_of,
    names,
    understood,
    understood_of,
    values_of,
)
from goalmem.sources.certainty.qualified import UNTIL, qualified, unvouched
from goalmem.sources.certainty.same_matter import SameMatter
from goalmem.sources.evidence_store import EvidenceStore, said_by
from goalmem.sources.numbers import number_in
from goalmem.sources.similarity import no_cosine
from goalmem.sources.state.attribute_text import AttributeTopic, topic_of
from goalmem.sources.state.loader import PhraseStore
from goalmem.sources.state.terse_changes import terse_change, values_of_kind

DOUBTFUL = 0.7
"""Highest score of a doubted step, below that of a step in a proof with status proved (`proof.status`)."""
SHORT = 12
"""Words of a turn that only retracts the previous one."""
MOST_TURNS = 300
"""Turns that name a thing. If there are more, the rest is not searched."""
PERSONAL = frozenset("he him she her they them".split())
STATIVE = 42
"""Lexicographer file of WordNet (lexnames(5WN)) for verbs of being and having."""
PART = re.compile(
    r"(?:half|part|parts|most|some|bits?|one|two|three|(?:a|the first|the second|the other|the top|the bottom) "
    r"(?:few|third|quarter|couple|part|bit|fraction|number|half|piece))(?: of)?\s+(?:the|my|our|his|her|their|its|this|that)\b",
    re.IGNORECASE,
)
"""Quantifiers of a part (partitives: Quirk et al. 1985, section 5.5)."""
FURTHER = re.compile(r"\w+ (?:more|other|extra|additional|further)\b", re.IGNORECASE)
"""`four more`: an addition, not the total."""
LIKENED = re.compile(r"\s(?:like|similar to|the size of|comparable to)\s", re.IGNORECASE)
COMPARED = re.compile(r"\bas \w+ as\b", re.IGNORECASE)
"""Comparisons, which are about something else (equatives: Quirk et al. 1985, section 15.63)."""
PREFIXES = "(?:ex|non|anti|pseudo|pre|post|half|semi|quasi|never|not|near|mock|wannabe)"
"""Prefixes that negate or weaken a noun (Quirk et al. 1985, appendix I.20 to I.28)."""
ARRANGED = ("meeting", "appointment", "event", "class", "lesson", "session", "activity")
"""Kinds of events that are scheduled."""
NOT_YET = re.compile(r"\b(?:ha(?:s|ve)(?:n['’]?t| not)|yet)\b", re.IGNORECASE)
"""Denials up to the time of speaking: the perfect (Quirk et al. 1985, section 4.20), `yet`."""
LASTING = re.compile(r"\b(?:have|has)\b|['’](?:ve|s)\b", re.IGNORECASE)
ABILITY = re.compile(r"\b(?:can|could|able to|capable of)\b", re.IGNORECASE)
"""Words for what is possible (Quirk et al. 1985, section 4.52)."""
PASSING_STATE = re.compile(
    rf"(?:\b(?:am|is|are|feels?)|['’](?:m|s|re))\s+(?:(?:so|very|really|still|now|just|all|a bit)\s+)*(?P<state>{any_of(LASTS_AT_MOST).pattern})",
    re.IGNORECASE,
)
"""Somebody is in a state that passes by itself."""
UNDER_WAY_FOR = 45
"""Days after which what somebody was doing (`I'm making soup`) may be done."""
HALF_A_YEAR = 183
"""Days after which somebody is probably a year older."""
LOOKED_BACK = 60
"""Characters before a possession in which its verb is searched."""


@dataclass
class Doubts:
    """Doubts about the facts of one space, from turns up to a given time."""

    store: EvidenceStore
    space: str
    until: datetime
    cosine: Callable[[str, str], float] = no_cosine
    """The cosine of two phrases' vectors."""
    _behind: dict[tuple[str, bool], str] = field(default_factory=dict)

    def of(self, fact: Fact, bindings: Sequence[Binding], asked: str, *, present: bool) -> str:
        """The words that put a fact in doubt; empty if nothing does.

        `asked`: the words of the goal; `present`: if it asks about the present.
        """
        turn = self.store.turns(self.space, [fact.turn]).get(fact.turn)
        if turn is None:
            return ""
        return (
            self.taken_back(fact, turn)
            or self._unvouched(fact)
            or given_up(fact, turn)
            or self.grown(fact, bindings)
            or inexact(fact, turn, bindings)
            or of_another(fact, asked)
            or only_able(fact, asked)
            or nicknamed(fact)
            or (only_for(fact, asked) if states(fact) and not bindings else "")
            or qualified(fact, state=states(fact))
            or self.namesake(fact, asked)
            or self.not_yet(fact)
            or self.corrected(fact)
            or (over(fact) if present else "")
            or (
                self.changed(fact)
                if present and fact.modality is Modality.ASSERTED and fact.kind != "possession"
                else ""
            )
            or (self.held_before(fact) if present and fact.kind == "possession" else "")
            or (self.replanned(fact) if fact.modality is Modality.PLANNED else "")
        )

    def replanned(self, plan: Fact) -> str:
        """The words of a plan whose day has passed, or later words about what it names: a plan may change in more ways than can be told.

        Only what somebody is, has or likes leaves it as it is.
        """
        if plan.when is not None and plan.when.end <= self.until.replace(tzinfo=None):
            return plan.text
        topics = [*topics_of(plan), *(a.entity for a in plan.args if a.entity and a.resolved != "speaker")]
        told = (f for f in self._later(plan, topics) if any(may_mean(f, topic) for topic in topics))
        changing = next((f for f in told if may_replan(f, plan)), None)
        if changing is not None:
            return changing.text
        for word, turn in self._naming(topics, plan):
            about = [f for f in self.store.facts(self.space, turns=[turn.id]) if word.casefold() in f.text.casefold()]
            if not about or any(may_replan(f, plan) for f in about):
                return turn.content
        return ""

    def _naming(self, topics: Iterable[AttributeTopic | str], fact: Fact) -> Iterator[tuple[str, Turn]]:
        """Later turns, other than questions, with the name or noun of a topic."""
        if not isinstance(self.store, PhraseStore):
            return
        for topic in topics:
            word = topic if isinstance(topic, str) else topic.head
            ids = {t for form in (word, f"{word}s") for t in self.store.phrase(self.space, form, limit=MOST_TURNS)}
            for turn in self.store.turns(self.space, sorted(ids)).values():
                since = turn.id != fact.turn and turn.at >= fact.said and self.known(turn.at)
                if since and self._is_behind(turn, fact) and "?" not in turn.content:
                    yield word, turn

    def held_before(self, possession: Fact) -> str:
        """A statement by which a person no longer is what a possession calls them: `my therapist`, who was Joan."""
        held = possession.arg("object")
        if held is None or not held.entity[:1].isupper() or "'s " in held.entity:
            return ""
        if held.type != "person" or lexicon.is_a(held.head, "relative"):
            return ""
        told = self.store.facts(self.space, entity=held.entity, newest=MOST_TURNS)
        same = (
            f for f in told if f.kind == "identity" and (a := f.arg("attribute")) is not None and a.head == held.head
        )
        return next(filter(None, map(self.changed, same)), "")

    def of_last(self, because: Sequence[Fact], known: Collection[str], *, present: bool) -> str:
        """The words that put in doubt the last of the facts behind an answer; for the present, also what changed it since.

        `known`: ids of facts whose effect is already accounted for.
        """
        if not because:
            return ""
        one = len({f.turn for f in because}) == 1
        _, last = max(enumerate(because), key=lambda of: (of[1].said, of[1].start if one else 0, of[0]))
        if not because[-1].args:  # A statement without a sentence retracts by itself what it rests on.
            last, because = because[-1], because[-1:]
        told = [
            self.taken_back(f, revalued=f is last)
            or qualified(f, state=states(f) or (present and f.arg("subject") is None))
            or self._unvouched(f)
            for f in because
        ]
        told += [f.text for f in because if present and f.modality is Modality.PLANNED and f.when is None]
        told += [over(last)] if present else []
        return next(filter(None, told), "") or (self.changed(last, known) if present else "")

    def _unvouched(self, fact: Fact) -> str:
        """The words by which the speaker does not vouch for a fact."""
        turn = self.store.turns(self.space, [fact.turn]).get(fact.turn)
        return (
            unvouched(fact, self.store.facts(self.space, turns=[fact.turn]), turn.content) if turn is not None else ""
        )

    def known(self, said: datetime) -> bool:
        """True if something was said by the day of the question, in the question's time zone."""
        return said_by(said, self.until)

    def not_yet(self, fact: Fact) -> str:
        """The words of a denial (`not yet`) before the day of the question: it may have happened since."""
        found = NOT_YET.search(fact.text) if not fact.polarity else None
        if found is None or fact.said.date() >= self.until.date():
            return ""
        return found.group()

    def grown(self, fact: Fact, bindings: Sequence[Binding]) -> str:
        """A duration or an age that has grown since it was said, or a state that has passed by now."""
        days = (self.until.date() - fact.said.date()).days
        for argument in fact.args:
            lasting = argument.role == "for" and argument.type == "time" and LASTING.search(fact.text) is not None
            if (
                days > 0
                and lasting
                and any(b.span and (b.span in argument.text or argument.text in b.span) for b in bindings)
            ):
                return argument.text
        if (
            fact.when is not None
            and fact.when.end <= self.until.replace(tzinfo=None)
            and any(a.role == "time" and UNTIL.match(a.text) for a in fact.args)
        ):
            return fact.text
        told = any(b.variable.type == "age" or (fact.slot == "age" and b.value.number is not None) for b in bindings)
        return fact.text if (told and days > HALF_A_YEAR) or days > lasts_at_most(fact) else ""

    def namesake(self, fact: Fact, asked: str) -> str:
        """A namesake that the question may mean and the fact may not be about: `Anna Weber` if the question asks about `Anna` and there is
        an `Anna Novak`, or `my boss Anna` beside `my aunt Anna`.
        """
        words = {*re.findall(r"\w+", asked.casefold())}
        for argument in fact.args:
            name = argument.entity.casefold()
            own = {*name.split()}
            shared, more = own & words, own - words
            if "'s" in name or not shared or argument.role not in ("subject", "object", "to", "with", "for"):
                continue
            for other in self.store.entities(self.space) if more else ():
                parts = {*other.casefold().split()}
                if other.casefold() != name and "'s" not in other and shared <= parts and parts - own - words:
                    return other
            roles = self._described(argument.entity)
            if len(roles) > 1 and not roles & words:
                return " and ".join(sorted(roles))
        return ""

    def _described(self, name: str) -> set[str]:
        """The relations put before a name: `boss` and `aunt` of `my boss Anna` and `my aunt Anna`."""
        told = self.store.facts(self.space, entity=name, newest=MOST_TURNS)
        found = {
            (a.entity or a.head).casefold().rpartition(" ")[2]
            for f in told
            if f.kind == "identity" and (s := f.arg("subject")) is not None and s.entity == name
            for a in f.args
            if a.role == "attribute" and a.type == "person" and f.text.endswith(name)
        }
        others = {
            w
            for f in told
            for a in f.args
            if a.entity == name
            for w in re.findall(r"\w+", a.text.casefold())
            if w in OTHER
        }
        return found | ({*others, ""} if others else set())

    def corrected(self, fact: Fact) -> str:
        """The later words by which the speaker of a fact says that they were wrong about something that it names."""
        names = {w for a in fact.args for w in (a.entity.casefold(), a.head.casefold()) if w}
        topics = list(dict.fromkeys([*topics_of(fact), *(a.entity for a in fact.args if a.entity)]))
        for told in self._later(fact, topics):
            found = MISTAKEN.search(told.text) if told.speaker == fact.speaker else None
            whose = told.arg("subject")
            own = whose is None or whose.resolved == "speaker"
            if (
                found is not None
                and own
                and any(re.search(rf"\b{re.escape(n)}\b", told.text.casefold()) for n in names)
            ):
                return told.text
        return ""

    def taken_back(self, fact: Fact, turn: Turn | None = None, *, revalued: bool = True) -> str:
        """The words of the same turn, or of the next, that retract a fact; with `revalued`, also those that only give another value of the
        same kind.
        """
        if (fact.id, revalued) not in self._behind:
            turn = turn or self.store.turns(self.space, [fact.turn]).get(fact.turn)
            words = self._taken_back(fact, turn, revalued) if turn is not None else ""
            self._behind[fact.id, revalued] = words
        return self._behind[fact.id, revalued]

    def _taken_back(self, fact: Fact, turn: Turn, revalued: bool, /) -> str:
        rest = turn.content[fact.end :]
        if fact.kind == "possession":  # the rest of the sentence about a mentioned possession is no retraction
            rest = rest[len(CLAUSE_BREAK.split(rest)[0]) :]
        if (found := RETRACTED_WITHIN.match(rest)) is not None:
            return found[0].strip()
        inner = re.search(r"\W(?:no,? wait|wait,? no|i mean|scratch that|no,? sorry)\b", fact.text, re.IGNORECASE)
        if inner is not None:
            return inner[0].strip()
        if "?" in rest:
            return ""  # The next turn answers this question.
        behind = self.store.session_turns(self.space, turn.session, first=turn.position + 1, last=turn.position + 2)
        for n, other in enumerate(behind):
            asked = n and "?" in behind[0].content  # "no" may answer this question
            if n and (asked or not (other.speaker == turn.speaker != behind[0].speaker)):
                break
            if not self.known(other.at) or len(other.content.split()) > SHORT:
                continue
            if RETRACTION.match(other.content) or (revalued and self._revalued(fact, other)):
                return other.content
        return ""

    def _revalued(self, fact: Fact, other: Turn) -> bool:
        """True if a turn only gives a value of the kind that a fact gives."""
        change = terse_change(other)
        return change is not None and values_of_kind(fact.text, change.kind, fact.said.replace(tzinfo=None)) > 0

    def changed(self, fact: Fact, known: Collection[str] = ()) -> str:
        """A later statement that may have ended what a fact says."""
        topics = topics_of(fact)
        later: dict[str, list[Fact]] = {}
        for told in self._later(fact, topics):
            later.setdefault(told.turn, []).append(told)
            for topic in topics:
                if told.id not in known and alters(told, fact, topic):
                    return told.text
        matter = SameMatter(self.cosine)
        for read in later.values():
            for told in read:
                if told.id not in known and matter.ended(told, fact, topics):
                    return told.text
                if told.id not in known and calls_off(told, read, fact, topics):
                    return told.text
        return self._not_understood(fact, topics, later) if states(fact) else ""

    def _not_understood(
        self, fact: Fact, topics: Sequence[AttributeTopic | str], later: Mapping[str, Sequence[Fact]]
    ) -> str:
        """A later turn that names the thing, but from which no fact was read."""
        plain = [t for t in topics if not isinstance(t, str) or t.isalpha()]
        for topic in plain:
            for _, turn in self._naming([topic], fact):
                read = later.get(turn.id) or self.store.facts(self.space, turns=[turn.id])
                if not (understood_of(read, turn, topic) if isinstance(topic, str) else understood(read, topic)):
                    return turn.content
        return ""

    def _is_behind(self, turn: Turn, fact: Fact) -> bool:
        """True if a turn is later than a fact, or comes after it in the session if both have the same time."""
        if turn.at != fact.said:
            return turn.at > fact.said
        own = self.store.turns(self.space, [fact.turn]).get(fact.turn)
        return own is not None and own.session == turn.session and turn.position > own.position

    def _later(self, fact: Fact, topics: Sequence[AttributeTopic | str]) -> Iterator[Fact]:
        """Later facts about the topics of a fact."""
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
            return (told.start, told.end) > (fact.start, fact.end)
        turns = self.store.turns(self.space, [told.turn, fact.turn])
        a, b = turns.get(told.turn), turns.get(fact.turn)
        return a is not None and b is not None and a.session == b.session and a.position > b.position


def given_up(fact: Fact, turn: Turn) -> str:
    """The verb by which a possession that is only mentioned may have been lost: `lent my tent`."""
    thing = fact.arg("object") if fact.kind == "possession" else None
    if thing is None or fact.start < 0:
        return ""
    before = turn.content[max(0, fact.start - LOOKED_BACK) : fact.start]
    return next(iter(sorted(verb_bases(CLAUSE_BREAK.split(before)[-1]) & (PARTING | GIVING))), "")


def nicknamed(fact: Fact) -> str:
    """The words of a nickname or another use of `call`: `called him a taxi`, `call our boss the Duchess`."""
    name = fact.arg("attribute") if fact.predicate in NAMING else None
    return name.text if name is not None and re.match(r"(?:an?|the)\s", name.text, re.IGNORECASE) else ""


def over(fact: Fact) -> str:
    """The words of a state in the past."""
    state = fact.predicate in HOLDING | NAMING and fact.kind in ("clause", "identity")
    return fact.text if state and is_over(fact.text, fact.predicate) else ""


def beside(fact: Fact, place: str) -> str:
    """The words that put something only near a place: `next to the shed`."""
    found = re.search(rf"\b{re.escape(place)}\b", fact.text, re.IGNORECASE) if place else None
    before = INDIRECT.search(fact.text[: found.start()]) if found is not None else None
    return before[0].strip() if before is not None else ""


def states(fact: Fact) -> bool:
    """True if a fact describes a state rather than an event."""
    if fact.modality is not Modality.ASSERTED or fact.kind == "possession":
        return False
    classes = lexicon.supersenses(fact.predicate, "v") or lexicon.supersenses(fact.predicate.split()[0], "v")
    state = fact.predicate in HOLDING or STATIVE in classes[:2] or fact.kind in ("identity", "preference")
    present = re.search(r"\b(?:is|are|am)\b", fact.text) is not None
    state |= present and (fact.predicate.split()[0] in NAMING or is_under_way(fact.text, fact.predicate))
    return (state or bool(fact.slot)) and not is_over(fact.text, fact.predicate)


def may_mean(told: Fact, topic: AttributeTopic | str) -> bool:
    """True if a statement names a topic, or has a pronoun that may stand for it."""
    return any(
        a.text.casefold() in PRONOUNS | PERSONAL
        or (a.entity == topic or a.entity.startswith(f"{topic}'s ") if isinstance(topic, str) else names(a, topic))
        for a in told.args
    )


def may_replan(told: Fact, plan: Fact) -> bool:
    """True unless a statement says what somebody is, has or likes, or the plan once more."""
    again = (told.predicate, values_of(told)) == (plan.predicate, values_of(plan)) and told.polarity
    return told.kind == "clause" and not again


def topics_of(fact: Fact) -> list[AttributeTopic | str]:
    """The topics of a fact: things by the words of their phrases, people by name."""
    found: list[AttributeTopic | str] = []
    subject, object_ = fact.arg("subject"), fact.arg("object")
    if fact.slot.startswith("count "):
        head = fact.slot.removeprefix("count ")
        found.append(AttributeTopic(frozenset({head}), head))
    named = kind_of(fact) == "name"
    described = fact.arg("attribute") if named and fact.kind == "identity" else None
    done_to = fact.predicate in HOLDING or subject is None or not states(fact)
    for argument in (subject, described, object_ if done_to else None):
        if argument is None or argument.text.casefold() in PRONOUNS:
            continue
        somebody = fact.slot in ("residence", "employment", "relationship") and not argument.entity
        name = argument.text if somebody and re.fullmatch(r"[A-Z][\w-]+", argument.text) else ""
        if argument.entity or name:
            found.append(argument.entity or name)
        if "'s " in argument.entity and (own := topic_of(argument.entity)) is not None:
            found.append(own)
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
        found += [AttributeTopic(frozenset({w}), w) for t in found if not isinstance(t, str) for w in modifiers(t)]
    if fact.slot == "relationship":
        found += [a.entity for a in fact.args if a.role != "subject" and a.entity]
    return found


def modifiers(topic: AttributeTopic) -> frozenset[str]:
    """Nouns before that of a scheduled event that can stand for it: `the dentist` for `the dentist appointment`."""
    arranged = any(lexicon.is_mainly(topic.head, kind) for kind in ARRANGED)
    return frozenset(w for w in topic.words - {topic.head} if arranged and lexicon.is_known(w, "n"))


def only_able(fact: Fact, asked: str) -> str:
    """The words by which somebody only can or could do something, if the question does not ask for that: `I can take tablets`."""
    if not fact.polarity or ABILITY.search(asked) is not None:
        return ""
    found = ABILITY.search(fact.text)
    return found[0] if found is not None and fact.text[found.end() :].split()[:1] != ["not"] else ""


def lasts_at_most(fact: Fact) -> float:
    """The days that a state of somebody lasts at most; infinite for anything else."""
    if not fact.polarity:
        return math.inf
    if is_under_way(fact.text, fact.predicate):
        return UNDER_WAY_FOR
    if fact.predicate not in ("be", "feel"):
        return math.inf
    return min((LASTS_AT_MOST[m["state"].casefold()] for m in PASSING_STATE.finditer(fact.text)), default=math.inf)


def inexact(fact: Fact, turn: Turn, bindings: Sequence[Binding]) -> str:
    """Words that make a number or a time inexact, if the answer does not contain them; or an answer that names nobody."""
    for b in bindings:
        if b.turn == fact.turn and b.span.casefold().startswith(SOMEBODY):
            return b.span
        if b.turn != fact.turn or (b.value.number is None and b.value.interval is None):
            continue
        words = b.span or b.value.text
        place = turn.content.find(words, fact.start if words in fact.text else 0)
        number = re.search(r"\d[\d.,]*", words)
        if place < 0:
            continue
        spelled = (m.start() for m in re.finditer(r"[\w-]+", words) if number_in(m[0]) is not None)
        at = place + (number.start() if number is not None else next(spelled, 0))
        end = place + (number.end() if number is not None else len(words))
        # If the answer is the interval, the words that make it inexact are lost.
        for found in (APPROXIMATE.search(turn.content, 0, at) if at else None, TOGETHER.match(turn.content[end:])):
            if found is not None and found[0].casefold().strip() not in b.value.text.casefold():
                return found[0].strip()
        if number is None and (further := FURTHER.match(words)) is not None:
            return further[0]
        if fact.arg("subject") is not None and b.value.number is not None and shared(fact, turn):
            return fact.text
    return ""


def shared(fact: Fact, turn: Turn) -> bool:
    """True if a number is about several subjects together."""
    subject = fact.arg("subject")
    if subject is None or subject.start < 0:
        return False
    behind, before = (
        turn.content[subject.end : subject.end + 5],
        turn.content[max(0, subject.start - 5) : subject.start],
    )
    return bool(re.match(r"\s*(?:and|&|or)\s", behind) or re.search(r"\s(?:and|&|or)\s*$", before))


def only_for(fact: Fact, asked: str) -> str:
    """The words that restrict a state to some times or people, if the question does not mention them."""
    wanted = {*re.findall(r"\w+", asked.casefold())}
    for a in fact.args:
        apart = not {*re.findall(r"\w+", a.text.casefold())} <= wanted
        recurring = a.type == "time" and re.search(
            r"(?:days|ends|nights|mornings|evenings|afternoons|summer|winter)\b", a.text
        )
        if (
            fact.predicate == "be"
            and apart
            and (recurring or (a.role == "for" and a.type in ("person", "organization")))
        ):
            return a.text
    return ""


def of_another(fact: Fact, asked: str) -> str:
    """The words that show that a fact is only about something similar."""
    wanted = {*re.findall(r"[\w-]+", asked.casefold())}
    for argument in fact.args:
        likened = LIKENED.search(argument.text if argument.role == "subject" else "")
        if fact.predicate == "be":
            likened = likened or COMPARED.search(fact.text)
        if argument.role in ("like", "than") and fact.predicate == "be" and argument.role not in wanted:
            return argument.text
        if likened is not None:
            return likened[0].strip()
        if argument.role not in ("subject", "object", "attribute", "complement"):
            continue
        words = re.findall(r"[\w-]+", argument.text.casefold())
        if (
            f"{argument.head}s" in wanted
            and argument.head in words
            and f"{argument.head}s" not in words
            and len(words) > 2
        ):
            return argument.text  # "the downstairs bathroom" if the question asks about all bathrooms
        if (
            argument.role == "subject"
            and (part := PART.match(argument.text))
            and not wanted >= {*part[0].casefold().split()}
        ):
            return argument.text
        owner = re.match(r"(.+?)['’]s? (?:\w+ )*?(\w+)$", argument.text.casefold())
        if (
            owner is not None
            and re.search(rf"\bthe {re.escape(owner[2])}\b", asked, re.IGNORECASE)
            and not argument.text[:1].isupper()
        ):
            return argument.text
        compound = " ".join(words[-2:])
        if (
            len(words) > 1
            and words[-1] in wanted
            and not wanted & {words[-2]}
            and lexicon.is_known(compound)
            and not lexicon.is_a(compound, words[-1])
        ):
            return argument.text
        apart = OTHER | DEPUTIES if argument.role == "subject" else OTHER | DEPUTIES | PRIVATIVE
        prefixed = re.search(rf"\b{PREFIXES}-\W?{re.escape(argument.head)}\b", fact.text, re.IGNORECASE)
        prefixed = prefixed or re.search(
            rf"\b{re.escape(argument.head)}-(?:to-be|elect|designate)\b", fact.text, re.IGNORECASE
        )
        if prefixed is not None and argument.head in wanted and prefixed[0].casefold() not in wanted:
            return prefixed[0]
        ranked = {"first", "second", "third"} if argument.type == "person" else frozenset[str]()  # `her first husband`
        if wanted & {*words} and any((w in apart or w in ranked) and w not in wanted for w in words[:-1]):
            return argument.text
    return ""
