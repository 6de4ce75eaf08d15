"""Yes/no questions answered by a clause with the same or the opposite meaning, in other words.

Facts prove strictly. A clause also answers if verbs are complementary (who failed did not pass), if a pronoun or an omission refers to
earlier words, and if a thing is described `with` or `without` another. Such answers are `likely` at most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from goalmem.engine.step import Step
from goalmem.language.terms import terms_of
from goalmem.language.verb_forms import forms_of
from goalmem.language.words import any_of
from goalmem.language.words.function_words import EMPTY_VERBS
from goalmem.language.words.pronouns import DEMONSTRATIVES, FIRST_PLURAL, FIRST_SINGULAR
from goalmem.language.words.verbs import ACCEPTING, ARRIVING, COMPLEMENTARY_VERBS, ENDING_HABITS, HOPES, PLANS
from goalmem.logic.evaluate import TIME, covers, holds
from goalmem.logic.terms import Atom, Constraint, Evidence, Value
from goalmem.logic.unify import COMPLEMENT, PARTICIPANTS, Frame, FramePart, Mismatch, missing, unify
from goalmem.proof.document import Node
from goalmem.proof.node_check import Finding, ProofContext, unknown_kind
from goalmem.questions.clause_split import lies_to
from goalmem.questions.syntax import read_question
from goalmem.questions.wh import AnswerKind
from goalmem.questions.whole_question import whether_question
from goalmem.records import Fact, Turn
from goalmem.sources.certainty.denials import NOT_YET
from goalmem.sources.certainty.topics import PRONOUNS
from goalmem.sources.evidence_store import evidence_of
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.facts.tense import asks_now, meant
from goalmem.sources.frame_reader import FrameReading
from goalmem.sources.frames import frame_of_fact
from goalmem.sources.kinds import KIND, SYNONYM
from goalmem.sources.similarity import Similarity
from goalmem.sources.spans import sentence_around

if TYPE_CHECKING:
    from spacy.tokens import Doc


DIRECT, BY_CONTEXT, FRAGMENT = 0.7, 0.6, 0.6
"""Scores of a clause that names everything in the question, of one that refers to earlier words for some of it, and of a fragment. All are
below `proof.status.PROVED_FIT`."""
SAME = 0.8
"""Least similarity of a name in the question to one in the clause."""
BACK = 3
"""Turns before a clause in which an omitted name is searched."""
STANDING_IN = PRONOUNS | DEMONSTRATIVES | {"one", "ones"}
"""Words in place of a name."""
WE = any_of(FIRST_PLURAL - {"our", "ours"})
OUR = re.compile(r"\b(?:our|ours|my|mine)\b", re.IGNORECASE)
SAID = re.compile(r"\b(?:say|says|said|saying)\s+(?P<word>yes|no)\s+to\b", re.IGNORECASE)
LATE = re.compile(r"\b(?:late|overdue|behind schedule|delayed)\b", re.IGNORECASE)
ENDED = any_of(form for verb in ENDING_HABITS for form in forms_of(verb.split()[0]))
ORDER = frozenset({"before", "after"})
NEVER_IMPLIED = ORDER | {"manner", "frequency"}
"""Roles of what a clause that does not name it does not say."""
HAD = r"\b(?P<how>no|without|with|including|plus)\s+(?:(?!no\b|without\b)[\w-]+\s+){0,2}?"
GOTTEN = re.compile(
    r"\b(?:my|our|the|this|its|bought|got|rented|booked|chose|picked|took|found|moved|own|have)\b", re.IGNORECASE
)
"""Words that make a thing definite: a determiner, or a verb of getting (VerbNet, get-13.5.1)."""
SUPPOSED = re.compile(
    rf"\?|\b(?:if|would|could|should|might|maybe|perhaps|look(?:ing|ed)? for|{'|'.join(sorted(PLANS | HOPES))})\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ClauseAnswer:
    """The answer of a clause: yes or no."""

    turn: str
    evidence: tuple[Evidence, ...]
    negated: bool
    score: float
    order: tuple[object, ...]
    """Sort key: when and where it was said."""


class ClauseWords(Similarity):
    """What words mean in a clause: verbs exclude each other also if one of the two always holds, and names are the same, not only alike."""

    def same(self, goal: FramePart, fact: FramePart) -> tuple[float, str]:
        """As for facts, if it is sure enough."""
        sure, how = super().same(goal, fact)
        return (sure, how) if sure >= SAME else (0.0, "")

    def predicate(self, goal: str, fact: str) -> tuple[float, str]:
        """As for facts; or by acceptance, or by complementary verbs."""
        sure, how = super().predicate(goal, fact)
        if not sure and {goal, fact} <= ACCEPTING:
            return SYNONYM, "synonym"
        return (KIND, COMPLEMENT) if not sure and frozenset({goal, fact}) in COMPLEMENTARY_VERBS else (sure, how)

    def narrows(self, goal: FramePart | None, fact: FramePart) -> bool:
        """As for facts; but the reason of a denial mostly says why it was not so."""
        return (goal is not None or fact.role != "because") and super().narrows(goal, fact)


@dataclass
class ClauseSource:
    """The clauses of a space as answers to yes/no questions."""

    memory: MemorySource
    analyze: Callable[[str], Doc]
    name: str = "clauses"
    _turns: dict[str, list[Turn]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.words = ClauseWords(self.memory.similarity.aliases, self.memory.similarity.cosine)

    def steps(self, atom: Atom) -> list[Step]:
        """The best answer, the latest among equals; none if a turn says both yes and no."""
        reading = self.reading(atom)
        if reading is None:
            return []
        candidates = self.memory.candidates(reading)
        told = sorted(self.told(reading, [c.fact for c in candidates]), key=lambda t: (t.score, t.order))
        if not told or any(t.turn == told[-1].turn and t.negated != told[-1].negated for t in told):
            return []
        best = told[-1]
        return [Step(self.name, "fact", best.score, evidence=best.evidence, negated=best.negated)]

    def reading(self, atom: Atom) -> FrameReading | None:
        """The reading of a yes/no question; None for any other atom."""
        question = whether_question(atom)
        said = self._statement(question) if question is not None else ""
        reading = self.memory.reader.read(Atom((said,))) if said else None
        return reading if reading and reading.frames[0].predicate and reading.frames[0].constants else None

    def _statement(self, question: str) -> str:
        """A yes/no question as a statement, with the asker's name for the first person; empty for any other question."""
        asked = read_question(question, self.analyze)
        if asked is not None:
            subject, rest = (" ".join(t.text for t in tokens) for tokens in (asked.subject, asked.rest))
            verb = asked.verb if asked.asked is AnswerKind.WHETHER else ""
        else:  # `Was the move before the wedding?` may be parsed as one noun phrase
            doc = self.analyze(question.rstrip("? "))
            at = next((t.i for t in doc if t.pos_ in ("ADP", "SCONJ")), 0)
            verb = doc[0].text.lower() if at > 1 and doc[0].lemma_ == "be" else ""
            subject, rest = doc[1:at].text, doc[at:].text
        asker = self.memory.asker
        return f"{named(subject, asker)} {verb} {named(rest, asker)}".strip() if verb else ""

    def told(self, reading: FrameReading, facts: Sequence[Fact]) -> Iterator[ClauseAnswer]:
        """Yield the answers of all clauses and of all things described with or without another."""
        asked = list(statement_key(reading.frames[0]))
        for fact in facts:
            if fact.kind == "possession" or not meant(fact, reading) or denies_degree(fact, asked[0]):
                continue
            told = next(filter(None, (self._answer(frame, fact, facts) for frame in asked)), None)
            if told is not None and self._stands(fact, reading):
                yield told
        if asked[0].predicate == "have":
            yield from self._had(asked[0], dict.fromkeys(f.turn for f in facts))

    def _stands(self, fact: Fact, reading: FrameReading) -> bool:
        memory = self.memory
        slots, doubts = memory.later_words(reading, fact)
        return (
            slots.called_off_by(fact) is None
            and memory.holds(fact, reading)
            and not memory.unifier.leaves_one_out(fact, reading)
            and not doubts.retractions.is_taken_back(fact)
            and not doubts.leaves_open(fact, reading.text, present=asks_now(reading), past=reading.past)
        )

    def _answer(self, asked: Frame, fact: Fact, facts: Sequence[Fact]) -> ClauseAnswer | None:
        """The answer of a clause; None if it says neither yes nor no."""
        told = since_end(accepted(frame_of_fact(fact), fact), fact)
        if not self.words.predicate(asked.predicate, told.predicate)[0]:
            return None
        timed = time_asked(asked)
        when = {TIME: Value("", "", TIME, told.when)}
        if timed is not None and not (told.when and holds(timed, when)):
            return None
        late = on_time(asked)
        goal = replace(asked, parts=tuple(p for p in asked.parts if p is not late))
        found, turn = self._unified(goal, told, fact), self.memory.turn(fact.turn)
        if found is None or turn is None:
            return None
        negated, open_ = found
        if negated and timed is not None and not covers(timed, when):
            return None
        cited = [evidence_of(turn, fact.start, fact.end)]
        if late is not None:
            after = LATE.search(turn.content[: sentence_around(turn.content, fact.start, fact.end)[1]], fact.start)
            if after is None:
                return None
            negated, cited = not negated, [evidence_of(turn, fact.start, max(fact.end, after.end()))]
        if open_:
            before = self._before(open_, fact, turn, facts)
            if before is None:
                return None
            cited.append(before)
        score = BY_CONTEXT if open_ else DIRECT
        if negated and not fact.polarity and NOT_YET.search(fact.text):
            score -= 0.2  # It may have come true since.
        return ClauseAnswer(turn.id, tuple(cited), negated, round(score, 4), (fact.said, turn.position, fact.start))

    def _unified(self, goal: Frame, told: Frame, fact: Fact) -> tuple[bool, list[FramePart]] | None:
        """True if a clause says the opposite, with the things in the question that it leaves open; None if it does not unify."""
        turned = turned_round(goal, told)
        turns = turned is not None and not missing(goal, turned, self.words)
        frame, open_ = (turned, []) if turned is not None and turns else self._completed(goal, told, fact)
        found = unify(goal, frame, self.words) if frame is not None else None
        return None if found is None or isinstance(found, Mismatch) else (found[0].opposed ^ turns, open_)

    def _completed(self, goal: Frame, told: Frame, fact: Fact) -> tuple[Frame | None, list[FramePart]]:
        """The clause with the things in the question that it replaces by a pronoun or omits, and these things; no clause if it names others
        instead.
        """
        implied, open_ = list[FramePart](), list[FramePart]()
        for part in missing(goal, told, self.words):
            instead = [p for p in told.parts if p.role == part.role]
            if part.role in NEVER_IMPLIED or any(p.entity or p.text.casefold() not in STANDING_IN for p in instead):
                return None, []
            implied.append(replace(part, start=-1, end=-1))
            speaker = bool(part.entity) and self.words.corefer(part.entity, fact.speaker)
            if instead or part.role != "subject" or not speaker:
                open_.append(part)
        if open_ and told.predicate.split()[0] in EMPTY_VERBS:
            return None, []
        kept = (p for p in told.parts if p.role not in {part.role for part in implied})
        return replace(told, parts=(*kept, *implied)), open_

    def _before(self, open_: Sequence[FramePart], fact: Fact, turn: Turn, facts: Sequence[Fact]) -> Evidence | None:
        """The words that name everything that a clause leaves open: in its turn, in earlier ones, or in the
        previous statement of the same.
        """
        wanted = {term for p in open_ for term in terms_of(p.entity or p.text)}
        for other, end in [(turn, fact.start), *((t, len(t.content)) for t in self._turns_before(turn))]:
            said = other.content[:end].rstrip()
            if said and wanted <= {*terms_of(f"{said} {other.speaker}")}:
                first, _ = sentence_around(said, len(said) - 1, len(said))
                return evidence_of(other, first if wanted <= {*terms_of(said[first:])} else 0, len(said))
        same = [f for f in facts if f.predicate == fact.predicate and (f.said, f.start) < (fact.said, fact.start)]
        last = next((f for f in reversed(same) if f.turn != fact.turn), None)
        own = self.memory.turn(last.turn) if last is not None else None
        if last is None or own is None or not wanted <= {*terms_of(f"{last.text} {own.speaker}")}:
            return None
        return evidence_of(own, last.start, last.end)

    def _turns_before(self, turn: Turn) -> list[Turn]:
        if turn.id not in self._turns:
            first, last = max(0, turn.position - BACK), turn.position - 1
            held = self.memory.store.session_turns(self.memory.space, turn.session, first=first, last=last)
            self._turns[turn.id] = held[::-1] if last >= 0 else []
        return self._turns[turn.id]

    def _had(self, asked: Frame, turns: Iterable[str]) -> Iterator[ClauseAnswer]:
        """Yield answers from a thing described with or without another: `a flat, third floor, no lift`."""
        subject = next((p for p in asked.constants if p.role == "subject"), None)
        thing = next((p for p in asked.constants if p.role == "object"), None)
        if subject is None or thing is None or thing.entity or len(asked.constants) != 2 or not subject.head:
            return
        fragment = re.compile(rf"{HAD}{re.escape(thing.head)}(?:s|es)?\b", re.IGNORECASE)
        head = re.compile(rf"\b{re.escape(subject.head)}\b", re.IGNORECASE)
        for turn in filter(None, map(self.memory.turn, turns)):
            for found in fragment.finditer(turn.content) if self._owns(subject, turn) else ():
                of = [*head.finditer(turn.content[: found.start()])]
                around = [f for f in self.memory.facts_of([turn.id]) if f.start <= found.start() < f.end]
                if not of or not all(head.search(turn.content[f.start : found.start()]) for f in around):
                    continue  # It belongs to another thing.
                start, _ = sentence_around(turn.content, *of[-1].span())
                said = turn.content[start : sentence_around(turn.content, *found.span())[1]]
                if SUPPOSED.search(said) or not GOTTEN.search(turn.content[start : of[-1].start()]):
                    continue
                negated = (found["how"].casefold() in ("no", "without")) == asked.polarity
                cited = (evidence_of(turn, start, found.end()),)
                yield ClauseAnswer(turn.id, cited, negated, FRAGMENT, (turn.at, turn.position, found.start()))

    def _owns(self, thing: FramePart, turn: Turn) -> bool:
        """True if a turn may be about a person's thing: they say it, or are named in it."""
        owner, mark, _ = thing.entity.rpartition("'s ")
        return not mark or self.words.corefer(owner, turn.speaker) or owner.casefold() in turn.content.casefold()


@dataclass(frozen=True)
class ClauseChecker:
    """Checks answers of clauses: the cited clause is read again and must give the same answer."""

    source: ClauseSource

    def check(self, node: Node, _about: ProofContext, /) -> Iterable[Finding]:
        """Yield the findings on a step."""
        reading = self.source.reading(node.goal) if node.goal is not None else None
        if node.kind != "fact" or node.judge or node.judgement is not None or reading is None or node.bindings:
            yield from unknown_kind(node)
            return
        facts = self.source.memory.facts_of(list(dict.fromkeys(e.turn for e in node.evidence)))
        same = [t for t in self.source.told(reading, facts) if t.evidence == node.evidence]
        yield "entailed", any(t.negated == node.negated for t in same), "the clause that is cited comes to this"
        yield "weight", any(t.score == node.weight for t in same), f"worth {[t.score for t in same]}"
        yield "alignment", not node.alignment, "clauses are aligned with nothing"


def named(text: str, asker: str) -> str:
    """The question with the asker's name for the first person."""
    text = OUR.sub(f"{asker}'s", text)
    return WE.sub(asker, any_of(FIRST_SINGULAR).sub(asker, text))


def accepted(frame: Frame, fact: Fact) -> Frame:
    """`say yes to` and `say no to` as `accept`; any other frame is unchanged."""
    said = SAID.search(fact.text) if frame.predicate == "say" else None
    if said is None:
        return frame
    parts = tuple(replace(p, role="object") if p.role == "to" else p for p in frame.parts)
    yes = frame.polarity if said["word"].casefold() == "yes" else False
    return replace(frame, predicate="accept", parts=parts, polarity=yes)


def statement_key(frame: Frame) -> Iterator[Frame]:
    """Yield a frame and its variants: with a preposition as a particle, and with `be there` as `come`: `hand in the book`."""
    yield frame
    for part in frame.parts:
        if part.variable is None and part.role not in PARTICIPANTS and part.role.isalpha():
            others = tuple(replace(p, role="object") if p is part else p for p in frame.parts)
            yield replace(frame, predicate=f"{frame.predicate} {part.role}", parts=others)
    there = next((p for p in frame.parts if frame.predicate == "be" and p.head == "there"), None)
    if there is not None:
        for verb in ARRIVING:
            yield replace(frame, predicate=verb, parts=tuple(p for p in frame.parts if p is not there))


def since_end(frame: Frame, fact: Fact) -> Frame:
    """A denial that something ended, without the time of the end: who stopped last year has not done it since."""
    return replace(frame, when_text="") if not frame.polarity and ENDED.search(fact.text) else frame


def turned_round(goal: Frame, told: Frame) -> Frame | None:
    """The clause with the two things whose order is asked for the other way round; None if no order is asked for."""
    order = next((p.role for p in goal.constants if p.role in ORDER), "")
    swapped = {"subject": order, order: "subject"}
    if not order or len(goal.constants) != 2 or not {*swapped} <= {p.role for p in told.parts}:
        return None
    return replace(told, parts=tuple(replace(p, role=swapped.get(p.role, p.role)) for p in told.parts))


def denies_degree(fact: Fact, asked: Frame) -> bool:
    """True if a fact only denies a degree that a question does not name: who is not heavier than somebody may be heavy."""
    compared = any(a.role in ("than", "as") for a in fact.args)
    return not fact.polarity and compared and not any(p.role in ("than", "as") for p in asked.parts)


def time_asked(asked: Frame) -> Constraint | None:
    """The time that a question names, as a condition on when something happened; None if it names none."""
    first = next(iter(asked.when_text.casefold().split()), "")
    return Constraint(TIME, *lies_to(first, asked.when, asked.when.end)) if asked.when is not None else None


def on_time(frame: Frame) -> FramePart | None:
    """The part of a question that means "on time"."""
    return next((p for p in frame.constants if p.role in ("on", "in") and p.text.casefold() == "time"), None)
