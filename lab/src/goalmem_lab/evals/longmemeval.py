"""LongMemEval: does a search find the sessions that a question takes?

`any@k`: some evidence session is among the first k; the number that others publish. `all@k`: every one is; the number that
counts for a question over several sessions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from goalmem.errors import InputError
from goalmem.language import Analyzer
from goalmem.models.chat import ChatModel
from goalmem.models.protocol import Embedder
from goalmem.records import Hit
from goalmem.retrieve.settings import RetrievalSettings, Weights
from goalmem_lab.evals.corpus import Corpora, Corpus, Variant, check_signals
from goalmem_lab.evals.longmemeval_data import Dataset, Dated, Question, read_longmemeval
from goalmem_lab.evals.progress import Finished, Tick, ignore, resumable
from goalmem_lab.evals.retaining import searched
from goalmem_lab.evals.selection import ALL_QUESTIONS, Selection, read_categories
from goalmem_lab.evals.ways import Way

MODES = ("search", "ask")
SCOPES = ("haystack", "pool")
DEPTHS = (5, 10)
TURNS = 200
"""Turns searched for, to have the first ten sessions and what each of them offers."""
DAMPING = 0.3
"""Weight of each further turn of a session, relative to the previous one. Measured on LongMemEval's development half: 0.3 finds all
evidence sessions more often than 0 (best turn alone) and 0.5."""
COUNTED_TURNS = 3
"""Turns of a session that count."""


def evaluate(
    path: Path | str,
    *,
    mode: str = "search",
    scope: str = "haystack",
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
    """Measure on the official file or a folder of `sessions.jsonl` and `questions.jsonl`.

    `scope`: each question over its own haystack, or all over one memory of every session. `selection`: some of the
    questions only. `state`: folder that keeps finished questions of an interrupted run. `without`: signals to
    switch off; `weights`: others than those that ship; both are for searching. `way`: how questions are asked, in the mode
    `ask`; `chat`: a chat model, instead of the one that is set; `save`: where it writes them, as JSONL. `cache`: folder of what was encoded before. A question whose evidence names
    no session of the scope is left out and counted in `without_evidence`.

    Raises FormatError for bad data, InputError for a bad argument.
    """
    if mode not in MODES:
        raise InputError(f"There is no mode {mode!r}.", f"Choose one of {', '.join(MODES)}.")
    if scope not in SCOPES:
        raise InputError(f"There is no scope {scope!r}.", f"Choose one of {', '.join(SCOPES)}.")
    variant = Variant(check_signals(without), RetrievalSettings(weights=weights or Weights()))
    dataset = read_longmemeval(Path(path))
    read_categories(selection.categories, {q.type for q in dataset.questions})
    if mode == "ask":
        variant.check_asking()
        from goalmem_lab.evals import longmemeval_ask
        from goalmem_lab.evals.asked_run import Run
        from goalmem_lab.evals.memories import Memories

        with Memories(embedder, cache, analyzer, way=way, chat=chat) as memories:
            how = Run(selection, progress or ignore, state, save)
            return longmemeval_ask.evaluate(dataset, files_of(Path(path)), memories, how, scope=scope)
    (way or Way()).check_searching(save)
    with Corpora(embedder, cache, analyzer) as corpora:
        (figures,) = measure(
            dataset,
            files_of(Path(path)),
            scope,
            [variant],
            corpora,
            selection=selection,
            progress=progress,
            state=state,
        )
    return {"scope": scope, **figures}


def files_of(path: Path) -> list[Path]:
    """The files that hold the data."""
    return sorted(path.glob("*.jsonl")) if path.is_dir() else [path]


def measure(
    dataset: Dataset,
    files: Sequence[Path],
    scope: str,
    variants: Sequence[Variant],
    corpora: Corpora,
    *,
    selection: Selection = ALL_QUESTIONS,
    progress: Tick | None = None,
    state: Path | None = None,
) -> list[dict[str, Any]]:
    """The figures of each variant. Every haystack is filled once, whatever is searched in it."""
    chosen = selection.choose(dataset.questions, key=lambda q: q.id, group=lambda q: q.type, category=lambda q: q.type)
    tick = progress or ignore
    with resumable(f"longmemeval-{scope}", [scope, corpora.model, *map(repr, variants)], files, state) as finished:
        left = [question for question in chosen if finished.get(question.id) is None]

        def tell(what: str, done: int, total: int) -> None:
            """Questions finished before count as done."""
            tick(what, *((len(chosen) - len(left) + done, len(chosen)) if what == "questions" else (done, total)))

        for visit in each_question(dataset, scope, left, corpora, tell):
            finished.keep(
                visit.question.id,
                {"ingest": visit.seconds, "searches": [_search(visit, variant) for variant in variants]},
            )
        tick("questions", len(chosen), len(chosen))
    return [_figures(chosen, finished, place) for place in range(len(variants))]


@dataclass(frozen=True, slots=True)
class Visit:
    """A question and what it is asked of."""

    question: Question
    corpus: Corpus
    seconds: float
    """What filling the corpus took; 0 where an earlier question did."""


def each_question(
    dataset: Dataset, scope: str, questions: Sequence[Question], corpora: Corpora, tick: Tick
) -> Iterator[Visit]:
    """Questions, each with its filled corpus, which is gone when the next one comes (in the haystack scope)."""
    if not questions:
        return
    corpora.prepare([dated.told for dated in _sessions(dataset, scope, questions)], tick)
    if scope == "haystack":
        for number, question in enumerate(questions):
            tick("questions", number, len(questions))
            with _timed(corpora, question.haystack) as (corpus, seconds):
                yield Visit(question, corpus, seconds)
        return
    total = len(dataset.pool)
    with _timed(corpora, dataset.pool, lambda done: tick("sessions", done, total)) as (corpus, seconds):
        for number, question in enumerate(questions):
            tick("questions", number, len(questions))
            yield Visit(question, corpus, seconds if number == 0 else 0.0)


def _sessions(dataset: Dataset, scope: str, questions: Sequence[Question]) -> list[Dated]:
    """Every session that some questions are asked of; a session may come with several dates."""
    return [dated for q in questions for dated in q.haystack] if scope == "haystack" else list(dataset.pool)


@contextmanager
def _timed(
    corpora: Corpora, sessions: Sequence[Dated], tick: Callable[[int], None] = lambda _: None
) -> Iterator[tuple[Corpus, float]]:
    began = time.perf_counter()
    with corpora.filled([dated.told for dated in sessions], tick=tick) as corpus:
        yield corpus, time.perf_counter() - began


def _search(visit: Visit, variant: Variant) -> dict[str, Any]:
    question = visit.question
    visit.corpus.searcher(variant.settings_of(question.id))
    began = time.perf_counter()
    hits = searched(visit.corpus, variant, question.id, question.text, k=TURNS, at=question.at)
    ranked = rank_sessions(hits, max(DEPTHS))
    return {"seconds": time.perf_counter() - began, "sessions": [found.session for found in ranked]}


def _figures(questions: Sequence[Question], finished: Finished, place: int) -> dict[str, Any]:
    results = {q.id: result for q in questions if (result := finished.get(q.id)) is not None}
    found = {name: result["searches"][place]["sessions"] for name, result in results.items()}
    usable = [q for q in questions if q.evidence]
    types = dict.fromkeys(q.type for q in usable)
    searches = [result["searches"][place]["seconds"] for result in results.values()]
    return {
        **_shares(usable, found),
        "by_type": {kind: _shares([q for q in usable if q.type == kind], found) for kind in types},
        "without_evidence": len(questions) - len(usable),
        "seconds_ingest": round(sum(result["ingest"] for result in results.values()), 3),
        "seconds_search_p50": round(median(searches), 5) if searches else None,
    }


def _shares(questions: Sequence[Question], found: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Share of the questions of which some, and of which every, evidence session is among the first k."""
    shares: dict[str, Any] = {"questions": len(questions)}
    for k in DEPTHS:
        firsts = [(q.evidence, set(found[q.id][:k])) for q in questions]
        shares[f"any@{k}"] = _mean([bool(evidence & first) for evidence, first in firsts])
        shares[f"all@{k}"] = _mean([evidence <= first for evidence, first in firsts])
    return shares


def _mean(values: Sequence[bool]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


@dataclass(frozen=True, slots=True)
class SessionHit:
    """A session with those of its turns that were found, best first."""

    session: str
    score: float
    hits: tuple[Hit, ...]


def rank_sessions(hits: Sequence[Hit], k: int | None = None) -> list[SessionHit]:
    """The sessions of some hits (best first, as `search` returns them), best first; the first `k` if given.

    A session's score is that of its best turn plus decreasing shares of the next ones. For the first k sessions, search for several times k
    turns.
    """
    found: dict[str, list[Hit]] = {}
    for hit in hits:
        found.setdefault(hit.turn.session, []).append(hit)
    ranked = [SessionHit(session, _worth(own), tuple(own)) for session, own in found.items()]
    ranked.sort(key=lambda session: -session.score)
    return ranked[:k]


def _worth(hits: Sequence[Hit]) -> float:
    return sum(
        DAMPING**place * (hit.score if place == 0 else max(hit.score, 0.0))
        for place, hit in enumerate(hits[:COUNTED_TURNS])
    )
