"""Repairs of a PostgreSQL store: one space at a time, each in a transaction that leaves it whole."""

from __future__ import annotations

from collections.abc import Collection

from goalmem.store.integrity import Remedy
from goalmem.store.postgres.lexemes import EVERY_WORD
from goalmem.store.postgres.spaces import seek_words
from goalmem.store.postgres.tables import DERIVED, PostgresTables
from goalmem.store.repair import Repairs
from goalmem.store.tables import SpaceTransactions, renew_epoch

__all__ = ["DatabaseRepairs"]

_NO_TURN = "NOT EXISTS (SELECT 1 FROM turn AS t WHERE t.space = x.space AND t.seq = x.seq)"
_DANGLING = (
    # A reply goes with the first turn that it was asked about, so first of all those whose turn is not there.
    f"DELETE FROM reply WHERE space = :space AND id IN"
    f" (SELECT x.reply FROM reply_turn AS x WHERE x.space = :space AND {_NO_TURN})",
    "DELETE FROM reply_turn AS x WHERE x.space = :space"
    " AND NOT EXISTS (SELECT 1 FROM reply AS r WHERE r.space = x.space AND r.id = x.reply)",
    *(f"DELETE FROM {table} AS x WHERE x.space = :space AND {_NO_TURN}" for table in DERIVED),
    "DELETE FROM fact_entity AS x WHERE x.space = :space"
    " AND NOT EXISTS (SELECT 1 FROM fact AS f WHERE f.space = x.space AND f.seq = x.seq AND f.n = x.n)",
    "DELETE FROM edge AS x WHERE x.space = :space AND x.fact <> ''"
    " AND NOT EXISTS (SELECT 1 FROM fact AS f WHERE f.space = x.space AND f.id = x.fact)",
)
"""What deletes the rows of a space that belong to nothing."""


class DatabaseRepairs(Repairs):
    """Repairs of a database."""

    def __init__(self, store: SpaceTransactions) -> None:
        super().__init__(store)
        self._store = store

    def apply(self, remedies: Collection[Remedy], *, everything: bool) -> list[str]:
        """See `Repairs.apply`. Indices are the database's to build again."""
        done = []
        if Remedy.DROP in remedies:
            gone = sum(self._store.write_vectors(space, _drop_dangling) for space in self._store.spaces())
            done.append(f"{gone} rows deleted that belonged to nothing")
        if Remedy.RENUMBER in remedies:
            for space in self._store.spaces():
                self._store.write_vectors(space, _renumber)
            done.append("turns counted again")
        return done


def _drop_dangling(tables: PostgresTables) -> int:
    tables.hold()
    seek_words(tables.connection, EVERY_WORD)
    gone = sum(map(tables.run, _DANGLING))
    if gone:
        renew_epoch(tables)
    return gone


def _renumber(tables: PostgresTables) -> None:
    tables.hold()
    tables.run(
        "UPDATE space SET last_seq = greatest(last_seq,"
        " (SELECT coalesce(max(t.seq), 0) FROM turn AS t WHERE t.space = :space)),"
        " turns = (SELECT count(*) FROM turn AS t WHERE t.space = :space) WHERE space = :space"
    )
    renew_epoch(tables)
