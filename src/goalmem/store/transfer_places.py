"""The two kinds of stores as ends of a move: where the copy is staged, and how it is published."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from goalmem.errors import ConflictError, InputError, NotFoundError
from goalmem.store.failures import failures_of
from goalmem.store.file_copy import connect, flush, left_beside
from goalmem.store.location import is_new, is_postgres, locate, postgres_packages

if TYPE_CHECKING:
    from goalmem.store.postgres.location import PostgresLocation


_SUFFIX = ".moving"
_SCHEMA_SUFFIX = "_moving"


def ending_of(place: str) -> Ending:
    """The place of a store that is kept. Raises InputError for one in memory."""
    if is_postgres(place):
        with postgres_packages():
            from goalmem.store.postgres.location import locate_postgres
        return PostgresEnding(locate_postgres(place))
    path = locate(place).path
    if path is None:
        raise InputError("A store in memory cannot be moved.", "Name a file or a database.")
    return FileEnding(path)


@dataclass(frozen=True, slots=True)
class FileEnding:
    """A file of SQLite."""

    path: Path

    @property
    def place(self) -> str:
        """Location to open the store with."""
        return str(self.path)

    name = place
    """Name in messages."""

    @property
    def staging(self) -> str:
        """Location where the copy is staged."""
        return str(self.path.with_name(self.path.name + _SUFFIX))

    def exists(self) -> bool:
        """True if there is a store."""
        return self.path.exists() and not is_new(self.path)

    def model(self) -> tuple[str, int]:
        """Name and dimension of the store's embedding model. Raises NotFoundError if there is no store."""
        if is_new(self.path):
            raise NotFoundError(f"There is no store at {self.path}.", "Check the path.")
        with failures_of(self.place), closing(connect(self.path, "mode=ro", 5.0)) as connection:
            kept = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        return kept["model"], int(kept["dimension"])

    def publish(self) -> None:
        """Give the staged store its final name, atomically and durably. It must be closed."""
        if left := [path for path in left_beside(self.path) if not path.name.endswith("-shm")]:
            raise ConflictError(
                f"The store {self.path} is in use: {left[0].name} is beside it.", "Close it, then move again."
            )
        flush(Path(self.staging))
        os.replace(self.staging, self.path)
        flush(self.path.parent)


@dataclass(frozen=True, slots=True)
class PostgresEnding:
    """A schema of PostgreSQL."""

    location: PostgresLocation

    @property
    def place(self) -> str:
        """Location to open the store with."""
        return self.location.in_schema(self.location.schema)

    @property
    def name(self) -> str:
        """Name in messages: the URL without its password."""
        return self.location.name

    @property
    def staging(self) -> str:
        """Location where the copy is staged."""
        return self.location.in_schema(self.location.schema + _SCHEMA_SUFFIX)

    def exists(self) -> bool:
        """True if there is a store."""
        from goalmem.store.postgres.migrations import kept_model

        return kept_model(self.location) is not None

    def model(self) -> tuple[str, int]:
        """Name and dimension of the store's embedding model. Raises NotFoundError if there is no store."""
        from goalmem.store.postgres.migrations import kept_model

        found = kept_model(self.location)
        if found is None:
            raise NotFoundError(f"There is no store at {self.location.name}.", "Check the URL.")
        return found

    def publish(self) -> None:
        """Give the staged store its final name, atomically and durably. It must be closed."""
        from goalmem.store.postgres.schema_swap import take_place

        take_place(self.location, self.location.schema + _SCHEMA_SUFFIX)


Ending = FileEnding | PostgresEnding
"""Source or target of a move."""
