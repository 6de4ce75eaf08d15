"""The reasoner without a model: goals from the question's own syntax."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from goalmem.extract import Analyzer
from goalmem.extract.names import Disguise, Names
from goalmem.logic.terms import Aggregate, Atom, Goal
from goalmem.reasoners.decompose import goals_of
from goalmem.reasoners.question import normalise, read_question

__all__ = ["LocalReasoner"]

LONGEST_QUESTION = 2_000
"""Characters; of a longer one the end is read, where people put what they ask."""
ASKER = "user"
"""Who `I` is in a question: the speaker of messages that carry a role and no name."""


class LocalReasoner:
    """Turns questions into goals. Deterministic."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer

    def goals(self, question: str, at: datetime, names: Names) -> Sequence[Goal]:
        """Alternative goals for a question, the most decomposed first; at least one.

        A question whose form is not known becomes a goal that no memory proves and that says so.
        """
        text = question.strip()[-LONGEST_QUESTION:]
        disguise = names.disguise(text)
        read = read_question(disguise.text, lambda t: self._analyzer.docs([t])[0])
        goals = goals_of(read, asker=ASKER, anchor=at.replace(tzinfo=None)) if read is not None else []
        return [revealed(goal, question, disguise) for goal in goals] or [
            Goal(question, (Atom((normalise(text).rstrip("?"),)),), None, Aggregate.WHETHER)
        ]


def revealed(goal: Goal, question: str, disguise: Disguise) -> Goal:
    """The goal with the names that stand in the question."""
    atoms = tuple(
        Atom(tuple(disguise.reveal(p) if isinstance(p, str) else p for p in a.parts), a.negated) for a in goal.atoms
    )
    return replace(goal, question=question, atoms=atoms)


def not_understood(question: str, text: str) -> Goal:
    """The goal of a question whose form is not known."""
    words = " ".join(normalise(text).split())
    return Goal(question, (Atom((f"it is clear what “{words}” asks for",)),), None, Aggregate.WHETHER)
