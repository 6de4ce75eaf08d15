"""Turns with all that is kept of them, and other rows of a space, as they lie in the tables: to move them or to check them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from goalmem.records import Extraction, Fact, Turn
from goalmem.store import codec, writes
from goalmem.store.failures import DamagedRowError, require_later
from goalmem.store.graphs_import import make_graph
from goalmem.store.protocol import NewTurn
from goalmem.store.reads import required_vector
from goalmem.store.rows import PAGE, GraphTable, KeptReply, KeptTurn, batches_of, derived_checksum, turn_checksum
from goalmem.store.tables import Query, Row, Rows, SpaceTransactions, TableColumns, Tables
from goalmem.store.versions import versions_between

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn and everything derived from it. Unreadable parts are marked, not raised."""

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
    """True if its facts are found by the entities that they name, and by no others."""
    as_stored: tuple[bool, bool]
    """True if the turn and its derived rows match their stored checksums, if there are any."""


def kept_turns(tables: Tables, after: int, limit: int) -> list[StoredTurn]:
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
        kept.append(StoredTurn(seq, tables.name, turn, content_hash, vector, terms, features, made, indexed, as_stored))
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
    rows = tables.rows(query, after=after, most=limit)
    require_later(rows, after)
    return tables.with_vectors(rows, 1)


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
        """The extraction of a turn. Raises DamagedRowError."""
        return Extraction(
            turn,
            tuple(codec.fact_of(self._space, row[2:]) for row in self._facts.get(seq, ())),
            tuple(codec.mention_of(self._space, row) for row in self._mentions.get(seq, ())),
            tuple(codec.edge_of(self._space, row) for row in self._edges.get(seq, ())),
            tuple((alias, name) for alias, name in self._aliases.get(seq, ())),
        )

    def are_indexed(self, facts: Sequence[Fact], seq: int, entities: dict[Row, set[int]]) -> bool:
        """True if these facts of a turn are found by the entities that they name, and by no others."""
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


class StoredRows:
    """Reads and writes the raw rows of a store."""

    def __init__(self, store: SpaceTransactions) -> None:
        self._store = store

    def turns(self, space: str, after: int, limit: int) -> list[KeptTurn]:
        """The next `limit` turns with numbers above `after`, in order."""
        return self._store.read_vectors(space, partial(stored_turns, after=after, limit=limit))

    def replies(self, space: str, after: int, limit: int) -> list[KeptReply]:
        """The next `limit` replies with an order above `after`, in order."""
        return self._store.read(space, partial(_replies, after=after, limit=limit))

    def graph(self, space: str, table: GraphTable, after: Row | None) -> list[Row]:
        """The next rows of a table of the space's graph, after some keys, in order."""
        return self._store.read(space, partial(_graph, table=table, after=after))

    def graph_size(self, space: str) -> Row | None:
        """Numbers of nodes, relations and triples of the space's graph; None if it has no graph."""
        query = "SELECT nodes, relations, triples FROM graph WHERE space = :space"
        rows = self._store.read(space, lambda tables: tables.rows(query))
        return rows[0] if rows else None

    def take_graph(self, space: str, table: GraphTable, rows: Sequence[Row]) -> None:
        """Store rows of a graph in one durable transaction, those that are not there yet."""
        into: TableColumns = table
        if table.name == "graph_import":
            into, rows = (
                TableColumns(table.name, (*table.columns, "done"), f"{table.types} boolean"),
                [(*r, True) for r in rows],
            )

        def work(tables: Tables) -> None:
            make_graph(tables)
            tables.add(into, rows, fresh=True)

        self._store.write(space, work)

    def take_graph_size(self, space: str, size: Row) -> None:
        """Note how much the space's graph holds, which makes it seen."""
        nodes, relations, triples = size

        def work(tables: Tables) -> None:
            make_graph(tables)
            tables.run(
                "UPDATE graph SET version = :version, nodes = :nodes, relations = :relations, triples = :triples"
                " WHERE space = :space",
                version=tables.next_change(),
                nodes=nodes,
                relations=relations,
                triples=triples,
            )

        self._store.write(space, work)

    def take_in(self, space: str, turns: Sequence[KeptTurn]) -> int:
        """Store turns in one durable transaction, at the positions that they have; how many were not there yet."""
        batches = batches_of(space, turns)
        return self._store.write_vectors(
            space, lambda tables: sum(len(writes.insert(tables, batch, placed=True)) for batch in batches)
        )


def _replies(tables: Tables, after: int, limit: int) -> list[KeptReply]:
    replies, _, order = tables.dialect.reply
    of_reply, number = tables.dialect.reply_turns
    rows = tables.rows(
        f"SELECT {order}, key, text, id FROM {replies} WHERE space = :space AND {order} > :after"
        f" ORDER BY {order} LIMIT :most",
        after=after,
        most=limit,
    )
    turns = (
        f"SELECT id FROM turn WHERE {tables.dialect.unused}space = :space"
        f" AND seq IN (SELECT {number} FROM {of_reply} WHERE {tables.dialect.owned}reply = :reply) ORDER BY id"
    )
    return [
        KeptReply(place, key, text, tuple(turn for (turn,) in tables.rows(turns, reply=id_)))
        for place, key, text, id_ in rows
    ]


def _graph(tables: Tables, table: GraphTable, after: Row | None) -> list[Row]:
    query = f"SELECT {table.listed} FROM {table.name} WHERE space = :space"
    if table.name == "graph_import":
        query += " AND done"
    keys = {f"key_{place}": value for place, value in enumerate(after or ())}
    if keys:
        query += f" AND ({table.order}) > ({', '.join(f':{key}' for key in keys)})"
    return tables.rows(f"{query} ORDER BY {table.order} LIMIT :most", most=PAGE, **keys)
