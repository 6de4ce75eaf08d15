"""From a question to an answer over a theory alone, with a proof that was checked."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from goalmem.answer import UNKNOWN, Answer
from goalmem.engine.budget import Spent
from goalmem.engine.outcome import Closed, Outcome, Solution
from goalmem.errors import RuleError
from goalmem.logic.terms import Substitution, Variable
from goalmem.proof.build import build_proof
from goalmem.proof.check import Verification, verify
from goalmem.proof.document import Proof
from goalmem.rules.compiled import folded, ground
from goalmem.rules.record import goal_of
from goalmem.rules.terms import Literal

if TYPE_CHECKING:
    from goalmem.rules.theory import Theory

__all__ = ["answer", "check", "prove_statement", "unspoken"]


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
    return Answer(
        question=question,
        text=proof.answer or UNKNOWN,
        status=proof.status,
        values=tuple(v.text for v in proof.values),
        confidence=proof.confidence,
        proof=proof,
        citations=tuple(dict.fromkeys(e.turn for e in proof.evidence())),
        missing=proof.missing,
        seconds=time.perf_counter() - began,
    )


def prove_statement(theory: Theory, literal: Literal, question: str, at: datetime, space: str = "") -> Proof:
    """The checked proof of what a theory says of a statement; a theory by itself belongs to no space."""
    goal = goal_of(question, literal)
    outcome = _listed(theory, literal) if goal.atoms[0].variables else _decided(theory, literal)
    reason = None if outcome.solutions else _nothing(theory, literal)
    proof = build_proof(outcome, goal, question=question, space=space, asked_at=at, abstain_reason=reason)
    if check(theory, proof).ok:
        return proof
    return proof.withheld()


def unspoken(literal: Literal, question: str, at: datetime, space: str) -> Proof:
    """The proof that nothing is known of a statement of which no rule speaks."""
    outcome = Outcome("unknown", (), (), Spent(), exhausted=False)
    reason = "No rule speaks of it, and nothing else is remembered."
    goal = goal_of(question, literal)
    return build_proof(outcome, goal, question=question, space=space, asked_at=at, abstain_reason=reason)


def check(theory: Theory, proof: Proof) -> Verification:
    """Check a proof about a theory alone, without what made it."""
    record = theory.record
    return verify(proof, evidence=record, entails=record, closed=record, isa=record, reader=record)


def _decided(theory: Theory, literal: Literal) -> Outcome:
    verdict, telling = theory.decide(literal), theory.telling
    named = {folded(str(t)): str(t) for t in literal.terms}
    steps = []
    if verdict.derivation is not None:
        opposed = verdict.derivation.statement != ground(literal)
        steps.append(telling.step(verdict.derivation, negated=opposed, named=named))
    elif verdict.status != "unknown":
        steps.append(telling.failing(ground(literal), negated=not literal.negated, named=named))
    if verdict.against is not None:
        steps.append(telling.step(verdict.against, negated=True, named=named))
    solutions = tuple(Solution(Substitution(), (Closed(literal.atom, s),), 1.0, s.negated) for s in steps)
    return Outcome(verdict.status, solutions, (), Spent(), exhausted=False, conflict=verdict.conflict)


def _listed(theory: Theory, literal: Literal) -> Outcome:
    solutions = []
    for said, derivation in theory.find(literal):
        pairs = zip(literal.terms, said.terms, strict=True)
        stands = {v: folded(str(s)) for v, s in pairs if isinstance(v, Variable)}
        bindings = [theory.telling.binding(v, c) for v, c in stands.items()]
        step = theory.telling.step(derivation, bindings=bindings)
        solutions.append(Solution(Substitution(tuple(bindings)), (Closed(literal.atom, step),), 1.0))
    return Outcome("proved" if solutions else "unknown", tuple(solutions), (), Spent(), exhausted=False)


def _nothing(theory: Theory, literal: Literal) -> str:
    if literal.ground:
        return "Neither it nor its opposite is stated or follows from what is."
    return "Nothing that the rules name is so." if theory.closed else "Of nothing that the rules name is it known."
