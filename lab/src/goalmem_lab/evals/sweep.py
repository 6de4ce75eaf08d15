"""What depth and breadth are worth: questions asked at each D_max with each B_max (Goal-Mem, figures 4 and 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goalmem.language import Analyzer
from goalmem.models.protocol import Embedder
from goalmem_lab.evals import lives_ask, locomo, longmemeval
from goalmem_lab.evals.ablation import is_locomo
from goalmem_lab.evals.asked_run import Run
from goalmem_lab.evals.memories import Memories
from goalmem_lab.evals.picture import save
from goalmem_lab.evals.progress import Tick, ignore, resumable, within
from goalmem_lab.evals.selection import ALL_QUESTIONS, Selection
from goalmem_lab.evals.ways import Reasoner, Way

if TYPE_CHECKING:
    from matplotlib.axes import Axes


DEPTHS = (1, 2, 3, 4)
BREADTHS = (1, 2, 3)


def sweep(
    path: Path,
    *,
    depths: Sequence[int] = DEPTHS,
    breadths: Sequence[int] = BREADTHS,
    reasoner: Reasoner = "local",
    selection: Selection = ALL_QUESTIONS,
    progress: Tick | None = None,
    state: Path | None = None,
    embedder: Embedder | None = None,
    cache: Path | None = None,
    analyzer: Analyzer | None = None,
) -> dict[str, Any]:
    """Ask the same questions at each depth with each breadth; figures by depth, then by breadth.

    `path`: LoCoMo, LongMemEval (of haystacks), or a folder of lives. `state`: folder that keeps what is finished of an interrupted
    run: ways to ask that are done, and questions of the one that was under way. Raises FormatError for bad data, InputError for a
    bad argument.
    """
    tick = progress or ignore
    ways = {(d, b): Way(reasoner=reasoner, depth=d, breadth=b) for d in depths for b in breadths}
    for way in ways.values():
        # One out of range is refused before the others are measured.
        _ = way.settings
    parts = [repr(selection), *(p for way in ways.values() for p in way.parts())]
    with resumable("sweep", parts, _files(path), state) as finished:
        for (depth, breadth), way in ways.items():
            name = f"D_max {depth}, B_max {breadth}"
            if finished.get(name) is None:
                figures = _asked(
                    path,
                    way,
                    selection,
                    state=state,
                    embedder=embedder,
                    cache=cache,
                    analyzer=analyzer,
                    progress=within(tick, f"{name}:"),
                )
                finished.keep(name, figures)
    return {str(d): {str(b): _part(finished.get(f"D_max {d}, B_max {b}") or {}) for b in breadths} for d in depths}


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return lives_ask.files_of(path) or longmemeval.files_of(path)


def _asked(
    path: Path, way: Way, selection: Selection, *, embedder: Embedder | None, cache: Path | None, analyzer: Analyzer | None,
    progress: Tick, state: Path | None,
) -> dict[str, Any]:  # fmt: skip
    if path.is_dir() and lives_ask.files_of(path):
        with Memories(embedder, cache, analyzer, way=way) as memories:
            return lives_ask.evaluate(path, memories, Run(selection, progress, state))
    evaluate = locomo.evaluate if is_locomo(path) else longmemeval.evaluate
    return evaluate(
        path, mode="ask", selection=selection, way=way, state=state, embedder=embedder, cache=cache, analyzer=analyzer,
        progress=progress,
    )  # fmt: skip


def _part(figures: Mapping[str, Any]) -> dict[str, Any]:
    kinds: Mapping[str, Any] = figures.get("by_category") or figures.get("by_type") or figures.get("by_kind") or {}
    return {
        "questions": figures["questions"],
        "f1": figures["f1"],
        "answered": figures["answered"],
        "abstention": figures["abstention"],
        "verified": figures["verified"],
        "by_kind": {name: part["f1"] for name, part in kinds.items() if part["questions"]},
        "realised_depth": figures["realised_depth"],
        "realised_breadth": figures["realised_breadth"],
        "seconds_p50": figures["seconds_p50"],
    }


def table(figures: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Columns, and a row a depth with a breadth."""
    cells = [(depth, breadth, part) for depth, parts in figures.items() for breadth, part in parts.items()]
    kinds = list(dict.fromkeys(kind for _, _, part in cells for kind in part["by_kind"]))
    rows = [
        [
            depth,
            breadth,
            str(part["questions"]),
            *(_number(value) for value in (part["f1"], *map(part["by_kind"].get, kinds), part["answered"])),
            *(_counts(part[f"realised_{what}"]) for what in ("depth", "breadth")),
        ]
        for depth, breadth, part in cells
    ]
    return ["D_max", "B_max", "questions", "f1", *kinds, "answered", "realised depth", "realised breadth"], rows


def _counts(realised: Mapping[str, int]) -> str:
    return " ".join(f"{number}:{many}" for number, many in realised.items())


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


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
