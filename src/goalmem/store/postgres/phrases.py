"""Phrases: turns that hold every word, found in the database, and then the words next to each other, found in their texts."""

from __future__ import annotations

from collections.abc import Sequence

from goalmem.store.codec import TURN, turn_of
from goalmem.store.postgres.reads import Query, Space
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.spaces import seek_words
from goalmem.store.postgres.writes import MORE
from goalmem.store.words import words

__all__ = ["find"]

_LONGEST_QUERY = 32
"""Words given to the database; all are compared with the text."""
_PAGE = 200
"""Turns whose texts are compared at a time."""


def find(connection: Connection, space: Space, phrase: str, limit: int) -> list[str]:
    """Ids of turns that hold the words of `phrase` next to each other, in the order stored."""
    wanted = words(phrase)
    if not wanted or limit < 1:
        return []
    distinct = list(dict.fromkeys(wanted))[:_LONGEST_QUERY]
    every = " & ".join(f"'{word}'" for word in distinct)
    seek_words(connection, f"({every}) | '{MORE}'")
    whole = f" {' '.join(wanted)} "
    query = Query("SELECT w.seq FROM words AS w", "w", space)
    seqs = [seq for (seq,) in query.rows(connection, "ORDER BY w.seq")]
    found: list[str] = []
    for start in range(0, len(seqs), _PAGE):
        found += _holding(connection, space, seqs[start : start + _PAGE], whole)
        if len(found) >= limit:
            break
    return found[:limit]


def _holding(connection: Connection, space: Space, seqs: Sequence[int], whole: str) -> list[str]:
    """Ids of those turns, by number, whose words hold `whole`."""
    query = Query(
        f"SELECT {TURN} FROM turn AS t JOIN session AS s ON s.space = t.space AND s.id = t.session", "t", space
    )
    query.where("t.seq = ANY(%s)", list(seqs))
    rows = query.rows(connection, "ORDER BY t.seq")
    turns = (turn_of(space.name, row) for row in rows)
    return [turn.id for turn in turns if whole in f" {' '.join(words(turn.content))} "]
