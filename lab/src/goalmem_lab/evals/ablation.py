"""What each signal is worth: every one switched off in turn, in one run; and what parts of Retaining would be, each added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from goalmem.errors import FormatError
from goalmem.models.protocol import Embedder
from goalmem.retrieve.fusion import SIGNAL_NAMES
from goalmem_lab.evals import locomo, longmemeval
from goalmem_lab.evals.corpus import FULL, Corpora, Variant, check_signals
from goalmem_lab.evals.locomo_data import read_locomo
from goalmem_lab.evals.longmemeval_data import read_longmemeval
from goalmem_lab.evals.progress import Tick, ignore, resumable, within
from goalmem_lab.evals.retaining import check_parts
from goalmem_lab.evals.selection import Selection
from goalmem_lab.train.datasets import read_json

LONGMEMEVAL = ("any@5", "all@5", "any@10", "all@10")
LOCOMO = ("recall@10", "recall@20")
CHIEF = {"LongMemEval, haystack": "all@5", "LongMemEval, pool": "all@5", "LoCoMo": "recall@10"}
"""The measure of each benchmark that tells most: the others are near 1, or follow it."""

Part = Callable[[Sequence[Variant]], list[dict[str, Any]]]
"""Measures some variants on one benchmark in one scope."""


def ablate(
    paths: Iterable[Path | str],
    *,
    signals: Iterable[str] | None = None,
    added: Iterable[str] = (),
    limit: int | None = None,
    progress: Tick | None = None,
    state: Path | None = None,
    embedder: Embedder | None = None,
    cache: Path | None = None,
) -> dict[str, Any]:
    """Measure the full system and the system without each signal, on LongMemEval (both scopes) and LoCoMo as given.

    `signals`: those switched off in turn, by default all, or none where parts are `added`. `added`: parts of Retaining (`retaining.PARTS`),
    each of which is added to the full system in turn. `limit`: the first questions of each benchmark. `state`: folder
    that keeps what is finished of an interrupted run.

    Raises FormatError for bad data, InputError for a bad argument.
    """
    places = [Path(path) for path in paths]
    parts_added = check_parts(list(added))
    if signals is None:
        signals = () if parts_added else SIGNAL_NAMES
    names = check_signals(list(signals))
    variants = [FULL, *(Variant((signal,)) for signal in names), *(Variant(added=part) for part in parts_added)]
    with Corpora(embedder, cache) as corpora:
        parts = _parts(places, corpora, Selection(limit), progress or ignore, state)
        files = [file for path in places for file in longmemeval.files_of(path)]
        with resumable("ablation", [str(limit), corpora.model, *map(repr, variants)], files, state) as finished:
            for name, measure in parts.items():
                if finished.get(name) is None:
                    full, *rest = measure(variants)
                    changed = dict(zip([*names, *(f"+ {part}" for part in parts_added)], rest, strict=True))
                    finished.keep(name, {"full": full, "without": changed})
    return {"benchmarks": {name: finished.get(name) for name in parts}}


def table(figures: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Column names and rows: the full system, then what is gained or lost without each signal, in points of a hundred.

    The signal whose absence costs most stands first. A part that was added has a `+` before its name.
    """
    benchmarks: Mapping[str, Mapping[str, Any]] = figures["benchmarks"]
    columns = [(name, measure) for name, found in benchmarks.items() for measure in _measures(found["full"])]
    signals = sorted(
        {signal for found in benchmarks.values() for signal in found["without"]},
        key=lambda signal: (sum(difference(figures, name, signal, CHIEF[name]) for name in benchmarks), signal),
    )
    full = [f"{100 * (benchmarks[name]['full'][measure] or 0.0):.1f}" for name, measure in columns]
    return (
        ["without", *(f"{name.removeprefix('LongMemEval, ')}: {measure}" for name, measure in columns)],
        [
            ["(full)", *full],
            *(
                [signal, *(_signed(difference(figures, name, signal, measure)) for name, measure in columns)]
                for signal in signals
            ),
        ],
    )


def difference(figures: Mapping[str, Any], benchmark: str, signal: str, measure: str) -> float:
    """What a measure changes by, in points of a hundred, when a signal is switched off; below 0 where it is missed."""
    found = figures["benchmarks"][benchmark]
    return 100 * ((found["without"][signal][measure] or 0.0) - (found["full"][measure] or 0.0))


def _parts(
    places: Iterable[Path], corpora: Corpora, selection: Selection, tick: Tick, state: Path | None
) -> dict[str, Part]:
    parts: dict[str, Part] = {}
    for path in places:
        if is_locomo(path):
            told = within(tick, "LoCoMo:")
            parts["LoCoMo"] = partial(
                locomo.measure,
                read_locomo(path),
                path,
                corpora=corpora,
                selection=selection,
                progress=told,
                state=state,
            )
            continue
        dataset, files = read_longmemeval(path), longmemeval.files_of(path)
        for scope in longmemeval.SCOPES:
            told = within(tick, f"{scope}:")
            parts[f"LongMemEval, {scope}"] = partial(
                longmemeval.measure,
                dataset,
                files,
                scope,
                corpora=corpora,
                selection=selection,
                progress=told,
                state=state,
            )
    return parts


def is_locomo(path: Path) -> bool:
    """Whether a file is LoCoMo's and not LongMemEval's. Raises FormatError when it is neither."""
    if path.is_dir():
        return False
    match read_json(path):
        case {"conversation": _} | [{"conversation": _}, *_]:
            return True
        case [{"haystack_sessions": _}, *_]:
            return False
    raise FormatError(f"{path.name} is neither LongMemEval nor LoCoMo.", "Name the official file, or a folder.")


def _measures(figures: Mapping[str, Any]) -> tuple[str, ...]:
    return LONGMEMEVAL if LONGMEMEVAL[0] in figures else LOCOMO


def _signed(points: float) -> str:
    return "0" if abs(points) < 0.05 else f"{points:+.1f}"
