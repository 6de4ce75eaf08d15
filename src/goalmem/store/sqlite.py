"""The embedded store: one SQLite file, or memory.

Durability: write-ahead log with `synchronous=EXTRA`, so a turn is on the disk when `add` returns.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeVar
from zlib import crc32

from goalmem.errors import CorruptStoreError, NotAStoreError, StoreError
from goalmem.records import Turn
from goalmem.store import failures, file_repair, integrity, phrases, writes
from goalmem.store.contents import StoredTurn, kept_turns
from goalmem.store.database_file import described, open_database, require_same_file
from goalmem.store.failures import DamagedRowError, failures_of, reembedded
from goalmem.store.file_repair import FileRepairs
from goalmem.store.integrity import Finding, Remedy
from goalmem.store.location import Place, locate
from goalmem.store.protocol import Batch, NewTurn
from goalmem.store.repair import Repairs
from goalmem.store.table_store import Store
from goalmem.store.tables import Dialect, Row, Rows, TableColumns, held_by
from goalmem.store.transactions import snapshot, write_transaction
from goalmem.store.writes import TURN

_CACHE = 256 * 2**10
"""KiB of pages kept in memory while much is written."""

T = TypeVar("T")


_CHUNK = 500
"""Texts in one IN list: below the 999 variables that any build of SQLite allows."""
_NO_SPACE = {"graph_staged", "reply_turns", "signal"}
"""Tables whose rows belong to a space through another row."""
_SIGNAL = TableColumns("signal", ("turn", "vector", "terms", "features", "checksum"), "")

SQLITE = Dialect(
    name="sqlite",
    numbers="json_each(:numbers) AS n",
    sorted="",  # a cross join goes through its tables in the order written
    owned="",
    space="id",
    rule=("id", "seq"),
    reply=("replies", "key", "id"),
    reply_turns=("reply_turns", "turn"),
    size="length(CAST({0} AS BLOB))",
    turn=TableColumns("turn", TURN.columns[:-2], ""),  # terms and features are in `signal`
    place=("turn",),
    fact=("seq", "turn"),
    fact_entity=("fact",),
    counted="",
    turns="turn AS t JOIN session AS s ON s.id = t.session",
    of_turn="JOIN turn AS t ON t.seq = {0}.turn",
    order="{0}.seq",
    same_fact="e.fact = f.seq",
    facts_of_entity="f.seq IN (SELECT fact FROM fact_entity WHERE space = :space AND entity = :entity)",
    signals="JOIN signal AS i ON i.turn = t.seq",
    signal="i.vector, i.terms, i.features",
    name_key="",
    index={("graph_node", "key"): "INDEXED BY graph_node_key"},
    unused="+",
)


@dataclass(slots=True)
class SqliteTables:
    """`Tables` of a space in SQLite."""

    connection: sqlite3.Connection
    name: str
    id: int
    """Number of the space; 0 if it does not exist."""
    removed: bool = False
    """True if deleted text must still be overwritten."""

    @property
    def dialect(self) -> Dialect:
        """See `Tables.dialect`."""
        return SQLITE

    def rows(self, statement: str, **values: Any) -> Rows:
        """See `Tables.rows`."""
        found: Rows = []
        for text, bound in _bound(statement, values):
            found += self.connection.execute(text, {"space": self.id} | bound).fetchall()
        return found

    def run(self, statement: str, **values: Any) -> int:
        """See `Tables.run`."""
        return sum(
            self.connection.execute(text, {"space": self.id} | bound).rowcount
            for text, bound in _bound(statement, values)
        )

    def each(self, statement: str, numbers: Sequence[int], **values: Any) -> Rows:
        """See `Tables.each`."""
        return [row for value in numbers for row in self.rows(statement, value=value, **values)]

    def add(self, table: TableColumns, rows: Iterable[Row], *, fresh: bool = False) -> int:
        """See `Tables.add`."""
        columns, values = table.listed, ", ".join("?" * len(table.columns))
        if table.name not in _NO_SPACE:
            columns, values = f"space, {columns}", f"{self.id}, {values}"
        before = self.connection.total_changes
        ignored = "OR IGNORE " if fresh else ""
        self.connection.executemany(f"INSERT {ignored}INTO {table.name} ({columns}) VALUES ({values})", rows)
        return self.connection.total_changes - before

    def make(self) -> None:
        """See `Tables.make`."""
        self.connection.execute(
            "INSERT INTO space (name, epoch, last_seq) SELECT ?, value, 0 FROM epoch WHERE true ON CONFLICT DO NOTHING",
            (self.name,),
        )
        self.hold()

    def hold(self) -> bool:
        """See `Tables.hold`; a writer already locks the file."""
        row = self.connection.execute("SELECT id FROM space WHERE name = ?", (self.name,)).fetchone()
        self.id = row[0] if row else 0
        return row is not None

    def next_change(self) -> int:
        """See `Tables.next_change`."""
        self.connection.execute("UPDATE epoch SET value = value + 1")
        row = self.connection.execute("SELECT value FROM epoch").fetchone()
        if row is None:
            raise DamagedRowError("it no longer counts its changes")
        return int(row[0])

    def text_removed(self, *, more: bool = False) -> None:
        """See `Tables.text_removed`."""
        file_repair.mark_due(self.connection)
        self.removed = not more

    def key(self, name: str) -> str:
        """See `Tables.key`: the name itself."""
        return name

    def next_turn(self) -> int:
        """See `Tables.next_turn`: turns are numbered over all spaces."""
        row = self.connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'turn'").fetchone()
        return 1 + int(row[0] if row else 0)

    def places(self, facts: Sequence[tuple[int, int]]) -> Rows:
        """See `Tables.places`: facts are numbered over all spaces."""
        first = self.connection.execute("SELECT coalesce(max(seq), 0) + 1 FROM fact").fetchone()[0]
        return [(number, turn) for number, (turn, _) in enumerate(facts, start=first)]

    def add_turns(self, numbered: Sequence[tuple[int, NewTurn]], rows: Sequence[Row]) -> None:
        """See `Tables.add_turns`."""
        self.add(SQLITE.turn, (row[: len(SQLITE.turn.columns)] for row in rows))
        for seq, new in numbered:
            phrases.index_words(self.connection, self.id, seq, new.turn.content)

    def add_signals(self, numbered: Sequence[tuple[int, NewTurn]]) -> None:
        """See `Tables.add_signals`."""
        self.add(_SIGNAL, ((seq, new.vector, new.terms, new.features, crc32(new.vector)) for seq, new in numbered))

    def remove_turns(self, numbers: Sequence[int], *, every: bool) -> int:
        """See `Tables.remove_turns`. Rows of a turn are deleted with it."""
        facts = 0
        for seq in numbers:
            phrases.remove_words(self.connection, self.id, seq)
            facts += self.connection.execute("DELETE FROM fact WHERE turn = ?", (seq,)).rowcount
            self.connection.execute("DELETE FROM turn WHERE seq = ?", (seq,))
        if numbers:
            file_repair.mark_phrases(self.connection)
        return facts

    def change_text(self, seq: int, turn: Turn) -> None:
        """See `Tables.change_text`."""
        phrases.remove_words(self.connection, self.id, seq)
        self.run("UPDATE turn SET text = :text WHERE space = :space AND seq = :seq", text=turn.text, seq=seq)
        phrases.index_words(self.connection, self.id, seq, turn.content)

    def remove_derived(self, numbered: Sequence[tuple[int, NewTurn]]) -> None:
        """See `Tables.remove_derived`."""
        for table in ("fact", "mention", "edge", "alias", "signal", "next_signal"):
            self.run(f"DELETE FROM {table} WHERE turn IN :numbers", numbers=[seq for seq, _ in numbered])

    def with_phrase(self, phrase: str, limit: int) -> list[str]:
        """See `Tables.with_phrase`."""
        return phrases.find(self.connection, self.id, phrase, limit)

    def database_bytes(self) -> int:
        """See `Tables.database_bytes`. Without its log."""
        pages = self.connection.execute("PRAGMA page_count").fetchone()[0]
        return int(pages * self.connection.execute("PRAGMA page_size").fetchone()[0])

    def session(self, name: str) -> int:
        """See `Tables.session`."""
        rows = self.rows("SELECT id FROM session WHERE space = :space AND name = :name", name=name)
        return int(rows[0][0]) if rows else 0

    def with_vectors(self, rows: Rows, place: int) -> Rows:
        """See `Tables.with_vectors`: the join found them."""
        return rows


def space_named(connection: sqlite3.Connection, name: str) -> SqliteTables:
    """The space of this name, whether it is there or not."""
    row = connection.execute("SELECT id FROM space WHERE name = ?", (name,)).fetchone()
    return SqliteTables(connection, name, row[0] if row else 0)


def _bound(statement: str, values: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The statement with its lists bound: numbers as JSON, texts, which JSON cuts at a NUL, one by one and in parts."""
    texts = None
    for name, value in values.items():
        if isinstance(value, list):
            if value and isinstance(value[0], str):
                texts = name
            else:
                statement = statement.replace(f"IN :{name}", f"IN (SELECT value FROM json_each(:{name}))")
                values[name] = json.dumps(value, separators=(",", ":"))
    if texts is None:
        yield statement, values
        return
    listed = values.pop(texts)
    for start in range(0, len(listed), _CHUNK):
        part = {f"{texts}_{n}": value for n, value in enumerate(listed[start : start + _CHUNK])}
        yield statement.replace(f"IN :{texts}", f"IN ({', '.join(f':{key}' for key in part)})"), values | part


class SqliteStore(Store):
    """A `Store` in one SQLite file. Safe for many threads and processes, and across a fork."""

    dialect = SQLITE

    def __init__(
        self, place: Place, *, model: str, dimension: int, busy_timeout: float = 30.0, read_only: bool = False
    ) -> None:
        """See `open_store`; creates the file and its parent folders if missing."""
        location = locate(place)
        self._name = location.name
        self._model = model
        self._dimension = dimension
        with failures_of(self._name):
            self._database = open_database(location, model, dimension, busy_timeout, read_only)
        self._pool = self._database.pool
        self._one_writer = threading.Lock()
        self._log_due = threading.Event()
        """Set while the log holds what was removed, as somebody read from it then: it is emptied when they have done."""
        if not self.read_only:
            with suppress(StoreError):  # What a process was killed at. If it cannot be done now, it keeps its mark.
                if self._settle_phrases():
                    self.overwrite_removed()

    @property
    def read_only(self) -> bool:
        """True when the store can only be read."""
        return self._database.read_only

    def add(self, batch: Batch) -> list[str]:
        """See `Store.add`. A session keeps the time it was first given."""
        writes.check_batch(batch, self._dimension)
        return self.write_vectors(batch.space, lambda tables: writes.insert(tables, batch))

    def spaces(self) -> list[str]:
        """See `Store.spaces`."""
        with self._connection() as connection:
            return sorted(name for (name,) in connection.execute("SELECT name FROM space"))

    def held_spaces(self) -> dict[str, tuple[int, int]]:
        """See `Store.held_spaces`."""
        query = f"SELECT name, epoch, last_seq FROM space WHERE {held_by('space.id')} ORDER BY name"
        with self._connection() as connection:
            return {name: (epoch, last) for name, epoch, last in connection.execute(query)}

    def check(self) -> list[str]:
        """See `Store.check`."""
        return [finding.text for finding in self.examine()]

    def examine(self) -> list[Finding]:
        """Findings, each with its remedy. See `Store.check`."""
        try:
            with self._connection() as connection:
                return integrity.examine(connection, read_only=self.read_only)
        except (CorruptStoreError, NotAStoreError) as error:
            return [Finding(error.problem, Remedy.FILE)]

    def _kept_page(self, tables: SqliteTables, after: int, limit: int) -> list[StoredTurn]:
        """A text that is not valid UTF-8 is read with marks in its place."""
        with integrity.lenient(tables.connection):
            return kept_turns(tables, after, limit)

    def repairs(self) -> Repairs:
        """Repairs of the store (`goalmem.maintenance.check`)."""
        return FileRepairs(self, self.repair_transaction)

    @contextmanager
    def looking(self) -> Iterator[sqlite3.Connection]:
        """A connection on one state of the store, to read rows as they lie (`store.contents`)."""
        with self._connection() as connection, snapshot(connection):
            self._require_model(connection)
            yield connection

    @contextmanager
    def repair_transaction(self) -> Iterator[sqlite3.Connection]:
        """A connection in a write transaction, for rebuilding derived data (`store.file_repair`)."""
        with self._writing() as connection:
            self._require_model(connection)
            yield connection

    def bound_to(self, model: str, dimension: int) -> SqliteStore:
        """See `Store.bound_to`."""
        bound = copy(self)
        bound._model, bound._dimension = model, dimension
        return bound

    def meta(self) -> dict[str, Any]:
        """See `Store.meta`. Keys: schema, model, dimension, created, program, sqlite."""
        with self._connection() as connection:
            kept = dict(connection.execute("SELECT key, value FROM meta").fetchall())
            schema = connection.execute("PRAGMA user_version").fetchone()[0]
        return described(kept, schema, sqlite=sqlite3.sqlite_version)

    def close(self) -> None:
        """See `Store.close`. May be called twice."""
        try:
            # Closing never fails: an overdue scrub stays marked for the next time.
            with suppress(StoreError):
                self._scrub_if_due()
        finally:
            self._pool.close()

    def _require_model(self, connection: sqlite3.Connection) -> None:
        """Refuse vectors of any other model than the one that the store was opened with."""
        kept = connection.execute("SELECT value FROM meta WHERE key IN ('dimension', 'model') ORDER BY key").fetchall()
        if kept != [(str(self._dimension),), (self._model,)]:
            raise reembedded(self._name, self._model, kept[-1][0] if kept else "")

    def scrub(self) -> None:
        """Rewrite the file if deleted text is due to be overwritten; best effort."""
        self._scrub_if_due()

    def _scrub_if_due(self) -> None:
        if self._database.file is None or self.read_only:
            return
        self._settle_phrases()
        with self._connection() as connection, self._one_writer:
            if file_repair.is_due(connection):
                self._scrub(connection, now=True)

    def overwrite_removed(self) -> None:
        """See `Store.overwrite_removed`: at once in a small file, in a large one when it is closed. Never fails: the marks stay."""
        if self._database.file is None:
            return
        with suppress(StoreError):
            self._settle_phrases()
            with self._write() as connection:
                self._scrub(connection, now=file_repair.is_due(connection) and file_repair.is_small(connection))

    def _settle_phrases(self) -> bool:
        """Write the phrase index anew where words were removed from it, and whether they were; others write between two steps."""
        steps, more = 0, True
        while more:
            with self._write() as connection:
                more = file_repair.settle(connection, begun=steps > 0)
            steps += more
        return steps > 0

    def _scrub(self, connection: sqlite3.Connection, *, now: bool) -> None:
        """Best effort: the data is already deleted, and the mark remains until a scrub succeeds."""
        if self._database.file is None:
            return
        self._log_due.set()
        with suppress(StoreError), failures_of(self._name):
            if file_repair.scrub(connection) if now else file_repair.truncate_log(connection):
                self._log_due.clear()

    def _empty_log(self) -> None:
        """Truncate the log if it is due and no process writes."""
        if not self._log_due.is_set():
            return
        with self._connection() as connection:
            if self._one_writer.acquire(blocking=False):
                try:
                    self._scrub(connection, now=False)
                finally:
                    self._one_writer.release()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with failures_of(self._name), self._pool.lend() as connection:
            yield connection

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """A connection for a write transaction; threads queue here rather than poll SQLite's lock."""
        if self.read_only:
            raise failures.read_only(self._name, "it was opened for reading only")
        # The connection comes first: a fork waits for it to come back, and so never finds the lock held.
        with self._connection() as connection, self._one_writer:
            require_same_file(self._database)
            yield connection

    def read(self, space: str, query: Callable[[SqliteTables], T]) -> T:
        """See `SpaceTransactions.read`."""
        with self._connection() as connection, snapshot(connection):
            found = query(space_named(connection, space))
        self._empty_log()
        return found

    def read_vectors(self, space: str, query: Callable[[SqliteTables], T]) -> T:
        """See `SpaceTransactions.read_vectors`."""
        with self.looking() as connection:
            return query(space_named(connection, space))

    def write(self, space: str, work: Callable[[SqliteTables], T]) -> T:
        """See `SpaceTransactions.write`. Deleted text is overwritten immediately in a small file, and on close in a
        large one.
        """
        return self._done(space, work, self._writing())

    def write_vectors(self, space: str, work: Callable[[SqliteTables], T]) -> T:
        """See `SpaceTransactions.write_vectors`."""
        return self._done(space, work, self.repair_transaction())

    def write_much(self, space: str, work: Callable[[SqliteTables], T]) -> T:
        """See `SpaceTransactions.write_much`."""
        return self._done(space, work, self._writing(roomy=True))

    @contextmanager
    def _writing(self, *, roomy: bool = False) -> Iterator[sqlite3.Connection]:
        with self._write() as connection, _roomy(connection) if roomy else nullcontext(), write_transaction(connection):
            yield connection

    def _done(
        self, space: str, work: Callable[[SqliteTables], T], writing: AbstractContextManager[sqlite3.Connection]
    ) -> T:
        with writing as connection:
            tables = space_named(connection, space)
            done = work(tables)
        if tables.removed:
            self.overwrite_removed()
        else:
            self._empty_log()
        return done


@contextmanager
def _roomy(connection: sqlite3.Connection) -> Iterator[None]:
    """A larger cache for a while."""
    kept = connection.execute("PRAGMA cache_size").fetchone()[0]
    connection.execute(f"PRAGMA cache_size = -{_CACHE}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA cache_size = {kept}")
