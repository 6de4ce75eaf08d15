"""Encodings for what PostgreSQL cannot store directly: NUL in a text, and indexed names of any length."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any
from uuid import UUID

from psycopg import sql

from goalmem.store.phrases import words
from goalmem.store.postgres.schema import Connection, first_value

_MARK = "\x1a"
"""SUB, the ASCII substitute character. It precedes the replacement."""
_NUL, _SELF = _MARK + "0", _MARK + "1"


def storable(text: str) -> str:
    """The text without NUL, which no PostgreSQL text may hold (postgresql.org/docs, 8.3 Character Types)."""
    if "\0" in text or _MARK in text:
        return text.replace(_MARK, _SELF).replace("\0", _NUL)
    return text


def restored(row: Iterable[Any]) -> tuple[Any, ...]:
    """A row with every text as it was before `storable`."""
    values = tuple(row)
    for value in values:
        if isinstance(value, str) and _MARK in value:
            return tuple(_original(value) if isinstance(value, str) else value for value in values)
    return values


def _original(text: str) -> str:
    return text.replace(_NUL, "\0").replace(_SELF, _MARK)


def key_of(name: str) -> UUID:
    """A 128-bit key of a name: practically collision-free and short in every index.

    Raises UnicodeEncodeError for a name with a lone surrogate.
    """
    return UUID(bytes=blake2b(name.encode(), digest_size=16).digest())


MOST_LEXEME_BYTES = 500_000
"""Bytes of a turn's lexemes: half the limit of a tsvector (postgresql.org/docs, 11.3 Limitations)."""
MORE = "*"
"""The lexeme of a turn that has more words than are indexed; no word is written so."""
EVERY_WORD = f"!'{MORE}{MORE}'"
"""A tsquery that every turn matches."""


def lexemes(content: str, terms: bytes) -> str:
    """The lexemes of a turn as a tsvector: its words for phrases, its terms for candidates."""
    found = {f"'{word}'" for word in words(content)} | {
        term_lexeme(terms[at : at + 8]) for at in range(0, len(terms), 8)
    }
    size, kept = 0, []
    for lexeme in sorted(found):
        size += len(lexeme.encode())
        if size > MOST_LEXEME_BYTES:
            kept.append(f"'{MORE}'")
            break
        kept.append(lexeme)
    return " ".join(kept)


def term_lexeme(term: bytes) -> str:
    """The lexeme of a term, 8 bytes; a mark before it keeps it apart from every word."""
    return f"'={b64encode(term)[:11].decode()}'"


BIRTH_BITS = 30
"""Turns are numbered from the birth of their space times 2^30, so that a space that was forgotten and filled again never uses a
number twice: room for 2^30 turns in each of 2^33 spaces."""


def hold(connection: Connection, space: UUID) -> bool:
    """Lock the row of a space until the transaction ends; False if the space does not exist."""
    return first_value(connection, "SELECT 1 FROM space WHERE space = %s FOR UPDATE", space) is not None


def make(connection: Connection, space: UUID, name: str) -> None:
    """As `hold`, for a space that is made where it is new."""
    while not hold(connection, space):
        connection.execute(
            "INSERT INTO space (space, name, epoch, last_seq, turns)"
            " VALUES (%s, %s, nextval('change'), nextval('birth') << %s, 0) ON CONFLICT DO NOTHING",
            (space, storable(name), BIRTH_BITS),
        )


def next_change(connection: Connection) -> int:
    """The next number of a change, in a statement of its own, since distributed engines reject nextval inside UPDATE."""
    return int(first_value(connection, "SELECT nextval(%s)", "change"))


def seek_words(connection: Connection, query: str) -> None:
    """Show the transaction the words of the turns that a tsquery matches, and no others."""
    connection.execute(sql.SQL("SET LOCAL goalmem.words = {}").format(sql.Literal(query)))
