"""LongMemEval (Wu et al. 2025): questions, each with a haystack of dated sessions that holds its evidence.

Two layouts are read: the official single JSON file, and a folder of `sessions.jsonl` and `questions.jsonl` in which a session
stands once and each question names and dates the sessions of its haystack.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from goalmem.errors import FormatError
from goalmem_lab.evals.encoded import Told
from goalmem_lab.train.datasets import Record, read_json, read_jsonl

Messages = tuple[tuple[str, str], ...]
"""(role, content) of each turn of a session. Labels of evidence stand apart: they are no input."""


@dataclass(frozen=True, slots=True)
class Dated:
    """A session at a time."""

    session: str
    at: datetime
    messages: Messages
    labelled: frozenset[int] = frozenset()
    """Places of the messages that the data mark as evidence (`has_answer`). Only fitting looks at them."""

    @property
    def told(self) -> Told:
        """As it is told to a memory."""
        return Told(self.session, self.at, [{"role": role, "content": content} for role, content in self.messages])


@dataclass(frozen=True, slots=True)
class Question:
    """One question; `evidence` names the sessions that it takes."""

    id: str
    type: str
    text: str
    at: datetime
    evidence: frozenset[str]
    haystack: tuple[Dated, ...]
    answer: str = ""
    """Empty where the file gives none; only asking looks at it."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """All questions, and all sessions as one memory."""

    questions: tuple[Question, ...]
    pool: tuple[Dated, ...]
    """Every session once, in order of time, then id."""


def read_longmemeval(path: Path) -> Dataset:
    """Read the official file or a folder. Raises FormatError with file and place."""
    if path.is_dir():
        return _from_folder(path)
    document = read_json(path)
    if not isinstance(document, list) or not document:
        raise FormatError(
            f"{path.name} is no list of questions.", "Name LongMemEval's JSON file or a folder of its parts."
        )
    questions = tuple(_official(Record.of(value, f"{path.name}, [{number}]")) for number, value in enumerate(document))
    return Dataset(_distinct(questions, path.name), _pooled(questions))


def _official(row: Record) -> Question:
    ids = row.texts("haystack_session_ids")
    dates = row.texts("haystack_dates")
    sessions = row.get("haystack_sessions", list)
    if not len(ids) == len(dates) == len(sessions):
        raise FormatError(
            f"{row.place} has {len(ids)} session ids, {len(dates)} dates and {len(sessions)} sessions.",
            "Each session takes one of each.",
        )
    haystack = tuple(
        Dated(
            name, row.as_moment(date, "haystack_dates"), *_messages(session, f"{row.place}.haystack_sessions[{number}]")
        )
        for number, (name, date, session) in enumerate(zip(ids, dates, sessions, strict=True))
    )
    return _question(row, haystack)


def _question(row: Record, haystack: tuple[Dated, ...]) -> Question:
    return Question(
        id=row.text("question_id"),
        type=row.get("question_type", str),
        text=row.get("question", str),
        at=row.moment("question_date"),
        evidence=frozenset(row.texts("answer_session_ids")),
        haystack=haystack,
        answer=row.text("answer") if "answer" in row.value else "",
    )


def _messages(turns: object, place: str) -> tuple[Messages, frozenset[int]]:
    """The turns of a session, and the places of those labelled."""
    if not isinstance(turns, list):
        raise FormatError(f"{place} is no list of turns.", "Compare it with the official file.")
    rows = [Record.of(turn, f"{place}[{number}]") for number, turn in enumerate(turns)]
    # The official file holds a few empty turns; they say nothing and have no place in a memory.
    said = [(row, content) for row in rows if (content := row.get("content", str)).strip()]
    labelled = frozenset(place for place, (row, _) in enumerate(said) if row.value.get("has_answer") is True)
    return tuple((row.get("role", str), content) for row, content in said), labelled


def _from_folder(path: Path) -> Dataset:
    sessions: dict[str, Dated] = {}
    for row in read_jsonl(path / "sessions.jsonl"):
        name = row.get("session_id", str)
        if name in sessions:
            raise FormatError(f"{row.place} repeats the session {name!r}.", "Each session stands once.")
        sessions[name] = Dated(name, row.moment("date"), *_messages(row.get("turns", list), f"{row.place}.turns"))
    questions = tuple(_question(row, _haystack(row, sessions)) for row in read_jsonl(path / "questions.jsonl"))
    if not questions:
        raise FormatError(f"{path / 'questions.jsonl'} holds no question.", "Get the file again.")
    return Dataset(_distinct(questions, "questions.jsonl"), in_order(sessions.values()))


def _haystack(row: Record, sessions: Mapping[str, Dated]) -> tuple[Dated, ...]:
    haystack: list[Dated] = []
    for number, entry in enumerate(row.get("haystack", list)):
        match entry:
            case [str(name), date] if name in sessions:
                moment = row.as_moment(date, f"haystack[{number}]")
                haystack.append(replace(sessions[name], at=moment))
            case _:
                raise FormatError(
                    f"{row.place}.haystack[{number}] is {str(entry)[:60]}, "
                    "not the id of a session in sessions.jsonl and a date.",
                    "Compare it with sessions.jsonl.",
                )
    return tuple(haystack)


def _distinct(questions: tuple[Question, ...], name: str) -> tuple[Question, ...]:
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise FormatError(f"{name} holds the question {question.id!r} twice.", "Each question id stands once.")
        seen.add(question.id)
    return questions


def _pooled(questions: tuple[Question, ...]) -> tuple[Dated, ...]:
    """The sessions of all haystacks, each once.

    A session has the date of the first question that it is evidence of, or else of the first haystack that it is in.
    """
    pool: dict[str, Dated] = {}
    for evidence in (True, False):
        for question in questions:
            for dated in question.haystack:
                if (dated.session in question.evidence) is evidence:
                    pool.setdefault(dated.session, dated)
    return in_order(pool.values())


def in_order(sessions: Iterable[Dated]) -> tuple[Dated, ...]:
    """By time, then by id: what a session says of names is known to those after it."""
    return tuple(sorted(sessions, key=lambda dated: (dated.at, dated.session)))
