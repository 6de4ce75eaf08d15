"""What depth and breadth are worth: questions asked with each D_max, and with each B_max (Goal-Mem, figure 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from goalmem.language import Analyzer
from goalmem.models.protocol import Embedder
from goalmem.settings import Settings
from goalmem_lab.evals import locomo, longmemeval
from goalmem_lab.evals.ablation import is_locomo
from goalmem_lab.evals.progress import Finished, Tick, ignore
from goalmem_lab.evals.selection import ALL_QUESTIONS, Selection
from goalmem_lab.evals.ways import Reasoner, Way

__all__ = ["BREADTHS", "DEPTHS", "sweep", "tables"]

DEPTHS = (1, 2, 3, 4)
BREADTHS = (1, 2, 3, 4)


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
    """Ask the same questions at each depth with the breadth that is set, and at each breadth with the depth that is set.

    `path`: LoCoMo or LongMemEval (of haystacks). `state`: folder that keeps what is finished of an interrupted run: ways to ask
    that are done, and questions of the one that was under way. Raises FormatError for bad data, InputError for a bad argument.
    """
    tick = progress or ignore
    files = [path] if not path.is_dir() else longmemeval.files_of(path)
    default = Settings()
    ways = {("depth", depth): Way(reasoner=reasoner, depth=depth) for depth in depths}
    ways |= {("breadth", breadth): Way(reasoner=reasoner, breadth=breadth) for breadth in breadths}
    for way in ways.values():
        # One out of range is refused before the others are measured.
        _ = way.settings
    evaluate = locomo.evaluate if is_locomo(path) else longmemeval.evaluate
    finished = Finished("sweep", [repr(selection), *(p for way in ways.values() for p in way.parts())], files, state)
    complete = False
    try:
        for (what, value), way in ways.items():
            if finished.get(f"{what} {value}") is None:
                figures = evaluate(
                    path, mode="ask", selection=selection, way=way, state=state, embedder=embedder, cache=cache,
                    analyzer=analyzer, progress=_within(tick, f"{what} {value}"),
                )  # fmt: skip
                finished.keep(f"{what} {value}", figures)
        complete = True
    finally:
        finished.close(complete=complete)
    return {
        "depth_at_breadth": default.ask_breadth,
        "breadth_at_depth": default.ask_depth,
        **{
            what: {str(value): _part(finished.get(f"{what} {value}") or {}, what) for w, value in ways if w == what}
            for what in ("depth", "breadth")
        },
    }


def _within(tick: Tick, part: str) -> Tick:
    return lambda what, done, total: tick(f"{part}: {what}", done, total)


def _part(figures: Mapping[str, Any], what: str) -> dict[str, Any]:
    kinds: Mapping[str, Any] = figures.get("by_category") or figures.get("by_type") or {}
    return {
        "questions": figures["questions"],
        "f1": figures["f1"],
        "answered": figures["answered"],
        "by_kind": {name: part["f1"] for name, part in kinds.items() if part["questions"]},
        "realised": figures[f"realised_{what}"],
        "seconds_p50": figures["seconds_p50"],
    }


def tables(figures: Mapping[str, Any]) -> list[tuple[str, list[str], list[list[str]]]]:
    """For depth and for breadth: title, columns, and a row a value."""
    shown: list[tuple[str, list[str], list[list[str]]]] = []
    for what, other, at in (("depth", "B_max", "depth_at_breadth"), ("breadth", "D_max", "breadth_at_depth")):
        parts: Mapping[str, Any] = figures[what]
        kinds = list(dict.fromkeys(kind for part in parts.values() for kind in part["by_kind"]))
        rows = [
            [
                value,
                str(part["questions"]),
                _number(part["f1"]),
                *(_number(part["by_kind"].get(kind)) for kind in kinds),
                _number(part["answered"]),
                " ".join(f"{n}:{many}" for n, many in part["realised"].items()),
            ]
            for value, part in parts.items()
        ]
        name = {"depth": "D_max", "breadth": "B_max"}[what]
        shown.append(
            (f"{name}, {other} {figures[at]}", [name, "questions", "f1", *kinds, "answered", f"realised {what}"], rows)
        )
    return shown


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
