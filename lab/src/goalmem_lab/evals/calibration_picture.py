"""The reliability diagram: how often answers of a confidence are right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goalmem_lab.evals.picture import save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw"]

RAW, CALIBRATED = "#D55E00", "#0072B2"
"""Vermilion and blue of Okabe and Ito (2008); markers say the same."""
INCHES = 3.6
LEAST_DOT, MOST_DOT = 20.0, 260.0
"""Areas of dots, in points squared: of one answer, and of all in one bin."""


def draw(figures: Mapping[str, Any], path: Path) -> None:
    """A panel for each kind of proof that was fitted, and one for each benchmark. Raises InputError when it cannot be written."""
    from matplotlib.figure import Figure

    panels: list[tuple[str, dict[str, Sequence[Mapping[str, Any]]]]] = [
        (f"{kind}: {found['answers']} answers, cross-validated", {"score": found["bins"]["raw"], "calibrated": found["bins"]["platt"]})
        for kind, found in figures["by_kind"].items()
    ] + [
        (f"{name}: {found['answers']} answers{'' if found['fitted_to'] else ', not fitted to'}", {"calibrated": found["bins"]})
        for name, found in figures["by_benchmark"].items()
        if found["bins"]
    ]  # fmt: skip
    figure = Figure(figsize=(INCHES * max(1, len(panels)), INCHES + 0.4), layout="constrained")
    if panels:
        for ax, (title, curves) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
            _panel(ax, title, curves)
    figure.supxlabel("confidence", fontsize=10)
    figure.supylabel("share of the answers that is right", fontsize=10)
    save(figure, path)


def _panel(ax: Axes, title: str, curves: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    ax.plot([0, 1], [0, 1], color="black", linewidth=0.8, linestyle=":")
    for name, bins in curves.items():
        colour, marker = (RAW, "s") if name == "score" else (CALIBRATED, "o")
        whole = max(1, sum(b["count"] for b in bins))
        places, shares = [b["confidence"] for b in bins], [b["right"] for b in bins]
        ax.plot(places, shares, color=colour, linewidth=1.2, label=name)
        areas = [LEAST_DOT + (MOST_DOT - LEAST_DOT) * b["count"] / whole for b in bins]
        ax.scatter(places, shares, s=areas, color=colour, marker=marker, alpha=0.7)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.set_title(title, fontsize=9)
    ax.legend(fontsize=8, loc="upper left", frameon=False)
    ax.grid(linewidth=0.4, alpha=0.5)
    ax.spines[["top", "right"]].set_visible(False)
