"""The rows of a PostgreSQL store as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from goalmem.records import Extraction
from goalmem.store import codec
from goalmem.store.failures import DamagedRowError
from goalmem.store.postgres.reads import Query, Space, vectors_of
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.spaces import made
from goalmem.store.postgres.text import key_of
from goalmem.store.postgres.writes import Form, insert, storable_value
from goalmem.store.protocol import NewTurn
from goalmem.store.rows import KeptReply, KeptTurn, batches_of
from goalmem.store.rows_graphs import PAGE, GraphTable, Row

__all__ = ["PostgresRows", "Reached"]

T = TypeVar("T")


class Reached(Protocol):
    """What lets rows of one space after another be read and written."""

    @property
    def form(self) -> Form:
        """How vectors are written."""
        ...

    def look(self, space: str, query: Callable[[Connection, Space], T]) -> T:
        """What `query` finds in one state of the space."""
        ...

    def look_at_vectors(self, space: str, query: Callable[[Connection, Space], T]) -> T:
        """The same of vectors; refused where they are of another model by now."""
        ...

    def change(self, space: str, work: Callable[[Connection, Space], T]) -> T:
        """Do `work` in one durable transaction on the space."""
        ...

    def change_vectors(self, space: str, work: Callable[[Connection, Space], T]) -> T:
        """The same where vectors are added; refused where they are of another model by now."""
        ...


class PostgresRows:
    """`Rows` of a PostgreSQL store."""

    def __init__(self, store: Reached) -> None:
        self._store = store

    def turns(self, space: str, after: int, limit: int) -> list[KeptTurn]:
        """See `Rows.turns`."""
        dimension = self._store.form.dimension
        return self._store.look(space, lambda connection, s: _turns(connection, s, dimension, after, limit))

    def replies(self, space: str, after: int, limit: int) -> list[KeptReply]:
        """See `Rows.replies`."""
        return self._store.look(space, lambda connection, s: _replies(connection, s, after, limit))

    def graph(self, space: str, table: GraphTable, after: Row | None) -> list[Row]:
        """See `Rows.graph`."""
        return self._store.look(space, lambda connection, s: _graph(connection, s, table, after))

    def graph_size(self, space: str) -> Row | None:
        """See `Rows.graph_size`."""
        select = "SELECT g.nodes, g.relations, g.triples FROM graph AS g"
        rows = self._store.look(space, lambda connection, s: Query(select, "g", s).rows(connection))
        return rows[0] if rows else None

    def take_graph(self, space: str, table: GraphTable, rows: Sequence[Row]) -> None:
        """See `Rows.take_graph`."""

        def work(connection: Connection, found: Space) -> None:
            made(connection, found.id, found.name)
            connection.execute("INSERT INTO graph VALUES (%s, 0, 0, 0, 0) ON CONFLICT DO NOTHING", (found.id,))
            columns, types, more = table.listed, table.types, ""
            taken: Sequence[Row] = [tuple(map(storable_value, row)) for row in rows]
            if table.name == "graph_label":
                columns, types = f"{columns}, id", f"{types} uuid"
                taken = [(*new, key_of(old[-1])) for new, old in zip(taken, rows, strict=True)]
            elif table.name == "graph_import":
                columns, more = f"{columns}, id, done", ", nextval('import'), true"
            arrays = ", ".join(f"%b::{type_}[]" for type_ in types.split())
            connection.execute(
                f"INSERT INTO {table.name} (space, {columns}) SELECT %s, t.*{more} FROM unnest({arrays}) AS t"
                " ON CONFLICT DO NOTHING".encode(),
                (found.id, *(list(column) for column in zip(*taken, strict=True))),
            )

        self._store.change(space, work)

    def take_graph_size(self, space: str, size: Row) -> None:
        """See `Rows.take_graph_size`."""

        def work(connection: Connection, found: Space) -> None:
            made(connection, found.id, found.name)
            connection.execute(
                "INSERT INTO graph VALUES (%s, nextval('change'), %s, %s, %s) ON CONFLICT (space) DO UPDATE SET"
                " version = excluded.version, nodes = excluded.nodes, relations = excluded.relations,"
                " triples = excluded.triples",
                (found.id, *size),
            )

        self._store.change(space, work)

    def take_in(self, space: str, turns: Sequence[KeptTurn]) -> int:
        """See `Rows.take_in`."""
        batches = batches_of(space, turns)

        def work(connection: Connection, found: Space) -> int:
            return sum(len(insert(connection, found.id, batch, self._store.form, placed=True)) for batch in batches)

        return self._store.change_vectors(space, work)


def _turns(connection: Connection, space: Space, dimension: int, after: int, limit: int) -> list[KeptTurn]:
    query = Query(
        "SELECT t.seq, s.at, s.zone, t.call_position, t.content_hash, t.terms, t.features,"
        f" {codec.TURN} FROM turn AS t JOIN session AS s ON s.space = t.space AND s.id = t.session",
        "t",
        space,
    )
    query.where("t.seq > %s", after)
    rows = query.rows(connection, "ORDER BY t.seq LIMIT %s", limit)
    if not rows:
        return []
    within = rows[0][0], rows[-1][0]
    vectors = vectors_of(connection, space, dimension, *within)
    name = space.name

    def derived(columns: str, table: str, short: str, read: Callable[[Row], T]) -> dict[int, list[T]]:
        query = Query(
            f"SELECT {short}.seq, {columns} FROM {table} AS {short}"
            f" JOIN turn AS t ON t.space = {short}.space AND t.seq = {short}.seq",
            short,
            space,
        )
        query.where(f"{short}.seq BETWEEN %s AND %s", *within)
        found: dict[int, list[T]] = {}
        for seq, *row in query.rows(connection, f"ORDER BY {short}.seq, {short}.n"):
            found.setdefault(seq, []).append(read(tuple(row)))
        return found

    facts = derived(codec.FACT, "fact", "f", lambda row: codec.fact_of(name, row))
    mentions = derived(codec.MENTION, "mention", "m", lambda row: codec.mention_of(name, row))
    edges = derived(codec.EDGE, "edge", "e", lambda row: codec.edge_of(name, row))
    aliases = derived("a.alias, a.name", "alias", "a", lambda row: (row[0], row[1]))
    kept = []
    for seq, at, zone, call, content, terms, features, *of_turn in rows:
        turn = codec.turn_of(name, tuple(of_turn))
        made = Extraction(
            turn.id,
            tuple(facts.get(seq, ())),
            tuple(mentions.get(seq, ())),
            tuple(edges.get(seq, ())),
            tuple(aliases.get(seq, ())),
        )
        if seq not in vectors:
            raise DamagedRowError(f"the turn {turn.id} has no vector")
        new = NewTurn(turn, call, content, made, vectors[seq], terms, features)
        kept.append(KeptTurn(seq, codec.moment(at, zone), new))
    return kept


def _replies(connection: Connection, space: Space, after: int, limit: int) -> list[KeptReply]:
    query = Query("SELECT r.kept, r.key, r.text, r.id FROM reply AS r", "r", space)
    query.where("r.kept > %s", after)
    found = []
    for order, key, text, id_ in query.rows(connection, "ORDER BY r.kept LIMIT %s", limit):
        turns = Query(
            "SELECT t.id FROM reply_turn AS r JOIN turn AS t ON t.space = r.space AND t.seq = r.seq", "r", space
        )
        turns.where("r.reply = %s", id_)
        found.append(KeptReply(order, key, text, tuple(turn for (turn,) in turns.rows(connection, "ORDER BY t.id"))))
    return found


def _graph(connection: Connection, space: Space, table: GraphTable, after: Row | None) -> list[Row]:
    columns = ", ".join(f"x.{column}" for column in table.columns)
    query = Query(f"SELECT {columns} FROM {table.name} AS x", "x", space)
    if table.name == "graph_import":
        query.where("x.done")
    if after is not None:
        query.where(f"({table.order}) > ({', '.join(['%s'] * len(after))})", *after)
    return query.rows(connection, f"ORDER BY {table.order} LIMIT %s", PAGE)
