"""The phrase index: words next to each other, found by FTS5.

Every word is written as `<space number>·<word>`, so a posting list belongs to one space and a phrase of one space can
neither match nor cost anything in another. The index keeps no text of its own (FTS5 `content=''`): the words to
remove are computed from the turn, which is why `words` is frozen.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

from goalmem.store.codec import TURN, turn_of
from goalmem.store.words import words

_STEP = 500
"""Pages of the index rewritten in one step: some hundredths of a second."""
_MOVED = 2
"""Rows that a step changes at least, unless nothing is left to do."""
_LONGEST_QUERY = 32
"""Maximum number of words in an FTS5 query, whose cost grows with each. The rest of a longer phrase is compared with
the text.
"""


def index_words(connection: sqlite3.Connection, space: int, seq: int, content: str) -> None:
    """Add a turn's words."""
    connection.execute("INSERT INTO phrase (rowid, words) VALUES (?, ?)", (seq, _qualified(space, words(content))))


def remove_words(connection: sqlite3.Connection, space: int, seq: int) -> None:
    """Remove a turn's words; the turn must still be there."""
    content = _content(connection, seq)
    connection.execute(
        "INSERT INTO phrase (phrase, rowid, words) VALUES ('delete', ?, ?)", (seq, _qualified(space, words(content)))
    )


def settle(connection: sqlite3.Connection, *, begun: bool) -> bool:
    """Take a step in rewriting the index without what was removed, which until then stays in it as a mark; False when that is done.

    Outside any transaction: each step is one. (sqlite.org/fts5.html, section 6.8)
    """
    before = connection.total_changes
    connection.execute("INSERT INTO phrase (phrase, rank) VALUES ('merge', ?)", (_STEP if begun else -_STEP,))
    return connection.total_changes - before >= _MOVED


def find(connection: sqlite3.Connection, space: int, phrase: str, limit: int) -> list[str]:
    """Ids of turns that hold the words of `phrase` next to each other, in the order stored."""
    wanted = words(phrase)
    if not wanted or limit < 1:
        return []
    if len(wanted) <= _LONGEST_QUERY:
        return [id_ for id_, _ in _matches(connection, space, wanted, limit)]
    whole = f" {' '.join(wanted)} "
    found: list[str] = []
    for id_, seq in _matches(connection, space, wanted[:_LONGEST_QUERY], -1):
        if whole in f" {' '.join(words(_content(connection, seq)))} ":
            found.append(id_)
            if len(found) == limit:
                break
    return found


def _matches(
    connection: sqlite3.Connection, space: int, wanted: Sequence[str], limit: int
) -> Iterator[tuple[str, int]]:
    return connection.execute(
        "SELECT t.id, t.seq FROM phrase AS p JOIN turn AS t ON t.seq = p.rowid"
        " WHERE p.words MATCH ? AND t.space = ? ORDER BY p.rowid LIMIT ?",
        (f'"{_qualified(space, wanted)}"', space, limit),
    )


def _qualified(space: int, of: Sequence[str]) -> str:
    return " ".join(f"{space}·{word}" for word in of)


def _content(connection: sqlite3.Connection, seq: int) -> str:
    query = f"SELECT {TURN} FROM turn AS t JOIN session AS s ON s.id = t.session WHERE t.seq = ?"
    return turn_of("", connection.execute(query, (seq,)).fetchone()).content
