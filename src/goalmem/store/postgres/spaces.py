"""The rows of spaces: made, held while somebody writes, and dropped when nothing is left."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from psycopg import sql

from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.text import storable

__all__ = ["Held", "changed", "drop_if_empty", "hold", "made", "next_number", "seek_words"]

BIRTH_BITS = 30
"""Turns are numbered from the birth of their space times 2^30, so that a space that was forgotten and filled again never uses a
number twice: room for 2^30 turns in each of 2^33 spaces."""


@dataclass(frozen=True, slots=True)
class Held:
    """The row of a space, which is locked."""

    last_seq: int


def hold(connection: Connection, space: UUID) -> Held | None:
    """Lock the row of a space until the transaction ends; None where there is no such space."""
    row = connection.execute("SELECT last_seq FROM space WHERE space = %s FOR UPDATE", (space,)).fetchone()
    return None if row is None else Held(int(str(row[0])))


def made(connection: Connection, space: UUID, name: str) -> Held:
    """As `hold`, for a space that is made where it is new."""
    while (held := hold(connection, space)) is None:
        connection.execute(
            "INSERT INTO space (space, name, epoch, last_seq, turns)"
            " VALUES (%s, %s, nextval('change'), nextval('birth') << %s, 0) ON CONFLICT DO NOTHING",
            (space, storable(name), BIRTH_BITS),
        )
    return held


def drop_if_empty(connection: Connection, space: UUID) -> None:
    """Delete a space that holds neither turns nor rules nor a graph."""
    connection.execute(
        "DELETE FROM space WHERE space = %s AND NOT EXISTS (SELECT 1 FROM turn WHERE space = %s)"
        " AND NOT EXISTS (SELECT 1 FROM rule WHERE space = %s) AND NOT EXISTS (SELECT 1 FROM graph WHERE space = %s)",
        (space, space, space, space),
    )


def next_number(connection: Connection, sequence: str) -> int:
    """The next number of a sequence; asked for by itself, as engines that spread tables take none inside an UPDATE."""
    row = connection.execute("SELECT nextval(%s)", (sequence,)).fetchone()
    return int(str(row[0])) if row else 0


def changed(connection: Connection, space: UUID) -> None:
    """Note that a space's rules changed."""
    number = next_number(connection, "change")
    connection.execute("UPDATE space SET rules = %s WHERE space = %s", (number, space))


def seek_words(connection: Connection, query: str) -> None:
    """Show the transaction the words of the turns that a tsquery matches, and no others."""
    connection.execute(sql.SQL("SET LOCAL goalmem.words = {}").format(sql.Literal(query)))
