"""A run of asked questions: memories filled one after another, their questions asked, what is finished kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goalmem_lab.evals.encoded import Told
from goalmem_lab.evals.full_context import ChatWhole, SpanWhole, Whole, lines_of
from goalmem_lab.evals.judge import Judge
from goalmem_lab.evals.memories import Memories
from goalmem_lab.evals.progress import Finished, Tick, ignore, resumable
from goalmem_lab.evals.question_run import Asked, Score, row_of, row_of_whole
from goalmem_lab.evals.runs import Row, write_run
from goalmem_lab.evals.selection import ALL_QUESTIONS, Selection


@dataclass(frozen=True, slots=True)
class Run:
    """What is asked in a run, who is told how far it is, and what is kept of it."""

    selection: Selection = ALL_QUESTIONS
    progress: Tick = ignore
    state: Path | None = None
    """Folder that keeps finished questions of an interrupted run."""
    save: Path | None = None
    """Where every row is written, an answer with its proof, as JSONL."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question and how its answer is scored."""

    asked: Asked
    score: Score
    """Token F1."""
    holds: Callable[[str], bool] | None = None
    """Whether what was said holds the gold answer; None where that is not told."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A memory and what is asked of it."""

    name: str
    sessions: Callable[[], Sequence[Told]]
    """Made when they are needed: a haystack is large."""
    cases: Sequence[Case]
    keep: bool = True
    """Whether the filled memory stays on disk for later runs."""
    by_session: bool = False
    """Whether evidence is named by sessions."""


def run(name: str, visits: Sequence[Visit], files: Iterable[Path], memories: Memories, how: Run) -> list[Row]:
    """The rows of all questions, in order, one for each arm of the memories' way.

    The run is told from others by `name`, its way and the bytes of `files`. Raises InputError when a file cannot be written, or a
    chat model is needed and none is set.
    """
    models = _models(memories)
    with resumable(name, [name, memories.model, *memories.way.parts()], files, how.state) as finished:
        _ask_all(visits, memories, models, finished, how.progress)
    rows = [row for v in visits for c in v.cases for row in (finished.get(c.asked.id) or {"rows": []})["rows"]]
    if how.save is not None:
        write_run(rows, how.save)
    return rows


@dataclass(frozen=True, slots=True)
class Models:
    """What is asked beside the memory."""

    judge: Judge | None = None
    whole: Whole | None = None


def _models(memories: Memories) -> Models:
    way = memories.way
    memories.check()
    judge = Judge(memories.chat) if way.judge else None
    if way.reader == "memory":
        return Models(judge)
    if way.reasoner == "chat":
        return Models(judge, ChatWhole(memories.chat, way.settings.ask_tokens))
    from goalmem.models.span_reader import MiniLMReader

    return Models(judge, SpanWhole(MiniLMReader()))


def _ask_all(visits: Sequence[Visit], memories: Memories, models: Models, finished: Finished, tick: Tick) -> None:
    total, done = sum(len(v.cases) for v in visits), 0
    tick("questions", done, total)
    for visit in visits:
        missing = [c for c in visit.cases if finished.get(c.asked.id) is None]
        done += len(visit.cases) - len(missing)
        tick("questions", done, total)
        if not missing:
            continue
        for case, rows in _answered(visit, missing, memories, models, tick):
            finished.keep(case.asked.id, {"rows": [_marked(row, case, models.judge) for row in rows]})
            done += 1
            tick("questions", done, total)


def _answered(
    visit: Visit, cases: Sequence[Case], memories: Memories, models: Models, tick: Tick
) -> Iterator[tuple[Case, list[dict[str, Any]]]]:
    """Questions of one visit, each with its rows."""
    told = visit.sessions()
    if models.whole is not None:
        lines = lines_of(told)
        for case in cases:
            yield case, [row_of_whole(models.whole, lines, case.asked, case.score)]
        return
    way = memories.way
    with memories.filled(
        told, keep=visit.keep, tick=lambda number: tick(f"sessions of {visit.name}", number, len(told))
    ) as filled:
        for number, case in enumerate(cases):
            rows = [
                row_of(filled, case.asked, way, goals, case.score, by_session=visit.by_session) for goals in way.arms
            ]
            rows[0]["ingest"] = round(filled.seconds, 3) if number == 0 else 0.0
            yield case, rows


def _marked(row: dict[str, Any], case: Case, judge: Judge | None) -> dict[str, Any]:
    """A row with what else is said of its answer: that it holds the gold answer, that a judge finds it right."""
    asked = case.asked
    if case.holds is not None:
        row["contains"] = float(row["known"] and case.holds(row["answer"])) if asked.answerable else None
    if judge is not None and asked.answerable:
        verdict = judge(asked.text, asked.gold, row["answer"]) if row["known"] else False
        row["judged"] = None if verdict is None else float(verdict)
    return row


def chosen_visits(visits: Sequence[Visit], selection: Selection) -> list[Visit]:
    """The visits with the chosen of their questions."""
    pairs = [(number, case) for number, visit in enumerate(visits) for case in visit.cases]
    kept = selection.choose(
        pairs,
        key=lambda pair: pair[1].asked.id,
        group=lambda pair: str(pair[0]),
        category=lambda pair: pair[1].asked.category,
    )
    ids = {case.asked.id for _, case in kept}
    chosen = [Visit(v.name, v.sessions, [c for c in v.cases if c.asked.id in ids], v.keep) for v in visits]
    return [visit for visit in chosen if visit.cases]
