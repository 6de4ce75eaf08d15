"""The rows of one space in a PostgreSQL database."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from uuid import UUID

from goalmem.records import Turn
from goalmem.store.codec import number_of
from goalmem.store.phrases import words
from goalmem.store.postgres.binary import Halfvecs, VectorForm, little_endian
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.text import (
    EVERY_WORD,
    MORE,
    hold,
    key_of,
    lexemes,
    make,
    next_change,
    restored,
    seek_words,
    storable,
)
from goalmem.store.protocol import NewTurn
from goalmem.store.reads import numbered_turns
from goalmem.store.tables import Dialect, Row, Rows, TableColumns, Tables
from goalmem.store.writes import TURN

POSTGRES = Dialect(
    name="postgres",
    numbers="unnest(:numbers::bigint[]) AS n(value)",
    sorted="ORDER BY {0}",
    owned="space = :space AND ",
    space="space",
    rule=("name", "stated"),
    reply=("reply", "id", "kept"),
    reply_turns=("reply_turn", "seq"),
    size="octet_length({0})",
    turn=TURN,
    place=("seq", "n"),
    fact=("seq", "n"),
    fact_entity=("seq", "n"),
    counted=", turns = turns + :turns",
    turns="turn AS t JOIN session AS s ON s.space = t.space AND s.id = t.session",
    of_turn="JOIN turn AS t ON t.space = {0}.space AND t.seq = {0}.seq",
    order="{0}.seq, {0}.n",
    same_fact="e.space = f.space AND e.seq = f.seq AND e.n = f.n",
    facts_of_entity=(
        "(f.seq, f.n) IN (SELECT e.seq, e.n FROM fact_entity AS e WHERE e.space = :space AND e.entity = :entity)"
    ),
    signals="",
    signal="NULL, t.terms, t.features",
    name_key="{0}_key = :{1}_key AND ",
    index={},
    unused="",
)

DERIVED = (
    "passage",
    "next_passage",
    "words",
    "fact",
    "fact_entity",
    "mention",
    "edge",
    "alias",
    "reply_turn",
    "attribute",
    "version",
)
"""Tables of rows that belong to a turn, by the turn's number."""
_KEYS: Mapping[str, Sequence[tuple[str, str, str, Callable[[str], object]]]] = {
    "graph_label": [("id", "uuid", "text", key_of)],
    "session": [("id", "uuid", "name", key_of)],
    "rule": [("id", "uuid", "name", key_of)],
    "reply": [("id", "uuid", "key", key_of)],
    "fact": [("predicate_key", "bigint", "predicate", number_of), ("slot_key", "bigint", "slot", number_of)],
}
"""Hash columns that index a text, by table: name, type, column of the text."""
_GENERATED = {
    "graph_import": (", id", ", nextval('import')"),
    "rule": (", stated", ", nextval('stated')"),
    "reply": (", kept", ", nextval('kept')"),
}
"""Columns that the database fills in."""

Ask = Callable[[UUID, bytes, Mapping[str, object]], Rows]
"""Runs one query in a space, in a single round trip."""

_LISTED = re.compile(r"IN (:\w+)")
_NAMED = re.compile(r"(?<!:):(\w+)")


@dataclass(slots=True)
class PostgresTables:
    """`Tables` of a space in PostgreSQL."""

    connection: Connection
    name: str
    id: UUID
    form: VectorForm
    """Wire format of vectors."""

    @property
    def dialect(self) -> Dialect:
        """See `Tables.dialect`."""
        return POSTGRES

    def rows(self, statement: str, **values: object) -> Rows:
        """See `Tables.rows`. Texts are as they were given."""
        return [restored(row) for row in self._fetched(translated(statement), self._bound(statement, values))]

    def run(self, statement: str, **values: object) -> int:
        """See `Tables.run`."""
        return self.connection.execute(translated(statement), self._bound(statement, values)).rowcount

    def each(self, statement: str, numbers: Sequence[int], **values: object) -> Rows:
        """See `Tables.each`. All in one query."""
        of_one = statement.replace(":value", "each.value")
        listed = "unnest(:numbers::bigint[]) WITH ORDINALITY AS each(value, place)"
        query = f"SELECT x.* FROM {listed} CROSS JOIN LATERAL ({of_one}) AS x ORDER BY each.place"
        return self.rows(query, numbers=list(numbers), **values)

    def add(self, table: TableColumns, rows: Iterable[Row], *, fresh: bool = False) -> int:
        """See `Tables.add`. One statement, its columns as arrays."""
        columns = [list(column) for column in zip(*rows, strict=True)]
        if not columns:
            return 0
        names, types = table.listed, table.types.split()
        for name, type_, source, key in _KEYS.get(table.name, ()):
            names, types = f"{names}, {name}", [*types, type_]
            columns.append(list(map(key, columns[table.columns.index(source)])))
        bound = [_storable(column) if type_ == "text" else column for type_, column in zip(types, columns, strict=True)]
        name, value = _GENERATED.get(table.name, ("", ""))
        arrays = ", ".join(f"%b::{type_}[]" for type_ in types)
        conflict = " ON CONFLICT DO NOTHING" if fresh else ""
        query = f"INSERT INTO {table.name} (space, {names}{name}) SELECT %s, t.*{value} FROM unnest({arrays}) AS t{conflict}"
        return self.connection.execute(query.encode(), (self.id, *bound)).rowcount

    def make(self) -> None:
        """See `Tables.make`."""
        make(self.connection, self.id, self.name)

    def hold(self) -> bool:
        """See `Tables.hold`."""
        return hold(self.connection, self.id)

    def next_change(self) -> int:
        """See `Tables.next_change`."""
        return next_change(self.connection)

    def text_removed(self, *, more: bool = False) -> None:
        """See `Tables.text_removed`: the server's vacuum overwrites it."""

    def key(self, name: str) -> UUID:
        """See `Tables.key`."""
        return key_of(name)

    def next_turn(self) -> int:
        """See `Tables.next_turn`: a space's turns are numbered from its birth on."""
        return 1 + int(self.rows("SELECT last_seq FROM space WHERE space = :space")[0][0])

    def places(self, facts: Sequence[tuple[int, int]]) -> Rows:
        """See `Tables.places`."""
        return list(facts)

    def add_turns(self, numbered: Sequence[tuple[int, NewTurn]], rows: Sequence[Row]) -> None:
        """See `Tables.add_turns`."""
        self.add(TURN, rows)

    def add_signals(self, numbered: Sequence[tuple[int, NewTurn]]) -> None:
        """See `Tables.add_signals`."""
        size = 2 * self.form.dimension
        places = [(seq, n) for seq, new in numbered for n in range(len(new.vector) // size)]
        vectors = Halfvecs(b"".join(new.vector for _, new in numbered), self.form.dimension, self.form.halfvec)
        self.connection.execute(
            "INSERT INTO passage (space, seq, n, vector)"
            " SELECT %s, * FROM unnest(%b::bigint[], %b::integer[], %b::halfvec[])",
            (self.id, [seq for seq, _ in places], [n for _, n in places], vectors),
        )
        self.connection.execute(
            "INSERT INTO words (space, seq, words)"
            " SELECT %s, seq, said::tsvector FROM unnest(%b::bigint[], %b::text[]) AS t(seq, said)",
            (
                self.id,
                [seq for seq, _ in numbered],
                [lexemes(new.turn.content, new.terms) for _, new in numbered],
            ),
        )

    def remove_turns(self, numbers: Sequence[int], *, every: bool) -> int:
        """See `Tables.remove_turns`."""
        seek_words(self.connection, EVERY_WORD)
        which = "" if every else " AND seq IN :numbers"
        gone = {
            table: self.run(f"DELETE FROM {table} WHERE space = :space{which}", numbers=list(numbers))
            for table in ("turn", *DERIVED)
        }
        return gone["fact"]

    def change_text(self, seq: int, turn: Turn) -> None:
        """See `Tables.change_text`. Also discards staged vectors of the turn for another model."""
        self.run("UPDATE turn SET text = :text WHERE space = :space AND seq = :seq", text=turn.text, seq=seq)
        self.run("DELETE FROM next_passage WHERE space = :space AND seq = :seq", seq=seq)
        self.unstage(seq)

    def unstage(self, seq: int) -> None:
        """Let vectors of another model be made again from a turn on (`reembedding`)."""
        self.run("UPDATE space SET staged = least(staged, :last) WHERE space = :space", last=seq - 1)

    def remove_derived(self, numbered: Sequence[tuple[int, NewTurn]]) -> None:
        """See `Tables.remove_derived`."""
        seek_words(self.connection, EVERY_WORD)
        for table in ("passage", "words", "fact", "fact_entity", "mention", "edge", "alias"):
            delete = f"DELETE FROM {table} WHERE space = :space AND seq IN :numbers"
            self.run(delete, numbers=[seq for seq, _ in numbered])
        for seq, new in numbered:
            update = "UPDATE turn SET terms = :terms, features = :features WHERE space = :space AND seq = :seq"
            self.run(update, terms=new.terms, features=new.features, seq=seq)

    def with_phrase(self, phrase: str, limit: int) -> list[str]:
        """See `Tables.with_phrase`."""
        return turns_with_phrase(self, self.connection, phrase, limit)

    def database_bytes(self) -> int:
        """See `Tables.database_bytes`: of its tables with their indices."""
        rows = self.rows(
            "SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class"
            " WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'm')"
        )
        return int(rows[0][0])

    def session(self, name: str) -> UUID:
        """See `Tables.session`."""
        return key_of(name)

    def with_vectors(self, rows: Rows, place: int) -> Rows:
        """See `Tables.with_vectors`."""
        vectors = self.vectors([row[0] for row in rows])
        return [(*row[:place], vectors.get(row[0], b""), *row[place + 1 :]) for row in rows]

    def vectors(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """The vectors of the turns with these numbers, as a store keeps them."""
        if not numbers:
            return {}
        query = "SELECT p.seq, halfvec_send(p.vector) FROM passage AS p WHERE p.space = :space AND p.seq IN :numbers"
        rows = self.rows(f"{query} ORDER BY p.seq, p.n", numbers=list(numbers))
        every, size = little_endian((sent for _, sent in rows), self.form.dimension), 2 * self.form.dimension
        found: dict[int, bytes] = {}
        start = 0
        for seq, own in groupby(rows, key=itemgetter(0)):
            end = start + size * sum(1 for _ in own)
            found[seq] = every[start:end]
            start = end
        return found

    def _fetched(self, statement: bytes, values: dict[str, object]) -> Rows:
        with self.connection.cursor(binary=True) as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall()

    def _bound(self, statement: str, values: dict[str, object]) -> dict[str, object]:
        bound = {"space": self.id} | {name: _storable(value) for name, value in values.items()}
        for name in _parameters(statement):
            if name not in bound:  # the number that an index holds for a name (`Dialect.name_key`)
                bound[name] = number_of(str(values[name.removesuffix("_key")]))
        return bound


class AskedTables(PostgresTables):
    """`Tables` for a single query of few rows, which is its own transaction."""

    def __init__(self, ask: Ask, name: str, id_: UUID) -> None:
        self._ask = ask
        self.name, self.id = name, id_

    def _fetched(self, statement: bytes, values: dict[str, object]) -> Rows:
        return self._ask(self.id, statement, values)


def in_space(connection: Connection, name: str, form: VectorForm) -> PostgresTables:
    """The space of this name, in a transaction that has set it."""
    return PostgresTables(connection, name, key_of(name), form)


def _storable(value: object) -> object:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_storable(one) for one in value]
    return value


@lru_cache(maxsize=512)
def translated(statement: str) -> bytes:
    """A statement with PostgreSQL's lists, and psycopg's parameters."""
    return _NAMED.sub(r"%(\1)s", _LISTED.sub(r"= ANY(\1)", statement)).encode()


@lru_cache(maxsize=512)
def _parameters(statement: str) -> tuple[str, ...]:
    return tuple(_NAMED.findall(statement))


# -- phrases: turns that hold every word, found in the database; then the words next to each other, in their texts

_LONGEST_QUERY = 32
"""Words given to the database; all are compared with the text."""
_PAGE = 200
"""Turns whose texts are compared at a time."""


def turns_with_phrase(tables: Tables, connection: Connection, phrase: str, limit: int) -> list[str]:
    """Ids of turns that hold the words of `phrase` next to each other, in the order stored."""
    wanted = words(phrase)
    if not wanted or limit < 1:
        return []
    distinct = list(dict.fromkeys(wanted))[:_LONGEST_QUERY]
    every = " & ".join(f"'{word}'" for word in distinct)
    seek_words(connection, f"({every}) | '{MORE}'")
    whole = f" {' '.join(wanted)} "
    seqs = [seq for (seq,) in tables.rows("SELECT w.seq FROM words AS w WHERE w.space = :space ORDER BY w.seq")]
    found: list[str] = []
    for start in range(0, len(seqs), _PAGE):
        found += _holding(tables, seqs[start : start + _PAGE], whole)
        if len(found) >= limit:
            break
    return found[:limit]


def _holding(tables: Tables, seqs: Sequence[int], whole: str) -> list[str]:
    """Ids of those turns, by number, whose words hold `whole`."""
    turns = (turn for _, turn in numbered_turns(tables, seqs))
    return [turn.id for turn in turns if whole in f" {' '.join(words(turn.content))} "]
