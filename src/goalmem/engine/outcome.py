"""What a search came to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from goalmem.engine.budget import BudgetUsage
from goalmem.engine.step import NearMiss, Step
from goalmem.logic.terms import Atom, Substitution

EVEN = 0.5
"""Certainty of a judge under which what was read is likelier not said than said."""


@dataclass(frozen=True, slots=True)
class ClosedAtom:
    """An atom and the step that closed it, with what that step rests on. Without a step, the atom is still open."""

    atom: Atom
    step: Step | None
    children: tuple[ClosedAtom, ...] = ()
    """For a rule: its body, in the rule's order. For a refinement: its antecedents, then the atom itself, closed."""

    def walk(self) -> Iterator[ClosedAtom]:
        """The atom, then what it rests on, however deep."""
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
    """True when it shows that the answer to a yes/no question is no."""

    @property
    def doubted_step(self) -> Step | None:
        """The step that its judge finds least likely to be said by what it cites; None where all is likelier said than not."""
        doubted = [s for s in self._steps(self.nodes) if s.judge_record is not None and s.judge_record.certainty < EVEN]
        return min(doubted, key=lambda s: s.judge_record.certainty if s.judge_record is not None else 1.0, default=None)

    def _steps(self, nodes: Iterable[ClosedAtom]) -> Iterator[Step]:
        for node in nodes:
            if node.step is not None:
                yield node.step
            yield from self._steps(node.children)


@dataclass(frozen=True, slots=True)
class MissingAtom:
    """An atom left open, and what came nearest to closing it, nearest first."""

    atom: Atom
    """With what was bound already."""
    misses: tuple[NearMiss, ...]


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What a search came to."""

    status: Literal["proved", "disproved", "unknown"]
    solutions: tuple[Solution, ...]
    """Best first. Of a question with one answer: the best proof of each different answer within the margin."""
    missing: tuple[MissingAtom, ...]
    spent: BudgetUsage
    exhausted: bool
    """True when the budget ran out before the search was through."""
    partial: Solution | None = None
    """When nothing is proved: as far as the search came."""
    conflict: bool = False
    """True when solutions with different answers to a question with one answer lie within the margin, or when
    evidence for and against does. A caller that cannot settle it should abstain (condition 6)."""
    cut_short: bool = False
    """True when the ceiling of seconds was met: on a quicker machine more might have been found."""
    levels: int = 0
    """Levels of refinement that the search went down."""
    angles: int = 0
    """Most different refinements and unstated rules that were tried for one atom."""
