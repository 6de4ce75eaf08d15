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


def draw(figures: Mapping[str, Mapping[str, Any]], path: Path) -> None:
    """Draw what `sweep` found. Raises InputError when the file cannot be written.

    Above, token F1 against one limit, a line for each value of the other; below, what the questions came to where the other limit is
    at its highest.
    """
    from matplotlib.figure import Figure

    breadths = list(next(iter(figures.values())))
    turned = {breadth: {depth: parts[breadth] for depth, parts in figures.items()} for breadth in breadths}
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.subplots(2, 2)
    _accuracy(axes[0][0], turned, "depth", "breadth")
    _accuracy(axes[0][1], figures, "breadth", "depth")
    _realised(axes[1][0], turned[breadths[-1]], "depth")
    _realised(axes[1][1], list(figures.values())[-1], "breadth")
    save(figure, path)


def _accuracy(ax: Axes, lines: Mapping[str, Mapping[str, Any]], what: str, other: str) -> None:
    for place, (name, parts) in enumerate(lines.items()):
        shares = [float("nan") if part["f1"] is None else part["f1"] for part in parts.values()]
        ax.plot(
            list(parts),
            shares,
            color=COLOURS[place % len(COLOURS)],
            marker=MARKERS[place % len(MARKERS)],
            markersize=4,
            label=f"{NAMES[other]} {name}",
        )
    ax.set_xlabel(NAMES[what])
    ax.set_ylabel("token F1")
    ax.set_ylim(bottom=0)
    ax.legend(fontsize=8, frameon=False)
    _plain(ax)


def _realised(ax: Axes, parts: Mapping[str, Any], what: str) -> None:
    counts = [part[f"realised_{what}"] for part in parts.values()]
    bottoms = [0.0] * len(counts)
    for place, level in enumerate(sorted({int(level) for each in counts for level in each})):
        shares = [each.get(str(level), 0) / max(1, sum(each.values())) for each in counts]
        colour = COLOURS[1 + place % (len(COLOURS) - 1)]
        ax.bar(list(parts), shares, bottom=bottoms, width=0.6, color=colour, label=str(level))
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
