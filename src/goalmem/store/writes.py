"""Writes: a batch of turns with all that is derived from them, and forgetting."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from goalmem.errors import InputError
from goalmem.records import Extraction, Fact
from goalmem.store import graphs_import
from goalmem.store.codec import edge_row, entity_key, fact_row, mention_row, microseconds
from goalmem.store.phrases import index_words, remove_words, settle
from goalmem.store.protocol import Batch, Forgotten, NewTurn
from goalmem.store.replies import drop_replies, drop_unbound_replies
from goalmem.store.rule_rows import drop_all, drop_if_empty
from goalmem.store.tables_sqlite import SqliteTables

__all__ = ["check_batch", "forget", "insert", "insert_derived", "space_id"]

_HASH_BYTES = 8
_HALF_FLOAT = 2


def check_batch(batch: Batch, dimension: int) -> None:
    """Refuse a batch that contradicts itself, before anything is written.

    Raises:
        InputError: names the turn and what is wrong with it.
    """
    for new in batch.turns:
        turn = new.turn
        if (turn.space, turn.session) != (batch.space, batch.session):
            raise _refused(new, "belongs to another space or session than its batch")
        if not new.vector or len(new.vector) % (dimension * _HALF_FLOAT):
            raise _refused(new, f"has vectors of {len(new.vector)} bytes, not whole ones of {dimension * _HALF_FLOAT}")
        if len(new.terms) % _HASH_BYTES:
            raise _refused(new, f"has terms of {len(new.terms)} bytes, not whole 64-bit hashes")
        if len(new.features) % _HASH_BYTES:
            raise _refused(new, f"has features of {len(new.features)} bytes, not whole 64-bit hashes")
        derived = (new.extraction.facts, new.extraction.mentions, new.extraction.edges)
        if new.extraction.turn != turn.id or any(
            (d.space, d.turn) != (batch.space, turn.id) for of in derived for d in of
        ):
            raise _refused(new, "comes with an extraction of another turn")


def _refused(new: NewTurn, why: str) -> InputError:
    return InputError(f"The turn {new.turn.id!r} {why}.", "Nothing was stored; build the batch from one extraction.")


def insert(connection: sqlite3.Connection, batch: Batch, *, placed: bool = False) -> list[str]:
    """Insert the turns of a batch that are not there yet; returns their ids. Runs inside a write transaction.

    Those that are `placed` keep their positions, which were given in another store.
    """
    fresh = _unknown(connection, batch)
    if not fresh:
        return []
    space = space_id(connection, batch.space)
    session = _session_id(connection, space, batch)
    position = connection.execute(
        "SELECT coalesce(max(position) + 1, 0) FROM turn WHERE session = ?", (session,)
    ).fetchone()[0]
    numbered = [
        (_insert_turn(connection, space, session, new.turn.position if placed else place, new), new)
        for place, new in enumerate(fresh, start=position)
    ]
    insert_derived(connection, space, numbered)
    connection.execute("UPDATE space SET last_seq = ? WHERE id = ?", (numbered[-1][0], space))
    return [new.turn.id for new in fresh]


def insert_derived(connection: sqlite3.Connection, space: int, numbered: Sequence[tuple[int, NewTurn]]) -> None:
    """Insert what is derived from turns that are there, by their numbers. Runs inside a write transaction."""
    connection.executemany(
        "INSERT INTO signal (turn, vector, terms, features) VALUES (?, ?, ?, ?)",
        ((seq, new.vector, new.terms, new.features) for seq, new in numbered),
    )
    _insert_facts(connection, space, [(seq, fact) for seq, new in numbered for fact in new.extraction.facts])
    _insert_names(connection, space, [(seq, new.extraction) for seq, new in numbered])


def _unknown(connection: sqlite3.Connection, batch: Batch) -> list[NewTurn]:
    query = "SELECT 1 FROM turn WHERE space = (SELECT id FROM space WHERE name = ?) AND id = ?"
    first: dict[str, NewTurn] = {}
    for new in batch.turns:
        first.setdefault(new.turn.id, new)
    return [new for id_, new in first.items() if not connection.execute(query, (batch.space, id_)).fetchone()]


def space_id(connection: sqlite3.Connection, name: str) -> int:
    """The number of a space, made where it is new."""
    connection.execute(
        "INSERT INTO space (name, epoch, last_seq) SELECT ?, value, 0 FROM epoch WHERE true ON CONFLICT DO NOTHING",
        (name,),
    )
    return int(connection.execute("SELECT id FROM space WHERE name = ?", (name,)).fetchone()[0])


def _session_id(connection: sqlite3.Connection, space: int, batch: Batch) -> int:
    connection.execute(
        "INSERT INTO session (space, name, at, zone) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (space, batch.session, *microseconds(batch.session_at)),
    )
    query = "SELECT id FROM session WHERE space = ? AND name = ?"
    return int(connection.execute(query, (space, batch.session)).fetchone()[0])


def _insert_turn(connection: sqlite3.Connection, space: int, session: int, position: int, new: NewTurn) -> int:
    turn = new.turn
    at, zone = microseconds(turn.at)
    cursor = connection.execute(
        "INSERT INTO turn (space, session, position, call_position, id, content_hash, external_id, at, zone, role,"
        " speaker, caption, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            space, session, position, new.call_position, turn.id, new.content_hash, turn.external_id, at, zone,
            turn.role, turn.speaker, turn.caption, turn.text,
        ),
    )  # fmt: skip
    seq = int(cursor.lastrowid or 0)
    index_words(connection, space, seq, turn.content)
    return seq


def _insert_facts(connection: sqlite3.Connection, space: int, facts: Sequence[tuple[int, Fact]]) -> None:
    # Numbered here rather than by SQLite, so that facts and their entities go in as two bulk inserts.
    first = connection.execute("SELECT coalesce(max(seq), 0) + 1 FROM fact").fetchone()[0]
    numbered = list(enumerate(facts, start=first))
    connection.executemany(
        "INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((number, space, seq, *fact_row(fact)) for number, (seq, fact) in numbered),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO fact_entity VALUES (?, ?, ?)",
        ((space, entity_key(a.entity), number) for number, (_, fact) in numbered for a in fact.args if a.entity),
    )


def _insert_names(connection: sqlite3.Connection, space: int, extractions: Sequence[tuple[int, Extraction]]) -> None:
    connection.executemany(
        "INSERT INTO mention VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((space, seq, *mention_row(mention)) for seq, made in extractions for mention in made.mentions),
    )
    connection.executemany(
        "INSERT INTO edge VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((space, seq, *edge_row(edge)) for seq, made in extractions for edge in made.edges),
    )
    connection.executemany(
        "INSERT INTO alias VALUES (NULL, ?, ?, ?, ?)",
        ((space, seq, alias.lower(), name) for seq, made in extractions for alias, name in made.aliases),
    )


def forget(connection: sqlite3.Connection, space: str, turn: str | None, session: str | None) -> Forgotten:
    """Delete the turns named and all that hangs on them. Runs inside a write transaction.

    The epoch grows over the whole store, so a space that was emptied and filled again never shows an old one.
    """
    row = connection.execute("SELECT id FROM space WHERE name = ?", (space,)).fetchone()
    chosen = _chosen(connection, row[0], turn, session) if row else []
    rules = drop_all(connection, row[0]) if row and turn is None and session is None else 0
    triples = (
        graphs_import.drop_all(SqliteTables(connection, space, row[0]))
        if row and turn is None and session is None
        else None
    )
    if not chosen and not rules and triples is None:
        return Forgotten()
    facts = _delete_turns(connection, row[0], [seq for seq, _ in chosen])
    sessions = _delete_empty_sessions(connection, {session_id for _, session_id in chosen})
    connection.execute("UPDATE epoch SET value = value + 1")
    connection.execute("UPDATE space SET epoch = (SELECT value FROM epoch) WHERE id = ?", row)
    drop_if_empty(connection, row[0])
    return Forgotten(len(chosen), facts, sessions, rules, triples or 0)


def _chosen(connection: sqlite3.Connection, space: int, turn: str | None, session: str | None) -> list[tuple[int, int]]:
    """Number and session of the turns to forget."""
    query = "SELECT t.seq, t.session FROM turn AS t"
    values: list[str | int] = [space]
    if session is not None:
        query += " JOIN session AS s ON s.id = t.session WHERE s.space = ? AND s.name = ?"
        values.append(session)
    else:
        query += " WHERE t.space = ?"
    if turn is not None:
        query += " AND t.id = ?"
        values.append(turn)
    return connection.execute(query, values).fetchall()


def _delete_turns(connection: sqlite3.Connection, space: int, seqs: Sequence[int]) -> int:
    facts = 0
    for seq in seqs:
        remove_words(connection, space, seq)
        drop_replies(connection, seq)
        facts += connection.execute("DELETE FROM fact WHERE turn = ?", (seq,)).rowcount
        connection.execute("DELETE FROM turn WHERE seq = ?", (seq,))
    settle(connection)
    drop_unbound_replies(connection, space)
    return facts


def _delete_empty_sessions(connection: sqlite3.Connection, sessions: Iterable[int]) -> int:
    query = "DELETE FROM session WHERE id = ? AND NOT EXISTS (SELECT 1 FROM turn WHERE session = ?)"
    return sum(connection.execute(query, (session, session)).rowcount for session in sessions)
