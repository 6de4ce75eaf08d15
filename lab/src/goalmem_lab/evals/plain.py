"""What is answered in plain cases (`goalmem_lab.train.plain_cases`), and the weights that are fitted to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from goalmem.errors import InputError
from goalmem.sources.certainty.answer_ranking import CERTAINTY_OF_FEW, CERTAINTY_OF_FEW_BIAS
from goalmem.sources.passages.offers import best_of
from goalmem.sources.passages.succession_features import BIAS, WEIGHTS
from goalmem_lab.evals.lives import Progress
from goalmem_lab.train.calibrate import logistic
from goalmem_lab.train.measure import auroc
from goalmem_lab.train.offers import Inquired, inquired
from goalmem_lab.train.plain_cases import is_right, read_cases, told

RIDGE = 5.0
"""Of each weight, in units of the standard deviation of its feature."""
LEAST = 1e-3
"""Of the bias, which keeps the fit finite."""
FOLDS = 10
BESIDE = {"told": 1, "simple": 3}
"""Files of cases in which no message changes the answer, and how often each counts: in use that is so of most."""
SET_OF_FEW = CERTAINTY_OF_FEW[-3:]
"""Weights that are not fitted."""
UNASSERTED = -2
"""The place of what is not asserted among `CertaintyFeatures.of_few`."""
FEWEST = 5
"""Changes, and other pairs, to fit to at least."""
CHANGED = {"True": "changed", "False": "not changed"}


def evaluate(path: Path, progress: Progress) -> dict[str, object]:
    """What is answered, by whether a later message changes the value."""
    counts: Counter[tuple[str, str]] = Counter()
    cases = read_cases(path)
    for done, case in enumerate(cases, 1):
        with told(case) as (memory, when):
            answer = memory.ask(case["question"], at=when.isoformat())
        gold = case["answer"]
        kind = "without an answer" if gold is None else CHANGED.get(str(case.get("changed")), "said")
        right = gold is not None and is_right(answer.text, gold)
        outcome = "open" if answer.status == "unknown" else "right" if right else "wrong"
        counts[kind, outcome] += 1
        counts[kind, f"{outcome} and proved"] += answer.status == "proved"
        progress(done, len(cases))
    kinds = dict.fromkeys(kind for kind, _ in counts)
    return {kind: {what: n for (k, what), n in sorted(counts.items()) if k == kind} for kind in kinds}


def fit(path: Path, progress: Progress) -> dict[str, object]:
    """The weights of `sources.passages.succession_features`, fitted to the cases with `changed`, or where there are none those of certainty in a memory
    of few turns; what they do, cross-validated by case. Of a folder, the changes with the answers of `BESIDE`, which no message changes.

    Raises FormatError for a line that is no case, InputError when there is too little to fit to.
    """
    if path.is_dir():
        others = (
            {**case, "changed": False, "held": True}
            for name, times in BESIDE.items()
            for case in read_cases(path / f"{name}.jsonl") * times
            if case["answer"] is not None
        )
        return _fit_changes([*read_cases(path / "changes.jsonl"), *others], progress)
    cases = read_cases(path)
    if any("changed" in case for case in cases):
        return _fit_changes([case for case in cases if "changed" in case], progress)
    return _fit_certainty(cases, progress)


def _fit_certainty(cases: Sequence[Mapping[str, Any]], progress: Progress) -> dict[str, object]:
    """`CERTAINTY_OF_FEW` without what is set, and the bias, of readings that seem to be asserted."""
    fitted = len(CERTAINTY_OF_FEW) - len(SET_OF_FEW)
    rows: list[Sequence[float]] = []
    right: list[bool] = []
    owners: list[int] = []
    for number, case in enumerate(cases, 1):
        with told(case) as (memory, when):
            found = inquired(memory, {"question": case["question"]}, when.isoformat())
            readings = found.passages.judged.readings(found.question, found.variable, found.turns) if found else []
        for proposal, _, features in readings:
            if features.of_few[UNASSERTED] == 0:
                rows.append(features.of_few[:fitted])
                right.append(any(is_right(text, case["answer"] or "") for text in (proposal.value.text, proposal.span)))
                owners.append(number)
        progress(number, len(cases))
    weights, pairs_right = _cross_validated(rows, right, owners, "readings are right")
    return {
        "readings": len(right),
        "right": sum(right),
        "weights": [*(round(float(w), 3) for w in weights[:-1]), *SET_OF_FEW],
        "bias": round(float(weights[-1]), 3),
        "of now": [*CERTAINTY_OF_FEW, CERTAINTY_OF_FEW_BIAS],
        "auroc, cross-validated": pairs_right,
    }


def _fit_changes(cases: Sequence[Mapping[str, Any]], progress: Progress) -> dict[str, object]:
    rows: list[Sequence[float]] = []
    anew: list[bool] = []
    owners: list[int] = []
    for number, case in enumerate(cases, 1):
        with told(case) as (memory, when):
            found = inquired(memory, {"question": case["question"]}, when.isoformat())
            pairs = list(_pairs(found, case)) if found is not None else []
        if not case["changed"] or any(right for _, right in pairs):  # otherwise the new value was not read
            rows += [measured for measured, _ in pairs]
            anew += [right and case["changed"] for _, right in pairs]
            owners += [number] * len(pairs)
        progress(number, len(cases))
    weights, pairs_right = _cross_validated(rows, anew, owners, "pairs of messages are changes")
    return {
        "pairs": len(anew),
        "given anew": sum(anew),
        "weights": [round(float(w), 3) for w in weights[:-1]],
        "bias": round(float(weights[-1]), 3),
        "of now": [*WEIGHTS, BIAS],
        "auroc, cross-validated": pairs_right,
    }


def _cross_validated(
    rows: Sequence[Sequence[float]], labels: Sequence[bool], owners: Sequence[int], what: str
) -> tuple[np.ndarray[Any, Any], float]:
    """Weights and bias, and the area under the curve of others, each fitted to nine tenths of the cases."""
    if min(sum(labels), len(labels) - sum(labels)) < FEWEST:
        raise InputError(
            f"{sum(labels)} of {len(labels)} {what}: too few to fit weights to.", "Name a file with more cases."
        )
    features, wanted, groups = np.array(rows), np.array(labels, dtype=bool), np.array(owners)
    scores = np.zeros(len(wanted))
    for fold in range(FOLDS):
        of_fold = groups % FOLDS == fold
        others = _weights(features[~of_fold], wanted[~of_fold])
        scores[of_fold] = features[of_fold] @ others[:-1] + others[-1]
    return _weights(features, wanted), round(auroc(scores[wanted].tolist(), scores[~wanted].tolist()), 3)


def _pairs(found: Inquired, case: Mapping[str, Any]) -> Iterator[tuple[Sequence[float], bool]]:
    """The features of each later turn that is read behind the likeliest one, and whether what is read there is the answer."""
    passages, turns = found.passages, [ranked.turn for ranked in found.turns]
    held = best_of(passages.offers.unchanged(found.question, found.variable, found.turns))
    turn = passages.memory.turn(held.turn) if held is not None else None
    if held is None or turn is None or found.variable not in passages.answers:
        return
    if case.get("held") and not any(is_right(text, case["answer"]) for text in (held.value.text, held.span)):
        return
    for given in passages.successions.given_anew(found.question, found.variable, turn, held.span, turns):
        words = given.passage.turn.content[given.words.start : given.words.end]
        right = is_right(given.proposal.value.text, case["answer"]) or is_right(words, case["answer"])
        yield given.features.measured, right


def _weights(features: np.ndarray[Any, Any], labels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Weights and bias of a logistic regression."""
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-6
    rows = np.hstack([(features - mean) / spread, np.ones((len(features), 1))])
    found = logistic(rows, labels.astype(float), np.array([RIDGE] * features.shape[1] + [LEAST]), np.ones(len(rows)))
    weights = found[:-1] / spread
    return np.append(weights, found[-1] - weights @ mean)
