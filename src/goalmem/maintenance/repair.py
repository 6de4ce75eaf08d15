"""Mend a store: what follows from turns is read out of them again, and what belongs to nothing is deleted.

A file is repaired as a whole, a database one space at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import TYPE_CHECKING

from goalmem.records import Turn
from goalmem.store import NewTurn, Store
from goalmem.store.integrity import Finding
from goalmem.store.repair import Repairs

if TYPE_CHECKING:
    from goalmem.language import Analyzer, Extractor
    from goalmem.models.protocol import Embedder
    from goalmem.retrieve.search import Searcher

__all__ = ["mend"]

OnProgress = Callable[[str, int, int], None]
"""Told what is done, how many turns are done, and how many there are."""

PORTION = 64
"""Turns read anew in one transaction."""
NEARBY = 6
"""Turns before and behind one that is read anew: what its pronouns may stand for, and who takes part."""


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
            aliases = repairs.aliases_before(run[0][1].space, run[0][0])
            done += repairs.replace(space, list(_derived(store, run, aliases, extractor, searcher)))
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


def _derived(
    store: Store,
    run: Sequence[tuple[int, Turn]],
    aliases: Mapping[str, str],
    extractor: Extractor,
    searcher: Searcher,
) -> Iterable[tuple[int, NewTurn]]:
    """What these turns say, read as they were when they were added: after those before them."""
    from goalmem.language import Context

    first, turns = run[0][1], [turn for _, turn in run]
    around = store.session_turns(
        first.space, first.session, first=max(0, first.position - NEARBY), last=turns[-1].position + NEARBY
    )
    previous = [turn for turn in around if turn.position < first.position]
    speakers = tuple(dict.fromkeys(turn.speaker for turn in around))
    with ThreadPoolExecutor(1, thread_name_prefix="goalmem-embed") as pool:
        encoding = pool.submit(searcher.encode, turns, previous)
        extractions = extractor.extract(turns, Context(tuple(previous), aliases, speakers))
        encoded = encoding.result()
    for (seq, turn), extraction, (vector, terms) in zip(run, extractions, encoded, strict=True):
        # Its place in the call and its hash are kept with the turn, and stay as they are.
        yield seq, NewTurn(turn, 0, "", extraction, vector, terms, searcher.features(turn, extraction))
