"""One question: its readings, the sources that answer it, and the search that verification repeats."""

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
from goalmem.proof.document import Proof
from goalmem.proof.node_check import Oracles
from goalmem.proof.oracles import FoundSolution
from goalmem.proof.status import PASSAGES
from goalmem.sources.background import BackgroundSource
from goalmem.sources.facts.source import MemorySource
from goalmem.sources.passages.source import PassageSource
from goalmem.sources.ranking import GoalRanking


@dataclass(frozen=True)
class QuestionInquiry:
    """A question, and the sources that answer it."""

    question: str
    goals: tuple[Goal, ...]
    """Its readings, tried in order; at least one."""
    sources: tuple[Source, ...]
    """The sources of steps."""
    memory: MemorySource
    background: BackgroundSource
    passages: PassageSource | None
    ranking: GoalRanking
    checker: Oracles
    has_turns: bool = False
    """True if the space contains turns."""
    rule_goal: Goal | None = None
    """What the question states about things that the rules mention; None if it states nothing of the kind."""

    @property
    def alone(self) -> bool:
        """True if rules are the only source."""
        return all(source.closed for source in self.sources)

    def reading(self, passages: PassageSource) -> QuestionInquiry:
        """The same question with another source of passages."""
        sources = tuple(passages if s is self.passages else s for s in self.sources)
        return replace(self, passages=passages, sources=sources)


@dataclass(frozen=True)
class SearchAgain:
    """Searches again for the solutions of a question's proof."""

    inquiry: QuestionInquiry
    depth: int
    breadth: int

    def solutions(self, proof: Proof) -> Sequence[FoundSolution] | None:
        """Return all solutions of the proof's goal; None if the goal is not one of this question's, or if a chat model or a walk had a part
        in it.

        The search is limited by steps, not by time, so that the result does not depend on how busy the machine is.
        """
        claimed = proof.goal.goal(proof.question)
        offered = next((g for g in self.inquiry.goals if claimed in _readings(g)), None)
        if offered is None or rests_on_chat(proof):
            return None
        budget = Budget(depth=self.depth, breadth=self.breadth)
        outcome = resolve_conflict(offered, prove(offered, self.inquiry.sources, budget))
        joint = outcome.joint if outcome.joint > 1 else 0
        return [replace(found_solution(s), joint=n < joint) for n, s in enumerate(outcome.solutions)]


def rests_on_chat(proof: Proof) -> bool:
    """True if a chat model had a part in a proof. It would not answer the same again, so its proofs are on record as a whole."""
    tops = (proof.root, *proof.alternatives)
    return bool(proof.judge) or any(n.judge for top in tops if top is not None for _, n in top.walk())


def found_solution(solution: Solution) -> FoundSolution:
    """Return a solution in the form in which solutions are compared."""
    read = any(c.step is not None and c.step.source == PASSAGES for node in solution.nodes for c in node.walk())
    return FoundSolution(dict(solution.substitution), solution.score, solution.against, read)


def _readings(goal: Goal) -> tuple[Goal, Goal]:
    """A goal in canonical form, as a proof holds it; and the same as a list, if it asks for one value."""
    held = replace(goal, atoms=tuple(map(canonical, goal.atoms)))
    return held, replace(held, aggregate=Aggregate.LIST) if held.aggregate is Aggregate.ONE else held
