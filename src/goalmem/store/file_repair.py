"""Repairs of a file as a whole. Whatever writes runs inside a write transaction.

`secure_delete` overwrites a deleted row in place. It does not reach stale copies that SQLite left in the unused part of
a page when it moved rows between pages (measured: 7 of 10,542 rows deleted from a churning table). Only VACUUM, which
rewrites every page, does. Its cost is proportional to the store, so a large store is vacuumed on close, and a mark in
the file ensures this after a crash.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager, suppress

from goalmem.store.codec import TURN, turn_of
from goalmem.store.failures import DamagedRowError
from goalmem.store.integrity import Remedy, lenient
from goalmem.store.phrases import index_words
from goalmem.store.phrases import settle as settle_phrases
from goalmem.store.repair import Repairs
from goalmem.store.schema import phrase_index
from goalmem.store.tables import SpaceTransactions

_NO_TURN = "turn NOT IN (SELECT seq FROM turn)"
_NO_SPACE = "space NOT IN (SELECT id FROM space)"
_DANGLING = (
    # A reply goes with the first turn that it was asked about, so first of all those whose turn is not there.
    ("replies", f"id IN (SELECT reply FROM reply_turns WHERE {_NO_TURN}) OR {_NO_SPACE}"),
    (
        "replies",
        "id IN (SELECT r.id FROM replies AS r JOIN reply_turns AS x ON x.reply = r.id JOIN turn ON turn.seq = x.turn"
        " WHERE turn.space <> r.space)",
    ),
    ("reply_turns", f"reply NOT IN (SELECT id FROM replies) OR {_NO_TURN}"),
    ("signal", _NO_TURN),
    ("next_signal", _NO_TURN),
    ("fact", f"{_NO_TURN} OR {_NO_SPACE}"),
    ("fact_entity", "fact NOT IN (SELECT seq FROM fact)"),
    ("mention", f"{_NO_TURN} OR {_NO_SPACE}"),
    ("edge", f"{_NO_TURN} OR {_NO_SPACE}"),
    ("alias", f"{_NO_TURN} OR {_NO_SPACE}"),
    ("attribute", _NO_TURN),
    ("version", _NO_TURN),
)
"""Tables of derived rows, with the condition of rows that belong to nothing."""


class FileRepairs(Repairs):
    """Repairs of a file."""

    def __init__(
        self, store: SpaceTransactions, repair_transaction: Callable[[], AbstractContextManager[sqlite3.Connection]]
    ) -> None:
        """`repair_transaction`: a connection inside a write transaction."""
        super().__init__(store)
        self._repair_transaction = repair_transaction

    def apply(self, remedies: Collection[Remedy], *, everything: bool) -> list[str]:
        """See `Repairs.apply`."""
        done: list[str] = []
        with self._repair_transaction() as connection:
            if Remedy.REINDEX in remedies or everything:
                connection.execute("REINDEX")
                done.append("indices built again")
            if Remedy.DROP in remedies:
                done.append(f"{_drop_dangling(connection)} rows deleted that belonged to nothing")
            if Remedy.RENUMBER in remedies:
                _renumber(connection)
                done.append("turns counted again")
            if Remedy.PHRASES in remedies or everything:
                _rebuild_phrases(connection)
                done.append("phrase index built again")
            renew_epoch(connection)
        return done


def _drop_dangling(connection: sqlite3.Connection) -> int:
    """Delete derived rows with dangling references; returns how many."""
    return sum(connection.execute(f"DELETE FROM {table} WHERE {which}").rowcount for table, which in _DANGLING)


def _renumber(connection: sqlite3.Connection) -> None:
    """Let every space know its last turn's number, and the store how often it was changed."""
    ((last,),) = connection.execute(
        "SELECT 1 + max(coalesce((SELECT max(value) FROM epoch), 0), coalesce(max(epoch), 0)) FROM space"
    )
    connection.execute("DELETE FROM epoch")
    connection.execute("INSERT INTO epoch VALUES (?)", (last,))
    connection.execute(
        "UPDATE space SET last_seq ="
        " max(last_seq, (SELECT coalesce(max(seq), 0) FROM turn WHERE turn.space = space.id))"
    )


def _rebuild_phrases(connection: sqlite3.Connection) -> None:
    """Rebuild the phrase index from all turns."""
    with suppress(sqlite3.DatabaseError):
        connection.execute("INSERT INTO phrase (phrase) VALUES ('delete-all')")
    connection.execute("DROP TABLE IF EXISTS temp.indexed")
    connection.execute("DROP TABLE phrase")
    phrase_index(connection)
    query = f"SELECT t.seq, t.space, {TURN} FROM turn AS t LEFT JOIN session AS s ON s.id = t.session ORDER BY t.seq"
    with lenient(connection):
        for seq, space, *row in connection.execute(query):
            with suppress(DamagedRowError):  # the turn's own text is lost; the finding remains
                index_words(connection, space, seq, turn_of("", tuple(row)).content)


def renew_epoch(connection: sqlite3.Connection) -> None:
    """Make every process that has the store open reload it."""
    connection.execute("UPDATE epoch SET value = value + 1")
    connection.execute("UPDATE space SET epoch = (SELECT value FROM epoch)")


_SMALL = 8 * 2**20
"""Bytes that are vacuumed in about a quarter of a second (measured: 0.7 s for 24 MB on two shared cores)."""


def mark_due(connection: sqlite3.Connection) -> None:
    """Record, inside the transaction that forgets, that a scrub is to follow."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('scrub', 'due')")


def mark_phrases(connection: sqlite3.Connection) -> None:
    """Record, inside the transaction that forgets, that the phrase index is to be written anew."""
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('phrases', 'due')")


def settle(connection: sqlite3.Connection, *, begun: bool) -> bool:
    """Take a step in rewriting the phrase index without what was removed; False when nothing is left to do. Outside any transaction."""
    if connection.execute("SELECT 1 FROM meta WHERE key = 'phrases'").fetchone() is None:
        return False
    if settle_phrases(connection, begun=begun):
        return True
    connection.execute("DELETE FROM meta WHERE key = 'phrases'")
    return False


def is_due(connection: sqlite3.Connection) -> bool:
    """True when something was forgotten since the last scrub."""
    return connection.execute("SELECT 1 FROM meta WHERE key = 'scrub'").fetchone() is not None


def is_small(connection: sqlite3.Connection) -> bool:
    """True when a scrub takes no noticeable time."""
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    return bool(pages * connection.execute("PRAGMA page_size").fetchone()[0] <= _SMALL)


def scrub(connection: sqlite3.Connection) -> bool:
    """Rewrite the file (VACUUM) and truncate the log; returns the result of `truncate_log`. Must run outside a
    transaction.
    """
    connection.execute("DROP TABLE IF EXISTS past_signal")  # vectors of a model that was changed, and not cleared since
    connection.execute("VACUUM")
    connection.execute("DELETE FROM meta WHERE key = 'scrub'")
    return truncate_log(connection)


def truncate_log(connection: sqlite3.Connection) -> bool:
    """Move the write-ahead log into the file and truncate it. Returns False immediately if a reader still uses it."""
    patience = connection.execute("PRAGMA busy_timeout").fetchone()[0]
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    finally:
        connection.execute(f"PRAGMA busy_timeout = {patience}")
