"""Turns of a PostgreSQL store with all that is kept of them, as it lies in the tables: what cannot be read is said, not raised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from goalmem.records import Extraction, Fact
from goalmem.store import codec
from goalmem.store.contents import Kept
from goalmem.store.failures import DamagedRowError
from goalmem.store.postgres.reads import Query, Space, vectors_of
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.writes import lexemes

__all__ = ["kept_turns", "turns_with_other_words"]

_Row = tuple[Any, ...]
_TURNS = "FROM turn AS t JOIN session AS s ON s.space = t.space AND s.id = t.session"

T = TypeVar("T")


def kept_turns(connection: Connection, space: Space, dimension: int, after: int, limit: int) -> list[Kept]:
    """The next `limit` turns with numbers above `after`; those without a session are left out."""
    query = Query(f"SELECT t.seq, t.content_hash, t.terms, t.features, {codec.TURN} {_TURNS}", "t", space)
    query.where("t.seq > %s", after)
    rows = query.rows(connection, "ORDER BY t.seq LIMIT %s", limit)
    if not rows:
        return []
    derived = _Derived(connection, space, rows[0][0], rows[-1][0])
    vectors = vectors_of(connection, space, dimension, rows[0][0], rows[-1][0])
    return [_kept(space.name, row, vectors.get(row[0], b""), derived) for row in rows]


def turns_with_other_words(
    connection: Connection, space: Space, after: int, limit: int
) -> tuple[int | None, list[int]]:
    """Of the next `limit` turns those that are not found by their own words; and the number of the last one looked at.

    None where there was no turn left. The transaction must have asked for every word (`spaces.seek_words`).
    """
    query = Query(f"SELECT t.seq, t.terms, {codec.TURN} {_TURNS}", "t", space)
    query.where("t.seq > %s", after)
    rows = query.rows(connection, "ORDER BY t.seq LIMIT %s", limit)
    if not rows:
        return None, []
    said = []
    for seq, terms, *of_turn in rows:
        turn = _read(partial(codec.turn_of, space.name, tuple(of_turn)))
        if turn is not None:
            said.append((seq, lexemes(turn.content, terms[: len(terms) // 8 * 8])))
    other = connection.execute(
        "SELECT x.seq FROM unnest(%b::bigint[], %b::text[]) AS x(seq, said)"
        " JOIN words AS w ON w.space = %s AND w.seq = x.seq WHERE w.words <> x.said::tsvector",
        ([seq for seq, _ in said], [text for _, text in said], space.id),
    )
    return rows[-1][0], [int(str(seq)) for (seq,) in other]


class _Derived:
    """The rows derived from a run of turns, by turn."""

    def __init__(self, connection: Connection, space: Space, first: int, last: int) -> None:
        def of(columns: str, table: str, short: str) -> dict[int, list[_Row]]:
            query = Query(
                f"SELECT {short}.seq, {short}.n, {columns} FROM {table} AS {short}"
                f" JOIN turn AS t ON t.space = {short}.space AND t.seq = {short}.seq",
                short,
                space,
            )
            query.where(f"{short}.seq BETWEEN %s AND %s", first, last)
            found: dict[int, list[_Row]] = {}
            for seq, *row in query.rows(connection, f"ORDER BY {short}.seq, {short}.n"):
                found.setdefault(seq, []).append(tuple(row))
            return found

        self.facts = of(codec.FACT, "fact", "f")
        self.mentions = of(codec.MENTION, "mention", "m")
        self.edges = of(codec.EDGE, "edge", "e")
        self.aliases = of("a.alias, a.name", "alias", "a")
        self.entities = of("x.entity", "fact_entity", "x")

    def extraction(self, space: str, turn: str, seq: int) -> Extraction:
        """What is derived from a turn. Raises DamagedRowError."""
        facts = [codec.fact_of(space, row[1:]) for row in self.facts.get(seq, [])]
        mentions = [codec.mention_of(space, row[1:]) for row in self.mentions.get(seq, [])]
        edges = [codec.edge_of(space, row[1:]) for row in self.edges.get(seq, [])]
        aliases = [(alias, name) for _, alias, name in self.aliases.get(seq, [])]
        return Extraction(turn, tuple(facts), tuple(mentions), tuple(edges), tuple(aliases))

    def indexed(self, facts: Sequence[Fact], seq: int) -> bool:
        """Whether these facts of a turn are found by the entities that they name, and by no others."""
        named = {
            (n, codec.entity_key(a.entity))
            for (n, *_), fact in zip(self.facts.get(seq, []), facts, strict=True)
            for a in fact.args
            if a.entity
        }
        return named == set(self.entities.get(seq, []))


def _kept(space: str, row: _Row, vector: bytes, derived: _Derived) -> Kept:
    seq, content_hash, terms, features, *of_turn = row
    turn = _read(partial(codec.turn_of, space, tuple(of_turn)))
    extraction = _read(partial(derived.extraction, space, of_turn[0], seq))
    indexed = extraction is not None and derived.indexed(extraction.facts, seq)
    return Kept(seq, space, turn, content_hash, vector, terms, features, extraction, indexed)


def _read(decode: Callable[[], T]) -> T | None:
    try:
        return decode()
    except DamagedRowError:
        return None
