"""What a memory returns, as plain data for JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any

from goalmem.answer import Answer, Receipt, WhyNot
from goalmem.proof.check import Verification
from goalmem.records import Fact, HistoryEntry, Hit, Turn
from goalmem.rules.report import RuleReport
from goalmem.rules.stored import Sentence

__all__ = [
    "answer_row",
    "encoded",
    "entry_row",
    "fact_row",
    "hit_row",
    "receipt_row",
    "report_row",
    "rule_row",
    "turn_row",
    "verification_row",
    "why_not_row",
]

Row = dict[str, Any]


def encoded(value: object) -> bytes:
    """One JSON document, UTF-8. What is no JSON by itself (times, dataclasses, models) is made it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_plain)
    # A lone surrogate has no UTF-8 form; escaped it is still the same JSON.
    return text.encode("utf-8", "backslashreplace")


def turn_row(turn: Turn) -> Row:
    """A turn; its space is the one that was asked for."""
    return _fields(turn, leave={"space"})


def fact_row(fact: Fact) -> Row:
    """A fact, with who and what it is about."""
    return _fields(fact, leave={"space"}) | {"subject": fact.subject, "object": fact.object}


def hit_row(hit: Hit) -> Row:
    """A turn found, and why."""
    return {"turn": turn_row(hit.turn), "score": float(hit.score), "signals": _floats(hit.signals)}


def entry_row(entry: HistoryEntry) -> Row:
    """A statement, and what replaced it."""
    return {"fact": fact_row(entry.fact), "superseded_by": entry.superseded_by}


def receipt_row(receipt: Receipt) -> Row:
    """What was stored."""
    return _fields(receipt)


def answer_row(answer: Answer) -> Row:
    """An answer with its proof as `Proof.to_json` writes it."""
    row = _fields(answer, leave={"proof", "missing"})
    missing = [m.model_dump(mode="json") for m in answer.missing]
    return row | {"missing": missing, "proof": answer.proof.model_dump(mode="json", exclude_defaults=True)}


def why_not_row(why: WhyNot) -> Row:
    """What a question lacked, with the answer."""
    return {**why.to_dict(), "answer": answer_row(why.answer)}


def verification_row(verification: Verification) -> Row:
    """Every check; `path` is where in the proof's document."""
    checks = [{"path": c.node, "name": c.name, "ok": c.ok, "detail": c.detail} for c in verification.checks]
    return {"ok": verification.ok, "checks": checks}


def rule_row(sentence: Sentence) -> Row:
    """A sentence that states rules, and what it was read as."""
    return {
        "id": sentence.id,
        "text": sentence.text,
        "logic": list(sentence.logic),
        "world": sentence.world,
        "reader": sentence.reader,
    }


def report_row(report: RuleReport) -> Row:
    """What became of a rule text."""
    return {
        "ids": list(report.ids),
        "new": report.new,
        "unread": [{"text": u.text, "start": u.start, "end": u.end, "reason": u.reason} for u in report.unread],
        "contradictions": list(report.contradictions),
        "world": report.world,
    }


def _floats(values: Mapping[str, float]) -> dict[str, float]:
    return {name: float(value) for name, value in values.items()}


def _fields(value: Any, leave: Iterable[str] = ()) -> Row:
    left = set(leave)
    return {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.name not in left}


def _plain(value: Any) -> Any:
    """What `json` cannot write by itself."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence | set | frozenset):
        return list(value)
    return str(value)
