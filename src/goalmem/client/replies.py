"""What a server sends, as the records that a memory returns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import TypeAdapter

from goalmem.answer import Answer, Estimate, Receipt, WhyNot
from goalmem.engine.events import Event
from goalmem.logic.syntax import LogicSyntaxError, parse_rule
from goalmem.logic.terms import Atom, Variable
from goalmem.proof.check import Verification
from goalmem.proof.checks import Check
from goalmem.proof.document import MissingGoal, Proof, ProofFormatError
from goalmem.records import Fact, HistoryEntry, Hit, StatedRule, Turn
from goalmem.store.protocol import Forgotten, Stats

if TYPE_CHECKING:
    from goalmem.answering.context import Context
    from goalmem.graph.imports import GraphReport
    from goalmem.rules.report import RuleReport
    from goalmem.rules.stored import Sentence
    from goalmem.rules.terms import Clause, Literal

__all__ = [
    "UNREADABLE",
    "Job",
    "answer",
    "context",
    "estimate",
    "event",
    "fact",
    "forgotten",
    "graph_report",
    "history_entry",
    "hit",
    "hits",
    "job",
    "name",
    "receipt",
    "removed_triples",
    "report",
    "sentence",
    "session",
    "stats",
    "turn",
    "verification",
    "why_not",
]

UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, ProofFormatError, LogicSyntaxError)
"""What reading raises of what is not as it should be; pydantic's ValidationError is a ValueError."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Job:
    """A file that the server remembers in the background."""

    id: str
    state: str
    """`done` or `failed` at its end."""
    total: int
    """What it holds; 0 until that was counted."""
    new: int
    """Turns, or triples, that were new."""
    problem: str
    remedy: str


_adapters: dict[object, TypeAdapter[Any]] = {}
"""Made when first needed, by what they read."""


def _as(kind: type[T], row: object) -> T:
    adapter = _adapters.get(kind)
    if adapter is None:
        adapter = _adapters[kind] = TypeAdapter(kind)
    found: T = adapter.validate_python(row)
    return found


def turn(row: Mapping[str, Any], space: str) -> Turn:
    """A turn."""
    return _as(Turn, {"space": space, **row})


def fact(row: Mapping[str, Any], space: str) -> Fact:
    """A fact."""
    return _as(Fact, {"space": space, **row})


def hit(row: Mapping[str, Any], space: str) -> Hit:
    """A turn found, and why."""
    return Hit(turn(row["turn"], space), float(row["score"]), {str(k): float(v) for k, v in row["signals"].items()})


def hits(found: Mapping[str, Any], space: str) -> list[Hit]:
    """The turns of a search."""
    return [hit(row, space) for row in found["items"]]


def history_entry(row: Mapping[str, Any], space: str) -> HistoryEntry:
    """A statement, and what replaced it."""
    return HistoryEntry(fact(row["fact"], space), row["superseded_by"])


def session(row: Mapping[str, Any], space: str) -> tuple[str, datetime, int]:
    """A session: id, time, number of turns."""
    del space
    return str(row["session"]), _as(datetime, row["at"]), int(row["turns"])


def name(row: object, space: str) -> str:
    """A space."""
    del space
    return str(row)


def receipt(row: Mapping[str, Any], space: str) -> Receipt:
    """What was stored."""
    del space
    return _as(Receipt, row)


def stats(row: Mapping[str, Any], space: str) -> Stats:
    """Counts of a space. The size of the store is told only to a key for all spaces; otherwise it is 0."""
    del space
    return _as(Stats, {**row, "bytes": row["bytes"] or 0})


def forgotten(row: Mapping[str, Any], space: str) -> Forgotten:
    """What was forgotten."""
    del space
    return _as(Forgotten, row)


def estimate(row: Mapping[str, Any], space: str) -> Estimate:
    """What a question may cost."""
    del space
    return _as(Estimate, row)


def job(row: Mapping[str, Any], space: str) -> Job:
    """How far the server is with a file."""
    del space
    return Job(
        str(row["id"]),
        str(row["state"]),
        int(row["total"] or 0),
        int(row["new"]),
        str(row["problem"]),
        str(row["remedy"]),
    )


def graph_report(source: str, row: Mapping[str, Any], space: str) -> GraphReport:
    """What became of triples."""
    del space
    from goalmem.graph.imports import GraphReport

    return GraphReport(source, int(row["triples"]), int(row["entries"]), bool(row["known"]))


def removed_triples(row: Mapping[str, Any], space: str) -> int:
    """How many triples went."""
    del space
    return int(row["triples"])


def answer(row: Mapping[str, Any], space: str) -> Answer:
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
        usage=None if row.get("usage") is None else _as(Usage, row["usage"]),
    )


def why_not(row: Mapping[str, Any], space: str) -> WhyNot:
    """What a question lacked."""
    return WhyNot(str(row["question"]), str(row["stage"]), _missing(row["missing"]), answer(row["answer"], space))


def verification(row: Mapping[str, Any], space: str) -> Verification:
    """Every check of a proof."""
    del space
    checks = (Check(str(c["path"]), str(c["name"]), bool(c["ok"]), str(c["detail"])) for c in row["checks"])
    return Verification(bool(row["ok"]), tuple(checks))


def context(row: Mapping[str, Any], space: str) -> Context:
    """What memory has to say to an utterance."""
    del space
    from goalmem.answering.context import Context

    return _as(Context, row)


def event(kind: str, row: Mapping[str, Any]) -> Event:
    """Something that happened while a question was reasoned about."""
    return _as(Event, {"kind": kind, "text": row["text"], "data": row["data"]})


def sentence(row: Mapping[str, Any], space: str) -> Sentence:
    """A sentence that states rules."""
    del space
    from goalmem.rules.stored import Sentence, sentence_from

    if "clauses" in row:
        clauses = json.dumps(row["clauses"])
        return sentence_from(StatedRule(row["id"], row["text"], clauses, row["world"], row["reader"]))
    read = tuple(_clause(logic, row["text"]) for logic in row["logic"])
    return Sentence(row["id"], row["text"], read, row["world"], row["reader"])


def report(row: Mapping[str, Any], space: str) -> RuleReport:
    """What became of a rule text."""
    del space
    from goalmem.rules.report import RuleReport
    from goalmem.rules.terms import Unread

    return RuleReport(
        ids=tuple(map(str, row["ids"])),
        new=int(row["new"]),
        clauses=tuple(_clause(logic, "") for logic in row.get("logic", ())),
        unread=tuple(_as(Unread, u) for u in row["unread"]),
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
