"""Mend a store: what follows from turns is read out of them again, and what belongs to nothing is deleted.

A file is repaired as a whole, a database one space at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from goalmem.maintenance.rereading import read_again
from goalmem.records import Turn
from goalmem.store.integrity import Finding
from goalmem.store.repair import Repairs

if TYPE_CHECKING:
    from goalmem.language import Analyzer
    from goalmem.models.protocol import Embedder
    from goalmem.store import Store

__all__ = ["mend"]

OnProgress = Callable[[str, int, int], None]
"""Told what is done, how many turns are done, and how many there are."""

PORTION = 64
"""Turns read anew in one transaction."""


def mend(
    store: Store,
    repairs: Repairs,
    embedder: Embedder,
    analyzer: Analyzer | None,
    found: Sequence[Finding],
    tell: OnProgress,
    *,
    everything: bool = False,
) -> list[str]:
    """Do what mends these findings; what was done, in words."""
    done = repairs.apply({finding.remedy for finding in found}, everything=everything)
    wanted = repairs.numbers() if everything else _named(found, repairs)
    if any(wanted.values()):
        done.append(f"{_read_again(store, repairs, embedder, analyzer, wanted, tell)} turns read again")
    return done


def _named(found: Sequence[Finding], repairs: Repairs) -> dict[str, list[int]]:
    """The turns that findings name, by space, each once and in order; no space is named where numbers are of them all."""
    named: dict[str, set[int]] = {}
    for finding in found:
        named.setdefault(finding.space, set()).update(finding.turns)
    anywhere = named.pop("", set())
    if anywhere:
        for space, numbers in repairs.numbers().items():
            named.setdefault(space, set()).update(anywhere.intersection(numbers))
    return {space: sorted(turns) for space, turns in named.items()}


def _read_again(
    store: Store,
    repairs: Repairs,
    embedder: Embedder,
    analyzer: Analyzer | None,
    wanted: Mapping[str, Sequence[int]],
    tell: OnProgress,
) -> int:
    """Derive everything from these turns again; how many there were."""
    from goalmem.language import Analyzer, Extractor
    from goalmem.retrieve.search import Searcher

    parser = analyzer or Analyzer()
    extractor, searcher = Extractor(parser), Searcher(store, embedder)
    done, total = 0, sum(map(len, wanted.values()))
    for space, chosen in wanted.items():
        for run in _runs(repairs, space, chosen):
            numbers, turns = zip(*run, strict=True)
            made = read_again(store, turns, extractor, searcher)
            done += repairs.replace(space, list(zip(numbers, made, strict=True)))
            tell("read again", done, total)
    return done


def _runs(repairs: Repairs, space: str, wanted: Sequence[int]) -> Iterator[list[tuple[int, Turn]]]:
    """The turns, with their numbers, in runs that follow one another in one session, in the order stored."""

    def neighbours(entry: tuple[int, tuple[int, Turn]]) -> tuple[str, str, int]:
        place, (_, turn) = entry
        return turn.space, turn.session, turn.position - place

    for start in range(0, len(wanted), PORTION):
        found = repairs.turns(space, wanted[start : start + PORTION])
        for _, run in groupby(enumerate(found), key=neighbours):
            yield [entry for _, entry in run]
