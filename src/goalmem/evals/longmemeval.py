"""LongMemEval: does a search find the sessions that a question takes?

`any@k`: some evidence session is among the first k; the number that others publish. `all@k`: every one is; the number that
counts for a question over several sessions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from goalmem.errors import InputError
from goalmem.evals.cache import CachingEmbedder, NoAnalysis
from goalmem.evals.longmemeval_data import Dated, Question, read_longmemeval
from goalmem.evals.progress import Finished, Tick, ignore
from goalmem.memory import Memory
from goalmem.models.protocol import Embedder
from goalmem.retrieve.sessions import rank_sessions

__all__ = ["evaluate"]

SCOPES = ("haystack", "pool")
DEPTHS = (5, 10)
TURNS = 200
"""Turns searched for, to have the first ten sessions and what each of them offers."""


def evaluate(
    path: Path | str,
    *,
    scope: str = "haystack",
    limit: int | None = None,
    progress: Tick | None = None,
    state: Path | None = None,
    without: Collection[str] = (),
    embedder: Embedder | None = None,
) -> dict[str, Any]:
    """Measure retrieval on the official file or a folder of `sessions.jsonl` and `questions.jsonl`.

    `scope`: each question over its own haystack, or all over one memory of every session. `limit`: the first questions
    only. `state`: folder that keeps finished questions of an interrupted run. `without`: signals to switch off.
    A question whose evidence names no session of the scope is left out and counted in `without_evidence`.

    Raises FormatError for bad data, InputError for a bad argument.
    """
    if scope not in SCOPES:
        raise InputError(f"There is no scope {scope!r}.", f"Choose one of {', '.join(SCOPES)}.")
    path = Path(path)
    dataset = read_longmemeval(path)
    chosen = dataset.questions[:limit]
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    finished = Finished(f"longmemeval-{scope}", [scope, *sorted(without)], files, state)
    run = _Run(finished, progress or ignore, tuple(without), CachingEmbedder(embedder or _default_embedder()))
    complete = False
    try:
        if scope == "haystack":
            run.haystacks(chosen)
        else:
            run.pool(dataset.pool, chosen)
        complete = True
    finally:
        finished.close(complete=complete)
    return {"scope": scope, **_figures(chosen, finished)}


def _default_embedder() -> Embedder:
    from goalmem.models.minilm import MiniLM

    return MiniLM()


@dataclass(frozen=True, slots=True)
class _Run:
    finished: Finished
    tick: Tick
    without: tuple[str, ...]
    embedder: Embedder

    def haystacks(self, questions: Sequence[Question]) -> None:
        """A memory a question."""
        for number, question in enumerate(questions):
            self.tick("questions", number, len(questions))
            if self.finished.get(question.id) is None:
                with self._memory() as memory:
                    began = time.perf_counter()
                    _remember(memory, question.haystack)
                    spent = time.perf_counter() - began
                    self.finished.keep(question.id, {"ingest": spent, **self._ask(memory, question)})
        self.tick("questions", len(questions), len(questions))

    def pool(self, sessions: Sequence[Dated], questions: Sequence[Question]) -> None:
        """One memory for all questions."""
        open_questions = [q for q in questions if self.finished.get(q.id) is None]
        if not open_questions:
            return
        with self._memory() as memory:
            began = time.perf_counter()
            _remember(memory, sessions, lambda done: self.tick("sessions", done, len(sessions)))
            spent = time.perf_counter() - began
            for number, question in enumerate(open_questions):
                self.tick("questions", len(questions) - len(open_questions) + number, len(questions))
                share = {"ingest": spent} if number == 0 else {}
                self.finished.keep(question.id, {**share, **self._ask(memory, question)})
        self.tick("questions", len(questions), len(questions))

    def _memory(self) -> Memory:
        return Memory(":memory:", embedder=self.embedder, analyzer=NoAnalysis())

    def _ask(self, memory: Memory, question: Question) -> dict[str, Any]:
        began = time.perf_counter()
        hits = memory.search(question.text, k=TURNS, at=question.at, without=self.without)
        ranked = rank_sessions(hits, max(DEPTHS))
        return {"search": time.perf_counter() - began, "sessions": [found.session for found in ranked]}


def _remember(memory: Memory, sessions: Iterable[Dated], tick: Callable[[int], None] = lambda _: None) -> None:
    for number, dated in enumerate(sessions, 1):
        messages = [{"role": role, "content": content} for role, content in dated.messages]
        if messages:
            memory.add(messages, session=dated.session, at=dated.at)
        tick(number)


def _figures(questions: Sequence[Question], finished: Finished) -> dict[str, Any]:
    results = {q.id: result for q in questions if (result := finished.get(q.id)) is not None}
    usable = [q for q in questions if q.evidence]
    types = dict.fromkeys(q.type for q in usable)
    searches = [result["search"] for result in results.values()]
    return {
        **_shares(usable, results),
        "by_type": {kind: _shares([q for q in usable if q.type == kind], results) for kind in types},
        "without_evidence": len(questions) - len(usable),
        "seconds_ingest": round(sum(result.get("ingest", 0.0) for result in results.values()), 3),
        "seconds_search_p50": round(median(searches), 5) if searches else None,
    }


def _shares(questions: Sequence[Question], results: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Share of the questions of which some, and of which every, evidence session is among the first k."""
    shares: dict[str, Any] = {"questions": len(questions)}
    for k in DEPTHS:
        found = [(q.evidence, set(results[q.id]["sessions"][:k])) for q in questions]
        shares[f"any@{k}"] = _mean([bool(evidence & first) for evidence, first in found])
        shares[f"all@{k}"] = _mean([evidence <= first for evidence, first in found])
    return shares


def _mean(values: Sequence[bool]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
