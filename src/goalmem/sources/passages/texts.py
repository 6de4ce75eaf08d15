"""The turns of a space as passages, and the values of their words. Checkers use it, too, so it never calls the reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from goalmem.logic.terms import Atom, Derivation, JudgeRecord, Value, Variable
from goalmem.models.protocol import Excerpt, Judge
from goalmem.questions.perspective import name_asker
from goalmem.questions.states import is_of_state
from goalmem.questions.whole_question import AtomQuestion, gap_question, is_walk, passage_question, quoted_answer
from goalmem.records import Fact, Turn
from goalmem.sources.assertion import asks_denial, clauses_of, ends_elsewhere, is_under_condition, unstated
from goalmem.sources.certainty.answer_ranking import Refusal
from goalmem.sources.evidence_store import line_before, turns_before
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.frame_reader import bound_atom
from goalmem.sources.numbers import OF_NUMBER, number_in
from goalmem.sources.passages.advice import AdviceQuestion, advice_in, advice_question
from goalmem.sources.passages.answer_words import (
    REASONED,
    answer_start,
    event_span,
    gained_start,
    whole_name,
    whole_title,
)
from goalmem.sources.passages.contradiction import (
    colours_another,
    done_for_other,
    is_no_home_yet,
    lives_there,
    names_other_thing,
    paid_for_other,
    says_opposite,
    says_without,
    speaks_of_another_being,
    speaks_of_another_thing,
)
from goalmem.sources.passages.list_items import ListQuestion, is_marker, list_question, named_end
from goalmem.sources.passages.other_times import is_at_another_time, is_wider
from goalmem.sources.passages.partial import is_of_part, is_told_of_more
from goalmem.sources.passages.participants import BESIDE_ANOTHER, FIRST, Participants, done_by_relative, stems_and_verbs
from goalmem.sources.passages.span_values import Proposal, SpanValues
from goalmem.sources.passages.type_fit import FORMS
from goalmem.sources.passages.yes_no import Opinion, opinions
from goalmem.sources.spans import assertion_score, one_line, sentence_around
from goalmem.sources.values import as_weekday, counted_value

APART = frozenset({"place", "person", "name", "time", "amount", "duration"})
"""Types of answers that are no thing of another kind, even if the words that are read name one, too."""
RELATED = 0.3
"""Least cosine of a yes/no question and a turn that shares no word with it."""
SHOULD = re.compile(r"\s*(?:should|ought)\b", re.IGNORECASE)
ADVISING = re.compile(
    r"\b(?:should|ought|must|better|need(?:s|ed)? to|ha(?:s|ve|d) to|recommend\w*|advis\w*|suggest\w*|told|do not|don['’]t)\b",
    re.IGNORECASE,
)
"""Words of what should be."""
NOT_SAID = 0.05
"""Readings with a lower probability by the judge say nothing of what is asked."""
ASIDE = 0.3
"""Score of words in a clause that is denied, planned or asked, in a sentence without a word of the question: the denial may be about
something else, and the judge decides."""
UNREAD = frozenset({"time", "activity"})
"""Types that are read only for a whole question: the time of its event, and activities."""
MOST_READ = 200_000
"""Characters of a turn that are read, from its beginning; facts are extracted and all of it is searched as for any turn."""
PAST = re.compile(r"\W*(?:did|was|were|had)\b", re.IGNORECASE)
"""The start of a yes/no question about the past."""
SHOWN = 800
"""Characters of a turn around the citation that the judge sees."""


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A turn as the reader sees it."""

    turn: Turn
    text: str
    """Including the previous turn."""
    shift: int
    """Offset of the turn's own content in `text`."""
    facts: tuple[Fact, ...] = ()


def _quoted(turn: Turn, start: int, end: int, first: int, last: int) -> Proposal:
    """Words of a turn as they stand, cited with the sentence from `first` to `last`."""
    said = turn.content[start:end]
    return Proposal(turn.id, Value(said, said.casefold()), Derivation.QUOTED, said, first, last, 1.0)


@dataclass
class PassageTexts:
    """The turns of a space, as the reader and the judge see them."""

    memory: MemorySource
    people: frozenset[str]
    """Lower-case names of the people who speak or are mentioned in the space."""
    _earlier: dict[str, str] = field(default_factory=dict)

    @cached_property
    def participants(self) -> Participants:
        """The people of the space."""
        return Participants(self.people, self.memory.similarity.canonical, self.memory.asker)

    @cached_property
    def span_values(self) -> SpanValues:
        """Computes the values of spans."""
        return SpanValues(self.memory.similarity)

    def values(
        self, question: str, variable: Variable, passage: ReadPassage, start: int, end: int
    ) -> Iterator[Proposal | None]:
        """Yield the values of words in a turn; None if the words are about somebody else."""
        if (asked := self.advice_question(question, variable)) is not None:
            yield from (p for p, _ in self.advice(asked, passage) if p.span == passage.turn.content[start:end])
        if (item := list_question(question)) is not None:
            yield from (p for p, _ in self.listed(item, passage) if p.span == passage.turn.content[start:end])
        if is_marker(passage.turn.content, start, end):
            return
        start, end = self._answer_span(question, variable, passage, start, end)
        if self._says_another_thing(question, variable.type, passage, start, end):
            return
        first, last = sentence_around(passage.turn.content, start, end)
        meant = self._meant(question, passage, start, end)
        refusal = None
        if not meant or unstated(question, passage.facts, start, end):
            meant = ASIDE
            if self.participants.shares_topic(question, passage.turn.content[first:last]):
                refusal = Refusal.UNSAID
        fit = self.participants.about(question, passage.turn, passage.facts)(start, end)
        if fit <= BESIDE_ANOTHER:
            yield None
            refusal = refusal or Refusal.OF_ANOTHER
        if fit <= 0:
            return
        for proposal in self.span_values.offered(variable, passage.turn, passage.facts, start, end):
            shown = as_weekday(question, proposal.value, proposal.span)
            yield replace(proposal, value=shown).worth(proposal.score * fit * meant, refusal)

    def _says_another_thing(self, question: str, type_: str, passage: ReadPassage, start: int, end: int) -> bool:
        """True if words are said of another thing, person or time than the question is about, or of its opposite."""
        content, facts = passage.turn.content, passage.facts
        first, last = sentence_around(content, start, end)
        named, of_type = (question, facts, start, end), (question, type_, facts, start, end)
        return (
            says_opposite(*named)
            or names_other_thing(*named)
            or done_for_other(*named)
            or speaks_of_another_being(question, content[first:last])
            or paid_for_other(*named, content)
            or lives_there(*of_type)
            or is_no_home_yet(*named, self.memory.at)
            or ends_elsewhere(question, content, start, end)
            or says_without(question, content, start)
            or self._is_of_another(question, type_, passage, start, end)
            or colours_another(*of_type)
        )

    @staticmethod
    def _meant(question: str, passage: ReadPassage, start: int, end: int) -> float:
        """How surely words are asserted, or said of the case that the question names."""
        if any(is_under_condition(question, f) for f in clauses_of(question, passage.facts, start, end)):
            return 1.0
        return assertion_score(passage.facts, start, end, passage.turn.content, denied=asks_denial(question))

    @staticmethod
    def _answer_span(question: str, variable: Variable, passage: ReadPassage, start: int, end: int) -> tuple[int, int]:
        """Start and end of the answer in words that are read: without what repeats the question, whole names."""
        content, type_ = passage.turn.content, variable.type
        end = end if type_ in REASONED else named_end(content, start, end)
        start = gained_start(passage.facts, start, end)
        start = answer_start(question, type_, content, start, end)
        start, end = event_span(question, passage.facts, start, end)
        start, end = whole_title(content, start, end)
        return (start, end) if type_ in FORMS or type_.startswith(OF_NUMBER) else whole_name(content, start, end)

    @staticmethod
    def _is_of_another(question: str, type_: str, passage: ReadPassage, start: int, end: int) -> bool:
        """True if the sentence of words is about another time or thing than the question, or about a part of it."""
        content = passage.turn.content
        first, last = sentence_around(content, start, end)
        sentence, own = content[first:last], "" if type_ in APART or type_.startswith(OF_NUMBER) else content[start:end]
        return (
            is_of_part(question, type_, passage.text, sentence)
            or is_told_of_more(question, type_, sentence, passage.facts, start, end)
            or (type_ != "time" and is_at_another_time(question, sentence, passage.turn.at))
            or speaks_of_another_thing(question, passage.text, sentence, own)
        )

    def counted(self, proposal: Proposal) -> Proposal:
        """What is reckoned with: a time as durations are counted from it (`counted_value`), a length of time in words with its number."""
        value, turn = proposal.value, self.memory.turn(proposal.turn)
        if turn is not None and proposal.derivation is Derivation.TIME:
            return replace(proposal, value=counted_value(value, proposal.span, turn.at))
        number = number_in(value.text) if value.number is None and value.interval is None else None
        if number is None:
            return proposal
        return replace(proposal, value=replace(value, key=f"{number:g}", number=number), derivation=Derivation.NUMBER)

    def advice_question(self, question: str, variable: Variable) -> AdviceQuestion | None:
        """The adviser in a question for advice; None for other questions, and for a number or a time."""
        return None if variable.type.startswith(OF_NUMBER) or variable.type in FORMS else advice_question(question)

    def advice(self, asked: AdviceQuestion, passage: ReadPassage) -> Iterator[tuple[Proposal, int]]:
        """Yield the advice in a turn, with its rank, if the turn is by the adviser."""
        turn = passage.turn
        if not asked.gave(turn, self.memory.similarity.corefer):
            return
        for advice in advice_in(turn.content, passage.facts):
            first, last = sentence_around(turn.content, advice.start, advice.end)
            yield _quoted(turn, advice.start, advice.end, first, last), advice.rank

    @staticmethod
    def listed(asked: ListQuestion, passage: ReadPassage) -> Iterator[tuple[Proposal, str]]:
        """Yield what stands at a place in the lists of a turn, with the item and what introduces its list."""
        content = passage.turn.content[:MOST_READ]
        for start, end, before, last in asked.named_in(content):
            yield _quoted(passage.turn, start, end, *sentence_around(content, start, end)), content[before:last]

    def passages_of(self, turns: Sequence[str]) -> list[ReadPassage]:
        """The turns as passages; a turn forgotten since it was found is skipped.

        Line breaks inside a message become spaces.
        """
        loaded = [t for t in map(self.memory.turn, turns) if t is not None]
        self.memory.facts_of([t.id for t in loaded])  # load all at once
        return [self._passage(turn, tuple(self.memory.facts_of([turn.id]))) for turn in loaded]

    def _passage(self, turn: Turn, facts: tuple[Fact, ...]) -> ReadPassage:
        lead = f"{self.before(turn)}{turn.speaker}: "
        return ReadPassage(turn, lead + one_line(turn.content[:MOST_READ]), len(lead), facts)

    def before(self, turn: Turn) -> str:
        """The end of the previous turn, as a line `Speaker: text`; empty for the first of a session."""
        if turn.id not in self._earlier:
            self._earlier[turn.id] = line_before(self.memory.store, turn)
        return self._earlier[turn.id]

    def worded(self, question: str) -> str:
        """The question as reader and judge see it: with the asker's name for `I`."""
        return name_asker(question, self.memory.asker)

    def excerpt(self, turn: Turn, start: int, end: int) -> Excerpt:
        """A turn as the judge sees it: around the cited words, after the end of the previous turn."""
        before = self.before(turn).rstrip()
        first, last = shown_around(len(turn.content), start, end)
        text = one_line(turn.content[first:last])
        return Excerpt(text, turn.speaker, turn.at if turn.dated else None, before)

    def excerpts(self, turns: Iterable[str]) -> list[Excerpt]:
        """Whole turns as the judge sees them."""
        loaded = [t for t in map(self.memory.turn, turns) if t is not None]
        return [self.excerpt(t, 0, len(t.content)) for t in loaded]

    def opinions(self, judge: Judge, question: str, turns: Sequence[str]) -> list[Opinion]:
        """The judge's opinions of turns on a yes/no question; none of turns that are about something else, whatever the judge finds."""
        asked, passages = self.worded(question), self.passages_of(turns)
        told = opinions(judge, asked, [self.excerpt(p.turn, 0, len(p.turn.content)) for p in passages])
        return [
            Opinion(0.0, 0.0) if self._is_beside(asked, question, passage) else opinion
            for opinion, passage in zip(told, passages, strict=True)
        ]

    def _is_beside(self, asked: str, question: str, passage: ReadPassage) -> bool:
        """True if a turn is about another matter than a yes/no question, if it does not say what should be, if only a relative does in it what the question is about, if it only tells the month of what
        was done, if what it says of it no longer holds, or if the question is about the asker and nobody knows who `I` is in the turn.
        """
        if self._is_of_another_matter(question, passage):
            return True
        if done_by_relative(asked, passage.facts) or is_wider(question, passage.turn.content, passage.turn.at):
            return True
        if FIRST.search(question) and not passage.turn.author and FIRST.search(passage.turn.content):
            return True
        names = {stem for name in self.participants.named(question) for stem in stems_and_verbs(name)}
        return not PAST.match(question) and self._is_replaced(stems_and_verbs(asked) - names, passage)

    def _is_of_another_matter(self, question: str, passage: ReadPassage) -> bool:
        """True if a turn says nothing of what should be, and the question asks that, or if it shares no word with the question and is not near it in meaning."""
        if SHOULD.match(question) and ADVISING.search(passage.text) is None:
            return True
        apart = stems_and_verbs(question).isdisjoint(stems_and_verbs(passage.text))
        return apart and self.memory.similarity.cosine(question, passage.turn.content) < RELATED

    def _is_replaced(self, topic: frozenset[str], passage: ReadPassage) -> bool:
        """True if a later statement replaced what a turn says of a topic, or what the turn before says of it, which the judge sees as well."""

        def is_over(fact: Fact) -> bool:
            return bool(topic & stems_and_verbs(fact.text)) and self.memory.slots.superseded_by(fact) is not None

        if any(map(is_over, passage.facts)):
            return True
        own = stems_and_verbs(passage.turn.content)
        before = () if topic & own else turns_before(self.memory.store, passage.turn)
        return any(is_over(fact) for turn in before for fact in self.memory.facts_of([turn.id]))


def atom_question(atom: Atom, substitution: Mapping[str, Value]) -> AtomQuestion | None:
    """The question that an atom puts to passages under a substitution; None unless it has exactly one open variable."""
    answer, bound = quoted_answer(atom), bound_atom(atom, substitution)
    if answer is not None:
        asked = passage_question(bound)
        return None if asked is None or answer.name in substitution else AtomQuestion(*asked, whole=True)
    if (
        is_walk(atom)
        or is_of_state(atom)
        or bound.negated
        or len(bound.variables) != 1
        or bound.variables[0].type in UNREAD
    ):
        return None
    return gap_question(bound)


def opinion_judgement(judge: Judge, opinion: Opinion) -> JudgeRecord:
    """The judge's verdict on a yes/no question."""
    return JudgeRecord(judge.name, opinion.verdict, round(opinion.sure, 4), digest_of(judge))


def digest_of(judge: Judge) -> str:
    """SHA-256 of a judge's weights; empty if it has none."""
    return str(getattr(judge, "digest", ""))


def shown_around(length: int, start: int, end: int) -> tuple[int, int]:
    """Start and end of the part of a turn of that length that is shown around the citation."""
    first = max(0, min(start - (SHOWN - (end - start)) // 2, length - SHOWN))
    return first, min(length, max(end, first + SHOWN))
