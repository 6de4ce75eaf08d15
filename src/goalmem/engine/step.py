"""What sources offer the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from goalmem.engine.budget import Budget
from goalmem.logic.terms import Alignment, Atom, Binding, Evidence, Goal, JudgeRecord, Relation, Rule, Substitution

__all__ = ["ExhaustiveSource", "ListingSource", "NearMiss", "ProvedAtom", "RefiningSource", "Request", "Source", "Step"]


@dataclass(frozen=True, slots=True)
class Request:
    """A request for steps for one open atom."""

    atom: Atom
    """As in the goal, with its variables; apply `substitution` to it."""
    substitution: Substitution
    goal: Goal
    open: tuple[Atom, ...]
    """All atoms still open in this state, including this one: they are checked as one set."""
    depth: int
    limit: int
    """Most alternatives wanted."""
    tried: tuple[Step, ...] = ()
    """Failed refinements of this atom; a new one must differ from all of them."""
    budget: Budget = field(default_factory=Budget, compare=False, repr=False)
    """The budget of the search. A source charges it for what it reads, judges, calls or searches."""
    leave_out: Callable[[], None] = field(default=lambda: None, compare=False, repr=False)
    """A source calls it where it has more for the atom than it looked at."""


@dataclass(frozen=True, slots=True)
class Step:
    """A way to close an atom (no subgoals) or to replace it by subgoals."""

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
    """True if the evidence contradicts the atom (a counter-example)."""
    note: str = ""
    judge: str = ""
    """The chat model that claimed it, if none of our readers did; its judgement is on record (`sources.chat.judgement_log`)."""
    judge_record: JudgeRecord | None = None
    """The judge's verdict on words that no strict match closes the atom with."""
    instance: Mapping[str, str] | None = field(default=None, compare=False)
    """The words that the rule's variables stand for, if the source knows them."""
    proved: tuple[ProvedAtom, ...] = field(default=(), compare=False, repr=False)
    """For a rule whose body a closed source has already proved: the body, in the rule's order. The step then has no subgoals. Parts may be
    shared at any depth."""


@dataclass(frozen=True, slots=True, eq=False)
class ProvedAtom:
    """A ground atom and the step that proves it, without subgoals."""

    atom: Atom
    step: Step


@dataclass(frozen=True, slots=True)
class NearMiss:
    """What came closest to closing an atom, and the condition that it failed."""

    stage: str
    """`never-said`, `not-asserted`, `superseded`, `judged-not-said`, `not-unified`, `over-budget`."""
    reason: str
    evidence: Evidence | None
    score: float


class Source(Protocol):
    """A source of steps."""

    @property
    def name(self) -> str:
        """`memory`, `passages`, `background`, `rules`, `graph`, `walks`, …: stands in proofs and selects the checker of its steps."""
        ...

    @property
    def closed(self) -> bool:
        """True if what it cannot prove is false (rules); never for memory."""
        ...

    @property
    def cost(self) -> int:
        """0 for lookups, 1 for a model that reads, 2 for a chat model. Cheaper sources are asked first."""
        ...

    def steps(self, request: Request) -> Sequence[Step]:
        """Alternative steps for the atom, best first, at most `request.limit`."""
        ...

    def near_misses(self, request: Request, /) -> Sequence[NearMiss]:
        """Why there is no (better) step, nearest first. Called once, for atoms left open at the end."""
        ...


@runtime_checkable
class ExhaustiveSource(Protocol):
    """A source with this attribute searches by itself: its steps for an atom are complete, and none is cut off. Closed sources need not
    declare it.
    """

    @property
    def exhaustive(self) -> bool:
        """True if the source's steps are complete."""
        ...


@runtime_checkable
class ListingSource(Protocol):
    """A source that can list the instances of a negated atom. For other sources, a failed proof of a negated atom says nothing about its
    instances.
    """

    def lists(self, atom: Atom) -> bool:
        """True if its steps for a negated atom with open variables are complete."""
        ...


@runtime_checkable
class RefiningSource(Protocol):
    """A source that can be asked for refinements, one at a time, each after the previous one failed."""

    def refine(self, request: Request, /) -> Sequence[Step]:
        """Steps by one further refinement of the atom, different from all of `request.tried`; none if there is no other.

        Steps that close the atom may be included, if the search for a refinement found some. Repetitions are dropped.
        """
        ...
