"""Location of a PostgreSQL store: `postgresql://user:password@host:port/database?…`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from goalmem.errors import InputError

_OURS = "goalmem_"
"""Parameters of ours in the URL begin so; all others are libpq's."""
SCHEMA = "goalmem"
PARTITIONS = 16
"""Hash partitions of each table: enough that autovacuum and index builds work on a sixteenth at a time, few enough that
a database with them is made in a second."""
_SCHEMA_NAME = re.compile(r"[a-z_][a-z0-9_]{0,49}")
_MOST_PARTITIONS = 256


@dataclass(frozen=True, slots=True)
class PostgresLocation:
    """A schema of a database."""

    conninfo: str
    """A URL that libpq understands; it may hold a password."""
    name: str
    """Name of the store in messages: the URL without its password."""
    schema: str = SCHEMA
    partitions: int = PARTITIONS
    """Hash partitions of each table where the store is made; 0 leaves that to the engine."""

    def in_schema(self, schema: str) -> str:
        """The URL of a store in another schema of the same database."""
        ours = urlencode({f"{_OURS}schema": schema, f"{_OURS}partitions": self.partitions})
        return f"{self.conninfo}{'&' if '?' in self.conninfo else '?'}{ours}"


def locate_postgres(place: str) -> PostgresLocation:
    """Parse a URL; `goalmem_schema` and `goalmem_partitions` in its query are ours, the rest is libpq's.

    Raises InputError where it is none.
    """
    try:
        parts = urlsplit(place)
        hosts = _hosts(parts.netloc.rpartition("@")[2])
    except ValueError as error:
        raise InputError(
            f"The store's URL cannot be read: {error}.", "Use postgresql://user@host:port/database."
        ) from error
    query = parse_qsl(parts.query, keep_blank_values=True)
    ours = {key.removeprefix(_OURS): value for key, value in query if key.startswith(_OURS)}
    if unknown := set(ours) - {"schema", "partitions"}:
        raise InputError(
            f"The store's URL sets goalmem_{min(unknown)}, which there is not.",
            "What can be set is goalmem_schema and goalmem_partitions.",
        )
    # libpq reads %20 as a space, and a plus as a plus.
    rest = urlencode([(key, value) for key, value in query if not key.startswith(_OURS)], quote_via=quote)
    user = f"{parts.username}@" if parts.username else ""
    return PostgresLocation(
        conninfo=f"postgresql://{parts.netloc}{parts.path}{f'?{rest}' if rest else ''}",
        name=f"postgresql://{user}{hosts}{parts.path}",
        schema=_schema(ours.get("schema", SCHEMA)),
        partitions=_partitions(ours.get("partitions", str(PARTITIONS))),
    )


def _hosts(text: str) -> str:
    """A host with port, or several, of which libpq takes the first that responds. Raises ValueError."""
    for host in text.split(","):
        # Only validates: raises for an invalid port.
        urlsplit(f"postgresql://{host}").port  # noqa: B018
    return text


def _schema(name: str) -> str:
    if not _SCHEMA_NAME.fullmatch(name):
        raise InputError(
            f"{name!r} cannot be the schema of a store.",
            "Use up to 50 lower-case letters, digits and underscores, a letter first.",
        )
    return name


def _partitions(text: str) -> int:
    if not text.isdecimal() or int(text) > _MOST_PARTITIONS:
        raise InputError(f"goalmem_partitions is {text!r}.", f"Give a number from 0 to {_MOST_PARTITIONS}.")
    return int(text)
