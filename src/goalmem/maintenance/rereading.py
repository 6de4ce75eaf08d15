"""Turns read again, as they were read when they were added: after those before them, with the names known by then."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from goalmem.cancellation import carried, checkpoint
from goalmem.records import Turn
from goalmem.store.protocol import NO_OTHERS, NewTurn, Stated, Store

if TYPE_CHECKING:
    from goalmem.language import Context, Extractor
    from goalmem.retrieve.search import Searcher

__all__ = ["NEARBY", "read_again", "read_by_name"]

NEARBY = 6
"""Turns before and behind one that is read anew: what its pronouns may stand for, and who takes part."""


def read_again(
    store: Store, run: Sequence[Turn], extractor: Extractor, searcher: Searcher, stated: Stated = NO_OTHERS
) -> list[NewTurn]:
    """Everything that is derived from turns which follow one another in one session. The store may hold other words of them;
    `stated`: what other turns state in place of what it holds.
    """
    context = _context(store, run, stated)
    with ThreadPoolExecutor(1, thread_name_prefix="goalmem-embed") as pool:
        encoding = pool.submit(carried(lambda: searcher.encode(run, context.previous)))
        extractions = extractor.extract(list(run), context)
        encoded = encoding.result()
    # Their places in the call and their hashes are kept with them, and stay as they are.
    return [
        NewTurn(turn, 0, "", extraction, vector, terms, searcher.features(turn, extraction))
        for turn, extraction, (vector, terms) in zip(run, extractions, encoded, strict=True)
    ]


def read_by_name(
    store: Store, held: Sequence[Turn], changed: Sequence[NewTurn], extractor: Extractor, searcher: Searcher
) -> list[NewTurn]:
    """Everything that is derived from the other turns of the space whose names for somebody rest on those that were changed:
    `my sister` stands for another where her name is another now. `held`: the changed turns as the store holds them.
    """
    stated = {new.turn.id: new.extraction.aliases for new in changed}
    before = extractor.extract(list(held), _context(store, held, NO_OTHERS))
    was, is_now = {(e.turn, *a) for e in before for a in e.aliases}, {(t, *a) for t, of in stated.items() for a in of}
    space, found = held[0].space, set[str]()
    for name in {name for _, *names in was ^ is_now for name in names}:
        found.update(fact.turn for fact in store.facts(space, entity=name))
        found.update(mention.turn for mention in store.mentions(space, entity=name))
    derived: list[NewTurn] = []
    for turn in store.turns(space, found - stated.keys()).values():
        checkpoint()
        derived += read_again(store, [turn], extractor, searcher, stated)
    return derived


def _context(store: Store, run: Sequence[Turn], stated: Stated) -> Context:
    """What is known before the first of these turns."""
    from goalmem.language import Context

    first = run[0]
    before, last = max(0, first.position - NEARBY), run[-1].position + NEARBY
    around = store.session_turns(first.space, first.session, first=before, last=last)
    previous = tuple(turn for turn in around if turn.position < first.position)
    speakers = tuple(dict.fromkeys(turn.speaker for turn in around))
    return Context(previous, store.aliases(first.space, before=first.id, instead=stated), speakers)
