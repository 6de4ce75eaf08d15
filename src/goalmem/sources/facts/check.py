"""Check steps from facts: read the facts from the cited words again and unify them again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain, combinations

from goalmem.engine.step import Step
from goalmem.language.words.verbs import HOLDING
from goalmem.logic.evaluate import needs_all
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Aggregate, Alignment, Atom, Binding, Derivation, Evidence, Goal
from goalmem.proof.document import Judgement, Node
from goalmem.proof.node_check import Finding, ProofContext, SourceOracles, alike, check_leaf, unknown_kind
from goalmem.questions.whole_question import is_of_passages, passage_question
from goalmem.records import Fact
from goalmem.sources.assertion import asks_before
from goalmem.sources.certainty.answer_ranking import EARLIER
from goalmem.sources.certainty.replacements import Slots
from goalmem.sources.evidence_store import SearchedStore
from goalmem.sources.facts.amounts import names_several, pays_less
from goalmem.sources.facts.match import FactCandidate, Match
from goalmem.sources.facts.source import LISTED, MemorySource
from goalmem.sources.facts.tense import looks_back, meant
from goalmem.sources.facts.told_times import counted_back, denies_less_time, tells_no_end
from goalmem.sources.frame_reader import FrameReading, bound_atom
from goalmem.sources.frames import frame_of_fact
from goalmem.sources.kinds import UNPROVED, kinds_open, qualified
from goalmem.sources.values import without_article

EVER = datetime(9000, 1, 1, tzinfo=UTC)
"""Later than anything that was said."""


@dataclass(frozen=True)
class FactChecker:
    """Checks steps from the facts of one space."""

    memory: MemorySource
    since: bool = False
    """If true, statements made after the question was asked count, too."""
    _today: list[MemorySource] = field(default_factory=list, compare=False)
    """The memory as of now, once it is needed."""

    @cached_property
    def slots(self) -> Slots:
        """Replaced facts: by the day of the question, or as of now."""
        memory = self.memory
        return Slots(memory.store, memory.space, memory.similarity) if self.since else memory.slots

    @cached_property
    def oracles(self) -> SourceOracles:
        """The oracles of this checker."""
        return SourceOracles.of(self)

    def check(self, node: Node, about: ProofContext) -> Iterable[Finding]:
        """Yield the findings on a fact."""
        return (
            chain(check_leaf(self.oracles, node, about), kinds(self.memory, node, about))
            if node.kind == "fact"
            else unknown_kind(node)
        )

    def reads_value(self, node: Node, about: ProofContext, held: Binding) -> bool:
        """True if a fact read from the quoted span gives the value so, in the form in which the goal asks for it."""
        bindings = {b.variable.name: b for b in node.bindings}
        if node.goal is None:
            return False
        return any(
            (b.variable, b.value.type, b.derivation, b.span)
            == (held.variable, held.value.type, held.derivation, held.span)
            for match in self._matches(node.goal, bindings, node.evidence)
            for b in self.memory.step_for(about.goal, match).bindings
        )

    def explains(self, node: Node, about: ProofContext) -> bool:
        """True if alignment and note are those of one fact that the step cites, beside the values whose kind is not known."""
        assert node.goal is not None
        matched = set(node.alignment) - set(kinds_of(self.memory, node, about))
        if not matched and not node.note:
            return True
        return any(
            node.note in ("", match.fact.statement) and all(any(alike(a, b) for b in match.alignment) for a in matched)
            for bindings in _settled(node.bindings)
            for match in self._matches(node.goal, bindings, node.evidence)
        )

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> tuple[bool, str]:
        """Return if a fact read from the quoted span says the atom under the bindings, or its opposite; and why (not)."""
        if is_of_passages(atom):
            return False, "no fact answers a question as it stands"
        for match in self._matches(atom, bindings, evidence):
            asked = self.memory.facts.answered(match.fact)
            if asked is not None and asked not in evidence:
                return False, f"“{match.fact.text}” says nothing without what it answers, which is not quoted"
            if match.opposed == negated:
                return True, f"“{match.fact.text}” says it"
        said = self._quoted(evidence)
        return False, "what is quoted does not say this of these" if said else "no fact is read from the quoted words"

    def judgement(
        self, _atom: Atom, _bindings: Mapping[str, Binding], _evidence: Sequence[Evidence], _negated: bool, /
    ) -> Judgement | None:
        """Return None: facts need no judge."""
        return None

    def weight(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]
    ) -> float | None:
        """The weight of a fact as a step, by how well it matches."""
        matches = [(self.memory.step_for(goal, match), match) for match in self._matches(atom, bindings, evidence)]
        matches = [(s, m) for s, m in matches if not (denies_less_time(goal, m) or tells_no_end(goal, m))]
        if needs_all(goal):
            matches = [(s, m) for s, m in matches if counts(s, goal) and self.memory.unifier.amounts.is_total(goal, m)]
        reading = self._reading(atom, bindings, {e.turn for e in evidence})
        facts = self.memory.facts_of(list(dict.fromkeys(e.turn for e in evidence)))
        if goal.aggregate is Aggregate.COUNT and not qualified(bindings.values(), facts):
            return 0.0
        open_ = kinds_open(bindings.values(), facts, (*goal.atoms, atom))
        most = UNPROVED if open_ else 1.0
        worth = (min(most, self.memory.doubted(step, match, reading, goal).score) for step, match in matches)
        return max(worth, default=0.0)

    def replaced(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> str:
        """The later words that replaced the cited fact, or contradicted it after the question was asked."""
        facts = [m.fact for m in self._matches(atom, bindings, evidence) if m.opposed == negated]
        past = asks_for_earlier(goal, atom) or asks_before(atom.read_as()[0])
        reading = self._reading(atom, bindings, {e.turn for e in evidence})
        by_fact = ((f, self._slots_of(reading, f)) for f in facts)
        newer = [slots.annulled_by(f) if past else slots.superseded_by(f) for f, slots in by_fact]
        if facts and all(newer):
            return next(f.text for f in newer if f is not None)
        if facts and (later := self.told_otherwise(goal, bindings)):
            return later
        return self._taken_back(atom, bindings, negated) if facts and self.since and not past else ""

    def _slots_of(self, reading: FrameReading, fact: Fact) -> Slots:
        """See `slots`; over another system, of what was found for the fact."""
        memory = self.memory
        if not self.since or not isinstance(memory.store, SearchedStore):
            return self.slots if self.since else memory.later_words(reading, fact)[0]
        return Slots(memory.known_for(reading, fact.slot), memory.space, memory.similarity)

    @property
    def today(self) -> MemorySource:
        """The memory including what was said after the question was asked."""
        if not self._today:
            self._today.append(replace(self.memory, at=EVER))
        return self._today[0]

    def told_otherwise(self, goal: Goal, bindings: Mapping[str, Binding]) -> str:
        """See `LaterValues.told_otherwise`: by the day of the question, or as of now."""
        return (self.today if self.since else self.memory).later.told_otherwise(goal, bindings.values())

    def says(self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]) -> bool:
        """True if a cited fact says the atom, or its opposite."""
        return not is_of_passages(atom) and next(self._matches(atom, bindings, evidence), None) is not None

    def _quoted(self, evidence: Sequence[Evidence]) -> list[Fact]:
        """The facts that were read from exactly the cited words."""
        spans = {(e.turn, e.start, e.end) for e in evidence}
        facts = self.memory.store.facts(self.memory.space, turns=[e.turn for e in evidence])
        return [f for f in facts if (f.turn, f.start, f.end) in spans]

    def _matches(self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]) -> Iterator[Match]:
        """Yield every match of the quoted facts with the atom, or its opposite, under the bindings."""
        reading = self._reading(atom, bindings, {e.turn for e in evidence})
        for fact in self._quoted(evidence):
            if pays_less(fact, reading, atom):
                continue
            if not reading.former or self.memory.holds(fact, reading):
                for match in self.memory.matches(reading, FactCandidate(fact, frame_of_fact(fact))):
                    if all(self._agrees(bindings.get(b.variable.name), b, fact) for b in match.bindings):
                        yield match

    def _reading(self, atom: Atom, bindings: Mapping[str, Binding], turns: Collection[str]) -> FrameReading:
        """Read an atom in which the bindings of other facts are constants; bindings from these turns are read again."""
        elsewhere = {name: b.value for name, b in bindings.items() if b.turn not in turns}
        return self.memory.reader.read(canonical(bound_atom(atom, elsewhere)))

    def _agrees(self, held: Binding | None, found: Binding, fact: Fact) -> bool:
        return self.agree(held, found) or self.agree(held, counted_back(found, fact))

    def agree(self, held: Binding | None, found: Binding) -> bool:
        """True if a value read again equals the bound one: same key, same words, or another name of the entity."""
        if held is None or (found.derivation is Derivation.TIME and held.span != found.span):
            return False
        name = self.memory.similarity.canonical
        value, anew = held.value, found.value
        if value.key != anew.key and name(value.key) != name(anew.key):
            return False
        said = value.text.casefold() in {anew.text.casefold(), without_article(found.span).casefold()}
        return said or name(value.text) in (name(anew.text), name(value.key))

    def _taken_back(self, atom: Atom, bindings: Mapping[str, Binding], negated: bool) -> str:
        """The newest words after the question was asked that deny the atom, or that give another number."""
        memory = self.today
        numbers = {n: b.value.number for n, b in bindings.items() if b.value.number is not None}
        known = {n: b.value for n, b in bindings.items() if n not in numbers}
        reading: FrameReading = memory.reader.read(canonical(bound_atom(atom, known)))
        counted = any(frame.predicate in HOLDING for frame in reading.frames)
        for candidate in reversed(memory.candidates(reading)):
            if candidate.fact.said <= self.memory.at or not meant(candidate.fact, reading):
                continue
            for match in memory.matches(reading, candidate):
                told = {b.variable.name: b.value.number for b in match.bindings if b.variable.name in numbers}
                if match.opposed != negated or (counted and told != numbers):
                    return candidate.fact.text
        return ""


def kinds(memory: MemorySource, node: Node, about: ProofContext) -> Iterator[Finding]:
    """Check that a step marks every value that is not known to be of its variable's type."""
    unsaid = set(kinds_of(memory, node, about)) - set(node.alignment)
    kinds_unsaid = ", ".join(f"{entry.evidence!r} as {entry.goal}" for entry in unsaid)
    yield (
        "kinds",
        not unsaid,
        f"it does not say that the kind is not known of {kinds_unsaid}"
        if unsaid
        else "kinds are known, or said not to be",
    )


def kinds_of(memory: MemorySource, node: Node, about: ProofContext) -> tuple[Alignment, ...]:
    """An alignment for each value of a step that is not known to be of its variable's type."""
    facts = memory.facts_of(list(dict.fromkeys(e.turn for e in node.evidence)))
    return kinds_open(node.bindings, facts, (*about.goal.atoms, *([node.goal] if node.goal is not None else [])))


def _settled(bindings: Sequence[Binding]) -> Iterator[dict[str, Binding]]:
    """Yield the bindings, then with each set of them as settled by an earlier step, which may cite the same turn."""
    held = {b.variable.name: b for b in bindings}
    for size in range(len(held) + 1):
        for names in combinations(held, size):
            yield held | {name: replace(held[name], turn="") for name in names}


def counts(step: Step, goal: Goal) -> bool:
    """True if a fact is certain enough and about one thing only, for goals that need all solutions."""
    return step.score >= LISTED and not (goal.aggregate is Aggregate.COUNT and names_several(step))


def replaced_around(
    slots: Slots, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]
) -> str:
    """The later words that replaced a clause around the words that were read; empty if it still holds."""
    asked = passage_question(atom)
    if asked is not None and EARLIER.search(asked[0]) is not None:
        return ""
    whole = not looks_back(goal)
    facts = slots.store.facts(slots.space, turns=[e.turn for e in evidence])
    spans = [b.span for b in bindings.values()]
    for cited in evidence:
        for start in (cited.start + cited.quote.find(span) for span in spans if span and span in cited.quote):
            around = (f for f in facts if f.turn == cited.turn and f.start <= start < f.end)
            later = (slots.words_replaced_by(f, start, start + 1, whole=whole) for f in around)
            newer = next((n for n in later if n is not None), None)
            if newer is not None:
                return newer.text
    return ""


def asks_for_earlier(goal: Goal, atom: Atom) -> bool:
    """True if the question is about the past, so that later statements replace nothing."""
    asked = passage_question(atom)
    return looks_back(goal) or (asked is not None and EARLIER.search(asked[0]) is not None)
