"""Results of `Memory`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from goalmem.errors import InputError, ProofError, ProofFormatError, shown
from goalmem.proof.document import MissingGoal, Proof
from goalmem.records import ASKER, HistoryEntry, Turn

if TYPE_CHECKING:
    from rich.tree import Tree

    from goalmem.models.chat import Usage
    from goalmem.rules.monologue import Thought

__all__ = [
    "UNKNOWN",
    "Answer",
    "Context",
    "Estimate",
    "FileReceipt",
    "HistoryEntry",
    "Note",
    "Page",
    "Previous",
    "ReasonerChoice",
    "Receipt",
    "WhyNot",
    "answer_of",
    "proof_of",
]

CURSOR_DIGITS = 18
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

    @staticmethod
    def position(cursor: str | None) -> int:
        """The position behind which a page begins. Raises InputError for a cursor that no page gave."""
        if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) <= CURSOR_DIGITS):
            raise InputError(f"The cursor {shown(cursor)} is of no page.", "Pass `next` of a page unchanged.")
        return int(cursor or 0)

    @classmethod
    def of(cls, found: Sequence[tuple[int, Turn]], limit: int) -> Self:
        """The page of turns with their positions; with one more than `limit` there is a page behind."""
        return cls([turn for _, turn in found[:limit]], str(found[limit - 1][0]) if len(found) > limit else None)


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
    transcript: tuple[Thought, ...] = ()
    """What networks said that were asked (`reasoner="evr"`), also what led nowhere."""

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
        """What networks said where they were asked; else the proof told one sentence a step, as EVR's internal monologue."""
        from goalmem.rules.monologue import monologue, monologue_text

        return monologue_text(self.transcript) if self.transcript else monologue(self.proof)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class FileReceipt:
    """What became of a file."""

    file: str
    """What answers call it."""
    format: str
    """`text`, `markdown`, `html`, `pdf`, `email` or `mbox`."""
    sessions: tuple[str, ...]
    """What its documents are remembered as: one, or one for each e-mail of a mailbox."""
    pieces: int
    """Turns that it was cut into."""
    new: int
    """Those that were not there yet."""
    gone: tuple[str, ...] = ()
    """Turns of an earlier version of the file whose words it does not have any more; `prune` forgets them."""
    passed_over: Mapping[str, int] = field(default_factory=dict)
    """How many parts hold no text that can be read, by their type: `image/png`, `encrypted`."""
    unanalysed: int = 0
    """Pieces over the budget of analysis (`file_analysis_characters`): stored and found by their words, but no facts were read from them."""


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


@dataclass(frozen=True, slots=True)
class Note:
    """Something remembered, as a context quotes it."""

    turn: str
    """Id of the turn."""
    speaker: str
    """Who says it, and where, if it stands in a file."""
    at: datetime | None
    """When it was said; None where nobody told."""
    quote: str
    """The words, as they were said; in the block with line breaks and delimiters escaped."""
    proves: bool = False
    """True when a proof of the subgoal rests on it; else search found it."""
    meanings: tuple[tuple[str, str], ...] = ()
    """What words of the quote stand for: (`last Friday`, `3 May 2024`), (`her`, `Ilse`)."""
    replaced: tuple[str, str] | None = None
    """Words of the quote that do not hold any more, and what was said later instead."""
    focus: tuple[int, int] = (0, 0)
    """The part of `quote` that matters, where it is too long."""


@dataclass(frozen=True, slots=True)
class Context:
    """What memory has to say to an utterance."""

    utterance: str
    text: str
    """The block for a prompt; empty when not even its frame fits the limit."""
    tokens: int
    """Of the text, as it was counted; never more than the limit."""
    facts: Mapping[str, tuple[Note, ...]]
    """What the text quotes: by subgoal what proves it, the newest first, then what search found, best first."""
    missing: tuple[MissingGoal, ...]
    """What could not be proved, also where the text has no room to say so."""
    sources: tuple[str, ...]
    """Ids of the turns that the text quotes: those that prove, then those that search found, best first."""

    def __str__(self) -> str:
        return self.text


Previous: TypeAlias = Answer | str | Sequence[str]
"""The question before: its answer, which holds it; its words; or its words and those of the answer."""
ReasonerChoice: TypeAlias = Literal["local", "chat", "evr"]
"""Who proposes goals and reads facts: nobody but code, or a chat model or networks that code checks."""


def answer_of(proof: Proof, seconds: float, short: str = "", full: str = "", usage: Usage | None = None) -> Answer:
    """A proof as an answer, in the words of a chat model where it has any (`short`, `full`)."""
    known = proof.status != "unknown"
    return Answer(
        question=proof.question,
        text=(short or _to_asker(proof.answer, proof)) if known else UNKNOWN,
        status=proof.status,
        values=tuple(_to_asker(v.text, proof) for v in proof.values),
        confidence=round(proof.confidence, 4) if known else 0.0,
        proof=proof,
        citations=tuple(dict.fromkeys(e.turn for e in proof.evidence())) if known else (),
        missing=proof.missing,
        seconds=seconds,
        full=full if known else "",
        usage=usage,
    )


def _to_asker(text: str, proof: Proof) -> str:
    """An answer as it is told to the asker, whom proofs call `user` if they have no name: `user's boss` is `your boss`."""
    if proof.asker or ASKER not in text or any(ASKER in e.quote.casefold() for e in proof.evidence()):
        return text
    return re.sub(rf"\b{ASKER}(?:('s)|)\b", lambda m: "your" if m[1] else "you", text)


def proof_of(given: Proof | Answer | str | bytes) -> Proof:
    """The proof: given as such, in an answer, or as JSON. Raises ProofError if it is invalid."""
    if isinstance(given, Answer):
        return given.proof
    if isinstance(given, Proof):
        return given
    try:
        return Proof.from_json(given)
    except ProofFormatError as error:
        raise ProofError(f"The proof cannot be read: {error}", "Pass what Proof.to_json() gave.") from error
