"""Replies of chat models, kept so as not to be asked for again.

A reply repeats what stands in the turns that the model was shown. So each names those turns and goes with the first of
them that is forgotten. One that names none was asked about a question alone, which may say what a forgotten turn said:
it goes with any.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from goalmem.store.tables_sqlite import SqliteTables as Space

__all__ = ["drop_replies", "drop_unbound_replies", "keep", "kept"]

RECORD = 1
"""Characters of a record (`sources.judgement_log`): a mark that something was judged."""


def kept(connection: sqlite3.Connection, space: Space, key: str) -> str | None:
    """The text kept under `key`."""
    row = connection.execute("SELECT text FROM replies WHERE space = ? AND key = ?", (space.id, key)).fetchone()
    return None if row is None else str(row[0])


def keep(
    connection: sqlite3.Connection, space: str, key: str, text: str, turns: Sequence[str], most: int | None = None
) -> bool:
    """Keep a text, unless the space or a turn is not there; at most `most`, where given. Runs inside a write transaction.

    A turn that was forgotten while the model wrote is not there: what was said of it must not stay behind.
    """
    row = connection.execute("SELECT id FROM space WHERE name = ?", (space,)).fetchone()
    if row is None:
        return False
    query = "SELECT seq FROM turn WHERE space = ? AND id = ?"
    found = [connection.execute(query, (row[0], turn)).fetchone() for turn in dict.fromkeys(turns)]
    if None in found:
        return False
    connection.execute("DELETE FROM replies WHERE space = ? AND key = ?", (row[0], key))
    cursor = connection.execute("INSERT INTO replies (space, key, text) VALUES (?, ?, ?)", (row[0], key, text))
    connection.executemany("INSERT INTO reply_turns VALUES (?, ?)", ((cursor.lastrowid, seq) for (seq,) in found))
    if most is not None:
        drop_oldest(connection, row[0], most)
    return True


def drop_oldest(connection: sqlite3.Connection, space: int, most: int) -> None:
    """Delete the oldest replies of a space, so that `most` are left. Records, which proofs rest on, are no replies."""
    connection.execute(
        "DELETE FROM replies WHERE id IN"
        " (SELECT id FROM replies WHERE space = ? AND length(text) > ? ORDER BY id DESC LIMIT -1 OFFSET ?)",
        (space, RECORD, most),
    )


def drop_replies(connection: sqlite3.Connection, turn: int) -> None:
    """Delete every reply that was asked about the turn of this number, before the turn is deleted."""
    connection.execute("DELETE FROM replies WHERE id IN (SELECT reply FROM reply_turns WHERE turn = ?)", (turn,))


def drop_unbound_replies(connection: sqlite3.Connection, space: int) -> None:
    """Delete the replies of a space that name no turn."""
    connection.execute(
        "DELETE FROM replies WHERE space = ? AND NOT EXISTS (SELECT 1 FROM reply_turns WHERE reply = replies.id)",
        (space,),
    )
