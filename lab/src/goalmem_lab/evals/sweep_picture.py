"""The sweep as a picture: accuracy against D_max and B_max, and below what depth and breadth the questions came to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goalmem_lab.evals.picture import save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw"]

COLOURS = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#D55E00", "#0072B2", "#F0E442")
"""Okabe and Ito (2008)."""
MARKERS = "osv^D<>P"
SIZE = (9.0, 6.4)
NAMES = {"depth": "D_max", "breadth": "B_max"}


def draw(figures: Mapping[str, Any], path: Path) -> None:
    """Draw what `sweep` found. Raises InputError when the file cannot be written."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.subplots(2, 2)
    for column, what in enumerate(NAMES):
        _accuracy(axes[0][column], figures[what], NAMES[what])
        _realised(axes[1][column], figures[what], what)
    axes[0][0].legend(fontsize=8, frameon=False)
    save(figure, path)


def _accuracy(ax: Axes, parts: Mapping[str, Any], name: str) -> None:
    values = list(parts)
    kinds = list(dict.fromkeys(kind for part in parts.values() for kind in part["by_kind"]))
    curves = {"all": [part["f1"] for part in parts.values()]}
    curves |= {kind: [part["by_kind"].get(kind) for part in parts.values()] for kind in kinds}
    for place, (kind, shares) in enumerate(curves.items()):
        numbers = [float("nan") if share is None else share for share in shares]
        ax.plot(
            values,
            numbers,
            linewidth=2.0 if kind == "all" else 1.1,
            color=COLOURS[place % len(COLOURS)],
            marker=MARKERS[place % len(MARKERS)],
            markersize=4,
            label=kind,
        )
    ax.set_xlabel(name)
    ax.set_ylabel("token F1")
    ax.set_ylim(bottom=0)
    _plain(ax)


def _realised(ax: Axes, parts: Mapping[str, Any], what: str) -> None:
    values = list(parts)
    levels = sorted({int(level) for part in parts.values() for level in part["realised"]})
    bottoms = [0.0] * len(values)
    for place, level in enumerate(levels):
        shares = [
            part["realised"].get(str(level), 0) / max(1, sum(part["realised"].values())) for part in parts.values()
        ]
        ax.bar(
            values, shares, bottom=bottoms, width=0.6, color=COLOURS[1 + place % (len(COLOURS) - 1)], label=str(level)
        )
        bottoms = [bottom + share for bottom, share in zip(bottoms, shares, strict=True)]
    ax.set_xlabel(NAMES[what])
    ax.set_ylabel("share of the questions")
    ax.legend(
        title=f"realised {what}", fontsize=8, title_fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1, 1)
    )
    _plain(ax)


def _plain(ax: Axes) -> None:
    ax.grid(axis="y", linewidth=0.4, alpha=0.5)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
