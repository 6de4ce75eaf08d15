"""After forgetting: leave no copy of the text behind in the file.

`secure_delete` overwrites a deleted row where it lies. It does not reach a stale copy that SQLite left in the unused
part of a page when it moved rows between pages (measured: 7 of 10,542 rows deleted from a churning table). Only
VACUUM, which writes every page anew, does. It costs time in proportion to the store, so a large store is vacuumed when
it is closed, and a mark in the file carries the duty over a crash.
"""

from __future__ import annotations

import sqlite3

__all__ = ["is_due", "is_small", "mark_due", "scrub", "truncate_log"]

_SMALL = 8 * 2**20
"""Bytes that are vacuumed in about a quarter of a second (measured: 0.7 s for 24 MB on two shared cores)."""


def mark_due(connection: sqlite3.Connection) -> None:
    """Record, inside the transaction that forgets, that a scrub is to follow."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('scrub', 'due')")


def is_due(connection: sqlite3.Connection) -> bool:
    """True when something was forgotten since the last scrub."""
    return connection.execute("SELECT 1 FROM meta WHERE key = 'scrub'").fetchone() is not None


def is_small(connection: sqlite3.Connection) -> bool:
    """True when a scrub takes no noticeable time."""
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    return bool(pages * connection.execute("PRAGMA page_size").fetchone()[0] <= _SMALL)


def scrub(connection: sqlite3.Connection) -> None:
    """Write the file anew and drop the log. Outside any transaction."""
    connection.execute("DROP TABLE IF EXISTS past_signal")  # vectors of a model that was changed, and not cleared since
    connection.execute("VACUUM")
    connection.execute("DELETE FROM meta WHERE key = 'scrub'")
    truncate_log(connection)


def truncate_log(connection: sqlite3.Connection) -> None:
    """Move the write-ahead log into the file and empty it, once no reader needs it (waits as for a lock)."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
