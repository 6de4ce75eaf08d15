"""What a score is worth as a probability: maps fitted to saved runs, cross-validated, and how well they hold.

An answer counts as right when a judge said so, or else by its words: token F1 of at least one half, or the gold answer in it. The
maps are those of `prove.calibration`, a slope and a shift for each kind of proof; an isotonic map is fitted beside them, to see what
two numbers leave out. LoCoMo is measured with the maps and never fitted to: its licence forbids what would ship.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError
from goalmem.proof.calibration import EXTREME, MAPS, PROVED, Platt
from goalmem_lab.evals.runs import Row, read_run
from goalmem_lab.evals.scoring_rules import auroc, brier, calibration_error, log_loss, reliability
from goalmem_lab.evals.weight_fit import check_fitting

__all__ = ["FOLDS", "Point", "calibrate", "fit_isotonic", "fit_platt", "is_right", "once", "points_of", "tables"]

NOT_FITTED = frozenset({"locomo"})
"""Benchmarks whose licence forbids fitting what ships."""
RIGHT_F1 = 0.5
"""Token F1 from which an answer counts as right: then at least half of its words and of those asked for are the same."""
FOLDS = 5
LEAST_POINTS = 20
"""Answers of a kind, below which two numbers cannot be told."""
RIDGE = 0.01
"""Pull of slope and shift towards leaving scores as they are, in log-likelihood of one answer a squared unit."""
MOST_ODDS = 500.0
"""Log-odds beyond which exp would overflow."""
DIGITS = 4

Numbers = NDArray[np.float64]
START: Numbers = np.array([1.0, 0.0])
"""Slope and shift that leave scores as they are."""
Map = Callable[[Numbers], Numbers]


@dataclass(frozen=True, slots=True)
class Point:
    """An answer that was given, or withheld."""

    benchmark: str
    question: str
    kind: str
    raw: float
    """The score of the proof, before any map."""
    right: bool


def calibrate(paths: Iterable[Path], *, folds: int = FOLDS) -> dict[str, Any]:
    """Fit and measure on the answers of saved runs.

    Raises FormatError for a file that is no run, InputError for too few answers, ModelError without scipy.
    """
    check_fitting()
    rows = once([row for path in paths for row in read_run(path)])
    points = points_of(rows)
    fitted = [p for p in points if p.benchmark not in NOT_FITTED]
    kinds = [kind for kind in dict.fromkeys(p.kind for p in fitted) if _enough(fitted, kind)]
    if not kinds and len(points) == len(fitted):
        raise InputError(
            f"{len(points)} answers are too few to fit to: at least {LEAST_POINTS} of a kind are needed, right ones and wrong.",
            "Give runs with more questions, or with a lower --threshold.",
        )
    maps = {kind: fit_platt([p for p in fitted if p.kind == kind]) for kind in kinds}
    held = {b: [p for p in points if p.benchmark == b] for b in dict.fromkeys(p.benchmark for p in points)}
    return {
        "maps": {kind: {name: round(v, DIGITS) for name, v in asdict(found).items()} for kind, found in maps.items()},
        "by_kind": {kind: _fit_figures([p for p in fitted if p.kind == kind], folds) for kind in kinds},
        "by_benchmark": {name: _held_figures(found, rows, name, maps) for name, found in held.items()},
    }


def tables(figures: Mapping[str, Any]) -> list[tuple[str, list[str], list[list[str]]]]:
    """Title, columns and rows: the maps, how they hold in folds, and how they hold on each benchmark."""
    measures = ("ece", "brier", "log_loss")
    maps = [[kind, f"{m['slope']:g}", f"{m['shift']:g}"] for kind, m in figures["maps"].items()]
    folds = [
        [f"{kind}, {way}", str(found["answers"]), f"{found['right']:.3f}", *(f"{found[way][m]:.3f}" for m in measures)]
        for kind, found in figures["by_kind"].items()
        for way in ("raw", "platt", "isotonic")
    ]
    held = [
        [
            name if found["fitted_to"] else f"{name} (not fitted to)",
            *(str(found[count]) for count in ("questions", "answers")),
            *("" if found[m] is None else f"{found[m]:.3f}" for m in ("right", "auroc_answerable", "auroc_right")),
            *(f"{found[way]['ece']:.3f}" if found[way] else "" for way in ("raw", "calibrated")),
        ]
        for name, found in figures["by_benchmark"].items()
    ]
    columns = ["benchmark", "questions", "answers", "right", "auroc answerable", "auroc right", "ece", "ece calibrated"]
    shown = [("Benchmarks", columns, held)]
    if maps:
        shown.insert(0, ("Cross-validated", ["kind of proof", "answers", "right", "ece", "brier", "log loss"], folds))
        shown.insert(0, ("Maps", ["kind of proof", "slope", "shift"], maps))
    return shown


def once(rows: Sequence[Row]) -> list[Row]:
    """Each question once: asked with goals, where it was asked with and without."""
    ordered = sorted(rows, key=lambda r: not r.get("goals", True))
    return list({(str(r.get("benchmark", "")), r["id"]): r for r in reversed(ordered)}.values())[::-1]


def points_of(rows: Iterable[Row]) -> list[Point]:
    """The answers among the questions of a run."""
    return [
        Point(str(r.get("benchmark", "")), r["id"], str(r.get("kind", PROVED)), float(r["raw"]), is_right(r))
        for r in rows
        if r["known"]
    ]


def is_right(row: Row) -> bool:
    """Whether an answer is right; to what cannot be answered none is."""
    if not row["answerable"] or not row["known"]:
        return False
    if row.get("judged") is not None:
        return bool(row["judged"])
    return bool(row["f1"] >= RIGHT_F1 or row.get("contains"))


def fit_platt(points: Sequence[Point]) -> Platt:
    """The slope and shift of most likelihood, with Platt's (1999) targets, which keep few answers from making it certain."""
    from scipy.optimize import minimize

    odds, right = _odds(_raws(points)), _rights(points)
    targets = np.where(right > 0, (right.sum() + 1) / (right.sum() + 2), 1 / ((1 - right).sum() + 2))

    def loss(numbers: Numbers) -> tuple[float, Numbers]:
        """Negative log-likelihood with the ridge, and its gradient."""
        off = numbers - START
        line = numbers[0] * odds + numbers[1]
        missed = 1 / (1 + np.exp(-np.clip(line, -MOST_ODDS, MOST_ODDS))) - targets
        likelihood = np.sum(np.logaddexp(0, line) - targets * line)
        slopes = np.array([missed @ odds, missed.sum()]) + 2 * RIDGE * off
        return float(likelihood + RIDGE * off @ off), slopes

    found = minimize(loss, START, jac=True, method="L-BFGS-B", bounds=[(0, None), (None, None)])
    return Platt(round(float(found.x[0]), DIGITS), round(float(found.x[1]), DIGITS))


def fit_isotonic(points: Sequence[Point]) -> Map:
    """The monotone steps of least squared error, joined by lines."""
    from scipy.optimize import isotonic_regression

    raws, places = np.unique(_raws(points), return_inverse=True)
    counts = np.bincount(places)
    shares = np.bincount(places, weights=_rights(points)) / counts
    values = isotonic_regression(shares, weights=counts.astype(np.float64)).x
    return lambda given: np.interp(given, raws, values)


def out_of_fold(points: Sequence[Point], fit: Callable[[Sequence[Point]], Map], folds: int) -> Numbers:
    """For each answer its probability by a map fitted to the other parts of the questions."""
    parts = np.array([_part(p.question, folds) for p in points])
    raws = _raws(points)
    found = raws.copy()
    for part in range(folds):
        others = [p for p, own in zip(points, parts, strict=True) if own != part]
        if others and (parts == part).any():
            found[parts == part] = fit(others)(raws[parts == part])
    return found


def _part(question: str, folds: int) -> int:
    """All answers to one question lie in one part, always the same."""
    return int.from_bytes(blake2b(question.encode(), digest_size=8).digest()) % folds


def _platt_map(points: Sequence[Point]) -> Map:
    return np.vectorize(fit_platt(points), otypes=[np.float64])


def _fit_figures(points: Sequence[Point], folds: int) -> dict[str, Any]:
    """Scores as they are, and maps on questions that they were not fitted to."""
    raws, right = _raws(points), _rights(points)
    ways = {
        "raw": raws,
        "platt": out_of_fold(points, _platt_map, folds),
        "isotonic": out_of_fold(points, fit_isotonic, folds),
    }
    return {
        "answers": len(points),
        "right": round(float(right.mean()), DIGITS),
        "auroc_right": _rounded(auroc(raws, right)),
        **{name: _quality(found, right) for name, found in ways.items()},
        "bins": {name: [asdict(b) for b in reliability(ways[name], right)] for name in ("raw", "platt")},
    }


def _held_figures(
    points: Sequence[Point], rows: Sequence[Row], benchmark: str, maps: Mapping[str, Platt]
) -> dict[str, Any]:
    """How the maps hold on a benchmark, and whether scores tell what can be answered."""
    own = [r for r in rows if str(r.get("benchmark", "")) == benchmark]
    open_ = np.array([r["raw"] for r in own]), np.array([float(r["answerable"]) for r in own])
    right = _rights(points)
    by_kind = {**MAPS, **maps}
    found = np.array([by_kind.get(p.kind, Platt())(p.raw) for p in points])
    return {
        "questions": len(own),
        "answers": len(points),
        "right": round(float(right.mean()), DIGITS) if points else None,
        "auroc_answerable": _rounded(auroc(*open_)),
        "auroc_right": _rounded(auroc(_raws(points), right)),
        "raw": _quality(_raws(points), right) if points else None,
        "calibrated": _quality(found, right) if points else None,
        "fitted_to": benchmark not in NOT_FITTED,
        "bins": [asdict(b) for b in reliability(found, right)] if points else [],
    }


def _quality(probabilities: Numbers, right: Numbers) -> dict[str, float]:
    return {
        "ece": round(calibration_error(probabilities, right), DIGITS),
        "brier": round(brier(probabilities, right), DIGITS),
        "log_loss": round(log_loss(probabilities, right), DIGITS),
    }


def _enough(points: Sequence[Point], kind: str) -> bool:
    rights = [p.right for p in points if p.kind == kind]
    return len(rights) >= LEAST_POINTS and 0 < sum(rights) < len(rights)


def _raws(points: Sequence[Point]) -> Numbers:
    return np.array([p.raw for p in points], dtype=np.float64)


def _rights(points: Sequence[Point]) -> Numbers:
    return np.array([p.right for p in points], dtype=np.float64)


def _odds(raws: Numbers) -> Numbers:
    held = np.clip(raws, EXTREME, 1 - EXTREME)
    return np.asarray(np.log(held / (1 - held)))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
