"""Writes: a batch of turns with all that is derived from them.

A batch goes in as one statement a table, its columns as arrays: PostgreSQL takes no COPY into a table with row-level security
(postgresql.org/docs, COPY, Notes), and this comes as close to it. Whoever writes to a space holds its row, so that numbers of turns
are seen in the order in which they were given.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from goalmem.records import Fact
from goalmem.store.codec import edge_row, entity_key, fact_row, mention_row, microseconds
from goalmem.store.postgres.binary import Halfvecs
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.spaces import drop_if_empty, made
from goalmem.store.postgres.text import key_of, number_of, storable
from goalmem.store.protocol import Batch, NewTurn
from goalmem.store.words import words

__all__ = ["EVERY_WORD", "MORE", "Form", "insert", "insert_derived", "lexemes", "storable_value", "term_lexeme"]

MOST_LEXEME_BYTES = 500_000
"""Of a turn's lexemes: half of what a tsvector may hold (postgresql.org/docs, 11.3 Limitations)."""
MORE = "*"
"""The lexeme of a turn that has more words than are indexed; no word is written so."""
EVERY_WORD = f"!'{MORE}{MORE}'"
"""A tsquery that every turn matches."""


@dataclass(frozen=True, slots=True)
class Form:
    """How vectors are written in this database."""

    dimension: int
    halfvec: int
    """Number of the type."""


def insert(connection: Connection, space: UUID, batch: Batch, form: Form, *, placed: bool = False) -> list[str]:
    """Insert the turns of a batch that are not there yet; returns their ids. Runs inside a write transaction.

    Those that are `placed` keep their positions, which were given in another store.
    """
    held = made(connection, space, batch.space)
    fresh = _unknown(connection, space, batch)
    if not fresh:
        # Nothing was changed but, at most, a space made: that must not stay behind.
        drop_if_empty(connection, space)
        return []
    session = key_of(batch.session)
    connection.execute(
        "INSERT INTO session (space, id, name, at, zone) VALUES (%s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
        (space, session, storable(batch.session), *microseconds(batch.session_at)),
    )
    row = connection.execute(
        "SELECT coalesce(max(position) + 1, 0) FROM turn WHERE space = %s AND session = %s", (space, session)
    ).fetchone()
    numbered = list(enumerate(fresh, start=held.last_seq + 1))
    first = int(str(row[0] if row else 0))
    places = [new.turn.position if placed else first + n for n, new in enumerate(fresh)]
    _insert_turns(connection, space, session, places, numbered)
    insert_derived(connection, space, numbered, form)
    connection.execute(
        "UPDATE space SET last_seq = %s, turns = turns + %s WHERE space = %s", (numbered[-1][0], len(fresh), space)
    )
    return [new.turn.id for new in fresh]


def _unknown(connection: Connection, space: UUID, batch: Batch) -> list[NewTurn]:
    first: dict[str, NewTurn] = {}
    for new in batch.turns:
        first.setdefault(storable(new.turn.id), new)
    there = connection.execute("SELECT id FROM turn WHERE space = %s AND id = ANY(%s)", (space, list(first)))
    known = {id_ for (id_,) in there}
    return [new for id_, new in first.items() if id_ not in known]


Numbered = Sequence[tuple[int, NewTurn]]


def insert_derived(connection: Connection, space: UUID, numbered: Numbered, form: Form) -> None:
    """Insert what is derived from turns, by their numbers. Runs inside a write transaction."""
    if not numbered:
        return
    _insert_signals(connection, space, numbered, form)
    _insert_facts(connection, space, numbered)
    _insert_names(connection, space, numbered)


def _bulk(
    connection: Connection, space: UUID, table: str, columns: str, types: str, rows: Sequence[Sequence[Any]]
) -> None:
    """Insert rows in one statement; `columns` and their `types` are named one after another."""
    if not rows:
        return
    arrays = ", ".join(f"%b::{type_}[]" for type_ in types.split())
    connection.execute(
        f"INSERT INTO {table} (space, {columns}) SELECT %s, * FROM unnest({arrays})".encode(),
        (space, *(list(column) for column in zip(*rows, strict=True))),
    )


def _insert_turns(
    connection: Connection, space: UUID, session: UUID, places: Sequence[int], numbered: Numbered
) -> None:
    rows = [
        (
            seq, session, place, new.call_position, storable(turn.id), new.content_hash, storable(turn.external_id),
            *microseconds(turn.at), turn.role, storable(turn.speaker), storable(turn.caption), storable(turn.text),
            new.terms, new.features,
        )
        for place, (seq, new) in zip(places, numbered, strict=True)
        for turn in (new.turn,)
    ]  # fmt: skip
    _bulk(
        connection,
        space,
        "turn",
        "seq, session, position, call_position, id, content_hash, external_id, at, zone, role, speaker, caption, text,"
        " terms, features",
        "bigint uuid integer integer text text text bigint bigint text text text text bytea bytea",
        rows,
    )


def _insert_signals(connection: Connection, space: UUID, numbered: Numbered, form: Form) -> None:
    size = 2 * form.dimension
    places = [(seq, n) for seq, new in numbered for n in range(len(new.vector) // size)]
    vectors = Halfvecs(b"".join(new.vector for _, new in numbered), form.dimension, form.halfvec)
    connection.execute(
        "INSERT INTO passage (space, seq, n, vector)"
        " SELECT %s, * FROM unnest(%b::bigint[], %b::integer[], %b::halfvec[])",
        (space, [seq for seq, _ in places], [n for _, n in places], vectors),
    )
    rows = [(seq, lexemes(new.turn.content, new.terms)) for seq, new in numbered]
    connection.execute(
        "INSERT INTO words (space, seq, words) SELECT %s, seq, said::tsvector FROM unnest(%b::bigint[], %b::text[]) AS t(seq, said)",
        (space, [seq for seq, _ in rows], [said for _, said in rows]),
    )


def lexemes(content: str, terms: bytes) -> str:
    """What a turn is found by in the database, written as a tsvector: its words for phrases, its terms for candidates."""
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


def _insert_facts(connection: Connection, space: UUID, numbered: Numbered) -> None:
    placed = [(seq, n, fact) for seq, new in numbered for n, fact in enumerate(new.extraction.facts)]
    _bulk(
        connection,
        space,
        "fact",
        "seq, n, id, start, stop, text, statement, kind, predicate, slot, args, polarity, modality, speaker, said, zone,"
        " occurs, occurs_text, predicate_key, slot_key",
        "bigint integer text integer integer text text text text text text smallint text text bigint bigint"
        " text text bigint bigint",
        [(seq, n, *_columns(fact)) for seq, n, fact in placed],
    )
    entities = {(entity_key(a.entity), seq, n) for seq, n, fact in placed for a in fact.args if a.entity}
    _bulk(connection, space, "fact_entity", "entity, seq, n", "bigint bigint integer", sorted(entities))


def _columns(fact: Fact) -> list[Any]:
    return [*map(storable_value, fact_row(fact)), number_of(fact.predicate), number_of(fact.slot)]


def storable_value(value: Any) -> Any:
    """A value as it can be stored."""
    return storable(value) if isinstance(value, str) else value


def _insert_names(connection: Connection, space: UUID, numbered: Numbered) -> None:
    def rows_of(derived: Callable[[NewTurn], Iterable[tuple[Any, ...]]]) -> list[list[Any]]:
        return [[seq, n, *map(storable_value, row)] for seq, new in numbered for n, row in enumerate(derived(new))]

    _bulk(
        connection,
        space,
        "mention",
        "seq, n, start, stop, text, entity, entity_key, type",
        "bigint integer integer integer text text bigint text",
        rows_of(lambda new: map(mention_row, new.extraction.mentions)),
    )
    _bulk(
        connection,
        space,
        "edge",
        "seq, n, fact, subject, subject_key, relation, object, object_key",
        "bigint integer text text bigint text text bigint",
        rows_of(lambda new: map(edge_row, new.extraction.edges)),
    )
    _bulk(
        connection,
        space,
        "alias",
        "seq, n, alias, name",
        "bigint integer text text",
        rows_of(lambda new: ((alias.lower(), name) for alias, name in new.extraction.aliases)),
    )
