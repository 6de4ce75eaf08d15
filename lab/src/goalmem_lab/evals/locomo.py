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
from goalmem.language import Analyzer
from goalmem.models.chat import ChatModel
from goalmem.models.protocol import Embedder
from goalmem.retrieve.settings import RetrievalSettings, Weights
from goalmem_lab.evals.corpus import Corpora, Corpus, Variant, check_signals
from goalmem_lab.evals.locomo_data import ADVERSARIAL, CATEGORIES, Conversation, Question, chosen, key_of, read_locomo
from goalmem_lab.evals.progress import Finished, Tick, ignore, resumable
from goalmem_lab.evals.retaining import searched
from goalmem_lab.evals.selection import ALL_QUESTIONS, Selection
from goalmem_lab.evals.ways import Way

MODES = ("search", "recall", "ask")
RECALL_DEPTHS = (5, 10, 20)
ALL_DEPTHS = (10, 20)


def evaluate(
    path: Path | str,
    *,
    mode: str = "search",
    selection: Selection = ALL_QUESTIONS,
    progress: Tick | None = None,
    state: Path | None = None,
    save: Path | None = None,
    without: Collection[str] = (),
    weights: Weights | None = None,
    embedder: Embedder | None = None,
    cache: Path | None = None,
    analyzer: Analyzer | None = None,
    way: Way | None = None,
    chat: ChatModel | None = None,
) -> dict[str, Any]:
    """Measure on the official file.

    `selection`: some of the questions only. `state`: folder that keeps finished questions of an interrupted
    run. `cache`: folder of what was encoded before. `save`: where each question is written, as JSONL (not when searching).
    `without`: signals to switch off; `weights`: others than those that ship; these two are for searching. `way`: how questions
    are asked, in the mode `ask`; `chat`: a chat model, instead of the one that is set. The whole is over
    categories 1 to 4; a question whose evidence names no turn that is there is left out and counted in `without_evidence`.

    Raises FormatError for bad data, InputError for a bad argument.
    """
    if mode not in MODES:
        raise InputError(f"There is no mode {mode!r}.", f"Choose one of {', '.join(MODES)}.")
    variant = Variant(check_signals(without), RetrievalSettings(weights=weights or Weights()))
    path = Path(path)
    if mode == "search":
        (way or Way()).check_searching(save)
        conversations = read_locomo(path)
        with Corpora(embedder, cache, analyzer) as corpora:
            (figures,) = measure(
                conversations, path, [variant], corpora, selection=selection, progress=progress, state=state
            )
        return figures
    variant.check_asking()
    from goalmem_lab.evals import locomo_ask, locomo_recall
    from goalmem_lab.evals.asked_run import Run
    from goalmem_lab.evals.memories import Memories

    evaluate_mode = locomo_ask.evaluate if mode == "ask" else locomo_recall.evaluate
    with Memories(embedder, cache, analyzer, way=way, chat=chat) as memories:
        return evaluate_mode(path, memories, Run(selection, progress or ignore, state, save))


def measure(
    conversations: Iterable[Conversation],
    path: Path,
    variants: Sequence[Variant],
    corpora: Corpora,
    *,
    selection: Selection = ALL_QUESTIONS,
    progress: Tick | None = None,
    state: Path | None = None,
) -> list[dict[str, Any]]:
    """The figures of each variant. Every conversation is filled once, whatever is searched in it."""
    asked = _asked(conversations, selection)
    with resumable("locomo-search", ["search", corpora.model, *map(repr, variants)], [path], state) as finished:
        _search_all(asked, variants, corpora, finished, progress or ignore)
    return [_figures(asked, finished, place) for place in range(len(variants))]


Asked = list[tuple[Conversation, list[Question]]]
"""Conversations with those of their questions that are measured."""


def _asked(conversations: Iterable[Conversation], selection: Selection) -> Asked:
    grouped: dict[int, tuple[Conversation, list[Question]]] = {}
    for conversation, question in chosen(list(conversations), selection):
        grouped.setdefault(id(conversation), (conversation, []))[1].append(question)
    return list(grouped.values())


def _search_all(asked: Asked, variants: Sequence[Variant], corpora: Corpora, finished: Finished, tick: Tick) -> None:
    total = sum(len(questions) for _, questions in asked)
    done = 0
    for conversation, questions in asked:
        tick("questions", done, total)
        missing = [q for q in questions if finished.get(key_of(conversation, q)) is None]
        if missing:
            began = time.perf_counter()
            told = conversation.sessions

            def tell(number: int, name: str = conversation.id, sessions: int = len(told)) -> None:
                tick(f"sessions of {name}", number, sessions)

            with corpora.filled(told, linked=True, tick=tell) as corpus:
                spent = time.perf_counter() - began
                for number, question in enumerate(missing):
                    result = {
                        "ingest": spent if number == 0 else 0.0,
                        "searches": [_search(corpus, conversation, question, variant) for variant in variants],
                    }
                    finished.keep(key_of(conversation, question), result)
        done += len(questions)
    tick("questions", total, total)


def _search(corpus: Corpus, conversation: Conversation, question: Question, variant: Variant) -> dict[str, Any]:
    asked = key_of(conversation, question)
    corpus.searcher(variant.settings_of(asked))
    began = time.perf_counter()
    hits = searched(corpus, variant, asked, question.text, k=max(RECALL_DEPTHS))
    return {"seconds": time.perf_counter() - began, "turns": [hit.turn.external_id for hit in hits]}


Found = tuple[Question, Sequence[str]]
"""A question and the turns found, best first."""


def _figures(asked: Asked, finished: Finished, place: int) -> dict[str, Any]:
    results = [(q, result) for c, questions in asked for q in questions if (result := finished.get(key_of(c, q)))]
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
