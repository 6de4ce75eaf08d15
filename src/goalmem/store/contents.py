"""Turns with all that is kept of them, as it lies in the tables, to move them or to check them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from goalmem.records import Extraction, Fact, Turn
from goalmem.store import codec
from goalmem.store.failures import DamagedRowError
from goalmem.store.protocol import NewTurn
from goalmem.store.reads import required_vector
from goalmem.store.rows import KeptTurn, derived_checksum, turn_checksum
from goalmem.store.tables import Query, Row, Rows, Tables
from goalmem.store.versions import versions_between

__all__ = ["Kept", "kept_turns", "stored_turns"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kept:
    """A turn and what is derived from it. What cannot be read is said, not raised."""

    seq: int
    space: str
    turn: Turn | None
    """None when its row cannot be read."""
    content_hash: str
    vector: bytes
    terms: bytes
    features: bytes
    extraction: Extraction | None
    """None when a row of it cannot be read."""
    indexed: bool
    """Whether its facts are found by the entities that they name, and by no others."""
    as_stored: tuple[bool, bool]
    """Whether the turn, and what is derived from it, fit the checksums kept of them, where there are any."""


def kept_turns(tables: Tables, after: int, limit: int) -> list[Kept]:
    """The next `limit` turns with numbers above `after`; those without a session or a signal are left out."""
    rows = _turns(tables, after, limit)
    if not rows:
        return []
    derived = _Derived(tables, rows[0][0], rows[-1][0])
    entities = _entities(tables, rows[0][0], rows[-1][0])
    kept = []
    for seq, vector, terms, features, content_hash, own, of_derived, _, _, _, *of_turn in rows:
        turn = _read(partial(codec.turn_of, tables.name, tuple(of_turn)))
        made = _read(partial(derived.extraction, of_turn[0], seq))
        indexed = made is not None and derived.are_indexed(made.facts, seq, entities)
        as_stored = (
            turn is None or own in {0, turn_checksum(turn)},
            made is None
            or (of_derived in {0, derived_checksum(made)} and all(a == a.lower() for a, _ in made.aliases)),
        )
        kept.append(Kept(seq, tables.name, turn, content_hash, vector, terms, features, made, indexed, as_stored))
    return kept


def stored_turns(tables: Tables, after: int, limit: int) -> list[KeptTurn]:
    """The next `limit` turns with numbers above `after`. Raises DamagedRowError where one cannot be read."""
    rows = _turns(tables, after, limit)
    if not rows:
        return []
    derived = _Derived(tables, rows[0][0], rows[-1][0])
    before = versions_between(tables, rows[0][0], rows[-1][0])
    kept = []
    for seq, vector, terms, features, content_hash, _, _, call, at, zone, *of_turn in rows:
        turn = codec.turn_of(tables.name, tuple(of_turn))
        made = derived.extraction(turn.id, seq)
        own, earlier = required_vector(vector, turn.id), tuple(before.get(seq, ()))
        new = NewTurn(turn, call, content_hash, made, own, terms, features, earlier)
        kept.append(KeptTurn(seq, codec.moment(at, zone), new))
    return kept


def _turns(tables: Tables, after: int, limit: int) -> Rows:
    dialect = tables.dialect
    query = (
        f"SELECT t.seq, {dialect.signal}, t.content_hash, t.checksum, t.derived, t.call_position, s.at, s.zone, {codec.TURN}"
        f" FROM {dialect.turns} {dialect.signals} WHERE t.space = :space AND t.seq > :after ORDER BY t.seq LIMIT :most"
    )
    return tables.with_vectors(tables.rows(query, after=after, most=limit), 1)


class _Derived:
    """The rows derived from a run of turns, by turn."""

    def __init__(self, tables: Tables, first: int, last: int) -> None:
        dialect = tables.dialect
        self._space = tables.name

        def of(columns: str, table: str, short: str) -> dict[int, Rows]:
            number = f"{short}.{dialect.place[0]}"
            select = f"SELECT {number}, {columns} FROM {table} AS {short} {dialect.of_turn.format(short)}"
            query = Query(tables, select, short)
            query.where(f"{number} BETWEEN :first AND :last", first=first, last=last)
            found: dict[int, Rows] = {}
            for seq, *row in query.rows(f"ORDER BY {dialect.order.format(short)}"):
                found.setdefault(seq, []).append(tuple(row))
            return found

        place = ", ".join(f"f.{column}" for column in dialect.fact)
        self._facts = of(f"{place}, {codec.FACT}", "fact", "f")
        self._mentions = of(codec.MENTION, "mention", "m")
        self._edges = of(codec.EDGE, "edge", "e")
        self._aliases = of("a.alias, a.name", "alias", "a")

    def extraction(self, turn: str, seq: int) -> Extraction:
        """What is derived from a turn. Raises DamagedRowError."""
        return Extraction(
            turn,
            tuple(codec.fact_of(self._space, row[2:]) for row in self._facts.get(seq, ())),
            tuple(codec.mention_of(self._space, row) for row in self._mentions.get(seq, ())),
            tuple(codec.edge_of(self._space, row) for row in self._edges.get(seq, ())),
            tuple((alias, name) for alias, name in self._aliases.get(seq, ())),
        )

    def are_indexed(self, facts: Sequence[Fact], seq: int, entities: dict[Row, set[int]]) -> bool:
        """Whether these facts of a turn are found by the entities that they name, and by no others."""
        return all(
            entities.get(row[:2], set()) == {codec.entity_key(a.entity) for a in fact.args if a.entity}
            for fact, row in zip(facts, self._facts.get(seq, ()), strict=True)
        )


def _entities(tables: Tables, first: int, last: int) -> dict[Row, set[int]]:
    """The keys of the entities by which each fact of a run of turns is found, by the place of the fact."""
    dialect = tables.dialect
    place = ", ".join(f"f.{column}" for column in dialect.fact)
    query = Query(tables, f"SELECT {place}, e.entity FROM fact AS f JOIN fact_entity AS e ON {dialect.same_fact}", "f")
    query.where(f"f.{dialect.place[0]} BETWEEN :first AND :last", first=first, last=last)
    found: dict[Row, set[int]] = {}
    for *fact, entity in query.rows():
        found.setdefault(tuple(fact), set()).add(entity)
    return found


def _read(decode: Callable[[], T]) -> T | None:
    try:
        return decode()
    except DamagedRowError:
        return None
