"""LoCoMo: does a search find the turns that a question takes?

`recall@k`: the mean share of a question's evidence turns among the first k. `all@k`: share of questions of which every one is.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from goalmem.errors import InputError
from goalmem.evals.cache import CachingEmbedder, NoAnalysis
from goalmem.evals.locomo_data import ADVERSARIAL, CATEGORIES, Conversation, Question, read_locomo
from goalmem.evals.progress import Finished, Tick, ignore
from goalmem.memory import Memory
from goalmem.models.protocol import Embedder

__all__ = ["evaluate"]

MODES = ("search", "ask")
RECALL_DEPTHS = (5, 10, 20)
ALL_DEPTHS = (10, 20)


def evaluate(
    path: Path | str,
    *,
    mode: str = "search",
    limit: int | None = None,
    progress: Tick | None = None,
    state: Path | None = None,
    without: Collection[str] = (),
    embedder: Embedder | None = None,
) -> dict[str, Any]:
    """Measure on the official file.

    `limit`: the first questions only. `state`: folder that keeps finished questions of an interrupted run. `without`:
    signals to switch off. The whole is over categories 1 to 4; a question whose evidence names no turn that is there is
    left out and counted in `without_evidence`.

    Raises FormatError for bad data, InputError for a bad argument.
    """
    if mode not in MODES:
        raise InputError(f"There is no mode {mode!r}.", f"Choose one of {', '.join(MODES)}.")
    path = Path(path)
    if mode == "ask":
        from goalmem.evals.locomo_ask import evaluate as evaluate_answers

        return evaluate_answers(path, limit=limit, progress=progress, state=state)
    asked = _asked(read_locomo(path), limit)
    finished = Finished("locomo-search", ["search", *sorted(without)], [path], state)
    run = _Run(finished, progress or ignore, tuple(without), CachingEmbedder(embedder or _default_embedder()))
    complete = False
    try:
        run.all(asked)
        complete = True
    finally:
        finished.close(complete=complete)
    return _figures(asked, finished)


def _default_embedder() -> Embedder:
    from goalmem.models.minilm import MiniLM

    return MiniLM()


Asked = list[tuple[Conversation, list[Question]]]
"""Conversations with those of their questions that are measured."""


def _asked(conversations: Iterable[Conversation], limit: int | None) -> Asked:
    left = limit
    asked: Asked = []
    for conversation in conversations:
        chosen = list(conversation.questions[:left])
        left = None if left is None else left - len(chosen)
        if chosen:
            asked.append((conversation, chosen))
    return asked


def _key(conversation: Conversation, question: Question) -> str:
    return f"{conversation.id}/{question.number}"


@dataclass(frozen=True, slots=True)
class _Run:
    finished: Finished
    tick: Tick
    without: tuple[str, ...]
    embedder: Embedder

    def all(self, asked: Asked) -> None:
        total = sum(len(questions) for _, questions in asked)
        done = 0
        for conversation, questions in asked:
            self.tick("questions", done, total)
            if any(self.finished.get(_key(conversation, q)) is None for q in questions):
                self._conversation(conversation, questions)
            done += len(questions)
        self.tick("questions", total, total)

    def _conversation(self, conversation: Conversation, questions: Sequence[Question]) -> None:
        with Memory(":memory:", embedder=self.embedder, analyzer=NoAnalysis()) as memory:
            began = time.perf_counter()
            for number, session in enumerate(conversation.sessions, 1):
                memory.add(session.messages, session=session.name, at=session.at)
                self.tick(f"sessions of {conversation.id}", number, len(conversation.sessions))
            spent = time.perf_counter() - began
            for number, question in enumerate(questions):
                share = {"ingest": spent} if number == 0 else {}
                self.finished.keep(_key(conversation, question), {**share, **self._search(memory, question)})

    def _search(self, memory: Memory, question: Question) -> dict[str, Any]:
        began = time.perf_counter()
        hits = memory.search(question.text, k=max(RECALL_DEPTHS), without=self.without)
        return {"search": time.perf_counter() - began, "turns": [hit.turn.external_id for hit in hits]}


def _figures(asked: Asked, finished: Finished) -> dict[str, Any]:
    pairs = [(q, finished.get(_key(c, q)) or {}) for c, questions in asked for q in questions]
    usable = [(q, result) for q, result in pairs if q.evidence]
    searches = [result["search"] for _, result in pairs]
    return {
        **_recalls([pair for pair in usable if pair[0].category != ADVERSARIAL]),
        "by_category": {
            name: _recalls([pair for pair in usable if pair[0].category == number])
            for number, name in CATEGORIES.items()
        },
        "without_evidence": len(pairs) - len(usable),
        "seconds_ingest": round(sum(result.get("ingest", 0.0) for _, result in pairs), 3),
        "seconds_search_p50": round(median(searches), 5) if searches else None,
    }


def _recalls(pairs: Sequence[tuple[Question, Mapping[str, Any]]]) -> dict[str, Any]:
    shares: dict[str, Any] = {"questions": len(pairs)}
    found = {k: [_recall(question, result["turns"][:k]) for question, result in pairs] for k in RECALL_DEPTHS}
    for k in RECALL_DEPTHS:
        shares[f"recall@{k}"] = round(fmean(found[k]), 4) if pairs else None
    for k in ALL_DEPTHS:
        shares[f"all@{k}"] = round(fmean(float(share == 1) for share in found[k]), 4) if pairs else None
    return shares


def _recall(question: Question, turns: Sequence[str]) -> float:
    return len(set(question.evidence) & set(turns)) / len(question.evidence)
