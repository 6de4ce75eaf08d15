"""The rows of spaces: made, and held while somebody writes."""

from __future__ import annotations

from uuid import UUID

from psycopg import sql

from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.text import storable

__all__ = ["hold", "make", "next_number", "seek_words"]

BIRTH_BITS = 30
"""Turns are numbered from the birth of their space times 2^30, so that a space that was forgotten and filled again never uses a
number twice: room for 2^30 turns in each of 2^33 spaces."""


def hold(connection: Connection, space: UUID) -> bool:
    """Lock the row of a space until the transaction ends; False where there is no such space."""
    return connection.execute("SELECT 1 FROM space WHERE space = %s FOR UPDATE", (space,)).fetchone() is not None


def make(connection: Connection, space: UUID, name: str) -> None:
    """As `hold`, for a space that is made where it is new."""
    while not hold(connection, space):
        connection.execute(
            "INSERT INTO space (space, name, epoch, last_seq, turns)"
            " VALUES (%s, %s, nextval('change'), nextval('birth') << %s, 0) ON CONFLICT DO NOTHING",
            (space, storable(name), BIRTH_BITS),
        )


def next_number(connection: Connection, sequence: str) -> int:
    """The next number of a sequence; asked for by itself, as engines that spread tables take none inside an UPDATE."""
    row = connection.execute("SELECT nextval(%s)", (sequence,)).fetchone()
    return int(str(row[0])) if row else 0


def seek_words(connection: Connection, query: str) -> None:
    """Show the transaction the words of the turns that a tsquery matches, and no others."""
    connection.execute(sql.SQL("SET LOCAL goalmem.words = {}").format(sql.Literal(query)))
