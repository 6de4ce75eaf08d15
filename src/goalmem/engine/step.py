"""What a source offers the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from goalmem.engine.budget import Budget
from goalmem.logic.terms import Alignment, Atom, Binding, Evidence, Goal, JudgeRecord, Relation, Rule, Substitution

__all__ = ["ExhaustiveSource", "ListingSource", "NearMiss", "ProvedAtom", "RefiningSource", "Request", "Source", "Step"]


@dataclass(frozen=True, slots=True)
class Request:
    """One open atom, in its state."""

    atom: Atom
    """As in the goal, with its variables; apply `substitution` to it."""
    substitution: Substitution
    goal: Goal
    open: tuple[Atom, ...]
    """All atoms still open in this state, this one included: they are checked as one set."""
    depth: int
    limit: int
    """How many alternatives are wanted at most."""
    tried: tuple[Step, ...] = ()
    """The refinements of this atom that failed: a further one must differ from all of them."""
    budget: Budget = field(default_factory=Budget, compare=False, repr=False)
    """What the search may cost. A source draws on it for what it reads, judges, calls or searches itself."""


@dataclass(frozen=True, slots=True)
class Step:
    """A way to close an atom (no subgoals) or to turn it into others."""

    source: str
    kind: str
    """`fact`, `rule`, `edge`, `closed-world`, `refinement`."""
    score: float
    """In (0, 1]; scores multiply along a proof."""
    bindings: tuple[Binding, ...] = ()
    subgoals: tuple[Atom, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    alignment: tuple[Alignment, ...] = ()
    relation: Relation | None = None
    rule: Rule | None = None
    negated: bool = False
    """True when the evidence says the opposite of the atom (a counter-example)."""
    note: str = ""
    judge: str = ""
    """The chat model that said so, where no reading of ours does; its judgement is on record (`sources.chat.judgement_log`)."""
    judge_record: JudgeRecord | None = None
    """What the judge said of words that no strict match closes the atom with."""
    instance: Mapping[str, str] | None = field(default=None, compare=False)
    """The words that the rule's variables stand for, where the source knows them."""
    proved: tuple[ProvedAtom, ...] = field(default=(), compare=False, repr=False)
    """For a rule whose body a closed source has proved already: the body, in the rule's order. It then has no subgoals.
    Parts may be shared, however often and deep."""


@dataclass(frozen=True, slots=True, eq=False)
class ProvedAtom:
    """A ground atom and the step that proves it, with no subgoals."""

    atom: Atom
    step: Step


@dataclass(frozen=True, slots=True)
class NearMiss:
    """What came closest to closing an atom, and which condition it failed."""

    stage: str
    """`never-said`, `not-asserted`, `superseded`, `judged-not-said`, `not-unified`, `over-budget`."""
    reason: str
    evidence: Evidence | None
    score: float


class Source(Protocol):
    """Where steps come from."""

    @property
    def name(self) -> str:
        """`memory`, `passages`, `background`, `rules`, `graph`, `walks`, …: it stands in proofs, and says what checks its steps."""
        ...

    @property
    def closed(self) -> bool:
        """True when what it cannot prove is false (rules); never for memory."""
        ...

    @property
    def cost(self) -> int:
        """0 for what is looked up, 1 for what a model reads, 2 for what a chat model is asked: the cheapest are asked first."""
        ...

    def steps(self, request: Request) -> Sequence[Step]:
        """Alternative steps for the atom, best first, at most `request.limit`."""
        ...

    def near_misses(self, request: Request, /) -> Sequence[NearMiss]:
        """Why there is no (better) step, nearest first. Called once, for atoms left unresolved at the end."""
        ...


@runtime_checkable
class ExhaustiveSource(Protocol):
    """A source with this attribute searches for itself: the steps that it gives for an atom are all that it has, and none is
    cut off. Closed sources are such without it.
    """

    @property
    def exhaustive(self) -> bool:
        """Whether that is so."""
        ...


@runtime_checkable
class ListingSource(Protocol):
    """A source that can list of what a denial holds. Of any other, to prove nothing of a negated atom says nothing about its
    instances.
    """

    def lists(self, atom: Atom) -> bool:
        """Whether its steps for a negated atom with open variables are all that there are."""
        ...


@runtime_checkable
class RefiningSource(Protocol):
    """A source that can be asked for refinements, one angle after the other, each only when the one before failed."""

    def refine(self, request: Request, /) -> Sequence[Step]:
        """Steps by one further angle on the atom, other than all of `request.tried`; none when there is no other.

        Steps that close the atom may be among them, where looking for a refinement found some. What repeats an earlier
        angle is dropped.
        """
        ...
