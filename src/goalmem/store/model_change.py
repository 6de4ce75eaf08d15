"""Stores by their kind, as they change their model."""

from __future__ import annotations

from goalmem.store.reembedding import Reembedding
from goalmem.store.reembedding_sqlite import SqliteReembedding
from goalmem.store.sqlite import SqliteStore
from goalmem.store.table_store import Store

__all__ = ["reembedding_of"]


def reembedding_of(store: Store) -> Reembedding:
    """How this store changes its model."""
    if isinstance(store, SqliteStore):
        return SqliteReembedding(store)
    from goalmem.store.postgres import PostgresStore
    from goalmem.store.postgres.reembedding import PostgresReembedding

    assert isinstance(store, PostgresStore)
    return PostgresReembedding(store)
