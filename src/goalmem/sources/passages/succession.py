"""Whether a later turn gives a value anew: `swapped to 21A so I get a window`, after `seat 14C`.

Such a turn seldom repeats what it is about, so it is read and judged behind the earlier turn, as if it replied to it. What reader and judge find
there says little alone: `Leo swapped to 21A` is read in the same way. A logistic regression over that and over the words around the value
decides; `goalmem eval plain --fit` fits it to plain conversations in which half of such turns are of something else. Only in a memory of
few turns is a later turn about the same matter as often as that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace

from goalmem.language.lexicon import is_a, is_known
from goalmem.language.morphology import singular
from goalmem.language.terms import STOP_WORDS, terms_of
from goalmem.language.words.pronouns import DEMONSTRATIVES, SUBJECTS
from goalmem.language.words.succession import (
    CHANGED_TO,
    CLAUSE_ENDS,
    CLOSE,
    CONCERNED,
    FROM_NOW,
    OF_ANOTHER,
    OVER,
    REPAIRS,
    SUPPOSED,
    UNDONE,
)
from goalmem.logic.terms import Variable
from goalmem.models.protocol import Judge, PassageReading, SpanReader, Statement
from goalmem.records import Fact, Turn
from goalmem.sources.assertion import asks_before
from goalmem.sources.certainty.answer_ranking import AT_FIRST, EARLIER, log, log_odds
from goalmem.sources.certainty.later_statements import follows
from goalmem.sources.certainty.outdated import PAST, core
from goalmem.sources.numbers import number_in
from goalmem.sources.passages.participants import stems_and_verbs
from goalmem.sources.passages.readings import SPANS, ReadWords
from goalmem.sources.passages.span_values import Proposal
from goalmem.sources.passages.texts import MOST_READ, PassageTexts, ReadPassage
from goalmem.sources.spans import one_line, sentence_around

SUCCEEDS = 0.6
"""The probability from which a value takes the place of the earlier one."""
MAY_SUCCEED = 0.45
"""The probability from which an earlier value that was read is less certain."""
FEW_TURNS = 12
"""Turns of a memory of few turns, at most."""
READ_BEHIND = 8
"""Later turns that are read behind an earlier one, those found first."""
CONTEXT = 300
"""Characters at the end of the earlier turn that the judge sees."""
AROUND = 400
"""Characters before and behind a value that are looked at."""
COMPARED = 1000
"""Characters of two turns whose vectors are compared."""
MOST_WORDS = 4
COUNTED = re.compile(r"\W*(?P<number>\d[\d.,]*|[a-z]+)\s+(?P<noun>[^\W\d_]+)", re.IGNORECASE)
PRONOUNS = SUBJECTS | DEMONSTRATIVES | frozenset("them me us him her there".split())
ACTED_ON = re.compile(r"\b(?:me|us|it|i|we|them)\b", re.IGNORECASE)
"""Who or what somebody else may change something for."""
SPEAKERS = frozenset({"i", "we"})
LITTLE = frozenset("be get go come do make take let keep end".split())
"""Verbs of which the clause says what is meant."""
OWN = re.compile(r"\b(?:my|our)\s+(?P<who>[a-z]+)", re.IGNORECASE)
POSSESSIVE = re.compile(r"\b(?:\w+['’]s|his|hers?|theirs?)\b", re.IGNORECASE)
SHORTENED_IS = frozenset("it's that's he's she's there's let's what's who's here's".split())
WORD = re.compile(r"[A-Za-z][\w'’-]*")
SENTENCE_END = re.compile(r"(?<=[.!?])\s")
WEIGHTS = (
    0.262,
    0.543,
    -0.672,
    0.517,
    1.705,
    1.625,
    -0.077,
    -1.06,
    1.071,
    1.337,
    3.668,
    -0.947,
    -0.882,
    -0.795,
    -1.086,
    -0.551,
    -1.147,
    0.166,
    -0.399,
    -2.915,
    0.105,
    -0.986,
    -1.691,
)
"""Of `SuccessionFeatures`."""
BIAS = 1.219


@dataclass(frozen=True, slots=True)
class SuccessionFeatures:
    """What tells whether a later turn gives the value of an earlier one anew."""

    read: float
    """The logarithm of the share of the answer that the reader expects in the later value, behind the earlier turn."""
    entailed: float
    """The judge's log-odds that the later turn states the later value, behind the earlier turn."""
    words: float
    """The logarithm of the number of words of the later value."""
    of_numbers: bool
    """True if both values have digits, or neither has."""
    alike: float
    """Cosine of the two values."""
    near: float
    """Cosine of the two turns."""
    shared: float
    """Content words that the sentence shares with the earlier turn."""
    place: float
    """The logarithm of the later turn's rank for the question."""
    changed_to: bool
    from_now: bool
    repairs: bool
    supposed: bool
    """What follows in the turn, or the verb before the value, leaves open whether it was so."""
    undone: bool
    over: bool
    persons: float
    """Persons in the sentence who are neither in the question nor in the earlier turn, two at most."""
    of_persons: bool
    """True if the clause is of such a person, and not of what concerns the speaker."""
    of_another: bool
    concerns: bool
    """True if the sentence speaks of the speaker, or of `it`."""
    own: float
    """Content words of the clause alone."""
    first: bool
    """True if the value begins the turn: it is the topic, or the agent."""
    last: bool
    """True if nothing follows in the sentence."""
    of_subject: bool
    """True if the subject of the clause is one of whom nothing was said, and nobody else stands in it: `The dentist is on Friday`."""
    states: bool
    """True if the speaker says with another verb what they do: `I bought a coin`."""

    @property
    def measured(self) -> tuple[float, ...]:
        """As numbers."""
        return tuple(map(float, astuple(self)))


@dataclass(frozen=True, slots=True)
class Succeeded:
    """A value in a later turn, read behind an earlier turn."""

    question: str
    earlier: str
    """Text of the earlier turn."""
    held: str
    """The earlier value."""
    later: str
    """Text of the later turn."""
    start: int
    end: int
    """The later value in it."""
    read: float
    """The reader's score."""
    entailed: float
    """The judge's probability."""
    place: int
    """The rank of the later turn, from 1."""
    subject: str = ""
    """The head of the subject of the clause."""
    predicate: str = ""
    """The verb of the clause; both are empty if the value stands in no clause that was read."""

    def features(self, cosine: Callable[[str, str], float]) -> SuccessionFeatures:
        """The features."""
        value = self.later[self.start : self.end]
        before, behind = self.later[max(0, self.start - AROUND) : self.start], self.later[self.end : self.end + AROUND]
        head, tail = SENTENCE_END.split(before)[-1], SENTENCE_END.split(behind)[0]
        around = CLAUSE_ENDS.split(head)[-1], CLAUSE_ENDS.split(tail)[0]
        clause, sentence = value.join(around), f"{head}{value}{tail}"
        said = f"{self.question} {self.earlier[:MOST_READ]} {value}".casefold()
        known = frozenset(terms_of(said))
        persons, concerned = _persons_in(sentence, said), _concerns(clause, said)
        topic = frozenset(terms_of(self.earlier[:MOST_READ])) - frozenset(terms_of(value))
        return SuccessionFeatures(
            read=log(self.read),
            entailed=log_odds(self.entailed),
            words=math.log(max(1, len(value.split()))),
            of_numbers=_has_digits(value) == _has_digits(self.held),
            alike=cosine(value, self.held),
            near=cosine(self.earlier[:COMPARED], self.later[:COMPARED]),
            shared=min(MOST_WORDS, len(topic & frozenset(terms_of(sentence)))),
            place=math.log(self.place),
            changed_to=CHANGED_TO.search(head) is not None,
            from_now=FROM_NOW.search(tail) is not None,
            repairs=REPAIRS.search(sentence) is not None or REPAIRS.search(self.later[:AROUND]) is not None,
            supposed=SUPPOSED.search(behind) is not None or SUPPOSED.search(head) is not None,
            undone=UNDONE.search(behind) is not None,
            over=OVER.search(clause) is not None,
            persons=min(2, persons),
            of_persons=not concerned and (persons > 0 or _is_owned(sentence, said)),
            of_another=OF_ANOTHER.search(sentence) is not None,
            concerns=_concerns(sentence, said),
            own=min(MOST_WORDS, sum(not term.isdigit() for term in frozenset(terms_of(clause)) - known)),
            first=not self.later[: self.start].strip(),
            last=re.search(r"\w", tail) is None,
            of_subject=_is_new(self.subject, said) and ACTED_ON.search(clause) is None,
            states=self.subject in SPEAKERS and _is_new(self.predicate, said) and CHANGED_TO.search(head) is None,
        )


def succession(features: SuccessionFeatures) -> float:
    """The probability in (0, 1) that the later value takes the place of the earlier one."""
    return 1 / (1 + math.exp(-BIAS - sum(w * x for w, x in zip(WEIGHTS, features.measured, strict=True))))


def _concerns(text: str, said: str) -> bool:
    """True if a text speaks of the speaker or of `it`; `my brother` is another."""
    return CONCERNED.search(OWN.sub(lambda own: "" if _is_person(own["who"], said) else own.group(), text)) is not None


def _persons_in(sentence: str, said: str) -> int:
    """How many words of a sentence are persons of whom nothing was `said`: names, kin, and others around somebody."""
    return sum(_is_person(word.group(), said) for word in WORD.finditer(sentence))


def _is_person(word: str, said: str) -> bool:
    lower = word.casefold().replace("’", "'")
    base = lower.removesuffix("'s")
    if base in said:
        return False
    if base in CLOSE or (is_known(base) and is_a(base, "relative")):
        return True
    named = word[0].isupper() and not lower.startswith("i'") and lower not in SHORTENED_IS | {"i"}
    return named and base not in STOP_WORDS and not any(is_known(base, pos) for pos in "nvar")


def _is_owned(sentence: str, said: str) -> bool:
    """True if something of another is named: `Sal's lock`, `her locker`."""
    owners = (m.group().casefold().replace("’", "'") for m in POSSESSIVE.finditer(sentence))
    return any(o not in SHORTENED_IS and o.removesuffix("'s") not in said for o in owners)


def _is_new(word: str, said: str) -> bool:
    """True for a word of which nothing was said, that is no pronoun, and no verb that says little."""
    known = frozenset(terms_of(said))
    return bool(word) and word not in PRONOUNS and word not in LITTLE and known.isdisjoint(terms_of(word))


def _has_digits(text: str) -> bool:
    return any(map(str.isdigit, text))


@dataclass(frozen=True, slots=True)
class GivenAnew:
    """A value that a later turn may give in place of an earlier one."""

    features: SuccessionFeatures
    passage: ReadPassage
    proposal: Proposal
    words: ReadWords
    """What was read, behind the earlier turn."""

    @property
    def probability(self) -> float:
        """The probability that it takes the place of the earlier value."""
        return succession(self.features)


@dataclass
class Successions:
    """Reads later turns behind earlier ones."""

    texts: PassageTexts
    reader: SpanReader
    judge: Judge
    _found: dict[tuple[str, str, str], list[GivenAnew]] = field(default_factory=dict)
    """By question, earlier turn and value."""

    def given_anew(
        self, question: str, variable: Variable, turn: Turn, held: str, found: Sequence[str]
    ) -> Sequence[GivenAnew]:
        """What later ones of the turns that were found for a question give in place of a value, in the order in which it was said.

        Nothing in a memory of more than a few turns, nor for a question about the past.
        """
        if len(found) > FEW_TURNS or asks_for_past(question):
            return ()
        key = question, turn.id, held
        if key not in self._found:
            self._found[key] = sorted(
                self._read(question, variable, turn, held, found),
                key=lambda g: (g.passage.turn.at, g.passage.turn.session, g.passage.turn.position),
            )
        return self._found[key]

    def likelihood(self, question: str, variable: Variable, turn: Turn, held: str, found: Sequence[str]) -> float:
        """The probability that one of these takes the place of a value."""
        given = self.given_anew(question, variable, turn, held, found)
        return max((g.probability for g in given), default=0.0)

    def _read(
        self, question: str, variable: Variable, turn: Turn, held: str, found: Sequence[str]
    ) -> Iterator[GivenAnew]:
        places = {id_: place for place, id_ in enumerate(found, 1)}
        others = (p for p in self.texts.passages_of(found) if p.turn.id != turn.id and follows(p.turn, turn))
        later = [p for p in others if p.turn.speaker == turn.speaker][:READ_BEHIND]
        worded, lead = self.texts.worded(question), f"{turn.speaker}: {one_line(turn.content[-CONTEXT:])}"
        own = [one_line(p.turn.content[:MOST_READ]) for p in later]
        shown = [f"{lead}\n{p.turn.speaker}: {text}" for p, text in zip(later, own, strict=True)]
        readings = self.reader.read([(worded, text) for text in shown], limit=SPANS) if later else []
        offered: list[tuple[ReadPassage, PassageReading, float, int, int, Proposal]] = []
        for passage, text, told, reading in zip(later, shown, own, readings, strict=True):
            shift = len(text) - len(told)
            if (best := self._best(question, variable, passage, reading, shift, held)) is not None:
                offered.append((passage, reading, *best))
        excerpts = [replace(self.texts.excerpt(p.turn, start, end), before=lead) for p, _, _, start, end, _ in offered]
        verdicts = self.judge.judge(
            [
                (Statement(worded, p.turn.content[start:end]), excerpt)
                for (p, _, _, start, end, _), excerpt in zip(offered, excerpts, strict=True)
            ]
        )
        for (passage, reading, score, start, end, proposal), verdict in zip(offered, verdicts, strict=True):
            place, content = places[passage.turn.id], passage.turn.content
            first, last = sentence_around(content, start, end)
            said = f"{question} {turn.content}"
            if names_topic(question, content[first:last]) or moves_another(passage.facts, start, end, said):
                continue
            before = self.texts.before(passage.turn)
            if _has_digits(content[start:end]) and _has_digits(before) and not before.startswith(f"{turn.speaker}: "):
                continue  # It may be of what another has just said.
            if counts_another(content[start:], turn.content[max(0, turn.content.find(held)) :], said):
                continue
            subject, predicate = _clause_of(passage.facts, start, end)
            value = Succeeded(
                question, turn.content, held, content, start, end, score, verdict.entailed, place, subject, predicate
            )
            features = value.features(self.texts.memory.similarity.cosine)
            told_of_change = features.changed_to or features.from_now or features.repairs
            if core(held).casefold() in content[first:last].casefold() and not told_of_change:
                continue  # It only tells more of what still holds.
            if features.of_subject and predicate == "be" and not told_of_change:
                continue  # It says what something else is: `The dentist is on Friday`.
            yield GivenAnew(features, passage, proposal, ReadWords(proposal, score, reading.present, start, end))

    def _best(
        self, question: str, variable: Variable, passage: ReadPassage, reading: PassageReading, shift: int, held: str
    ) -> tuple[float, int, int, Proposal] | None:
        """The best words in the later turn that have another value than `held`, of its kind if there are some: score, place, and value."""
        offered = [
            (span.score, span.start - shift, span.end - shift, proposal)
            for span in reading.spans
            if span.start >= shift
            for proposal in self.texts.values(
                question, variable, passage, span.start - shift, min(span.end - shift, len(passage.turn.content))
            )
            if proposal is not None
            and core(held).casefold() not in (core(proposal.value.text).casefold(), core(proposal.span).casefold())
        ]
        return max(offered, key=lambda o: (_has_digits(o[3].span) == _has_digits(held), o[0]), default=None)


def names_topic(question: str, sentence: str) -> bool:
    """True if a sentence repeats a word of the question: it says itself what its value is of."""
    return not stems_and_verbs(question).isdisjoint(stems_and_verbs(sentence))


def _clause_of(facts: Sequence[Fact], start: int, end: int) -> tuple[str, str]:
    """The head of the subject and the verb of the shortest clause around a value."""
    around = [f for f in facts if f.start <= start and end <= f.end and f.arg("subject") is not None]
    clause = min(around, key=lambda f: f.end - f.start, default=None)
    subject = clause.arg("subject") if clause is not None else None
    return (subject.head.casefold(), clause.predicate) if clause is not None and subject is not None else ("", "")


def moves_another(facts: Sequence[Fact], start: int, end: int, said: str) -> bool:
    """True if the clause around a value changes a thing of which nothing was said, or tells of one: `I moved my savings to Monzo`, `The gym takes
    its money on the 20th now`.
    """
    known = frozenset(terms_of(said))
    for fact in facts:
        if not (fact.start <= start and end <= fact.end):
            continue
        moved, subject = fact.arg("object"), fact.arg("subject")
        named = [moved] if moved is not None and moved.text not in fact.text[start - fact.start :] else []
        named += [subject] if subject is not None and not CONCERNED.search(fact.text) else []
        things = (a.head for a in named if a.type != "person" and a.head and a.head not in PRONOUNS)
        if any(known.isdisjoint(terms_of(head)) for head in things):
            return True
    return False


def counts_another(later: str, held: str, said: str) -> bool:
    """True if a number is one of things of which nothing was said, and the earlier one is not: `2 coffees a day` after `90 kilos`."""
    new, old = COUNTED.match(later), COUNTED.match(held)
    if new is None or old is None or any(number_in(m["number"]) is None for m in (new, old)):
        return False
    noun = singular(new["noun"].casefold())
    return noun not in STOP_WORDS and is_known(noun) and frozenset(terms_of(said)).isdisjoint(terms_of(noun))


def asks_for_past(question: str) -> bool:
    """True if a question does not ask what is so now."""
    return any(kind.search(question) for kind in (PAST, EARLIER, AT_FIRST)) or asks_before(question)
