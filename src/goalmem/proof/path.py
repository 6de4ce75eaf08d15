"""The one path from a goal to a checked proof: prove, build, check, policy. All questions take it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from goalmem.engine.budget import Budget
from goalmem.engine.events import Event, Listener, silent
from goalmem.engine.outcome import SearchOutcome
from goalmem.engine.search import prove
from goalmem.engine.step import Source
from goalmem.logic.syntax import format_atom
from goalmem.logic.terms import Goal
from goalmem.proof.build import build_proof
from goalmem.proof.check import verified_by
from goalmem.proof.document import NOT_HELD, Claim, Proof
from goalmem.proof.node_check import Oracles
from goalmem.proof.oracles import QuestionReader


class Policy(Protocol):
    """Decides what becomes of an outcome before a proof is built of it."""

    def resolve_conflict(self, goal: Goal, outcome: SearchOutcome) -> SearchOutcome:
        """The outcome with its conflicts resolved as far as possible."""
        ...

    def withholding_reason(self, goal: Goal, outcome: SearchOutcome) -> str | None:
        """Why the answer should be withheld; None if it should not."""
        ...


class UnchangedOutcome:
    """The policy of rules alone: it takes an outcome as it is."""

    def resolve_conflict(self, _goal: Goal, outcome: SearchOutcome, /) -> SearchOutcome:
        """Return the outcome."""
        return outcome

    def withholding_reason(self, _goal: Goal, _outcome: SearchOutcome, /) -> str | None:
        """Return None."""
        return None


PLAIN = UnchangedOutcome()


@dataclass(frozen=True)
class ProofPath:
    """What all goals of one question share on the way to a proof."""

    question: str
    space: str
    at: datetime
    checker: Oracles
    """Checks the proofs before they are returned."""
    policy: Policy = PLAIN
    """Decides what becomes of an outcome."""
    keep: Callable[[Proof], None] = lambda _: None
    """Records what a chat model judged in a proof, before the proof is checked."""
    listener: Listener = silent
    reader: QuestionReader | None = None
    """Says which goals the question has, if the checker cannot read it."""
    as_of: bool = False
    """True if something was said after the day of `at`."""
    unread: Goal | None = None
    """The goal which says that the question is not understood. Used if no other proof of the question holds."""

    def proved(self, goal: Goal, sources: Sequence[Source], budget: Budget, *, judge: str = "") -> Proof:
        """Search for a goal and return its proof. `judge` is the chat model that read the question as the goal."""
        return self.proof(goal, self.outcome(goal, sources, budget), judge=judge)

    def outcome(self, goal: Goal, sources: Sequence[Source], budget: Budget) -> SearchOutcome:
        """Search for a goal."""
        self.listener(goal_event(goal))
        return self.policy.resolve_conflict(goal, prove(goal, sources, budget, listener=self.listener))

    def proof(self, goal: Goal, outcome: SearchOutcome, *, judge: str = "", reason: str | None = None) -> Proof:
        """Return the proof of an outcome; an answer that fails its check is withheld. With `reason`, the answer is withheld for that
        reason.

        The returned proof always holds: if not even its goal does, the question counts as not understood.
        """
        reason = reason or self.policy.withholding_reason(goal, outcome)
        for why in (reason, reason or NOT_HELD):
            proof = build_proof(
                outcome,
                goal,
                question=self.question,
                space=self.space,
                asked_at=self.at,
                abstain_reason=why,
                judge=judge,
                as_of=self.as_of,
            )
            self.keep(proof)
            if verified_by(proof, self.checker, reader=self.reader).ok:
                return proof
        withheld = proof.withheld(reason or NOT_HELD)
        if self.unread is None or verified_by(withheld, self.checker, reader=self.reader).ok:
            return withheld
        return proof.model_copy(update={"goal": Claim.of(self.unread), "judge": ""}).withheld(reason or NOT_HELD)


def goal_event(goal: Goal) -> Event:
    """The event for a goal that is about to be proved."""
    atoms = tuple(map(format_atom, goal.atoms))
    answer = str(goal.answer) if goal.answer is not None else None
    return Event("goal", " & ".join(atoms), {"atoms": atoms, "answer": answer, "aggregate": goal.aggregate.value})
