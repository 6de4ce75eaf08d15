"""One question, with its readings and with what it is asked of."""

from __future__ import annotations

from dataclasses import dataclass

from goalmem.answering.policy import AnyChecker
from goalmem.engine.step import Source
from goalmem.logic.terms import Goal
from goalmem.sources.background import BackgroundSource
from goalmem.sources.graph import EdgeSource
from goalmem.sources.memory import MemorySource
from goalmem.sources.passages import PassageSource
from goalmem.sources.ranking import GoalRanking
from goalmem.sources.rules import RuleSource

__all__ = ["Inquiry"]


@dataclass(frozen=True)
class Inquiry:
    """One question, and what it is asked of."""

    question: str
    goals: tuple[Goal, ...]
    """Its readings, to be tried in order; at least one."""
    memory: MemorySource
    background: BackgroundSource
    passages: PassageSource | None
    ranking: GoalRanking
    checker: AnyChecker
    rules: RuleSource | None = None
    """None where the space has no rules."""
    edges: EdgeSource | None = None
    """None where the space has no graph."""

    @property
    def sources(self) -> list[Source]:
        """Where steps come from."""
        every = (self.rules, self.memory, self.background, self.edges, self.passages)
        return [source for source in every if source is not None]
