"""Reads later turns behind earlier ones, which may give a value anew: `swapped to 21A so I get a window`, after `seat 14C`.

Such a turn seldom repeats what it is about, so it is read and judged behind the earlier turn, as if it replied to it. What is found there is
weighed in `succession_features`. Only in a memory of few turns is a later turn about the same matter as often as that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from goalmem.language.lexicon import is_known
from goalmem.language.morphology import singular
from goalmem.language.terms import STOP_WORDS, terms_of
from goalmem.language.words.succession import CONCERNED
from goalmem.logic.terms import Variable
from goalmem.models.protocol import Excerpt, Judge, PassageReading, SpanReader, Statement
from goalmem.records import Fact, Turn
from goalmem.sources.assertion import asks_before, facts_around
from goalmem.sources.certainty.answer_ranking import AT_FIRST, EARLIER
from goalmem.sources.certainty.later_statements import follows
from goalmem.sources.certainty.outdated import PAST, core
from goalmem.sources.numbers import number_in
from goalmem.sources.passages.participants import stems_and_verbs
from goalmem.sources.passages.readings import SPANS, ReadWords
from goalmem.sources.passages.span_values import Proposal
from goalmem.sources.passages.succession_features import PRONOUNS, Succeeded, SuccessionFeatures, has_digits, succession
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
COUNTED = re.compile(r"\W*(?P<number>\d[\d.,]*|[a-z]+)\s+(?P<noun>[^\W\d_]+)", re.IGNORECASE)


@dataclass(frozen=True)
class HeldValue:
    """An earlier answer to a question."""

    question: str
    variable: Variable
    turn: Turn
    words: str

    @property
    def lead(self) -> str:
        """The end of its turn, as a line `Speaker: text`."""
        return f"{self.turn.speaker}: {one_line(self.turn.content[-CONTEXT:])}"

    def is_value_of(self, proposal: Proposal) -> bool:
        """True if a proposal is of the same value."""
        told = (core(proposal.value.text).casefold(), core(proposal.span).casefold())
        return core(self.words).casefold() in told

    def rank(self, read: ReadWords) -> tuple[bool, float]:
        """Orders words in its place: those of its kind, with digits or without, first."""
        span = read.proposal.span if read.proposal is not None else ""
        return has_digits(span) == has_digits(self.words), read.span

    def is_of_another(self, passage: ReadPassage, words: ReadWords, before: str) -> bool:
        """True if words of a later turn give the value of something else. `before`: the line before that turn."""
        content, start, end = passage.turn.content, words.start, words.end
        first, last = sentence_around(content, start, end)
        said = f"{self.question} {self.turn.content}"
        if names_topic(self.question, content[first:last]) or moves_another(passage.facts, start, end, said):
            return True
        if has_digits(content[start:end]) and has_digits(before) and not before.startswith(f"{self.turn.speaker}: "):
            return True  # It may be of what another has just said.
        return counts_another(content[start:], self.turn.content[max(0, self.turn.content.find(self.words)) :], said)

    def succeeded(self, passage: ReadPassage, words: ReadWords, entailed: float, place: int) -> Succeeded:
        """The later value, with the probability by the judge and the rank of its turn, behind this one."""
        clause, content = clause_of(passage.facts, words.start, words.end), passage.turn.content
        earlier, at = self.turn.content, (words.start, words.end)
        return Succeeded(self.question, earlier, self.words, content, *at, words.span, entailed, place, *clause)


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
                self._read(HeldValue(question, variable, turn, held), found),
                key=lambda g: (g.passage.turn.at, g.passage.turn.session, g.passage.turn.position),
            )
        return self._found[key]

    def likelihood(self, question: str, variable: Variable, turn: Turn, held: str, found: Sequence[str]) -> float:
        """The probability that one of these takes the place of a value."""
        given = self.given_anew(question, variable, turn, held, found)
        return max((g.probability for g in given), default=0.0)

    def _read(self, held: HeldValue, found: Sequence[str]) -> Iterator[GivenAnew]:
        read = list(self._words(held, found))
        verdicts = self.judge.judge([self._pair(held, passage, words) for passage, words in read])
        places = {id_: place for place, id_ in enumerate(found, 1)}
        cosine = self.texts.memory.similarity.cosine
        for (passage, words), verdict in zip(read, verdicts, strict=True):
            if not held.is_of_another(passage, words, self.texts.before(passage.turn)):
                succeeded = held.succeeded(passage, words, verdict.entailed, places[passage.turn.id])
                features = succeeded.features(cosine)
                if words.proposal is not None and not tells_no_new(succeeded, features):
                    yield GivenAnew(features, passage, words.proposal, words)

    def _words(self, held: HeldValue, found: Sequence[str]) -> Iterator[tuple[ReadPassage, ReadWords]]:
        """The best words of each later turn of the same speaker, read behind the earlier one."""
        turn = held.turn
        others = (p for p in self.texts.passages_of(found) if p.turn.id != turn.id and follows(p.turn, turn))
        later = [p for p in others if p.turn.speaker == turn.speaker][:READ_BEHIND]
        leads = [f"{held.lead}\n{p.turn.speaker}: " for p in later]
        shown = [f"{lead}{one_line(p.turn.content[:MOST_READ])}" for p, lead in zip(later, leads, strict=True)]
        worded = self.texts.worded(held.question)
        readings = self.reader.read([(worded, text) for text in shown], limit=SPANS) if later else []
        for passage, lead, reading in zip(later, leads, readings, strict=True):
            if (best := self._best(held, passage, reading, len(lead))) is not None:
                yield passage, best

    def _best(self, held: HeldValue, passage: ReadPassage, reading: PassageReading, shift: int) -> ReadWords | None:
        """The best words in the later turn that have another value, of the earlier one's kind if there are some.

        `shift`: the offset of the turn in what was read.
        """
        length = len(passage.turn.content)
        spans = [(s.score, s.start - shift, min(s.end - shift, length)) for s in reading.spans if s.start >= shift]
        offered = [
            ReadWords(proposal, score, reading.present, start, end)
            for score, start, end in spans
            for proposal in self.texts.values(held.question, held.variable, passage, start, end)
            if proposal is not None and not held.is_value_of(proposal)
        ]
        return max(offered, key=held.rank, default=None)

    def _pair(self, held: HeldValue, passage: ReadPassage, words: ReadWords) -> tuple[Statement, Excerpt]:
        """The later value as the judge sees it, behind the earlier turn."""
        said = Statement(self.texts.worded(held.question), passage.turn.content[words.start : words.end])
        return said, replace(self.texts.excerpt(passage.turn, words.start, words.end), before=held.lead)


def tells_no_new(value: Succeeded, features: SuccessionFeatures) -> bool:
    """True if a sentence tells more of what still holds, or what something else is: `The dentist is on Friday`."""
    if features.changed_to or features.from_now or features.repairs:
        return False
    first, last = sentence_around(value.later, value.start, value.end)
    again = core(value.held).casefold() in value.later[first:last].casefold()
    return again or (features.of_subject and value.predicate == "be")


def names_topic(question: str, sentence: str) -> bool:
    """True if a sentence repeats a word of the question: it says itself what its value is of."""
    return not stems_and_verbs(question).isdisjoint(stems_and_verbs(sentence))


def clause_of(facts: Sequence[Fact], start: int, end: int) -> tuple[str, str]:
    """The head of the subject and the verb of the shortest clause around a value."""
    around = [f for f in facts_around(facts, start, end) if f.arg("subject") is not None]
    clause = min(around, key=lambda f: f.end - f.start, default=None)
    subject = clause.arg("subject") if clause is not None else None
    return (subject.head.casefold(), clause.predicate) if clause is not None and subject is not None else ("", "")


def moves_another(facts: Sequence[Fact], start: int, end: int, said: str) -> bool:
    """True if the clause around a value changes a thing of which nothing was said, or tells of one: `I moved my savings to Monzo`, `The gym takes
    its money on the 20th now`.
    """
    known = frozenset(terms_of(said))
    for fact in facts_around(facts, start, end):
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
