"""Items of conversations as a framework keeps them: any JSON, exactly as given, in order, on disk. One SQLite file.

Beside each item stands how far memory is with it, so that what was killed half-way is finished later. An item's number is
never given to another, so that memory may know its message by it.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike

from goalmem.errors import NewerStoreError, StoreClosedError
from goalmem.store.database_file import connected, use_log
from goalmem.store.failures import failures_of, not_a_store
from goalmem.store.location import locate
from goalmem.store.transactions import write_transaction

__all__ = ["Entry", "ItemLog", "NewItem"]

BUSY_SECONDS = 30.0
"""How long a call waits for another process that writes."""
APPLICATION_ID = 0x676F616D
"""`goam` in ASCII; a store of turns has `goal` (sqlite.org/fileformat2.html, section 1.3.17)."""
SCHEMA = 1

_TABLES = (
    """CREATE TABLE item (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        space TEXT NOT NULL,
        session TEXT NOT NULL,
        at TEXT NOT NULL,
        item TEXT NOT NULL,
        said INTEGER NOT NULL,
        turn TEXT,
        gone INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    "CREATE INDEX item_session ON item (space, session, id)",
    "CREATE INDEX item_unsettled ON item (space, session, id) WHERE gone OR (said AND turn IS NULL)",
    "CREATE TABLE log (name TEXT PRIMARY KEY) STRICT",
)
_COLUMNS = "id, at, item, said, turn, gone"


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item to be kept."""

    item: str
    """As JSON."""
    said: bool
    """Whether memory is to know it as a message."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An item that is kept."""

    id: int
    at: str
    """When it was added, as ISO 8601."""
    item: str
    said: bool
    turn: str | None
    """The turn that memory knows it as, once it does."""
    gone: bool
    """Taken out of its session, and memory may know it still."""


class ItemLog:
    """The file. Any number of threads and processes may use it at once; sessions of two spaces never meet."""

    def __init__(self, place: str | PathLike[str]) -> None:
        """Open or create a log: a path or `:memory:`. Raises a StoreError that says why it cannot be used."""
        location = locate(place)
        self._place = location.name
        self._lock = threading.RLock()
        self._closed = False
        with failures_of(self._place):
            self._connection = connected(location.uri(), BUSY_SECONDS)
            try:
                use_log(self._connection, BUSY_SECONDS)
                self.name = self._prepared()
            except BaseException:
                self._connection.close()
                raise

    def append(self, space: str, session: str, items: Sequence[NewItem], at: str) -> list[Entry]:
        """Keep items behind those of a session: all of them, on disk, or none."""
        sql = f"INSERT INTO item (space, session, at, item, said) VALUES (?, ?, ?, ?, ?) RETURNING {_COLUMNS}"
        with self._transaction() as run:
            rows = [run.execute(sql, (space, session, at, new.item, new.said)).fetchone() for new in items]
        return [_entry(row) for row in rows]

    def items(self, space: str, session: str, limit: int | None = None) -> list[str]:
        """The last `limit` items of a session in order; all without a limit, or with one below zero."""
        sql = "SELECT item FROM item WHERE space = ? AND session = ? AND NOT gone ORDER BY id DESC LIMIT ?"
        found = self._rows(sql, (space, session, -1 if limit is None else limit))
        return [row[0] for row in reversed(found)]

    def unsettled(self, space: str, session: str) -> list[Entry]:
        """Items of which memory may not know yet that they were said, or taken out; in order."""
        where = "space = ? AND session = ? AND (gone OR (said AND turn IS NULL))"
        sql = f"SELECT {_COLUMNS} FROM item WHERE {where} ORDER BY id"
        return [_entry(row) for row in self._rows(sql, (space, session))]

    def settle(self, turns: Sequence[tuple[int, str]]) -> None:
        """Memory knows these items now, by their numbers, as these turns."""
        with self._transaction() as run:
            run.executemany("UPDATE item SET turn = ? WHERE id = ?", [(turn, number) for number, turn in turns])

    def take(self, space: str, session: str) -> Entry | None:
        """Take the last item out of a session. It stays unsettled until it is removed or put back."""
        last = "SELECT max(id) FROM item WHERE space = ? AND session = ? AND NOT gone"
        sql = f"UPDATE item SET gone = 1 WHERE id = ({last}) RETURNING {_COLUMNS}"
        with self._transaction() as run:
            rows = run.execute(sql, (space, session)).fetchall()
        return _entry(rows[0]) if rows else None

    def take_all(self, space: str, session: str) -> list[Entry]:
        """Take all items out of a session, as `take` does."""
        sql = f"UPDATE item SET gone = 1 WHERE space = ? AND session = ? AND NOT gone RETURNING {_COLUMNS}"
        with self._transaction() as run:
            rows = run.execute(sql, (space, session)).fetchall()
        return [_entry(row) for row in rows]

    def put_back(self, entries: Sequence[Entry]) -> None:
        """Undo `take`: the items stand where they stood."""
        with self._transaction() as run:
            run.executemany("UPDATE item SET gone = 0 WHERE id = ?", [(entry.id,) for entry in entries])

    def remove(self, entries: Sequence[Entry]) -> None:
        """Remove items for good."""
        with self._transaction() as run:
            run.executemany("DELETE FROM item WHERE id = ?", [(entry.id,) for entry in entries])

    def close(self) -> None:
        """Release the file. Closing twice is fine."""
        with self._lock:
            self._closed = True
            self._connection.close()

    def _prepared(self) -> str:
        """The log's own name, made with it: what tells its numbers from those of another log."""
        with self._transaction() as run:
            held, version = (run.execute(f"PRAGMA {p}").fetchone()[0] for p in ("application_id", "user_version"))
            if held != APPLICATION_ID and (held or run.execute("SELECT 1 FROM sqlite_master").fetchone()):
                raise not_a_store(self._place, "it is another program's database, and no log of sessions")
            if version > SCHEMA:
                raise NewerStoreError(f"{self._place} was written by a newer goalmem.", "Upgrade goalmem.")
            if not version:
                for statement in _TABLES:
                    run.execute(statement)
                run.execute("INSERT INTO log (name) VALUES (?)", (secrets.token_hex(8),))
                run.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                run.execute(f"PRAGMA user_version = {SCHEMA}")
            return str(run.execute("SELECT name FROM log").fetchone()[0])

    def _rows(self, sql: str, values: Sequence[str | int]) -> list[tuple[str, ...]]:
        with self._lock, failures_of(self._place):
            self._check_open()
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction, on the disk when it ends. Raises StoreErrors; then nothing was changed."""
        with self._lock, failures_of(self._place):
            self._check_open()
            with write_transaction(self._connection):
                yield self._connection

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosedError("This log of sessions was closed.", "Open it again.")


def _entry(row: Sequence[object]) -> Entry:
    number, at, item, said, turn, gone = row
    return Entry(int(str(number)), str(at), str(item), bool(said), None if turn is None else str(turn), bool(gone))
