"""A graph by itself, asked: walks over it are then the only source."""

from __future__ import annotations

from datetime import UTC, datetime

from goalmem.engine.budget import Budget
from goalmem.engine.search import prove
from goalmem.engine.step import Source
from goalmem.graph.reasoner import GraphAnswers, GraphReasoner
from goalmem.graph.walk_reading import Links
from goalmem.proof.build import build_proof
from goalmem.proof.document import Proof
from goalmem.questions.asked import walk_goal
from goalmem.sources.graph.walks import IMPORTED, WalkSource

__all__ = ["prove_answers", "prove_walks"]


def prove_answers(
    reasoner: GraphReasoner, found: GraphAnswers, *, links: Links | None = None, at: datetime | None = None
) -> Proof:
    """The proof of what a question's best walk answers, to be checked with `graph.record.check_graph_proof`.

    Its status is unknown where no walk answers, or the judge or the critic does not stand by it. `links`: finds topics that the
    question does not spell as the graph does.
    """
    question = found.tree.query.question
    return prove_walks(WalkSource(reasoner, lambda _: (), links=links, searched={question: found}), question, at=at)


def prove_walks(source: Source, question: str, *, at: datetime | None = None) -> Proof:
    """The proof of all that a question leads to by a source of walks."""
    goal = walk_goal(question, IMPORTED)
    outcome = prove(goal, [source], Budget())
    return build_proof(outcome, goal, question=question, space="", asked_at=at or datetime.now(UTC))
