"""What is copied from when everything of a store is copied: a store in use, or one state of it."""

from __future__ import annotations

from typing import Protocol

from goalmem.records import StatedRule
from goalmem.store.protocol import Store
from goalmem.store.stored_rows import StoredRows
from goalmem.store.transfer_places import rows_of

__all__ = ["Origin", "StoreOrigin"]


class Origin(Protocol):
    """What is copied from."""

    @property
    def rows(self) -> StoredRows:
        """What it holds, row by row."""
        ...

    def spaces(self) -> list[str]:
        """Every space that holds something, sorted."""
        ...

    def size(self, space: str) -> int:
        """Turns of a space."""
        ...

    def rules(self, space: str) -> list[StatedRule]:
        """Sentences of a space that state rules."""
        ...

    def state(self, space: str) -> tuple[object, ...]:
        """Another one after each change of a space."""
        ...


class StoreOrigin:
    """A store as it is while others may write to it: an `Origin`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.rows: StoredRows = rows_of(store)

    def spaces(self) -> list[str]:
        """See `Origin.spaces`."""
        return self._store.spaces()

    def size(self, space: str) -> int:
        """See `Origin.size`."""
        return self._store.stats(space).turns

    def rules(self, space: str) -> list[StatedRule]:
        """See `Origin.rules`."""
        return self._store.rules(space)

    def state(self, space: str) -> tuple[object, ...]:
        """See `Origin.state`."""
        return self._store.version(space), self._store.rules_version(space), self._store.graphs.version(space)
