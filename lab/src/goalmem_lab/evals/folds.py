"""Weights fitted to LongMemEval, and whether what they gain is real: measured as fitted, and cross-validated."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from goalmem.errors import InputError
from goalmem.models.protocol import Embedder
from goalmem.retrieve.settings import RetrievalSettings, Weights
from goalmem_lab.evals import longmemeval
from goalmem_lab.evals.corpus import Corpora, Variant
from goalmem_lab.evals.encoded import SPACE
from goalmem_lab.evals.longmemeval_data import Dated, Question, read_longmemeval
from goalmem_lab.evals.progress import Tick, ignore, within
from goalmem_lab.evals.selection import Selection
from goalmem_lab.evals.weight_fit import DIGITS, PENALTY, SCALE, Judged, check_fitting, fit

SEED = 0
MEASURES = ("any@5", "all@5", "any@10", "all@10")
BY_HAND, FITTED, CROSS_VALIDATED = "set by hand", "fitted", "cross-validated"

HAND_SET = Weights(
    dense=1.0,
    personal=0.1,
    lexical=1.0,
    context=1.5,
    logic=0.1,
    speaker=0.3,
    person=0.1,
    time=0.6,
    order=0.1,
    phrase=0.3,
    preference=0.1,
    reminiscence=0.3,
    theme=0.2,
    session_words=0.2,
    bridge=0.1,
    session=0.1,
)
"""Weights before fitting, towards which the fit is regularised. Precise signals (`speaker`, `time`, `phrase`, `reminiscence`) count fully,
imprecise ones little, following Retaining v2."""

FROZEN = frozenset({"context", "speaker", "phrase", "reminiscence", "session"})
"""Weights that LongMemEval cannot determine: it has few short turns, no names of speakers, few quotations and one question of nostalgia;
`session` is not linear."""

Lists = Mapping[str, list[Judged]]
"""Question id -> its candidates in each scope."""


def cross_validate(
    path: Path | str,
    *,
    folds: int | None = 5,
    limit: int | None = None,
    progress: Tick | None = None,
    state: Path | None = None,
    embedder: Embedder | None = None,
    cache: Path | None = None,
) -> dict[str, Any]:
    """Fit weights to all questions in both scopes together, and measure them beside those set by hand.

    With `folds` each question is also measured with weights fitted to the questions of the other folds. Every measure is of
    searches as users make them, with the weights in question, not of the lists that were fitted.

    Raises FormatError for bad data, InputError for a bad argument, ModelError when scipy is not installed.
    """
    check_fitting()
    tick = progress or ignore
    dataset, files = read_longmemeval(Path(path)), longmemeval.files_of(Path(path))
    questions = dataset.questions[:limit]
    parts = folds_of(questions, folds) if folds else {}
    with Corpora(embedder, cache) as corpora:
        lists: dict[str, list[Judged]] = {q.id: [] for q in questions}
        for scope in longmemeval.SCOPES:
            told = within(tick, f"{scope}: fitting to")
            for visit in longmemeval.each_question(dataset, scope, questions, corpora, told):
                sessions = dataset.pool if scope == "pool" else visit.question.haystack
                lists[visit.question.id].append(_judged(visit, sessions))
        fitted = _fitted(lists, [])
        by_fold = [_fitted(lists, part) for part in parts.values()]
        variants = {BY_HAND: _variant(HAND_SET), FITTED: _variant(fitted)}
        if parts:
            settings = [(part, RetrievalSettings(weights=w)) for part, w in zip(parts.values(), by_fold, strict=True)]
            variants[CROSS_VALIDATED] = Variant(by_question={q: own for part, own in settings for q in part})
        scopes = {}
        for scope in longmemeval.SCOPES:
            told = within(tick, f"{scope}: measuring")
            found = longmemeval.measure(
                dataset,
                files,
                scope,
                list(variants.values()),
                corpora,
                selection=Selection(limit),
                progress=told,
                state=state,
            )
            scopes[scope] = dict(zip(variants, found, strict=True))
    return {
        "folds": folds,
        "questions": len(questions),
        "penalty": PENALTY,
        "scale": SCALE,
        "scopes": scopes,
        "weights": {
            name: {
                "set_by_hand": HAND_SET[name],
                "fitted": fitted[name],
                "frozen": name in FROZEN,
                "folds": [weights[name] for weights in by_fold],
            }
            for name in HAND_SET.as_dict()
        },
    }


def folds_of(questions: Sequence[Question], folds: int) -> dict[int, tuple[str, ...]]:
    """Question ids by fold: equal parts, drawn by chance, the same in every run.

    Raises InputError when there are fewer questions than folds.
    """
    if len(questions) < folds:
        raise InputError(f"{len(questions)} questions make no {folds} parts.", "Ask for fewer folds.")
    order = np.random.default_rng(SEED).permutation(len(questions))
    return {fold: tuple(questions[place].id for place in order[fold::folds].tolist()) for fold in range(folds)}


def tables(fitted: Mapping[str, Any]) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Title, columns and rows of what was measured, then of the weights."""
    rows = [
        [scope, weights, *(f"{figures[measure] or 0.0:.3f}" for measure in MEASURES)]
        for scope, by_weights in fitted["scopes"].items()
        for weights, figures in by_weights.items()
    ]
    yield f"LongMemEval, {fitted['questions']} questions", ["scope", "weights", *MEASURES], rows
    of_folds = bool(fitted["folds"])
    yield (
        "Weights",
        ["signal", BY_HAND, FITTED, *(["in folds"] if of_folds else [])],
        [
            [
                name,
                f"{weight['set_by_hand']:.3g}",
                "frozen" if weight["frozen"] else f"{weight['fitted']:.3f}",
                *([f"{min(weight['folds']):.3f} to {max(weight['folds']):.3f}"] if of_folds else []),
            ]
            for name, weight in fitted["weights"].items()
        ],
    )


def _judged(visit: longmemeval.Visit, sessions: Sequence[Dated]) -> Judged:
    """A question's candidates: of an evidence session the turns labelled, or every one where none is."""
    question, corpus = visit.question, visit.corpus
    searcher = corpus.searcher(RetrievalSettings(weights=HAND_SET))
    scored = searcher.scored(question.text, space=SPACE, at=question.at)
    silent = np.zeros(len(scored.turns), dtype=np.float32)
    signals = np.stack([scored.signals.get(name, silent) for name in HAND_SET.as_dict()], axis=1)
    turns = corpus.turns(scored.turns)
    labels = {(dated.session, place) for dated in sessions for place in dated.labelled}
    of_session: dict[str, list[int]] = {name: [] for name in sorted(question.evidence)}
    others: list[int] = []
    for row, turn in enumerate(turns):
        (of_session[turn.session] if turn.session in question.evidence else others).append(row)
    evidence = []
    for rows in of_session.values():
        labelled = [row for row in rows if (turns[row].session, turns[row].position) in labels]
        evidence.append(np.array(labelled or rows, dtype=np.intp))
    return Judged(signals, tuple(rows for rows in evidence if len(rows)), np.array(others, dtype=np.intp))


def _fitted(lists: Lists, left_out: Collection[str]) -> Weights:
    used = [judged for question, own in lists.items() if question not in left_out for judged in own]
    fitted = fit(used, HAND_SET.as_dict(), FROZEN)
    # What is measured is what can be written down.
    return replace(HAND_SET, **{name: round(weight, DIGITS) for name, weight in fitted.items()})


def _variant(weights: Weights) -> Variant:
    return Variant(settings=RetrievalSettings(weights=weights))
