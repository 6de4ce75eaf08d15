"""A file's vectors made anew: in a table beside the one in use, which takes its name when it is whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from zlib import crc32

from goalmem.store import file_repair
from goalmem.store.codec import TURN, turn_of
from goalmem.store.file_repair import renew_epoch
from goalmem.store.reembedding import (
    MOST_LAST,
    Embed,
    EmbeddingModel,
    PendingReembedding,
    PendingTurn,
    given_up,
    under_way_already,
)
from goalmem.store.schema import next_signals_of_today
from goalmem.store.sqlite import SqliteStore
from goalmem.store.table_store import Store

_CLEARED = 20_000
"""Old rows deleted in one transaction: a second's work, for which other writers wait."""
_UNMADE = "NOT EXISTS (SELECT 1 FROM next_signal AS n WHERE n.turn = i.turn)"
_CHOSEN = ("next_model", "next_dimension")
"""Metadata of the store while a re-embedding is in progress."""


class SqliteReembedding:
    """`Reembedding` of an embedded store."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self._begun: EmbeddingModel | None = None

    def under_way(self) -> PendingReembedding | None:
        """See `Reembedding.under_way`."""
        with self._store.looking() as connection:
            model = _chosen(connection)
            if model is None:
                return None
            done, turns = connection.execute(
                "SELECT (SELECT count(*) FROM next_signal), (SELECT count(*) FROM signal)"
            ).fetchone()
        return PendingReembedding(model, done, turns)

    def begin(self, model: EmbeddingModel) -> None:
        """See `Reembedding.begin`."""
        with self._store.repair_transaction() as connection:
            begun = _chosen(connection)
            if begun is not None and begun != model:
                raise under_way_already(begun.name)
            if begun is None:
                values = zip(_CHOSEN, (model.name, str(model.dimension)), strict=True)
                connection.executemany("INSERT INTO meta VALUES (?, ?)", values)
        self._begun = model

    def unmade(self, size: int) -> Iterator[list[PendingTurn]]:
        """See `Reembedding.unmade`."""
        after = 0
        while page := self._unmade(after, size):
            yield page
            after = page[-1].seq

    def _unmade(self, after: int, size: int) -> list[PendingTurn]:
        with self._store.looking() as connection:
            return _unmade(connection, after, size)

    def stage(self, made: Sequence[tuple[PendingTurn, bytes]]) -> None:
        """See `Reembedding.stage`."""
        with self._store.repair_transaction() as connection:
            self._require_under_way(connection)
            _stage(connection, made)

    def switch(self, embed: Embed | None = None) -> Store | None:
        """See `Reembedding.switch`."""
        with self._store.repair_transaction() as connection:
            model = self._require_under_way(connection)
            if embed is not None and len(last := _unmade(connection, 0, MOST_LAST)) < MOST_LAST:
                _stage(connection, list(zip(last, embed([unmade.turn for unmade in last]), strict=True)))
            if connection.execute(f"SELECT 1 FROM signal AS i WHERE {_UNMADE} LIMIT 1").fetchone():
                return None
            connection.execute("DROP TABLE IF EXISTS past_signal")  # of a change whose clearing was killed
            connection.execute("ALTER TABLE signal RENAME TO past_signal")
            connection.execute("ALTER TABLE next_signal RENAME TO signal")
            next_signals_of_today(connection)
            connection.execute("UPDATE meta SET value = ? WHERE key = 'model'", (model.name,))
            connection.execute("UPDATE meta SET value = ? WHERE key = 'dimension'", (str(model.dimension),))
            _forget_choice(connection)
            renew_epoch(connection)
            file_repair.mark_due(connection)
        return self._store.bound_to(model.name, model.dimension)

    def clear(self) -> None:
        """See `Reembedding.clear`. Rewrites the file, which returns the freed space to the disk."""
        while self._clear_some():
            pass
        self._store.scrub()

    def _clear_some(self) -> bool:
        with self._store.repair_transaction() as connection:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'past_signal'").fetchone():
                return False
            query = "SELECT turn FROM past_signal ORDER BY turn LIMIT 1 OFFSET ?"
            end = connection.execute(query, (_CLEARED,)).fetchone()
            if end is None:
                connection.execute("DROP TABLE past_signal")
            else:
                connection.execute("DELETE FROM past_signal WHERE turn < ?", end)
            return end is not None

    def give_up(self) -> bool:
        """See `Reembedding.give_up`."""
        with self._store.repair_transaction() as connection:
            begun = _chosen(connection) is not None
            _forget_choice(connection)
            connection.execute("DELETE FROM next_signal")
            return begun

    def _require_under_way(self, connection: sqlite3.Connection) -> EmbeddingModel:
        if self._begun is None or _chosen(connection) != self._begun:
            raise given_up(self._begun.name if self._begun else "")
        return self._begun


def _unmade(connection: sqlite3.Connection, after: int, size: int) -> list[PendingTurn]:
    rows = connection.execute(
        f"SELECT t.seq, p.name, {TURN} FROM signal AS i JOIN turn AS t ON t.seq = i.turn"
        " JOIN session AS s ON s.id = t.session JOIN space AS p ON p.id = t.space"
        f" WHERE i.turn > ? AND {_UNMADE} ORDER BY i.turn LIMIT ?",
        (after, size),
    ).fetchall()
    return [PendingTurn(seq, turn_of(space, tuple(row))) for seq, space, *row in rows]


def _stage(connection: sqlite3.Connection, made: Sequence[tuple[PendingTurn, bytes]]) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO next_signal SELECT i.turn, ?, i.terms, i.features, ?"
        " FROM signal AS i JOIN turn AS t ON t.seq = i.turn WHERE i.turn = ? AND t.id = ? AND t.text = ?",
        ((vector, crc32(vector), unmade.seq, unmade.turn.id, unmade.turn.text) for unmade, vector in made),
    )


def _chosen(connection: sqlite3.Connection) -> EmbeddingModel | None:
    kept = dict(connection.execute("SELECT key, value FROM meta WHERE key IN (?, ?)", _CHOSEN).fetchall())
    return EmbeddingModel(kept["next_model"], int(kept["next_dimension"])) if len(kept) == len(_CHOSEN) else None


def _forget_choice(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM meta WHERE key IN (?, ?)", _CHOSEN)
