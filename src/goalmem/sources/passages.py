"""Answers read out of passages, as steps: a span reader proposes words, the logic decides whether they may stand.

The reader sees a turn behind the one that it replies to, as lines `Speaker: text`, and gives spans with probabilities, or
says that the answer is not there. What it proposes counts only when the turn speaks of whom the question names, the words
are of the type asked for, and a time can be placed on the calendar (conditions 1, 2 and 4 of unification). Reading is
deterministic: verification reads the cited turn again and compares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from goalmem.extract.lexicon import coarse_type
from goalmem.extract.times import find_times
from goalmem.logic.evaluate import needs_all
from goalmem.logic.frames import Part
from goalmem.logic.terms import Alignment, Atom, Binding, Derivation, Evidence, Value, Variable
from goalmem.models.protocol import SpanReader
from goalmem.prove.step import NearMiss, Request, Step
from goalmem.reasoners.asked import passage_question
from goalmem.reasoners.local import ASKER
from goalmem.records import Argument, Fact, Modality, Turn
from goalmem.retrieve.search import Ranked
from goalmem.retrieve.words import terms_of
from goalmem.sources.evidence import evidence_of
from goalmem.sources.memory import MemorySource
from goalmem.sources.values import bare, number_in, said_day
from goalmem.sources.wording import OF_NUMBER, PRONOUNS

__all__ = ["PassageSource", "Proposal"]

READ = 16
"""Turns read for one answer. Sixteen passages of eighty word pieces take about 150 ms on two cores."""
READ_ALL = 32
"""Turns read where everything that answers is asked for."""
SPANS = 4
"""Spans looked at in one passage: the best may be what the logic refuses."""
BEFORE = 400
"""Characters of the turn before that are read, from its end: what is being answered stands there."""
LEAST = 0.05
"""Probability under which a span is not considered."""
LISTED = 0.3
"""Least share of the best score for what is named beside it."""
UNSPOKEN = 0.25
"""What a turn is worth that shares no word with the question but whom it names."""
RIVAL = 1.0
"""How much it counts against an answer that somebody else tells the same."""
MOST_LISTED = 8
SAID = 0.8
"""What a time is worth that is only the day on which the turn was said."""
ELSEWHERE = 0.85
"""What a time is worth that stands in another sentence of the turn than the words that answer."""
MEANT = frozenset({Modality.ASSERTED, Modality.PLANNED})
NUMERIC = frozenset({"number", "age", "amount", "duration", "distance", "height", "size", "frequency", "score"})
OFTEN = re.compile(
    r"\b(?:once|twice|thrice|daily|weekly|monthly|yearly|every|each|always|never|often|couple|few|half)\b"
)
FIRST = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours|myself|ourselves)\b", re.IGNORECASE)
SECOND = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
OWNS = re.compile(r"['’]s\b|s['’]\s|\bof\b", re.IGNORECASE)
BEINGS = frozenset({"person", "animal", "organization"})
"""Types of subjects that do something themselves."""
SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Proposal:
    """Words of a turn that may answer, with what they stand for."""

    turn: str
    value: Value
    derivation: Derivation
    span: str
    """The words that the value was read from."""
    start: int
    end: int
    """Of the cited sentence in the turn's content."""
    score: float


@dataclass(frozen=True, slots=True)
class Held:
    """What a turn was read as."""

    present: float
    """The probability that it answers, of whom the question names."""
    others: float
    """The probability of the best words that answer of somebody else."""


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
    _read: dict[tuple[str, str], Held] = field(default_factory=dict)
    _texts: dict[str, tuple[str, int]] = field(default_factory=dict)

    # -- as a source -----------------------------------------------------------------------------------------------

    def steps(self, request: Request) -> Sequence[Step]:
        """What the passages say, best first: one answer, or everything where all is asked for."""
        asked = passage_question(request.atom)
        if asked is None or asked[1].name in request.substitution:
            return ()
        question, variable = asked
        every = needs_all(request.goal)
        found = self.found(question, variable, self.ranked(READ_ALL if every else READ))
        if every and found:
            least = LISTED * found[0].score
            found = [p for p in found if p.score >= least][:MOST_LISTED]
        return [self.step(question, variable, p) for p in found[: request.limit if every else 1]]

    def found(self, question: str, variable: Variable, ranked: Sequence[Ranked]) -> list[Proposal]:
        """What the turns offer, best first, one proposal a value.

        How surely the words answer is weighed by how well the turn was found and by how much of the question is spoken of
        there: the reader takes `a cooking class` for `a ballet class`, and neither the words nor the search do. Where
        somebody else tells it as well as whom the question names, it is their story, and less is left.
        """
        if not ranked:
            return []
        best = ranked[0].score or 1.0
        offers = self.proposals(question, variable, [r.turn for r in ranked])
        weight = {r.turn: max(r.score, 0.0) / best * self.spoken_of(question, variable, r.turn) for r in ranked}
        found = best_of_each(scored(p, weight[turn]) for turn, own in offers.items() for p in own)
        # A turn may have been forgotten since it was ranked: then it is in none of them.
        rival = max((weight[t] * self._read[question, t].others for t in offers), default=0.0)
        return [scored(p, p.score / (p.score + RIVAL * rival)) for p in found] if rival and found else found

    def spoken_of(self, question: str, variable: Variable, turn_id: str) -> float:
        """How much of what the question names is spoken of in a turn and the one before it, in [`UNSPOKEN`, 1]."""
        names = {term for person in self.named(question) for term in terms_of(person)}
        asked = set(terms_of(question)) - names - set(terms_of(variable.type))
        turn = self.memory.turn(turn_id)
        if not asked or turn is None:
            return 1.0
        said = set(terms_of(self._passage(turn)[0]))
        return UNSPOKEN + (1 - UNSPOKEN) * len(asked & said) / len(asked)

    def near_misses(self, request: Request) -> Sequence[NearMiss]:
        """The turn that came nearest to answering."""
        asked = passage_question(request.atom)
        if asked is None:
            return ()
        question, _ = asked
        turns = [r.turn for r in self.ranked(READ)]
        near = [(p, turn) for turn in turns if (p := self.present(question, turn)) is not None]
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
            max(0.0001, min(1.0, round(proposal.score, 4))),
            (binding,),
            (),
            (evidence_of(turn, proposal.start, proposal.end),),
            (Alignment(question, proposal.span, "read", round(min(1.0, proposal.score), 4)),) if proposal.span else (),
            note=f"read by {self.reader.name}",
        )

    # -- reading ---------------------------------------------------------------------------------------------------

    def present(self, question: str, turn: str) -> float | None:
        """The probability that a turn answers the question at all; None for one that was not read."""
        held = self._read.get((question, turn))
        return held.present if held is not None else None

    def read(self, question: str, turns: Sequence[str]) -> list[float]:
        """For each turn the probability that it answers the question at all."""
        self.proposals(question, Variable("x", "thing"), turns)
        return [self.present(question, turn) or 0.0 for turn in turns]

    def proposals(self, question: str, variable: Variable, turns: Sequence[str]) -> Mapping[str, tuple[Proposal, ...]]:
        """What each turn offers as an answer, best first."""
        loaded = [t for t in map(self.memory.turn, turns) if t is not None]
        passages = [self._passage(turn) for turn in loaded]
        readings = self.reader.read([(question, text) for text, _ in passages], limit=SPANS)
        facts: dict[str, list[Fact]] = {}
        for fact in self.memory.store.facts(self.memory.space, turns=[t.id for t in loaded]):
            facts.setdefault(fact.turn, []).append(fact)
        found = {}
        for turn, (_, shift), reading in zip(loaded, passages, readings, strict=True):
            own = facts.get(turn.id, [])
            about = self.about(question, turn, own)
            offered = [
                proposal
                for span in reading.spans
                if span.score >= LEAST and span.start >= shift and stated(own, span.start - shift, span.end - shift)
                if (fit := about(span.start - shift, span.end - shift)) > 0
                for proposal in self.offered(variable, turn, own, span.start - shift, span.end - shift)
                for proposal in [scored(proposal, span.score * fit)]
            ]
            found[turn.id] = tuple(sorted(offered, key=lambda p: (-p.score, p.start, p.value.key)))
            best = max((s.score for s in reading.spans if s.start >= shift), default=0.0)
            whole = about(0, len(turn.content))
            other = best if self.named(question) and turn.speaker.casefold() not in self.named(question) else 0.0
            self._read[question, turn.id] = Held(reading.present * whole, 0.0 if found[turn.id] else other)
        return found

    def _passage(self, turn: Turn) -> tuple[str, int]:
        """What is read for a turn, and where its own content starts in it. Line breaks inside a message become spaces."""
        held = self._texts.get(turn.id)
        if held is not None:
            return held
        earlier = ""
        if turn.position > 0:
            before = self.memory.store.session_turns(
                turn.space, turn.session, first=turn.position - 1, last=turn.position - 1
            )
            earlier = "".join(f"{t.speaker}: {one_line(t.content)[-BEFORE:]}\n" for t in before)
        lead = f"{earlier}{turn.speaker}: "
        self._texts[turn.id] = lead + one_line(turn.content), len(lead)
        return self._texts[turn.id]

    # -- what the logic decides ------------------------------------------------------------------------------------

    def about(self, question: str, turn: Turn, facts: Sequence[Fact]) -> Callable[[int, int], float]:
        """How well what stands between two offsets of the turn fits whom the question names: 0 for somebody else."""
        named = self.named(question)
        canonical = self.memory.wording.canonical

        def fit(start: int, end: int) -> float:
            if not named:
                return 1.0
            near = [f for f in facts if f.start < end and start < f.end]
            whom = {canonical(a.entity) for f in near for a in f.args if a.entity}
            owners = {entity.partition("'s ")[0] for entity in whom if "'s " in entity}
            if named & whom or (named & owners and OWNS.search(question)):
                return 1.0
            if owners and OWNS.search(question):
                return 0.0
            if any(
                a.role == "subject" and a.entity and BEINGS & {a.type, coarse_type(a.head)}
                for f in near
                for a in f.args
            ):
                return 0.0
            first, last = sentence_around(turn.content, start, end)
            text = turn.content[first:last]
            if any(re.search(rf"\b{re.escape(n)}\b(?!['’]s)", text, re.IGNORECASE) for n in named):
                return 1.0
            if turn.speaker.casefold() in named:
                return OTHER if SECOND.search(text) and not FIRST.search(text) else 1.0
            if FIRST.search(text) and not SECOND.search(text):
                return 0.0
            return 1.0 if SECOND.search(text) else OTHER

        return fit

    def named(self, question: str) -> frozenset[str]:
        """Which people the question names; the asker, where it says `I`."""
        low = question.casefold()
        words = set(re.findall(r"\w+", low))
        found = {p for p in self.people if p in low and words >= set(re.findall(r"\w+", p))}
        if not found and FIRST.search(question):
            found = {ASKER}
        return frozenset(found)

    def offered(
        self, variable: Variable, turn: Turn, facts: Sequence[Fact], start: int, end: int
    ) -> Iterable[Proposal]:
        """What a span stands for, if it may stand for the variable."""
        start, end = trimmed(turn.content, start, end)
        if start >= end:
            return
        first, last = sentence_around(turn.content, start, end)
        if variable.type == "time":
            timed = self.timed(turn, facts, start, end, first, last)
            if timed is not None:
                yield timed
            return
        text = turn.content[start:end]
        argument = next((a for f in facts for a in f.args if (a.start, a.end) == (start, end)), None)
        value, derivation, fit = self.value(variable, text, argument)
        if value is not None and fit > 0:
            yield Proposal(turn.id, value, derivation, text, first, last, fit)

    def value(self, variable: Variable, text: str, argument: Argument | None) -> tuple[Value | None, Derivation, float]:
        """The value of words, how it follows from them, and how well it suits the type."""
        kind = variable.type
        if kind.startswith(OF_NUMBER) or kind in NUMERIC:
            number = number_in(text)
            if number is None and not OFTEN.search(text.casefold()):
                return None, Derivation.NUMBER, 0.0
            if number is not None and kind not in ("duration", "frequency"):
                return Value(bare(text), f"{number:g}", "number", number=number), Derivation.NUMBER, 1.0
        entity = argument.entity if argument is not None else ""
        if text.casefold() in PRONOUNS:
            if not entity or entity.casefold() in PRONOUNS:
                return None, Derivation.RESOLVED, 0.0
            return Value(entity, self.memory.wording.canonical(entity), "person"), Derivation.RESOLVED, 1.0
        shown = bare(text)
        fit = self.suits(kind, shown, argument)
        return Value(shown, shown.casefold(), argument.type if argument is not None else ""), Derivation.QUOTED, fit

    def suits(self, kind: str, text: str, argument: Argument | None) -> float:
        """How well words suit the type asked for: little for what is known to be of another kind (condition 2)."""
        if kind in ("thing", "reason", "manner", "activity"):
            return 1.0
        head = argument.head if argument is not None else text.split()[-1].casefold()
        entity, type_, resolved = (
            (argument.entity, argument.type, argument.resolved) if argument is not None else ("",) * 3
        )
        part = Part("object", text, 0, len(text), head, entity, type_, resolved, tuple(text.casefold().split()[:-1]))
        if kind in ("person", "name") and text[:1].isupper() and type_ in ("", "person"):
            return 1.0
        return 1.0 if self.memory.wording.instance(part, kind) > 0 else UNLIKE

    def timed(self, turn: Turn, facts: Sequence[Fact], start: int, end: int, first: int, last: int) -> Proposal | None:
        """When what a span tells happened: as it says itself, as its sentence or its turn says, else when it was said."""
        if not turn.dated:
            return None
        mentions = find_times(turn.content, turn.at.replace(tzinfo=None))
        inside = [m for m in mentions if m.start < end and start < m.end]
        beside = [m for m in mentions if m.start < last and first < m.end]
        for group, worth in ((inside, 1.0), (beside, 1.0), (mentions, ELSEWHERE)):
            if group:
                m = min(group, key=lambda m: (abs(m.start - start), m.start))
                value = Value(str(m.interval), str(m.interval), "time", m.interval)
                own = sentence_around(turn.content, m.start, m.end)
                return Proposal(turn.id, value, Derivation.TIME, m.text, *own, worth)
        if any(f.modality is Modality.PLANNED for f in facts if f.start < last and first < f.end):
            return None
        day = said_day(turn.at)
        return Proposal(turn.id, Value(str(day), str(day), "time", day), Derivation.SAID, "", first, last, SAID)

    # -- checking --------------------------------------------------------------------------------------------------

    def entails(self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]) -> tuple[bool, str]:
        """Whether the cited turn, read again, offers exactly what is bound, from the sentence that is quoted."""
        asked = passage_question(atom)
        if asked is None or len(evidence) != 1:
            return False, "it is no question read out of one passage"
        question, variable = asked
        held, cited = bindings.get(variable.name), evidence[0]
        offers = self.proposals(question, variable, [cited.turn]).get(cited.turn, ())
        for p in offers:
            same = held is not None and (held.value, held.derivation, held.span) == (p.value, p.derivation, p.span)
            if same and (cited.start, cited.end) == (p.start, p.end):
                return True, f"{self.reader.name} reads {p.value.text!r} there"
        return False, f"{self.reader.name} does not read this there"


OTHER = 0.5
"""What words are worth that name nobody, where the question names one of the other speakers."""
UNLIKE = 0.4
"""What words are worth that are known to be of another kind than is asked for, as far as a dictionary knows."""


def stated(facts: Sequence[Fact], start: int, end: int) -> bool:
    """Whether words stand in nothing that is denied, or is only asked, supposed, wished or told as somebody's words."""
    around = [f for f in facts if f.start <= start and end <= f.end]
    return not around or any(f.polarity and f.modality in MEANT for f in around)


def scored(proposal: Proposal, factor: float) -> Proposal:
    """The proposal with its score weighed."""
    p = proposal
    return Proposal(p.turn, p.value, p.derivation, p.span, p.start, p.end, round(p.score * factor, 4))


def best_of_each(proposals: Iterable[Proposal]) -> list[Proposal]:
    """The best proposal of each value, best first; a value inside a better one adds nothing."""
    kept: list[Proposal] = []
    for p in sorted(proposals, key=lambda p: (-p.score, p.turn, p.start)):
        words = set(p.value.key.split())
        if not any(words <= set(k.value.key.split()) or words >= set(k.value.key.split()) for k in kept):
            kept.append(p)
    return kept


def one_line(text: str) -> str:
    """Text without line breaks, every character in its place."""
    return re.sub(r"[\r\n\t\x0b\x0c\x85\u2028\u2029]", " ", text)


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without spaces and punctuation at its ends."""
    start, end = max(0, start), min(len(text), end)
    while start < end and not (text[start].isalnum() or text[start] in "$€£\"“'"):
        start += 1
    while start < end and not (text[end - 1].isalnum() or text[end - 1] in "%\"”'+)"):
        end -= 1
    return start, end


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence, or the sentences, that hold a span start and end."""
    first, last = 0, len(text)
    for m in SENTENCE.finditer(text):
        if m.end() <= start:
            first = m.end()
        elif m.start() >= end:
            last = m.start()
            break
    return first, last
