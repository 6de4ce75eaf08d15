"""A theory by itself, asked: its rules are then the only source, and all that there is to know."""

from __future__ import annotations

import math
import time
from datetime import UTC, datetime

from goalmem.answer import Answer, answer_of
from goalmem.answering.path import Path
from goalmem.engine.budget import Budget
from goalmem.errors import RuleError
from goalmem.proof.document import Proof
from goalmem.rules.record import goal_of
from goalmem.rules.terms import Literal
from goalmem.rules.theory import Theory
from goalmem.sources.rules import RuleSource

__all__ = ["answer", "prove_statement"]


def answer(theory: Theory, question: str, *, at: datetime | None = None) -> Answer:
    """The answer to a statement or question, with its proof; what does not hold when checked is withheld.

    Raises:
        RuleError: the question is none that rules could decide.
        UnstratifiedError: the answer rests on its own denial.
    """
    began = time.perf_counter()
    literal = theory.statement(question)
    if literal is None:
        raise RuleError(
            f"“{question}” is no statement or question that rules could decide.",
            "Ask like “Bob is green.”, “Is Bob green?” or “Who is green?”.",
        )
    proof = prove_statement(theory, literal, question, at or datetime.now(UTC))
    return answer_of(proof, time.perf_counter() - began)


def prove_statement(theory: Theory, literal: Literal, question: str, at: datetime) -> Proof:
    """The checked proof of what a theory says of a statement; a theory by itself belongs to no space."""
    path = Path(question, "", at, theory.record)
    return path.proved(
        goal_of(question, literal), [RuleSource(theory, alone=True, literal=literal)], Budget(seconds=math.inf)
    )
