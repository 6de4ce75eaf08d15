"""One question, with its readings and with what it is asked of."""

from __future__ import annotations

from dataclasses import dataclass, replace

from goalmem.engine.step import Source
from goalmem.logic.terms import Goal
from goalmem.proof.node_check import Oracles
from goalmem.sources.background import BackgroundSource
from goalmem.sources.memory import MemorySource
from goalmem.sources.passages import PassageSource
from goalmem.sources.ranking import GoalRanking

__all__ = ["Inquiry"]


@dataclass(frozen=True)
class Inquiry:
    """One question, and what it is asked of."""

    question: str
    goals: tuple[Goal, ...]
    """Its readings, to be tried in order; at least one."""
    sources: tuple[Source, ...]
    """Where steps come from."""
    memory: MemorySource
    background: BackgroundSource
    passages: PassageSource | None
    ranking: GoalRanking
    checker: Oracles
    told: bool = False
    """Whether something was said in the space."""
    stated: Goal | None = None
    """What the question says of things that the rules speak of; None where it says nothing of the kind."""

    @property
    def alone(self) -> bool:
        """Whether rules are all that there is to ask."""
        return all(source.closed for source in self.sources)

    def reading(self, passages: PassageSource) -> Inquiry:
        """The same, with other passages to read."""
        sources = tuple(passages if s is self.passages else s for s in self.sources)
        return replace(self, passages=passages, sources=sources)
