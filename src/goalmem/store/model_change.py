"""Stores by their kind, as they change their model."""

from __future__ import annotations

from goalmem.store.protocol import Store
from goalmem.store.reembedding import Model, Reembedding
from goalmem.store.reembedding_sqlite import SqliteReembedding
from goalmem.store.sqlite import SqliteStore

__all__ = ["bound", "reembedding_of"]


def reembedding_of(store: Store) -> Reembedding:
    """How this store changes its model."""
    if isinstance(store, SqliteStore):
        return SqliteReembedding(store)
    from goalmem.store.postgres import PostgresStore
    from goalmem.store.postgres.reembedding import PostgresReembedding

    assert isinstance(store, PostgresStore)
    return PostgresReembedding(store)


def bound(store: Store, model: Model) -> Store:
    """The same store for vectors of another model: those that it keeps since a switch. Closing either closes both."""
    if isinstance(store, SqliteStore):
        return store.bound_to(model.name, model.dimension)
    from goalmem.store.postgres import PostgresStore

    assert isinstance(store, PostgresStore)
    return store.bound_to(model.name, model.dimension)
