"""One question asked, and what came of it as a row of a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from goalmem.answer import Answer
from goalmem.engine.events import Event
from goalmem.errors import NotFoundError
from goalmem.logic.syntax import format_atom
from goalmem.proof.document import Node, Proof
from goalmem.proof.status import kind_of
from goalmem_lab.evals.full_context import Whole
from goalmem_lab.evals.memories import Filled
from goalmem_lab.evals.token_f1 import tokens
from goalmem_lab.evals.ways import Way

FOUND = 20
"""Turns that are noted as found: the budget that retrieval is measured with."""
REFINING = frozenset({"refinement", "rule"})
"""Nodes that open a level below."""
REPLIES = ("replies", "rejected", "dropped")
"""What is counted of a chat model's replies."""

Score = Callable[[str], float]
"""Token F1 of what was said."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A benchmark's question."""

    benchmark: str
    id: str
    category: str
    text: str
    gold: str
    answerable: bool
    evidence: tuple[str, ...]
    """Names of the turns (LoCoMo) or sessions (LongMemEval) that it takes."""
    at: datetime | None = None
    evidence_text: str = ""
    """What the evidence says, where the benchmark names turns."""
    asker: str = ""
    """Whom `I` means; empty where the benchmark does not say."""


@dataclass(slots=True)
class Watch:
    """Listens to what a chat model replies while a question is reasoned about."""

    replies: dict[str, dict[str, int]] = field(default_factory=dict)
    """Of a chat model, by the call's task: replies, those that no check accepted, and calls without an accepted reply."""

    def __call__(self, event: Event) -> None:
        """Record the event if it is a chat model's reply."""
        if event.kind == "model" and "task" in event.data:
            counts = self.replies.setdefault(str(event.data["task"]), dict.fromkeys(REPLIES, 0))
            counts["replies"] += "finish" in event.data
            counts["rejected"] += "rejected" in event.data
            counts["dropped"] += "error" in event.data or event.data.get("again") is False


def row_of(
    filled: Filled, asked: Asked, way: Way, goals: bool, score: Score, *, by_session: bool = False
) -> dict[str, Any]:
    """Ask a question one way, and check the proof. `by_session`: evidence is named by sessions."""
    memory, watch = filled.memory, Watch()
    speaker = asked.asker or None
    answer = memory.ask(asked.text, at=asked.at, goals=goals, on_event=watch, reasoner=way.reasoner, speaker=speaker)
    hits = (
        memory.recall(asked.text, at=asked.at, k=FOUND, goals=goals, reasoner=way.reasoner, speaker=speaker)
        if asked.evidence
        else []
    )
    bound = _named(filled, [e.turn for e in answer.proof.evidence()], by_session=by_session)
    return {
        **_about(asked, goals),
        **_said(_listed(answer), answer.known, asked, score),
        "confidence": round(answer.confidence, 4),
        "raw": round(support_of(answer.proof), 4),
        "kind": kind_of(answer.proof),
        **_goal(answer.proof),
        "cited": bound if answer.known else [],
        "bound": bound,
        "found": _named(filled, [hit.turn.id for hit in hits], by_session=by_session),
        "verified": memory.verify(answer.proof).ok,
        "stage": answer.missing[0].stage if answer.missing else "",
        "reason": answer.missing[0].reason if answer.missing else "",
        "depth": depth_of(answer.proof),
        "breadth": int(answer.proof.spent.get("breadth", 0)),
        "replies": watch.replies,
        **_cost(answer),
        "proof": json.loads(answer.proof.to_json()),
    }


def _listed(answer: Answer) -> str:
    """The answer's text; of several things with commas alone between them, as the benchmarks' own lists are."""
    return ", ".join(answer.values) if answer.known and len(answer.values) > 1 else answer.text


def row_of_whole(read: Whole, lines: Sequence[str], asked: Asked, score: Score) -> dict[str, Any]:
    """Ask a reader that is given everything. There is no proof, and nothing to verify."""
    taken = read(asked.text, lines, asked.at)
    return {
        **_about(asked, False),
        **_said(taken.text, taken.known, asked, score),
        "confidence": round(taken.confidence, 4),
        "raw": round(taken.confidence, 4),
        "kind": "full-context",
        **dict.fromkeys(("goal", "asked_for", "aggregate", "stage", "reason"), ""),
        "cited": [],
        "bound": [],
        "found": [],
        "verified": None,
        "depth": 0,
        "breadth": 0,
        "seconds": round(taken.seconds, 5),
        "calls": taken.calls,
        "cached": 0,
        "tokens": taken.tokens,
        "money": 0.0,
        "proof": None,
    }


def _named(filled: Filled, turns: Sequence[str], *, by_session: bool) -> list[str]:
    """What the benchmark calls some turns, each once; another memory system's own passages keep their ids."""
    names = []
    for name in turns:
        turn = filled.turns.get(name)
        if turn is None:
            try:
                turn = filled.memory.turn(name)
            except NotFoundError:
                names.append(name)
                continue
        names.append(turn.session if by_session else turn.external_id or turn.id)
    return list(dict.fromkeys(names))


def _about(asked: Asked, goals: bool) -> dict[str, Any]:
    said, gold = set(tokens(asked.evidence_text)), tokens(asked.gold)
    return {
        "benchmark": asked.benchmark,
        "id": asked.id,
        "category": asked.category,
        "question": asked.text,
        "gold": asked.gold,
        "answerable": asked.answerable,
        "evidence": list(asked.evidence),
        "gold_said": round(sum(t in said for t in gold) / len(gold), 4) if gold and said else None,
        "goals": goals,
    }


def _said(text: str, known: bool, asked: Asked, score: Score) -> dict[str, Any]:
    """The answer and its score: token F1; 1 for leaving open what cannot be answered, 0 for leaving open what can."""
    f1 = score(text) if known and asked.answerable else 0.0
    return {
        "answer": text,
        "known": known,
        "f1": round(f1, 4),
        "score": round(f1, 4) if asked.answerable else float(not known),
    }


def _goal(proof: Proof) -> dict[str, Any]:
    goal = proof.goal
    return {
        "goal": " & ".join(map(format_atom, goal.atoms)),
        "asked_for": str(goal.answer) if goal.answer is not None else "",
        "aggregate": goal.aggregate.value,
    }


def _cost(answer: Answer) -> dict[str, Any]:
    usage = answer.usage
    return {
        "seconds": round(answer.seconds, 5),
        "calls": usage.calls if usage else 0,
        "cached": usage.cached if usage else 0,
        "tokens": usage.tokens if usage else 0,
        "money": (usage.money or 0.0) if usage else 0.0,
    }


def support_of(proof: Proof) -> float:
    """The score of the best proof that was found, whether or not its answer was withheld; 0 without any."""
    return proof.confidence or max((node.score for node in proof.alternatives), default=0.0)


def depth_of(proof: Proof) -> int:
    """Levels of refinements and rules in a proof, or as far as it came."""

    def below(node: Node) -> int:
        return max(map(below, node.children), default=0) + (node.kind in REFINING)

    return below(proof.root) if proof.root is not None else 0
