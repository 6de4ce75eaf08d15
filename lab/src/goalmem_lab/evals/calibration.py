"""How well confidences hold as probabilities, measured on saved runs.

An answer counts as right when a judge said so, or else by its words: token F1 of at least one half, or the gold answer in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError
from goalmem.proof.status import PROVED
from goalmem_lab.evals.runs import Row, read_run
from goalmem_lab.train.measure import auroc, calibration_error, reliability

if TYPE_CHECKING:
    from matplotlib.axes import Axes


RIGHT_F1 = 0.5
"""Token F1 from which an answer counts as right: then at least half of its words and of those asked for are the same."""
LEAST = 1e-6
"""Nearest to 0 or 1 that a probability counts for the log loss, which is endless there."""
DIGITS = 4
COLOUR = "#0072B2"
"""Blue of Okabe and Ito (2008)."""
INCHES = 3.6
LEAST_DOT, MOST_DOT = 20.0, 260.0
"""Areas of dots, in points squared: of one answer, and of all in one bin."""
MEASURES = ("ece", "brier", "log_loss")

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Point:
    """An answer that was given."""

    benchmark: str
    kind: str
    raw: float
    """The score of the proof."""
    right: bool


def calibrate(paths: Iterable[Path]) -> dict[str, Any]:
    """The figures of the answers in saved runs, by kind of proof and by benchmark.

    Raises FormatError for a file that is no run, InputError where nothing was answered.
    """
    rows = once([row for path in paths for row in read_run(path)])
    points = [
        Point(str(r.get("benchmark", "")), str(r.get("kind", PROVED)), float(r["raw"]), is_right(r))
        for r in rows
        if r["known"]
    ]
    if not points:
        raise InputError(
            "None of the questions was answered.", "Give runs with more questions, or a lower --threshold."
        )
    kinds, benchmarks = dict.fromkeys(p.kind for p in points), dict.fromkeys(p.benchmark for p in points)
    return {
        "by_kind": {kind: _figures([p for p in points if p.kind == kind]) for kind in kinds},
        "by_benchmark": {
            name: _figures([p for p in points if p.benchmark == name]) | _open(rows, name) for name in benchmarks
        },
    }


def tables(figures: Mapping[str, Any]) -> list[tuple[str, list[str], list[list[str]]]]:
    """Title, columns and rows: how scores hold by kind of proof, and on each benchmark."""
    kinds = [
        [kind, str(found["answers"]), f"{found['right']:.3f}", *(f"{found[m]:.3f}" for m in MEASURES)]
        for kind, found in figures["by_kind"].items()
    ]
    held = [
        [
            name,
            *(str(found[count]) for count in ("questions", "answers")),
            *(
                "" if found[m] is None else f"{found[m]:.3f}"
                for m in ("right", "auroc_answerable", "auroc_right", "ece")
            ),
        ]
        for name, found in figures["by_benchmark"].items()
    ]
    columns = ["benchmark", "questions", "answers", "right", "auroc answerable", "auroc right", "ece"]
    by_kind = ("Kinds of proof", ["kind of proof", "answers", "right", "ece", "brier", "log loss"], kinds)
    return [by_kind, ("Benchmarks", columns, held)]


def draw(figures: Mapping[str, Any], path: Path) -> None:
    """A panel for each kind of proof, and one for each benchmark. Raises InputError when it cannot be written."""
    from matplotlib.figure import Figure

    from goalmem_lab.evals.picture import save

    panels: list[tuple[str, Sequence[Mapping[str, Any]]]] = [
        (f"{name}: {found['answers']} answers", found["bins"])
        for part in ("by_kind", "by_benchmark")
        for name, found in figures[part].items()
    ]
    figure = Figure(figsize=(INCHES * len(panels), INCHES + 0.4), layout="constrained")
    for ax, (title, bins) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        _panel(ax, title, bins)
    figure.supxlabel("confidence", fontsize=10)
    figure.supylabel("share of the answers that is right", fontsize=10)
    save(figure, path)


def _panel(ax: Axes, title: str, bins: Sequence[Mapping[str, Any]]) -> None:
    ax.plot([0, 1], [0, 1], color="black", linewidth=0.8, linestyle=":")
    whole = sum(b["count"] for b in bins)
    places, shares = [b["confidence"] for b in bins], [b["right"] for b in bins]
    ax.plot(places, shares, color=COLOUR, linewidth=1.2)
    areas = [LEAST_DOT + (MOST_DOT - LEAST_DOT) * b["count"] / whole for b in bins]
    ax.scatter(places, shares, s=areas, color=COLOUR, alpha=0.7)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.set_title(title, fontsize=9)
    ax.grid(linewidth=0.4, alpha=0.5)
    ax.spines[["top", "right"]].set_visible(False)


def once(rows: Sequence[Row]) -> list[Row]:
    """Each question once: asked with goals, where it was asked with and without."""
    ordered = sorted(rows, key=lambda r: not r.get("goals", True))
    return list({(str(r.get("benchmark", "")), r["id"]): r for r in reversed(ordered)}.values())[::-1]


def is_right(row: Row) -> bool:
    """Whether an answer is right; to what cannot be answered none is."""
    if not row["answerable"] or not row["known"]:
        return False
    if row.get("judged") is not None:
        return bool(row["judged"])
    return bool(row["f1"] >= RIGHT_F1 or row.get("contains"))


def brier(probabilities: Numbers, right: Numbers) -> float:
    """Mean squared error."""
    return float(np.mean((probabilities - right) ** 2))


def log_loss(probabilities: Numbers, right: Numbers) -> float:
    """Mean negative log-likelihood, natural logarithm."""
    held = np.clip(probabilities, LEAST, 1 - LEAST)
    return float(-np.mean(right * np.log(held) + (1 - right) * np.log(1 - held)))


def _figures(points: Sequence[Point]) -> dict[str, Any]:
    raws, right = np.array([p.raw for p in points]), np.array([float(p.right) for p in points])
    return {
        "answers": len(points),
        "right": round(float(right.mean()), DIGITS),
        "auroc_right": _auroc(raws, right),
        "ece": round(calibration_error(raws, right), DIGITS),
        "brier": round(brier(raws, right), DIGITS),
        "log_loss": round(log_loss(raws, right), DIGITS),
        "bins": [asdict(b) for b in reliability(raws, right)],
    }


def _open(rows: Sequence[Row], benchmark: str) -> dict[str, Any]:
    """Whether scores tell what can be answered, withheld answers included."""
    own = [r for r in rows if str(r.get("benchmark", "")) == benchmark]
    scores, answerable = np.array([r["raw"] for r in own]), np.array([float(r["answerable"]) for r in own])
    return {"questions": len(own), "auroc_answerable": _auroc(scores, answerable)}


def _auroc(scores: Numbers, positive: Numbers) -> float | None:
    """None where all are positive, or none."""
    there, absent = scores[positive > 0], scores[positive == 0]
    return round(auroc(there.tolist(), absent.tolist()), DIGITS) if len(there) and len(absent) else None
