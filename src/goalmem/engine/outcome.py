"""The result of a search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from goalmem.engine.budget import BudgetUsage
from goalmem.engine.step import NearMiss, Step
from goalmem.logic.terms import Atom, Substitution

EVEN = 0.5
"""A judge's certainty below this means that the words more likely do not say it."""


@dataclass(frozen=True, slots=True)
class ClosedAtom:
    """An atom and the step that closed it, with the atoms that this step rests on. Without a step, the atom is still open."""

    atom: Atom
    step: Step | None
    children: tuple[ClosedAtom, ...] = ()
    """For a rule: its body, in the rule's order. For a refinement: its antecedents, then the atom itself, closed."""

    def walk(self) -> Iterator[ClosedAtom]:
        """Yield the atom, then everything that it rests on, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class Solution:
    """All atoms of the goal, closed under one substitution."""

    substitution: Substitution
    nodes: tuple[ClosedAtom, ...]
    """One for each atom of the goal, in the goal's order."""
    score: float
    against: bool = False
    """True if it shows that the answer to a yes/no question is no."""

    @property
    def doubted_step(self) -> Step | None:
        """The step with the lowest certainty of a judge below one half; None if there is none."""
        doubted = [s for s in self._steps(self.nodes) if s.judge_record is not None and s.judge_record.certainty < EVEN]
        return min(doubted, key=lambda s: s.judge_record.certainty if s.judge_record is not None else 1.0, default=None)

    def _steps(self, nodes: Iterable[ClosedAtom]) -> Iterator[Step]:
        for node in nodes:
            if node.step is not None:
                yield node.step
            yield from self._steps(node.children)


@dataclass(frozen=True, slots=True)
class MissingAtom:
    """An open atom and its near misses, nearest first."""

    atom: Atom
    """With the bindings so far."""
    misses: tuple[NearMiss, ...]


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """The result of a search."""

    status: Literal["proved", "disproved", "unknown"]
    solutions: tuple[Solution, ...]
    """Best first. For one answer: the best proof of each different answer within the margin."""
    missing: tuple[MissingAtom, ...]
    spent: BudgetUsage
    exhausted: bool
    """True if the budget ran out before the search was complete."""
    partial: Solution | None = None
    """If nothing is proved: the furthest state of the search."""
    conflict: bool = False
    """True if solutions with different answers to a question with one answer lie within the margin, or if evidence for and against does. A
    caller that cannot resolve it should abstain (condition 6)."""
    cut_short: bool = False
    """True if the ceiling of seconds was reached: a faster machine might have found more."""
    levels: int = 0
    """Levels of refinement reached."""
    joint: int = 1
    """How many of the solutions, from the first, are together the answer to a question for one thing."""
    angles: int = 0
    """Most refinements tried for one atom, of those that the budget's `breadth` limits."""
