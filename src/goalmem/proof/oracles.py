"""What checking a proof needs from outside: the turns, what a text entails, what the rules prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from goalmem.logic.terms import Atom, Binding, Evidence, Goal, Rule, Value
from goalmem.proof.document import Judgement, Node, Proof, Status


@dataclass(frozen=True, slots=True)
class EvidenceTurn:
    """A turn, as the store holds it now."""

    content: str
    speaker: str
    said: str
    """ISO 8601."""
    session: str = ""
    source: str = ""
    """Place in a file; empty for messages."""
    position: int = 0
    """Place in its session."""


@runtime_checkable
class FateOracle(Protocol):
    """An `EvidenceReader` that knows what happened to turns."""

    def fate(self, turn_id: str) -> str:
        """Why a turn is gone or changed, in words; empty if not known."""
        ...


class EvidenceReader(Protocol):
    """Reads turns of the proof's space, and of no other."""

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The turn, or None if the space does not contain it."""
        ...


class EntailmentOracle(Protocol):
    """Decides if evidence entails a statement. It reads the evidence again and does not trust the proof."""

    def entails(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> tuple[bool, str]:
        """Return if `evidence` says `atom` under `bindings` (or its opposite, if `negated`), and why (not).

        `atom` has its variables; `bindings` has one binding for each. The answer also covers what text alone cannot show: that each value,
        its key and its time are what the quoted words stand for.
        """
        ...


@runtime_checkable
class LemmaOracle(Protocol):
    """An entailment oracle with this method accepts the dictionary form of a word in an alignment (`buy` for `bought`)."""

    def lemmas(self, text: str) -> frozenset[str]:
        """Lower-case dictionary forms of the words of a text."""
        ...


@runtime_checkable
class JudgementRecord(Protocol):
    """An oracle with these methods has a record of what a chat model judged when a proof was made."""

    def judged(
        self, ground: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool, judge: str
    ) -> tuple[bool, str]:
        """Return if the record shows that `judge` accepted: this evidence says the ground atom (or its opposite), with these values."""
        ...

    def assumed(self, rule: Rule, judge: str) -> bool:
        """True if the record shows that `judge` offered the rule."""
        ...


@runtime_checkable
class ReadingRecord(Protocol):
    """A question reader with this method has a record of how chat models read questions."""

    def read_by(self, goal: Goal, asked: datetime, judge: str) -> bool:
        """True if the record shows that `judge` read the goal's question, asked at `asked`, as the goal."""
        ...


@runtime_checkable
class WalkOracle(Protocol):
    """An entailment oracle with this method knows a graph, and which walks over it a question asks for."""

    def walked(self, goal: Goal, node: Node, beside: Sequence[Node]) -> tuple[bool, str, float | None]:
        """Return if the edges below a step are a walk from what the question names to what the step binds, and if the question asks for it;
        why (not); and the weight of the step, None if it cannot be recomputed.

        `beside`: all steps of the proof's answer that are walks.
        """
        ...


@runtime_checkable
class WeightOracle(Protocol):
    """An entailment oracle with this method can recompute the weights of steps along an edge."""

    def weight(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence]
    ) -> float | None:
        """The weight of a step that closes `atom` in a proof of `goal` by this evidence; None if any weight is accepted."""
        ...


@runtime_checkable
class ProofRecord(Protocol):
    """An oracle with this method has a record of whole proofs that rest on a chat model, which cannot be recomputed."""

    def kept(self, digest: str, judge: str) -> bool:
        """True if a proof with this fingerprint, which rests on `judge`, is on record."""
        ...


@runtime_checkable
class JudgeOracle(Protocol):
    """An entailment oracle with this method judges leaves again that no strict frame match closes."""

    def judgement(
        self, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> Judgement | None:
        """The judge's current verdict on this leaf; None if the words themselves say it, so that no judge is needed."""
        ...


@runtime_checkable
class StatusOracle(Protocol):
    """An oracle with this method knows the certainty that each status requires."""

    def grade(self, proof: Proof) -> Status:
        """The status of a proof with an answer: `proved`, `likely`, or `unknown` if it is too weak."""
        ...


@runtime_checkable
class SupersessionOracle(Protocol):
    """An entailment oracle with this method knows what was said later."""

    def replaced(
        self, goal: Goal, atom: Atom, bindings: Mapping[str, Binding], evidence: Sequence[Evidence], negated: bool
    ) -> str:
        """The later words that replaced or denied the evidence of a leaf of a proof of `goal`; empty if it holds."""
        ...


@dataclass(frozen=True, slots=True)
class FoundSolution:
    """One solution of a search."""

    values: Mapping[str, Value]
    """The values of the goal's variables, by name."""
    score: float
    against: bool = False
    """True if it shows that the answer to a yes/no question is no."""
    read: bool = False
    """True if a step of it is read out of passages: its score then depends on the other turns in memory."""
    joint: bool = False
    """True if it is one of several that are together the answer to a question for one thing."""


class SolutionOracle(Protocol):
    """Searches for a goal's solutions again, with any engine, to check that a list is complete."""

    def solutions(self, proof: Proof) -> Sequence[FoundSolution] | None:
        """All solutions of the proof's goal, as of the day it was asked; None if no search can find them."""
        ...


class ClosedWorld(Protocol):
    """The closed sources: the rules that are stated, and what they prove."""

    def states(self, rule: Rule) -> bool:
        """True if the rule (or, without a body, the fact) is stated in these words."""
        ...

    def proves(self, atom: Atom) -> bool:
        """True if a complete new search proves the ground atom, or may prove it."""
        ...


@runtime_checkable
class RuleSentences(Protocol):
    """Closed sources with this method store the sentences that state their rules."""

    def stated_in(self, rule: Rule, evidence: Sequence[Evidence]) -> bool:
        """True if the cited sentence states the rule of a step. A rule that no sentence states must cite nothing."""
        ...


class QuestionReader(Protocol):
    """Reads questions."""

    def asks(self, goal: Goal, asked: datetime) -> bool:
        """True if `goal.question`, asked at `asked`, may be read as `goal`."""
        ...


class TypeOracle(Protocol):
    """Knows the types of values."""

    def is_a(self, value: Value, type: str) -> bool:
        """True if the value is an instance of the type (a noun phrase, perhaps qualified)."""
        ...
