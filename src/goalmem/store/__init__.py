"""Storage of turns and of everything derived from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goalmem.store.location import Place, is_postgres, postgres_packages
from goalmem.store.protocol import Batch, Forgotten, IndexRow, NewTurn, Quota, Stats, TurnChange

if TYPE_CHECKING:
    from goalmem.store.table_store import Store

__all__ = ["Batch", "Forgotten", "IndexRow", "NewTurn", "Quota", "Stats", "Store", "TurnChange", "open_store"]


def __getattr__(name: str) -> Any:
    if name != "Store":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from goalmem.store.table_store import Store  # loads numpy, which a command's --help does without

    return Store


def open_store(
    place: Place, *, model: str, dimension: int, busy_timeout: float = 30.0, read_only: bool = False
) -> Store:
    """Open the store at `place`, creating it if it does not exist.

    Args:
        place: a path, `sqlite:///relative/path`, `sqlite:////absolute/path`, `:memory:`, or `postgresql://…`.
        model: name of the embedding model; a store keeps to the one it was created with.
        dimension: length of its vectors.
        busy_timeout: seconds to wait while another process writes.
        read_only: never write, as when the file or its folder cannot be written.

    Raises:
        StoreError: one of its subclasses says what stands in the way.
        InputError: `place` names nothing.
    """
    if is_postgres(place):
        with postgres_packages():
            from goalmem.store.postgres import PostgresStore
        return PostgresStore(
            str(place), model=model, dimension=dimension, busy_timeout=busy_timeout, read_only=read_only
        )
    from goalmem.store.sqlite import SqliteStore

    return SqliteStore(place, model=model, dimension=dimension, busy_timeout=busy_timeout, read_only=read_only)
