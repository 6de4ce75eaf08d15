"""The rows of one space in an SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from goalmem.records import Turn
from goalmem.store import phrases, secure_delete
from goalmem.store.failures import DamagedRowError
from goalmem.store.protocol import NewTurn
from goalmem.store.tables import Dialect, Row, Rows, Table
from goalmem.store.writes import TURN

__all__ = ["SQLITE", "SqliteTables", "space_named"]

_CHUNK = 500
"""Texts in one IN list: below the 999 variables that any build of SQLite allows."""
_NO_SPACE = {"graph_staged", "reply_turns", "signal"}
_SIGNAL = Table("signal", ("turn", "vector", "terms", "features"), "")
"""Tables whose rows are of a space by what they belong to."""

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
    turn=Table("turn", TURN.columns[:-2], ""),  # terms and features are in `signal`
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
    """The number of the space; 0, which none has, where it is not there."""
    removed: bool = False
    """Whether text was deleted that is to be overwritten."""

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

    def add(self, table: Table, rows: Iterable[Row], *, fresh: bool = False) -> int:
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
        """See `Tables.hold`: whoever writes holds the file."""
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

    def text_removed(self) -> None:
        """See `Tables.text_removed`."""
        secure_delete.mark_due(self.connection)
        self.removed = True

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
        self.add(_SIGNAL, ((seq, new.vector, new.terms, new.features) for seq, new in numbered))

    def remove_turns(self, numbers: Sequence[int], *, every: bool) -> int:
        """See `Tables.remove_turns`. What hangs on a turn goes with it."""
        facts = 0
        for seq in numbers:
            phrases.remove_words(self.connection, self.id, seq)
            facts += self.connection.execute("DELETE FROM fact WHERE turn = ?", (seq,)).rowcount
            self.connection.execute("DELETE FROM turn WHERE seq = ?", (seq,))
        phrases.settle(self.connection)
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
