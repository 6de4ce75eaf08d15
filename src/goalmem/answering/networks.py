"""Answer questions over the rules of a space with trained networks (EVR), either checked against the rules or trusted.

Checked (the veto), an answer is withheld unless the exact solver confirms its proof; it is then like any other. Trusted, an answer is
`likely` at most: nothing derives it, and its proof says so. In both modes the answer keeps the networks' transcript.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from goalmem.answer import Answer
from goalmem.answering.pipeline import AnswerPipeline
from goalmem.engine.events import Listener
from goalmem.proof.document import NOT_HELD, Proof
from goalmem.rules.evr.checked import CheckedTheory
from goalmem.rules.evr.reasoner import Reasoner
from goalmem.rules.evr.unchecked import Monologue
from goalmem.rules.monologue import Thought

BELIEVED = "Networks say so, and nothing that was checked proves it."
SILENT = "Networks came to no end, or were asked for something else than whether a statement holds."
TRUST = 0.75
"""Confidence of an answer that trusts the networks. Briefly trained ones answered .75 of RuleTaker's questions correctly, those of goalmem-lab
.95 (docs/rules.md); other rules were not measured, so the lower share counts."""


@dataclass(frozen=True)
class NetworkAnswer:
    """The networks' answer to a question."""

    proof: Proof
    transcript: tuple[Thought, ...]
    believed: bool | None = None
    """Their answer, if it is trusted."""

    def answer(self, answer: Answer) -> Answer:
        """Add the networks' transcript to the answer of the proof."""
        told = replace(answer, transcript=self.transcript)
        if self.believed is None:
            return told
        return replace(told, text="Yes" if self.believed else "No", status="likely", confidence=TRUST)


def network_answer(
    pipeline: AnswerPipeline,
    reasoner: Reasoner,
    question: str,
    *,
    space: str,
    at: datetime,
    listener: Listener,
    asker: str,
) -> NetworkAnswer:
    """Answer a question with networks. If no rules apply, it is answered without them.

    Raises RuleError if the rules describe an open world.
    """
    rules = pipeline.rules(space)
    if rules is None:
        return NetworkAnswer(pipeline.proof(question, space=space, at=at, listener=listener, asker=asker), ())
    decided = CheckedTheory.over(rules.theory, reasoner)
    if not pipeline.settings.evr_veto:
        return _believed(pipeline, Monologue(decided, reasoner), question, space=space, at=at, asker=asker)
    proof = pipeline.with_rules(decided).proof(question, space=space, at=at, listener=listener, asker=asker)
    if proof.status != "unknown" and not pipeline.check(proof, space=space).ok:
        proof = proof.withheld(NOT_HELD)
    return NetworkAnswer(proof, decided.thinking.transcript())


def _believed(
    pipeline: AnswerPipeline, monologue: Monologue, question: str, *, space: str, at: datetime, asker: str
) -> NetworkAnswer:
    """Ask the networks if a statement holds. The proof proves nothing, and says why."""
    statement = monologue.theory.statement(question)
    finding = monologue.judge(statement) if statement is not None and statement.ground else None
    holds = finding.holds if finding is not None else None
    proof = pipeline.proof(question, space=space, at=at, asker=asker).withheld(SILENT if holds is None else BELIEVED)
    said = monologue.transcript(statement) if finding is not None and statement is not None else ()
    return NetworkAnswer(proof, said, holds)
