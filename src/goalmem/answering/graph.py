"""Answer a question from a graph alone, by walks."""

from __future__ import annotations

from datetime import UTC, datetime

from goalmem.engine.budget import Budget
from goalmem.engine.search import prove
from goalmem.engine.step import Source
from goalmem.graph.reasoner import GraphAnswers, GraphReasoner
from goalmem.graph.walk_reading import Links
from goalmem.proof.build import build_proof
from goalmem.proof.document import Proof
from goalmem.questions.whole_question import walk_goal
from goalmem.sources.graph.walks import IMPORTED, WalkSource

__all__ = ["prove_answers", "prove_walks"]


def prove_answers(
    reasoner: GraphReasoner, found: GraphAnswers, *, links: Links | None = None, at: datetime | None = None
) -> Proof:
    """Prove what a question's best walk answers. Check the proof with `graph.record.check_graph_proof`.

    The status is unknown if no walk answers, or if the judge or the critic rejects it. `links` finds topics that the question spells
    differently from the graph.
    """
    question = found.tree.query.question
    return prove_walks(WalkSource(reasoner, lambda _: (), links=links, searched={question: found}), question, at=at)


def prove_walks(source: Source, question: str, *, at: datetime | None = None) -> Proof:
    """Prove everything that a question leads to in a source of walks."""
    goal = walk_goal(question, IMPORTED)
    outcome = prove(goal, [source], Budget())
    return build_proof(outcome, goal, question=question, space="", asked_at=at or datetime.now(UTC))
