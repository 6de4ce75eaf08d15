"""Answers read out of passages, as steps: a span reader proposes words, the logic decides whether they may stand.

The reader sees a turn behind the one that it replies to, as lines `Speaker: text`, and gives spans with what they are worth, or
says that the answer is not there. What it proposes counts only when the turn speaks of whom the question names, the words
are of the type asked for, and a time can be placed on the calendar (conditions 1, 2 and 4 of unification). Reading is
deterministic: verification reads the cited turn again and compares.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from goalmem.engine.step import NearMiss, Request, Step
from goalmem.logic.evaluate import needs_all
from goalmem.logic.terms import Alignment, Atom, Binding, Evidence, Variable
from goalmem.models.protocol import PassageReading, SpanReader
from goalmem.reasoners.asked import passage_question
from goalmem.reasoners.wh import CLOCK_TIME
from goalmem.records import Fact, Turn
from goalmem.retrieve.search import Ranked
from goalmem.retrieve.words import terms_of
from goalmem.sources.answer_ranking import Clue, Spoken, confidence, preference
from goalmem.sources.contradiction import another, opposed
from goalmem.sources.evidence import evidence_of
from goalmem.sources.memory import MemorySource
from goalmem.sources.participants import Whom
from goalmem.sources.similarity import OF_NUMBER
from goalmem.sources.span_values import Proposal, Standing
from goalmem.sources.spans import one_line, sentence_around, stated
from goalmem.sources.values import one_only

__all__ = ["READ", "Offer", "PassageSource"]

READ = 24
"""Turns read for an answer."""
SPANS = 4
"""Spans looked at in one passage: the best may be what the logic refuses."""
BEFORE = 400
"""Characters of the turn before that are read, from its end: what is being answered stands there."""
LEAST = 0.02
"""Probability under which a span is not considered."""
LISTED = 0.2
"""Least share of the best score for what is named beside it, where everything is asked for."""
BESIDE = 0.6
"""Least share of the best score for what answers as well as it does, where one thing is asked for."""
MOST_LISTED = 8
CHOICE = re.compile(r"\bor\b|^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", re.IGNORECASE)
INDEFINITE = frozenset(terms_of("something anything everything thing stuff one ones lot bit few piece new"))
"""Words that say that there is something, and not what."""
EVER = datetime.min.replace(tzinfo=UTC)
EARLIER = re.compile(
    r"\b(?:first|initially|originally|previously|previous|earlier|earliest|used to|before|former)\b", re.IGNORECASE
)
"""Words by which a question asks for what was, not for what is."""
CHANGING = frozenset({"amount", "age", "frequency", "number", "score", "weight", "size", "height"})
"""Types of values of which a later one takes the place of an earlier one."""


def changes(type_: str) -> bool:
    """Whether a later value of a type takes the place of an earlier one: of numbers, amounts, hours of the day."""
    return type_.startswith(OF_NUMBER) or type_ == CLOCK_TIME or type_.split()[-1] in CHANGING


@dataclass(frozen=True, slots=True)
class Passage:
    """A turn as it is read."""

    turn: Turn
    text: str
    """With the turn before it."""
    shift: int
    """Where the turn's own content starts in `text`."""
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """Words of a passage that answer, with what bears on whether they do; `proposal` is None for words about others."""

    proposal: Proposal | None
    clue: Clue


@dataclass
class PassageSource:
    """The turns of a space as passages to read answers out of."""

    memory: MemorySource
    reader: SpanReader
    ranked: Callable[[int], Sequence[Ranked]]
    """The `k` turns to read for the question, best first."""
    people: frozenset[str]
    """Lower-case names of who speaks, and of whom is spoken, in the space."""
    name: str = "passages"
    closed: bool = False
    _present: dict[tuple[str, str], float] = field(default_factory=dict)
    _readings: dict[tuple[str, str], PassageReading] = field(default_factory=dict)

    @cached_property
    def whom(self) -> Whom:
        """Whom words speak of."""
        return Whom(self.people, self.memory.wording.canonical)

    @cached_property
    def standing(self) -> Standing:
        """What words stand for."""
        return Standing(self.memory.wording)

    # -- as a source -----------------------------------------------------------------------------------------------

    def steps(self, request: Request) -> Sequence[Step]:
        """What the passages say, best first: one answer, or everything where all is asked for.

        Where one thing is asked for, what is nearly as likely counts as well supported as the best: both are told.
        """
        asked = passage_question(request.atom)
        if asked is None or asked[1].name in request.substitution:
            return ()
        question, variable = asked
        found = self.found(question, variable, self.ranked(READ))
        if not found:
            return ()
        best = found[0].score
        if changes(variable.type) and not EARLIER.search(question):
            found = [self._newest(found), *found]
            best = found[0].score
        if needs_all(request.goal):
            kept = [p for p in found if p.score >= LISTED * best][:MOST_LISTED]
        elif one_only(variable.type) or changes(variable.type):
            kept = found[:1]
        else:
            kept = [p.worth(best) for p in found if p.score >= BESIDE * best][:MOST_LISTED]
        return [self.step(question, variable, p) for p in kept[: request.limit]]

    def _newest(self, found: Sequence[Proposal]) -> Proposal:
        """Of readings nearly as good as the best the one that was said last: what changes is asked for as it is now."""
        near = [p for p in found if p.score >= BESIDE * found[0].score]
        said = {p.turn: turn.at for p in near if (turn := self.memory.turn(p.turn)) is not None}
        return max(near, key=lambda p: (said.get(p.turn, EVER), p.score))

    def found(self, question: str, variable: Variable, ranked: Sequence[Ranked]) -> list[Proposal]:
        """What the turns offer, best first, one proposal a value. The best one's score is how likely it is right.

        How surely the words answer is weighed with how well the turn was found and how much of the question is spoken of
        there: the reader takes `a cooking class` for `a ballet class`, and neither the words nor the search do. Where
        somebody else tells it as well as whom the question names, it is their story, and less is left.
        """
        offers = self.offers(question, variable, ranked)
        own = best_of_each((preference(o.clue), o.proposal, o.clue) for o in offers if o.proposal is not None)
        if not own:
            return []
        top, _, clue = own[0]
        sure = confidence(clue, [o.clue for o in offers if o.proposal is None])
        return [p.worth(sure * math.exp(weight - top)) for weight, p, _ in own]

    def offers(self, question: str, variable: Variable, ranked: Sequence[Ranked]) -> list[Offer]:
        """What each turn offers as an answer, weighed by nothing yet."""
        of_few = max(1.0, READ / max(1, len(ranked)))
        places = {r.turn: place * of_few for place, r in enumerate(ranked, 1)}
        passages = self._passages([r.turn for r in ranked])
        named = [*self.whom.named(question), variable.type]
        spoken = Spoken(question, named, [p.turn.content for p in passages])
        back = EARLIER.search(question) is not None
        offers = []
        for passage, reading in zip(passages, self._read(question, passages), strict=True):
            of_passage = spoken.in_(passage.text)
            for proposal, span, start, end in self._offered(question, variable, passage, reading):
                if proposal is not None and says_nothing(question, proposal.value.text):
                    continue
                if proposal is not None and not back and self._replaced(passage, start, end):
                    continue
                first, last = sentence_around(passage.turn.content, start, end)
                clue = Clue(
                    span=span,
                    present=reading.present,
                    suits=proposal.score if proposal is not None else 0.0,
                    place=places[passage.turn.id],
                    words=max(1, len(passage.turn.content[start:end].split())),
                    passage=of_passage,
                    sentence=spoken.in_(passage.turn.content[first:last]),
                )
                offers.append(Offer(proposal, clue))
        return offers

    def _replaced(self, passage: Passage, start: int, end: int) -> bool:
        """Whether what is said at these offsets no longer holds: something else was said of it later."""
        around = (f for f in passage.facts if f.slot and f.start <= start and end <= f.end)
        return any(self.memory.slots.superseded_by(fact) is not None for fact in around)

    def near_misses(self, request: Request) -> Sequence[NearMiss]:
        """The turn that came nearest to answering."""
        asked = passage_question(request.atom)
        if asked is None:
            return ()
        question, _ = asked
        turns = [r.turn for r in self.ranked(READ)]
        near = [(p, turn) for turn in turns if (p := self._present.get((question, turn))) is not None]
        best = max(near, default=None)
        turn = self.memory.turn(best[1]) if best is not None else None
        if best is None or turn is None:
            return (NearMiss("never-said", f"nothing remembered answers “{question}”", None, 0.0),)
        whole = evidence_of(turn, 0, len(turn.content))
        reason = f"the nearest passage answers it with a probability of {best[0]:.2f} only"
        return (
            NearMiss("never-said" if best[0] < 0.5 else "not-unified", reason, whole, round(min(best[0], 0.99), 4)),
        )

    def step(self, question: str, variable: Variable, proposal: Proposal) -> Step:
        """A proposal as the engine takes it."""
        turn = self.memory.turn(proposal.turn)
        assert turn is not None
        binding = Binding(variable, proposal.value, proposal.derivation, proposal.span, proposal.turn)
        return Step(
            self.name,
            "fact",
            max(0.0001, min(1.0, proposal.score)),
            (binding,),
            (),
            (evidence_of(turn, proposal.start, proposal.end),),
            (Alignment(question, proposal.span, "read", min(1.0, proposal.score)),) if proposal.span else (),
            note=f"read by {self.reader.name}",
        )

    # -- reading ---------------------------------------------------------------------------------------------------

    def read(self, question: str, turns: Sequence[str]) -> list[float]:
        """For each turn how surely it answers the question, in [0, 1], of whom it names.

        Whether the passage answers at all and how sure the best of its words are count alike.
        """
        passages = self._passages(turns)
        found = dict.fromkeys(turns, 0.0)
        for passage, reading in zip(passages, self._read(question, passages), strict=True):
            about = self.whom.about(question, passage.turn, passage.facts)
            spans = [(s.score, s.start - passage.shift, s.end - passage.shift) for s in reading.spans]
            best = max((score * about(start, end) for score, start, end in spans if start >= 0), default=0.0)
            found[passage.turn.id] = (reading.present * about(0, len(passage.turn.content)) + best) / 2
        return [found[turn] for turn in turns]

    def proposals(self, question: str, variable: Variable, turns: Sequence[str]) -> list[Proposal]:
        """All that turns offer as an answer."""
        passages = self._passages(turns)
        pairs = zip(passages, self._read(question, passages), strict=True)
        offered = (o for passage, reading in pairs for o in self._offered(question, variable, passage, reading))
        return [proposal for proposal, *_ in offered if proposal is not None]

    def _offered(
        self, question: str, variable: Variable, passage: Passage, reading: PassageReading
    ) -> Iterator[tuple[Proposal | None, float, int, int]]:
        """The spans of one passage as proposals, scored by how well they suit; None where they speak of somebody else.

        With each what the reader expects it to be worth, and where it stands in the turn's content.
        """
        about = self.whom.about(question, passage.turn, passage.facts)
        present = reading.present * about(0, len(passage.turn.content))
        self._present[question, passage.turn.id] = present
        for span in reading.spans:
            start, end = span.start - passage.shift, span.end - passage.shift
            if span.score < LEAST or start < 0:
                continue
            first, last = sentence_around(passage.turn.content, start, end)
            sentence = passage.turn.content[first:last]
            if opposed(question, passage.facts, start, end) or another(question, sentence):
                continue
            meant = stated(passage.facts, start, end, passage.turn.content)
            if not meant:
                continue
            fit = about(start, end) * meant
            if fit <= 0:
                yield None, span.score, start, end
                continue
            for proposal in self.standing.offered(variable, passage.turn, passage.facts, start, end):
                yield proposal.worth(proposal.score * fit), span.score, start, end

    def _read(self, question: str, passages: Sequence[Passage]) -> list[PassageReading]:
        """What the reader reads in each passage; in one that it read already, what it read then."""
        new = [p for p in passages if (question, p.turn.id) not in self._readings]
        readings = self.reader.read([(question, p.text) for p in new], limit=SPANS) if new else []
        for passage, reading in zip(new, readings, strict=True):
            self._readings[question, passage.turn.id] = reading
        return [self._readings[question, p.turn.id] for p in passages]

    def _passages(self, turns: Sequence[str]) -> list[Passage]:
        """The turns as they are read; one that was forgotten since it was found is left out.

        Line breaks inside a message become spaces.
        """
        loaded = [t for t in map(self.memory.turn, turns) if t is not None]
        facts: dict[str, list[Fact]] = {}
        for fact in self.memory.store.facts(self.memory.space, turns=[t.id for t in loaded]):
            facts.setdefault(fact.turn, []).append(fact)
        return [self._passage(turn, tuple(facts.get(turn.id, ()))) for turn in loaded]

    def _passage(self, turn: Turn, facts: tuple[Fact, ...]) -> Passage:
        earlier = ""
        if turn.position > 0:
            place = turn.position - 1
            before = self.memory.store.session_turns(turn.space, turn.session, first=place, last=place)
            earlier = "".join(f"{t.speaker}: {one_line(t.content)[-BEFORE:]}\n" for t in before)
        lead = f"{earlier}{turn.speaker}: "
        return Passage(turn, lead + one_line(turn.content), len(lead), facts)

    # -- checking --------------------------------------------------------------------------------------------------

    def entails(self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]) -> tuple[bool, str]:
        """Whether the cited turn, read again, offers exactly what is bound, from the sentence that is quoted."""
        asked = passage_question(atom)
        if asked is None or len(evidence) != 1:
            return False, "it is no question read out of one passage"
        question, variable = asked
        held, cited = bindings.get(variable.name), evidence[0]
        for p in self.proposals(question, variable, [cited.turn]):
            same = held is not None and (held.value, held.derivation, held.span) == (p.value, p.derivation, p.span)
            if same and (cited.start, cited.end) == (p.start, p.end):
                return True, f"{self.reader.name} reads {p.value.text!r} there"
        return False, f"{self.reader.name} does not read this there"


def says_nothing(question: str, words: str) -> bool:
    """Whether words name nothing that the question does not name itself: `new games` for `Which games did Ann play?`.

    Where the question offers a choice, its own words answer.
    """
    told = terms_of(words)
    return not CHOICE.search(question) and bool(told) and set(told) <= {*terms_of(question), *INDEFINITE}


Weighed = tuple[float, Proposal, Clue]


def best_of_each(offered: Iterable[Weighed]) -> list[Weighed]:
    """The best proposal of each value, best first; a value inside a better one adds nothing."""
    kept: list[Weighed] = []
    for one in sorted(offered, key=lambda o: (-o[0], o[1].turn, o[1].start, o[1].value.key)):
        words = set(one[1].value.key.split())
        known = (set(k.value.key.split()) for _, k, _ in kept)
        if not any(words <= k or words >= k for k in known):
            kept.append(one)
    return kept
