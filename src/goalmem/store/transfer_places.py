"""The two kinds of places that stores are moved between: what is put together where, and how it gets its name."""

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
        """What the store is opened by."""
        return str(self.path)

    name = place
    """What it is called in what people read."""

    @property
    def staging(self) -> str:
        """Where what is moved there is put together."""
        return str(self.path.with_name(self.path.name + _SUFFIX))

    def exists(self) -> bool:
        """Whether there is a store."""
        return not is_new(self.path)

    def model(self) -> tuple[str, int]:
        """Name and dimension of the embedding model of the store there. Raises NotFoundError when there is none."""
        if is_new(self.path):
            raise NotFoundError(f"There is no store at {self.path}.", "Check the path.")
        with failures_of(self.place), closing(connect(self.path, "mode=ro", 5.0)) as connection:
            kept = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        return kept["model"], int(kept["dimension"])

    def publish(self) -> None:
        """Give what was put together the place's name, at once and for good. It must be closed."""
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
        """What the store is opened by."""
        return self.location.in_schema(self.location.schema)

    @property
    def name(self) -> str:
        """What it is called in what people read: a URL without its password."""
        return self.location.name

    @property
    def staging(self) -> str:
        """Where what is moved there is put together."""
        return self.location.in_schema(self.location.schema + _SCHEMA_SUFFIX)

    def exists(self) -> bool:
        """Whether there is a store."""
        from goalmem.store.postgres.migrations import kept_model

        return kept_model(self.location) is not None

    def model(self) -> tuple[str, int]:
        """Name and dimension of the embedding model of the store there. Raises NotFoundError when there is none."""
        from goalmem.store.postgres.migrations import kept_model

        found = kept_model(self.location)
        if found is None:
            raise NotFoundError(f"There is no store at {self.location.name}.", "Check the URL.")
        return found

    def publish(self) -> None:
        """Give what was put together the place's name, at once and for good. It must be closed."""
        from goalmem.store.postgres.schema_swap import take_place

        take_place(self.location, self.location.schema + _SCHEMA_SUFFIX)


Ending = FileEnding | PostgresEnding
"""Where a move begins or ends."""
