"""Phrases: turns that hold every word, found in the database, and then the words next to each other, found in their texts."""

from __future__ import annotations

from collections.abc import Sequence

from goalmem.store.postgres.lexemes import MORE
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.spaces import seek_words
from goalmem.store.reads import numbered_turns
from goalmem.store.tables import Tables
from goalmem.store.words import words

__all__ = ["find"]

_LONGEST_QUERY = 32
"""Words given to the database; all are compared with the text."""
_PAGE = 200
"""Turns whose texts are compared at a time."""


def find(tables: Tables, connection: Connection, phrase: str, limit: int) -> list[str]:
    """Ids of turns that hold the words of `phrase` next to each other, in the order stored."""
    wanted = words(phrase)
    if not wanted or limit < 1:
        return []
    distinct = list(dict.fromkeys(wanted))[:_LONGEST_QUERY]
    every = " & ".join(f"'{word}'" for word in distinct)
    seek_words(connection, f"({every}) | '{MORE}'")
    whole = f" {' '.join(wanted)} "
    seqs = [seq for (seq,) in tables.rows("SELECT w.seq FROM words AS w WHERE w.space = :space ORDER BY w.seq")]
    found: list[str] = []
    for start in range(0, len(seqs), _PAGE):
        found += _holding(tables, seqs[start : start + _PAGE], whole)
        if len(found) >= limit:
            break
    return found[:limit]


def _holding(tables: Tables, seqs: Sequence[int], whole: str) -> list[str]:
    """Ids of those turns, by number, whose words hold `whole`."""
    turns = (turn for _, turn in numbered_turns(tables, seqs))
    return [turn.id for turn in turns if whole in f" {' '.join(words(turn.content))} "]
