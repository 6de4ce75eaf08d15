"""Turns that are forgotten, or expire, with those read again that were read by them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from goalmem.maintenance.rereading import ATTEMPTS, read_changed
from goalmem.records import Turn
from goalmem.store.metadata import Where
from goalmem.store.protocol import NOTHING_READ, Forgotten, OutdatedReadingError, Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from goalmem.language import Extractor
    from goalmem.retrieve.search import Searcher
    from goalmem.store import Store

__all__ = ["forget_turns", "purge_turns"]

PAGE = 1000
"""Turns read at a time."""


def forget_turns(
    store: Store,
    extractor: Extractor,
    searcher: Searcher,
    space: str,
    turn: str | None,
    session: str | None,
    where: Where,
) -> Forgotten:
    """Forget a turn, a session or turns that meet conditions; in the same transaction what remains is as if they had never been.

    Raises StoreBusyError where others kept changing the turns meanwhile; nothing was forgotten.
    """

    def chosen() -> list[Turn]:
        if turn is not None:
            return list(store.turns(space, [turn]).values())
        found: list[Turn] = []
        after = 0
        while page := store.listed(space, where, session, after=after, limit=PAGE):
            found += [held for _, held in page]
            after = page[-1][0]
        return found

    def remove(held: list[Turn], reading: Reading) -> Forgotten:
        gone = {turn.id for turn in held}
        return store.forget(space, turn=turn, session=session, where=where, gone=gone, reading=reading)

    return _removed(store, extractor, searcher, chosen, remove)


def purge_turns(store: Store, extractor: Extractor, searcher: Searcher, space: str, now: datetime) -> Forgotten:
    """Remove what has expired by now, as `forget_turns` does."""

    def remove(held: list[Turn], reading: Reading) -> Forgotten:
        return store.purge(space, now, {turn.id for turn in held}, reading)

    return _removed(store, extractor, searcher, lambda: store.expired(space, now), remove)


def _removed(
    store: Store,
    extractor: Extractor,
    searcher: Searcher,
    chosen: Callable[[], list[Turn]],
    remove: Callable[[list[Turn], Reading], Forgotten],
) -> Forgotten:
    for attempt in range(1, ATTEMPTS + 1):
        held = chosen()
        reading = read_changed(store, held, (), extractor, searcher) if held else NOTHING_READ
        try:
            return remove(held, reading)
        except OutdatedReadingError:
            if attempt == ATTEMPTS:
                raise
    raise AssertionError
