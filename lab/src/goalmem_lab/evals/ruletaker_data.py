"""RuleTaker's files (Clark, Tafjord and Richardson 2020), version 2020.2: `train`, `dev` and `test`, and `meta-*` with proofs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from goalmem.errors import FormatError
from goalmem_lab.train.datasets import Record, read_jsonl


@dataclass(frozen=True, slots=True)
class Question:
    """A statement to decide."""

    id: str
    text: str
    label: bool
    depth: str
    """Rules that the answer takes one after another, as the file says; empty where it does not."""
    strategy: str
    """`proof`, `inv-proof`, `rconc`, `inv-rconc`, `random` or `inv-random`."""
    proofs: str | None = None
    """In the file's own notation; None where it gives none."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact or rule of a `meta-*` file, in controlled English."""

    id: str
    """`triple3` or `rule1`."""
    text: str


@dataclass(frozen=True, slots=True)
class TheoryText:
    """A theory as it is worded, and what is asked of it."""

    id: str
    text: str
    questions: tuple[Question, ...]
    stated: tuple[Stated, ...] = ()
    """Only in `meta-*` files."""

    @property
    def controlled(self) -> str:
        """The text in controlled English where the file has it, else the text as it is worded."""
        return " ".join(s.text for s in self.stated) or self.text


def read_ruletaker(path: Path) -> Iterator[TheoryText]:
    """The theories of a file of either layout. Raises FormatError with the line."""
    for record in read_jsonl(path):
        yield _proved(record) if "theory" in record.value else _plain(record)


def _plain(record: Record) -> TheoryText:
    questions = []
    for given in record.records("questions"):
        meta = Record.of(given.value.get("meta", {}), f"{given.place}.meta")
        questions.append(
            Question(given.text("id"), given.get("text", str), given.get("label", bool), _depth(meta), _strategy(meta))
        )
    return TheoryText(record.text("id"), record.get("context", str), tuple(questions))


def _proved(record: Record) -> TheoryText:
    stated = []
    for kind in ("triples", "rules"):
        entries = record.get(kind, dict)
        stated += [Stated(n, Record.of(v, f"{record.place}.{kind}.{n}").get("text", str)) for n, v in entries.items()]
    questions = []
    for name, value in record.get("questions", dict).items():
        given = Record.of(value, f"{record.place}.questions.{name}")
        proofs = given.get("proofs", str) if "proofs" in given.value else None
        questions.append(
            Question(
                f"{record.text('id')}-{name}", given.get("question", str), given.get("answer", bool), _depth(given),
                _strategy(given), proofs,
            )
        )  # fmt: skip
    if not stated:
        raise FormatError(f"{record.place} has neither facts nor rules.", "Compare it with the official file.")
    return TheoryText(record.text("id"), record.get("theory", str), tuple(questions), tuple(stated))


def _depth(meta: Record) -> str:
    return meta.text("QDep") if "QDep" in meta.value else ""


def _strategy(meta: Record) -> str:
    return meta.get("strategy", str) if "strategy" in meta.value else ""
