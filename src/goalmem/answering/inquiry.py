"""One question, with its readings and with what it is asked of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from goalmem.answering.policy import resolve_conflict
from goalmem.engine.budget import Budget
from goalmem.engine.outcome import Solution
from goalmem.engine.search import prove
from goalmem.engine.step import Source
from goalmem.logic.syntax import canonical
from goalmem.logic.terms import Aggregate, Goal
from goalmem.proof.calibration import PASSAGES
from goalmem.proof.document import Proof
from goalmem.proof.node_check import Oracles
from goalmem.proof.oracles import FoundSolution
from goalmem.sources.background import BackgroundSource
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.passages.source import PassageSource
from goalmem.sources.ranking import GoalRanking


@dataclass(frozen=True)
class QuestionInquiry:
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

    def reading(self, passages: PassageSource) -> QuestionInquiry:
        """The same, with other passages to read."""
        sources = tuple(passages if s is self.passages else s for s in self.sources)
        return replace(self, passages=passages, sources=sources)


@dataclass(frozen=True)
class SearchAgain:
    """Finds the solutions of one question's proofs again."""

    inquiry: QuestionInquiry
    depth: int
    breadth: int

    def solutions(self, proof: Proof) -> Sequence[FoundSolution] | None:
        """What proves the proof's goal; None for one that is none of the question's, as a chat model's and a graph's walk.

        Limited by steps and not by time: what is found does not depend on how busy the machine is.
        """
        claimed = proof.goal.goal(proof.question)
        offered = next((g for g in self.inquiry.goals if claimed in _readings(g)), None)
        if offered is None or rests_on_chat(proof):
            return None
        budget = Budget(depth=self.depth, breadth=self.breadth)
        outcome = resolve_conflict(offered, prove(offered, self.inquiry.sources, budget))
        return [found_solution(s) for s in outcome.solutions]


def rests_on_chat(proof: Proof) -> bool:
    """Whether a chat model, which would not say the same again, had a part in a proof: that is on record as a whole."""
    tops = (proof.root, *proof.alternatives)
    return bool(proof.judge) or any(n.judge for top in tops if top is not None for _, n in top.walk())


def found_solution(solution: Solution) -> FoundSolution:
    """A solution as it is compared."""
    read = any(c.step is not None and c.step.source == PASSAGES for node in solution.nodes for c in node.walk())
    return FoundSolution(dict(solution.substitution), solution.score, solution.against, read)


def _readings(goal: Goal) -> tuple[Goal, Goal]:
    """A goal as a proof holds it: with its atoms in canonical form, and perhaps with all that answer it listed."""
    held = replace(goal, atoms=tuple(map(canonical, goal.atoms)))
    return held, replace(held, aggregate=Aggregate.LIST) if held.aggregate is Aggregate.ONE else held
