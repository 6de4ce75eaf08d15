"""What `Memory` gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from goalmem.proof.document import MissingGoal, Proof
from goalmem.records import HistoryEntry, Turn

if TYPE_CHECKING:
    from rich.tree import Tree

    from goalmem.models.chat import Usage

__all__ = ["UNKNOWN", "Answer", "Estimate", "HistoryEntry", "Page", "Receipt", "WhyNot", "answer_of"]

UNKNOWN = "I don't know"
"""The text of every answer that could not be proved."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What `add` stored. By the time it is returned, the turns are on disk."""

    session: str
    turns: tuple[str, ...]
    """The turn id of every message of the call, known before or new, in order."""
    new: int
    """How many of them were new."""
    repaired: tuple[str, ...] = ()
    """Turns in which characters that cannot be stored (NUL, lone surrogates) became U+FFFD."""
    unanalysed: tuple[str, ...] = ()
    """New turns of which some words are over the budget of analysis: stored and found by search, but no facts were read from them."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some turns of a list."""

    items: list[Turn]
    next: str | None
    """The cursor of the page behind; None where the list ends."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its proof, or "I don't know" with what is missing."""

    question: str
    text: str
    status: str
    """`proved`; `likely`, as often right as the confidence says; `disproved` (a yes/no question whose opposite is proved); or
    `unknown`."""
    values: tuple[str, ...]
    """The values found, one for each binding that the answer was made from."""
    confidence: float
    """In [0, 1]: the product of the proof's scores; where words were read out of a passage, the share of such answers that
    are right (docs/reasoning.md, Confidence)."""
    proof: Proof
    citations: tuple[str, ...]
    """Ids of the turns that the proof rests on."""
    missing: tuple[MissingGoal, ...]
    seconds: float
    full: str = ""
    """The answer as a sentence, where a chat model worded it and all of it is grounded."""
    usage: Usage | None = None
    """What the chat model's calls cost; None where none was to be asked."""

    @property
    def known(self) -> bool:
        """False when the answer is "I don't know"; what is likely is known."""
        return self.status != "unknown"

    def tree(self) -> Tree:
        """The proof as a tree for `rich.print`."""
        from goalmem.proof.render import tree

        return tree(self.proof)

    @property
    def strategy(self) -> str:
        """How it was decided (EVR): `proof`, `inverse proof` (of the opposite) or `fail to prove` (either)."""
        from goalmem.rules.record import strategy_of

        return strategy_of(self.proof).value

    def monologue(self) -> str:
        """The proof told one sentence a step, as EVR's internal monologue."""
        from goalmem.rules.monologue import monologue

        return monologue(self.proof)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a question may cost with a chat model, worked out without asking it anything."""

    calls: int
    """Of a question that one refinement solves."""
    tokens: int
    """Of prompts and replies of these, with as much evidence as a call shows."""
    most_calls: int
    """More are never made (`ask_calls`)."""
    most_tokens: int
    """No call is begun that may exceed it (`ask_tokens`)."""
    money: float | None
    """Of `tokens`; None when no price is set."""
    most_money: float | None


@dataclass(frozen=True, slots=True)
class WhyNot:
    """What a question lacked: for each unresolved goal the stage that failed, and the nearest facts."""

    question: str
    stage: str
    """`answered`, `never-said`, `not-asserted`, `superseded`, `denied`, `judged-not-said`, `not-unified`, `conflict` or `over-budget`."""
    missing: tuple[MissingGoal, ...]
    answer: Answer

    def tree(self) -> Tree:
        """The stages as a tree for `rich.print`."""
        from goalmem.proof.render import why_not_tree

        return why_not_tree(self.question, self.stage, self.missing)

    def to_dict(self) -> Mapping[str, Any]:
        """Plain data for JSON."""
        return {
            "question": self.question,
            "stage": self.stage,
            "missing": [m.model_dump(mode="json") for m in self.missing],
        }


def answer_of(proof: Proof, seconds: float, short: str = "", full: str = "", usage: Usage | None = None) -> Answer:
    """A proof as an answer, in the words of a chat model where it has any (`short`, `full`)."""
    from goalmem.proof.calibration import calibrated, kind_of

    known = proof.status != "unknown"
    return Answer(
        question=proof.question,
        text=(short or proof.answer) if known else UNKNOWN,
        status=proof.status,
        values=tuple(v.text for v in proof.values),
        confidence=round(calibrated(proof.confidence, kind_of(proof)), 4) if known else 0.0,
        proof=proof,
        citations=tuple(dict.fromkeys(e.turn for e in proof.evidence())) if known else (),
        missing=proof.missing,
        seconds=seconds,
        full=full if known else "",
        usage=usage,
    )
