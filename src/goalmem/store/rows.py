"""Rows of a space in order, as they are copied from one store to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import groupby
from typing import Any
from zlib import crc32

from goalmem.records import Extraction, Turn
from goalmem.store.codec import edge_row, expiry, fact_row, mention_row, microseconds
from goalmem.store.metadata import written
from goalmem.store.protocol import Batch, NewTurn
from goalmem.store.tables import Row, TableColumns

_DIGEST = 16
"""Bytes of a checksum: two that differ are taken for equal once in 2^64 pairs."""


@dataclass(frozen=True, slots=True)
class KeptTurn:
    """A stored turn with its session and everything derived from it."""

    seq: int
    """In this store; another gives it another number."""
    session_at: datetime
    new: NewTurn
    """The turn's `position` is the one it has."""


@dataclass(frozen=True, slots=True)
class KeptReply:
    """A reply of a chat model as it is stored."""

    order: int
    """In this store; rises with the time it was kept."""
    key: str
    text: str
    turns: tuple[str, ...]
    """Ids of the turns that it was asked about, sorted."""


def batches_of(space: str, turns: Sequence[KeptTurn]) -> list[Batch]:
    """Turns as batches, one for each run of turns of one session, in order."""
    runs = groupby(turns, key=lambda kept: (kept.new.turn.session, kept.session_at))
    return [Batch(space, session, at, [kept.new for kept in run]) for (session, at), run in runs]


def turn_digest(kept: KeptTurn) -> bytes:
    """A checksum of everything that is kept of a turn, but for its number."""
    new, turn, made = kept.new, kept.new.turn, kept.new.extraction
    return _digest(
        (
            turn.id, turn.session, microseconds(kept.session_at), turn.position, new.call_position, new.content_hash,
            turn.external_id, microseconds(turn.at), turn.role, turn.speaker, turn.caption, turn.text, written(turn.metadata),
            expiry(turn.expires_at), new.vector,
            new.terms, sorted(new.features[at : at + 8] for at in range(0, len(new.features), 8)),
            *_derived_rows(made),
            [(version.text, written(version.metadata), expiry(version.expires_at), version.content_hash, expiry(version.until))
             for version in new.versions],
        )
    )  # fmt: skip


def turn_checksum(turn: Turn) -> int:
    """CRC-32 of a stored turn."""
    return checksum(
        turn.id, turn.session, turn.position, turn.external_id, *microseconds(turn.at), turn.role, turn.speaker, turn.caption,
        turn.text, written(turn.metadata), expiry(turn.expires_at),
    )  # fmt: skip


def derived_checksum(made: Extraction) -> int:
    """CRC-32 of the rows derived from a turn."""
    return checksum(*_derived_rows(made))


def checksum(*values: object) -> int:
    """CRC-32 of strings, numbers and lists of them: no change of a single byte leaves it as it was."""
    return crc32(repr(values).encode(errors="surrogatepass"))


def _derived_rows(made: Extraction) -> list[list[Row]]:
    return [
        [fact_row(fact) for fact in made.facts],
        [mention_row(mention) for mention in made.mentions],
        [edge_row(edge) for edge in made.edges],
        [(alias.lower(), name) for alias, name in made.aliases],
    ]


def reply_digest(kept: KeptReply) -> bytes:
    """A checksum of a reply."""
    return _digest((kept.key, kept.text, kept.turns))


def row_digest(row: Row) -> bytes:
    """A checksum of a row of a graph."""
    return _digest(tuple(int(value) if isinstance(value, bool) else value for value in row))


def _digest(values: tuple[Any, ...]) -> bytes:
    # repr() of strings, numbers and bytes is unambiguous.
    return blake2b(repr(values).encode(), digest_size=_DIGEST).digest()


PAGE = 20_000
"""Rows read and written at a time."""


@dataclass(frozen=True, slots=True)
class GraphTable(TableColumns):
    """A graph table and its copied columns."""

    keys: int
    """Number of leading columns that form the key and the order."""

    @property
    def order(self) -> str:
        """The columns that order the rows."""
        return ", ".join(self.columns[: self.keys])


GRAPH_TABLES = (
    GraphTable("graph_relation", ("relation", "name"), "bigint text", 1),
    GraphTable("graph_node", ("node", "key", "kind", "identifier"), "bigint bigint smallint text", 1),
    GraphTable("graph_label", ("node", "rank", "text"), "bigint bigint text", 3),
    GraphTable("graph_key", ("key", "node"), "bigint bigint", 2),
    GraphTable("graph_word", ("backwards", "word"), "integer text", 2),
    GraphTable("graph_edge", ("subject", "relation", "object"), "bigint bigint bigint", 3),
    GraphTable("graph_edge_back", ("object", "relation", "subject"), "bigint bigint bigint", 3),
    # Unfinished imports are not copied: their staged rows are not in the graph and can be imported again.
    GraphTable(
        "graph_import", ("digest", "source", "total", "chunks", "entries", "steps", "triples"),
        "text text bigint bigint bigint bigint bigint", 1,
    ),
)  # fmt: skip


def pages_of(read: Callable[[GraphTable, Row | None], list[Row]], table: GraphTable) -> Iterator[list[Row]]:
    """The rows of a table in order, page by page; `read` gives those that come after some keys."""
    after: Row | None = None
    while page := read(table, after):
        yield page
        after = page[-1][: table.keys]
