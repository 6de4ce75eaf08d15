"""LoCoMo: does a search find the turns that a question takes?

`recall@k`: the mean share of a question's evidence turns among the first k. `all@k`: share of questions of which every one is.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

from goalmem.errors import InputError
from goalmem.evals.corpus import Corpora, Corpus, Variant, check_signals
from goalmem.evals.encoded import SPACE, Told
from goalmem.evals.locomo_data import ADVERSARIAL, CATEGORIES, Conversation, Question, read_locomo
from goalmem.evals.progress import Finished, Tick, ignore
from goalmem.extract import Analyzer
from goalmem.models.protocol import Embedder
from goalmem.retrieve.settings import RetrievalSettings
from goalmem.retrieve.weights import Weights

__all__ = ["evaluate", "measure"]

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
    weights: Weights | None = None,
    embedder: Embedder | None = None,
    cache: Path | None = None,
    analyzer: Analyzer | None = None,
) -> dict[str, Any]:
    """Measure on the official file.

    `limit`: the first questions only. `state`: folder that keeps finished questions of an interrupted run. `without`:
    signals to switch off; `weights`: others than those that ship; `cache`: folder of what was encoded before; these three
    are for searching. The whole is over categories 1 to 4; a question whose evidence names no turn that is there is left
    out and counted in `without_evidence`.

    Raises FormatError for bad data, InputError for a bad argument.
    """
    if mode not in MODES:
        raise InputError(f"There is no mode {mode!r}.", f"Choose one of {', '.join(MODES)}.")
    variant = Variant(check_signals(without), RetrievalSettings(weights=weights or Weights()))
    path = Path(path)
    if mode == "ask":
        if variant != Variant():
            raise InputError(
                "Questions are answered with every signal, at the weights that ship.",
                "Leave signals and weights as they are, or measure the mode 'search'.",
            )
        from goalmem.evals.locomo_ask import evaluate as evaluate_answers

        return evaluate_answers(path, limit=limit, progress=progress, state=state)
    conversations = read_locomo(path)
    with Corpora(embedder, cache, analyzer) as corpora:
        (figures,) = measure(conversations, path, [variant], corpora, limit=limit, progress=progress, state=state)
    return figures


def measure(
    conversations: Iterable[Conversation],
    path: Path,
    variants: Sequence[Variant],
    corpora: Corpora,
    *,
    limit: int | None = None,
    progress: Tick | None = None,
    state: Path | None = None,
) -> list[dict[str, Any]]:
    """The figures of each variant. Every conversation is filled once, whatever is searched in it."""
    asked = _asked(conversations, limit)
    finished = Finished("locomo-search", ["search", corpora.model, *map(repr, variants)], [path], state)
    complete = False
    try:
        _search_all(asked, variants, corpora, finished, progress or ignore)
        complete = True
    finally:
        finished.close(complete=complete)
    return [_figures(asked, finished, place) for place in range(len(variants))]


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


def _search_all(asked: Asked, variants: Sequence[Variant], corpora: Corpora, finished: Finished, tick: Tick) -> None:
    total = sum(len(questions) for _, questions in asked)
    done = 0
    for conversation, questions in asked:
        tick("questions", done, total)
        missing = [q for q in questions if finished.get(_key(conversation, q)) is None]
        if missing:
            began = time.perf_counter()
            told = [Told(session.name, session.at, session.messages) for session in conversation.sessions]

            def tell(number: int, name: str = conversation.id, sessions: int = len(told)) -> None:
                tick(f"sessions of {name}", number, sessions)

            with corpora.filled(told, linked=True, tick=tell) as corpus:
                spent = time.perf_counter() - began
                for number, question in enumerate(missing):
                    result = {
                        "ingest": spent if number == 0 else 0.0,
                        "searches": [_search(corpus, conversation, question, variant) for variant in variants],
                    }
                    finished.keep(_key(conversation, question), result)
        done += len(questions)
    tick("questions", total, total)


def _search(corpus: Corpus, conversation: Conversation, question: Question, variant: Variant) -> dict[str, Any]:
    searcher = corpus.searcher(variant.settings_of(_key(conversation, question)))
    began = time.perf_counter()
    hits = searcher.search(question.text, space=SPACE, k=max(RECALL_DEPTHS), without=variant.without)
    return {"seconds": time.perf_counter() - began, "turns": [hit.turn.external_id for hit in hits]}


Found = tuple[Question, Sequence[str]]
"""A question and the turns found, best first."""


def _figures(asked: Asked, finished: Finished, place: int) -> dict[str, Any]:
    results = [(q, result) for c, questions in asked for q in questions if (result := finished.get(_key(c, q)))]
    pairs: list[Found] = [(q, result["searches"][place]["turns"]) for q, result in results]
    usable = [(q, turns) for q, turns in pairs if q.evidence]
    searches = [result["searches"][place]["seconds"] for _, result in results]
    return {
        **_recalls([pair for pair in usable if pair[0].category != ADVERSARIAL]),
        "by_category": {
            name: _recalls([pair for pair in usable if pair[0].category == number])
            for number, name in CATEGORIES.items()
        },
        "without_evidence": len(pairs) - len(usable),
        "seconds_ingest": round(sum(result["ingest"] for _, result in results), 3),
        "seconds_search_p50": round(median(searches), 5) if searches else None,
    }


def _recalls(pairs: Sequence[Found]) -> dict[str, Any]:
    shares: dict[str, Any] = {"questions": len(pairs)}
    found = {k: [_recall(question, turns[:k]) for question, turns in pairs] for k in RECALL_DEPTHS}
    for k in RECALL_DEPTHS:
        shares[f"recall@{k}"] = round(fmean(found[k]), 4) if pairs else None
    for k in ALL_DEPTHS:
        shares[f"all@{k}"] = round(fmean(float(share == 1) for share in found[k]), 4) if pairs else None
    return shares


def _recall(question: Question, turns: Sequence[str]) -> float:
    return len(set(question.evidence) & set(turns)) / len(question.evidence)
