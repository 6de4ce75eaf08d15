"""Turns read again, as they were read when they were added: after those before them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from goalmem.records import Turn
from goalmem.store.protocol import NewTurn, Store

if TYPE_CHECKING:
    from goalmem.language import Extractor
    from goalmem.retrieve.search import Searcher

__all__ = ["NEARBY", "read_again"]

NEARBY = 6
"""Turns before and behind one that is read anew: what its pronouns may stand for, and who takes part."""


def read_again(store: Store, run: Sequence[Turn], extractor: Extractor, searcher: Searcher) -> list[NewTurn]:
    """Everything that is derived from turns which follow one another in one session. The store may hold other words of them."""
    from goalmem.language import Context

    first = run[0]
    before, last = max(0, first.position - NEARBY), run[-1].position + NEARBY
    around = store.session_turns(first.space, first.session, first=before, last=last)
    previous = tuple(turn for turn in around if turn.position < first.position)
    speakers = tuple(dict.fromkeys(turn.speaker for turn in around))
    aliases = store.aliases(first.space, before=first.id)
    with ThreadPoolExecutor(1, thread_name_prefix="goalmem-embed") as pool:
        encoding = pool.submit(searcher.encode, run, previous)
        extractions = extractor.extract(list(run), Context(previous, aliases, speakers))
        encoded = encoding.result()
    # Their places in the call and their hashes are kept with them, and stay as they are.
    return [
        NewTurn(turn, 0, "", extraction, vector, terms, searcher.features(turn, extraction))
        for turn, extraction, (vector, terms) in zip(run, extractions, encoded, strict=True)
    ]
