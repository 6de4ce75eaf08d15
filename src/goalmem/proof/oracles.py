"""What checking a proof asks of the outside: the remembered turns, what a text entails, what the rules prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from goalmem.logic.terms import Atom, Binding, Evidence, Goal, Rule, Value
from goalmem.proof.document import Judgement, Node, Proof, Status


@dataclass(frozen=True, slots=True)
class EvidenceTurn:
    """A remembered turn, as the store holds it now."""

    content: str
    speaker: str
    said: str
    """ISO 8601."""
    session: str = ""
    source: str = ""
    """Where in a file it stands; empty for what was said."""


@runtime_checkable
class FateOracle(Protocol):
    """An `EvidenceReader` that knows what became of turns."""

    def fate(self, turn_id: str) -> str:
        """Why a turn is gone or not as it was, in words; nothing where that is not known."""
        ...


class EvidenceReader(Protocol):
    """Reads turns of the proof's space, and of no other."""

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The turn, or None when the space does not hold it."""
        ...


class EntailmentOracle(Protocol):
    """Says whether evidence entails a statement. It reads the evidence anew and does not believe the proof."""

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> tuple[bool, str]:
        """Whether `evidence` says `atom` under `bindings` (or its opposite, when `negated`), and why (not).

        `atom` has its variables; `bindings` has one binding for each. The answer also covers what text alone cannot
        show: that each value, its key and its time are what the quoted words stand for.
        """
        ...


@runtime_checkable
class LemmaOracle(Protocol):
    """An entailment oracle with this method lets an alignment name words by their dictionary form (`buy` for `bought`)."""

    def lemmas(self, text: str) -> frozenset[str]:
        """Lower-case dictionary forms of the words of a text."""
        ...


@runtime_checkable
class JudgementRecord(Protocol):
    """An oracle with these methods knows what a chat model judged when a proof was made, exactly as it was judged."""

    def judged(
        self, ground: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool, judge: str
    ) -> tuple[bool, str]:
        """Whether `judge` is on record with: this evidence says the ground atom (or its opposite), of these values."""
        ...

    def assumed(self, rule: Rule, judge: str) -> bool:
        """Whether `judge` is on record with offering the rule."""
        ...


@runtime_checkable
class ReadingRecord(Protocol):
    """A reader of questions with this method knows how chat models read them."""

    def read_by(self, goal: Goal, asked: datetime, judge: str) -> bool:
        """Whether `judge` is on record with reading the goal's question, asked at `asked`, as the goal."""
        ...


@runtime_checkable
class WalkOracle(Protocol):
    """An entailment oracle with this method knows a graph, and which walks over it a question asks for."""

    def walked(self, goal: Goal, node: Node, beside: Sequence[Node]) -> tuple[bool, str, float | None]:
        """Whether the edges below a step make a walk from what the question names to what the step binds, and the question
        asks for it; why (not); and what the step is worth, None where that cannot be worked out anew.

        `beside`: all steps of the proof's answer that are walks.
        """
        ...


@runtime_checkable
class WeightOracle(Protocol):
    """An entailment oracle with this method knows what steps along an edge are worth, for it can work that out anew."""

    def weight(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]
    ) -> float | None:
        """What a step that closes `atom` in a proof of `goal` by this evidence is worth; None where that is left open."""
        ...


@runtime_checkable
class ProofRecord(Protocol):
    """An oracle with this method knows whole proofs that rest on a chat model, which cannot be worked out anew."""

    def kept(self, digest: str, judge: str) -> bool:
        """Whether a proof with this fingerprint, that rests on what `judge` said, is on record as it was made."""
        ...


@runtime_checkable
class JudgeOracle(Protocol):
    """An entailment oracle with this method judges leaves anew that no strict frame match closes."""

    def judgement(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> Judgement | None:
        """What the judge says now of this leaf; None where the words themselves say it and no judge is asked."""
        ...


@runtime_checkable
class StatusOracle(Protocol):
    """An oracle with this method knows how sure leaves must be for each status."""

    def grade(self, proof: Proof) -> Status:
        """What an answered proof may be called: `proved` or `likely`, or `unknown` where it is too weak to be told."""
        ...


@runtime_checkable
class SupersessionOracle(Protocol):
    """An entailment oracle with this method knows what was said since."""

    def replaced(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> str:
        """The words by which what a leaf of a proof of `goal` cites was replaced or denied later; empty where it holds."""
        ...


@dataclass(frozen=True, slots=True)
class FoundSolution:
    """One solution that a search finds."""

    values: Mapping[str, Value]
    """What the goal's variables stand for, by name."""
    score: float
    against: bool = False
    """True when it shows that the answer to a yes/no question is no."""
    read: bool = False
    """True when some step of it is read out of passages: what that is worth shifts with what else is remembered."""


class SolutionOracle(Protocol):
    """Searches for a goal's solutions anew, with any engine: what claims to be all is compared with what is found."""

    def solutions(self, proof: Proof) -> Sequence[FoundSolution] | None:
        """What proves the proof's goal as of the day it was asked; None where no search can tell."""
        ...


class ClosedWorld(Protocol):
    """The closed sources: what rules are stated, and what they prove."""

    def states(self, rule: Rule) -> bool:
        """Whether the rule (or, without a body, the fact) is stated as it reads."""
        ...

    def proves(self, atom: Atom) -> bool:
        """Whether a complete search proves the ground atom, or may prove it; searches anew."""
        ...


@runtime_checkable
class RuleSentences(Protocol):
    """Closed sources with this method keep the sentences that state their rules."""

    def stated_in(self, rule: Rule, evidence: Sequence[Evidence]) -> bool:
        """Whether the sentence that a step cites states its rule; of a rule that no sentence states, nothing is cited."""
        ...


class QuestionReader(Protocol):
    """Reads questions."""

    def asks(self, goal: Goal, asked: datetime) -> bool:
        """Whether `goal.question`, asked at `asked`, may be read as `goal`."""
        ...


class TypeOracle(Protocol):
    """Knows what is an instance of what."""

    def is_a(self, value: Value, type: str) -> bool:
        """Whether the value is an instance of the type (a noun phrase, perhaps qualified)."""
        ...
