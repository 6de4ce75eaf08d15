"""Records as rows of plain data, whose fields are those of `models`, and rows as records."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, TypeAdapter

from goalmem.answer import Answer, WhyNot
from goalmem.engine.events import Event
from goalmem.logic.syntax import parse_rule
from goalmem.logic.terms import Atom, Variable
from goalmem.proof.check import Verification
from goalmem.proof.document import MissingGoal, Proof
from goalmem.proof.node_check import Check
from goalmem.records import Fact, HistoryEntry, Hit, Profile, Turn
from goalmem.schema import models

if TYPE_CHECKING:
    from goalmem.rules.stored import RuleReport, Sentence
    from goalmem.rules.terms import Clause, Literal


T = TypeVar("T")
Row = dict[str, Any]

UNREADABLE = (ValueError, TypeError, KeyError, AttributeError)
"""What reading raises of what is not as it should be; pydantic's ValidationError and ProofFormatError are ValueErrors."""


def encoded(value: object, *, indent: int | None = None) -> bytes:
    """One JSON document, UTF-8. What is not valid JSON by itself (times, dataclasses, models) is made it."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators, default=plain)
    # A lone surrogate has no UTF-8 form; escaped it is still the same JSON.
    return text.encode("utf-8", "backslashreplace")


def plain(value: Any) -> Any:
    """What `json` cannot write by itself."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence | set | frozenset):
        return list(value)
    return str(value)


# -- written -----------------------------------------------------------------------------------------------------


def row(model: type[BaseModel], value: object) -> Row:
    """A record as the fields of its model."""
    return {name: getattr(value, name) for name in model.model_fields}


def hit_row(hit: Hit) -> Row:
    """A turn found, and why."""
    signals = {name: float(value) for name, value in hit.signals.items()}
    return {"turn": row(models.Turn, hit.turn), "score": float(hit.score), "signals": signals}


def entry_row(entry: HistoryEntry) -> Row:
    """A statement, and what replaced it."""
    return {"fact": row(models.Fact, entry.fact), "superseded_by": entry.superseded_by}


def profile_row(profile: Profile) -> Row:
    """What is known of somebody."""
    return row(models.Profile, profile) | {"statements": [row(models.ProfileStatement, s) for s in profile.statements]}


def session_row(session: tuple[str, datetime, int]) -> Row:
    """A conversation."""
    return dict(zip(models.Session.model_fields, session, strict=True))


def answer_row(answer: Answer) -> Row:
    """An answer with its proof as `Proof.to_json` writes it."""
    proof = answer.proof.model_dump(mode="json", exclude_defaults=True)
    missing = [goal.model_dump(mode="json") for goal in answer.missing]
    return row(models.Answer, answer) | {"missing": missing, "proof": proof}


def why_not_row(why: WhyNot) -> Row:
    """What a question lacked, with the answer."""
    return {**why.to_dict(), "answer": answer_row(why.answer)}


def verification_row(verification: Verification) -> Row:
    """Every check; `path` is where in the proof's document."""
    checks = [{"path": c.node, "name": c.name, "ok": c.ok, "detail": c.detail} for c in verification.checks]
    return {"ok": verification.ok, "checks": checks}


# -- read --------------------------------------------------------------------------------------------------------

_adapters: dict[object, TypeAdapter[Any]] = {}
"""Made when first needed, by what they read."""


def record(kind: type[T], row: Any, space: str = "") -> T:
    """A record of this kind from its row. `space`: of it, where it names one, which rows leave out."""
    adapter = _adapters.get(kind)
    if adapter is None:
        adapter = _adapters[kind] = TypeAdapter(kind)
    found: T = adapter.validate_python({"space": space, **row} if isinstance(row, Mapping) else row)
    return found


def hit(row: Mapping[str, Any], space: str) -> Hit:
    """A turn found, and why."""
    signals = {str(name): float(value) for name, value in row["signals"].items()}
    return Hit(record(Turn, row["turn"], space), float(row["score"]), signals)


def hits(found: Mapping[str, Any], space: str) -> list[Hit]:
    """The turns of a search."""
    return [hit(row, space) for row in found["items"]]


def history_entry(row: Mapping[str, Any], space: str) -> HistoryEntry:
    """A statement, and what replaced it."""
    return HistoryEntry(record(Fact, row["fact"], space), row["superseded_by"])


def answer(row: Mapping[str, Any], space: str = "") -> Answer:
    """An answer with its proof."""
    del space
    from goalmem.models.chat import Usage

    return Answer(
        question=str(row["question"]),
        text=str(row["text"]),
        status=str(row["status"]),
        values=tuple(map(str, row["values"])),
        confidence=float(row["confidence"]),
        proof=Proof.from_json(json.dumps(row["proof"])),
        citations=tuple(map(str, row["citations"])),
        missing=_missing(row["missing"]),
        seconds=float(row["seconds"]),
        full=str(row.get("full") or ""),
        usage=None if row.get("usage") is None else record(Usage, row["usage"]),
    )


def why_not(row: Mapping[str, Any], space: str) -> WhyNot:
    """What a question lacked."""
    return WhyNot(str(row["question"]), str(row["stage"]), _missing(row["missing"]), answer(row["answer"], space))


def verification(row: Mapping[str, Any], space: str) -> Verification:
    """Every check of a proof."""
    del space
    checks = (Check(str(c["path"]), str(c["name"]), bool(c["ok"]), str(c["detail"])) for c in row["checks"])
    return Verification(bool(row["ok"]), tuple(checks))


def event(kind: str, row: Mapping[str, Any]) -> Event:
    """Something that happened while a question was reasoned about."""
    return record(Event, {"kind": kind, "text": row["text"], "data": row["data"]})


def sentence(row: Mapping[str, Any], space: str) -> Sentence:
    """A sentence that states rules."""
    del space
    from goalmem.rules.stored import Sentence

    read = tuple(_clause(logic, row["text"]) for logic in row["logic"])
    return Sentence(row["id"], row["text"], read, row["world"], row["reader"])


def report(row: Mapping[str, Any], space: str) -> RuleReport:
    """What became of a rule text."""
    del space
    from goalmem.rules.stored import RuleReport
    from goalmem.rules.terms import Unread

    return RuleReport(
        ids=tuple(map(str, row["ids"])),
        new=int(row["new"]),
        clauses=(),
        unread=tuple(record(Unread, u) for u in row["unread"]),
        contradictions=tuple(map(str, row["contradictions"])),
        world="open" if row["world"] == "open" else "closed",
    )


def _missing(rows: Sequence[Mapping[str, Any]]) -> tuple[MissingGoal, ...]:
    return tuple(MissingGoal.model_validate(row) for row in rows)


def _clause(logic: str, text: str) -> Clause:
    """A clause from its rule in NL-Logic, which says what varies; what a constant is, it leaves to the words."""
    from goalmem.rules.terms import Clause

    rule = parse_rule(logic)
    return Clause(_literal(rule.head), tuple(map(_literal, rule.body)), text, 0, len(text))


def _literal(atom: Atom) -> Literal:
    from goalmem.rules.terms import SLOT, Literal

    predicate = "".join(SLOT if isinstance(part, Variable) else part for part in atom.parts)
    return Literal(predicate, tuple(part for part in atom.parts if isinstance(part, Variable)), atom.negated)
