"""No read goes through a whole table: the cost of one space does not grow with the others."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from goalmem.store.sqlite import SqliteStore

from .samples import DIMENSION, MODEL, batch, change_of, ids

WHOLE = {"all_turns", "sessions", "facts", "mentions", "edges", "entities", "aliases", "index_rows", "stats"}
"""Reads that go through their space."""
WRITES = {"add", "change", "forget a turn", "forget a session"}
"""What they delete by cascade, and whether anything is left, SQLite finds by the space alone."""
ALLOWED = ("SCAN p VIRTUAL TABLE", "SCAN json_each VIRTUAL TABLE", "SCAN CONSTANT ROW", "SCAN epoch",
           "SCAN sqlite_sequence")  # fmt: skip

READS: dict[str, Callable[[SqliteStore, list[str]], Any]] = {
    "known": lambda s, of: s.known("ana", "s1"),
    "turns": lambda s, of: s.turns("ana", of),
    "versions": lambda s, of: s.versions("ana", of),
    "session_turns": lambda s, of: s.session_turns("ana", "s1", first=-1),
    "sessions": lambda s, of: s.sessions("ana"),
    "all_turns": lambda s, of: list(s.all_turns("ana")),
    "facts": lambda s, of: s.facts("ana"),
    "facts by id": lambda s, of: s.facts("ana", ids=of),
    "facts by turn": lambda s, of: s.facts("ana", turns=of),
    "facts by entity": lambda s, of: s.facts("ana", entity="maya"),
    "facts by predicate": lambda s, of: s.facts("ana", predicate="adopt"),
    "facts by slot": lambda s, of: s.facts("ana", slot="pet"),
    "facts by all": lambda s, of: s.facts("ana", turns=of, entity="maya", predicate="adopt", slot="pet"),
    "mentions": lambda s, of: s.mentions("ana"),
    "mentions by turn": lambda s, of: s.mentions("ana", turns=of),
    "mentions by entity": lambda s, of: s.mentions("ana", entity="maya"),
    "edges": lambda s, of: s.edges("ana"),
    "edges by subject": lambda s, of: s.edges("ana", subject="maya"),
    "edges by object": lambda s, of: s.edges("ana", object="biscuit"),
    "entities": lambda s, of: s.entities("ana"),
    "aliases": lambda s, of: s.aliases("ana"),
    "phrase": lambda s, of: s.phrase("ana", "red apple"),
    "version": lambda s, of: s.version("ana"),
    "index_rows": lambda s, of: list(s.index_rows("ana", after=1)),
    "stats": lambda s, of: s.stats("ana"),
    "turns to repair": lambda s, of: s.repairs().turns("ana", [1, 2]),
    "add": lambda s, of: s.add(batch(["more"], first=9)),
    "change": lambda s, of: s.change(change_of(s, batch(["red apple"]).turns[0].turn, "plum", metadata={"n": 1})),
    "fate": lambda s, of: s.fate("ana", of[0]),
    "forget a turn": lambda s, of: s.forget("ana", turn=of[0]),
    "forget a session": lambda s, of: s.forget("ana", session="s1"),
}


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    store = SqliteStore(":memory:", model=MODEL, dimension=DIMENSION)
    yield store
    store.close()


@pytest.mark.parametrize("name", READS)
def test_every_query_uses_an_index(store: SqliteStore, name: str) -> None:
    made = batch(["red apple", "green pear"])
    store.add(made)
    asked: list[str] = []
    with store._pool.lend() as connection:
        connection.set_trace_callback(asked.append)
    READS[name](store, ids(made))
    with store._pool.lend() as connection:
        connection.set_trace_callback(None)
        scans = [detail for sql in asked for detail in scans_of(connection, sql)]
    assert asked
    assert [scan for scan in scans if name not in WHOLE | WRITES or not scan.startswith("SEARCH")] == []


def scans_of(connection: sqlite3.Connection, sql: str) -> list[str]:
    """Steps of the plan of `sql` that go through a whole table or a whole space."""
    if not sql.startswith(("SELECT", "INSERT", "UPDATE", "DELETE")):
        return []
    steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
    scans = [step for step in steps if step.startswith("SCAN") and not step.startswith(ALLOWED)]
    return scans + [step for step in steps if step.startswith("SEARCH") and step.endswith("(space=?)")]
