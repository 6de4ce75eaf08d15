"""Paged lists, read from the store in bounded memory.

A cursor identifies the last item, so that additions do not shift pages. It is opaque, signed, and only valid for its
list and space.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Query

from goalmem.answering.stated_edges import StatedEdges
from goalmem.errors import InputError
from goalmem.memory import Memory
from goalmem.records import Fact, HistoryEntry, ProfileStatement, Turn
from goalmem.store.metadata import Where

if TYPE_CHECKING:
    from goalmem.store import Store


T = TypeVar("T")
Position = list[Any]

MOST = 1000
"""Items of one page."""
SIGNATURE = 12
"""Bytes of the signature: a cursor grants nothing beyond its holder's rights."""

Limit = Annotated[int, Query(ge=1, le=MOST, description="Items of a page.")]
Cursor = Annotated[
    str | None, Query(max_length=4096, description="`next` of the page before; default: the first page.")
]


@dataclass(frozen=True, slots=True)
class ListPage:
    """Some items of a list."""

    items: Sequence[Any]
    last: Position | None
    """Position of the last item; None where the list ends."""


class Cursors:
    """Makes cursors of positions, and positions of cursors."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def write(self, listed: Sequence[str], position: Position | None) -> str | None:
        """The cursor behind a position of the list that these words name; None for no position."""
        if position is None:
            return None
        said = json.dumps(position, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(self._signature(listed, said) + said).decode().rstrip("=")

    def read(self, listed: Sequence[str], cursor: str | None) -> Position | None:
        """The position of a cursor. Raises InputError for one of another list, or of no list."""
        if cursor is None:
            return None
        try:
            whole = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            raise self._refusal() from None
        signature, said = whole[:SIGNATURE], whole[SIGNATURE:]
        if not hmac.compare_digest(signature, self._signature(listed, said)):
            raise self._refusal()
        position: Position = json.loads(said)
        return position

    def _signature(self, listed: Sequence[str], said: bytes) -> bytes:
        message = json.dumps(list(listed)).encode() + b"\0" + said
        return hmac.new(self._secret, message, hashlib.sha256).digest()[:SIGNATURE]

    @staticmethod
    def _refusal() -> InputError:
        return InputError("The cursor is not one of this list.", "Pass `next` of a page unchanged, or leave it out.")


def after_key(rows: Iterable[T], key: Callable[[T], Position], after: Position | None, limit: int) -> ListPage:
    """The next rows of a list that is sorted by `key`."""
    behind = (row for row in rows if after is None or key(row) > after)
    return cut(list(islice(behind, limit + 1)), key, limit)


def history_page(entries: Sequence[HistoryEntry], after: Position | None, limit: int) -> ListPage:
    """The next entries of a history, in its own order; behind the place of one that was forgotten since, those said later."""
    places = [said_order(e.fact) for e in entries]
    if after in places:
        entries = entries[places.index(after) + 1 :]
    elif after is not None:
        entries = [e for e, place in zip(entries, places, strict=True) if place > after]
    return cut(entries[: limit + 1], lambda e: said_order(e.fact), limit)


def cut(found: Sequence[T], key: Callable[[T], Position], limit: int) -> ListPage:
    """Cut the rows to a page; `limit` + 1 rows mean that another page follows."""
    page = found[:limit]
    return ListPage(page, key(page[-1]) if len(found) > limit else None)


WINDOW = 256
"""Turns read at a time where facts are looked for turn by turn."""


def conversation(store: Store, space: str, session: str, after: Position | None, limit: int) -> ListPage:
    """A session's turns in order; positions may have gaps, where turns were forgotten."""
    newest = store.session_turns(space, session, first=-1)
    end = newest[-1].position if newest else -1
    first, width = (after[0] + 1 if after else 0), limit + 1
    found: list[Turn] = []
    while first <= end and len(found) <= limit:
        found += store.session_turns(space, session, first=first, last=first + width - 1)
        first, width = first + width, width * 2
    return cut(found, lambda turn: [turn.position], limit)


def stored_turns(
    store: Store, space: str, where: Where, session: str | None, after: Position | None, limit: int
) -> ListPage:
    """Turns that meet conditions, of a session or of all, in the order stored."""
    page = cut(store.listed(space, where, session, after=after[0] if after else 0, limit=limit + 1), _number, limit)
    return ListPage([turn for _, turn in page.items], page.last)


def _number(row: tuple[int, Turn]) -> Position:
    return [row[0]]


def facts_of(
    store: Store, space: str, about: str | None, turn: str | None, after: Position | None, limit: int
) -> ListPage:
    """Facts of a turn, about an entity, or both, in the order said."""
    found = store.facts(space, entity=about, turns=None if turn is None else [turn])
    return after_key(sorted(found, key=said_order), said_order, after, limit)


def every_fact(store: Store, space: str, after: Position | None, limit: int) -> ListPage:
    """Every fact of a space, in the order in which the turns were stored.

    A position is the sequence number of the turn before, and how many facts of the next were listed already.
    """
    seq, listed = after or [0, 0]
    found: list[Fact] = []
    for numbers, facts in _facts_by_turn(store, space, seq):
        fresh = facts[listed:]
        if len(found) + len(fresh) > limit:
            room = limit - len(found)
            return ListPage([*found, *fresh[:room]], [numbers[0], listed + room])
        found += fresh
        listed = 0
    return ListPage(found, None)


def _facts_by_turn(store: Store, space: str, after: int) -> Iterator[tuple[tuple[int, int], list[Fact]]]:
    """Turn by turn: the sequence numbers of the turn before and of this one, and its facts."""
    rows = ((row.seq, row.turn) for row in store.index_rows(space, after=after))
    while window := list(islice(rows, WINDOW)):
        by_turn: dict[str, list[Fact]] = {}
        for fact in store.facts(space, turns=[turn for _, turn in window]):
            by_turn.setdefault(fact.turn, []).append(fact)
        for seq, turn in window:
            yield (after, seq), sorted(by_turn.get(turn, []), key=said_order)
            after = seq


def said_order(fact: Fact) -> Position:
    """Position of a fact in the order said."""
    return [fact.said.timestamp(), fact.turn, fact.start, fact.id]


def known_entities(
    store: Store, space: str, words: str, by_mentions: bool, after: Position | None, limit: int
) -> ListPage:
    """Entities whose name holds some words: name, type, number of mentions; by name, or the most mentioned first."""
    wanted = words.casefold()
    rows = [(name, kind, n) for name, (kind, n) in store.entities(space).items() if wanted in name.casefold()]

    def key(row: tuple[str, str, int]) -> Position:
        name = [row[0].casefold(), row[0]]
        return [-row[2], *name] if by_mentions else [0, *name]

    return after_key(sorted(rows, key=key), key, after, limit)


def stated(memory: Memory, space: str, facts: Sequence[Fact]) -> dict[str, ProfileStatement]:
    """Of some facts, those whose sentences their turns were judged to say, by fact id."""
    return {said.fact: said for said in memory._parts.portraits.stated(store_of(memory), space, facts)}


def stated_edges(memory: Memory, space: str) -> StatedEdges:
    """Keeps such edges of the graph of a memory as hold and are said."""
    return StatedEdges(memory._parts.asked("I", space), memory._parts.portraits)


def store_of(memory: Memory) -> Store:
    """The store that a memory opened."""
    return memory._parts.store
