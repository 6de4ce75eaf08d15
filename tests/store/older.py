"""Stores as earlier versions left them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from goalmem.maintenance.reembedding import reembedding_of
from goalmem.store import Store
from goalmem.store.metadata import parse_where
from goalmem.store.migrations import create, migrate
from goalmem.store.reembedding import EmbeddingModel, PendingReembedding
from goalmem.store.schema import MIGRATIONS

from .samples import DIMENSION, MODEL


def store_after(path: Path, count: int) -> Path:
    """Make the file at `path` as the first `count` migrations left it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        create(
            connection,
            str(path),
            {"model": MODEL, "dimension": str(DIMENSION), "created": "2024-01-01T00:00:00+00:00", "program": "0"},
        )
        connection.execute("PRAGMA journal_mode = WAL")
        migrate(connection, str(path), MIGRATIONS[:count])
    return path


KINDS = json.loads((Path(__file__).parent / "rows_of_every_kind.json").read_text(encoding="utf-8"))
"""Table -> its columns and rows as the version with 13 migrations wrote them: two spaces with turns, and all that can be kept of
them. Never changed; columns that come later are those of what an older version stored.
"""
FORGOTTEN = "zqforgotten"
FIRST_RELEASED = 5
"""Migrations of the first version that stored anything."""


def filled_after(path: Path, count: int) -> Path:
    """As `store_after`, with rows in all the tables and columns that there were then, and a turn removed that is still to be overwritten."""
    store_after(path, count)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("BEGIN")
        connection.execute("DELETE FROM meta")
        connection.execute("DELETE FROM epoch")
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        for table in sorted(tables & KINDS.keys()):
            _fill(connection, table)
        if "next_signal" not in tables:
            connection.execute("DELETE FROM meta WHERE key IN ('next_model', 'next_dimension')")
        connection.execute("INSERT INTO meta VALUES ('scrub', 'due')")
        connection.execute("INSERT INTO session VALUES (9, 1, ?, 0, 0)", (FORGOTTEN,))
        connection.execute("COMMIT")
        connection.execute("DELETE FROM session WHERE id = 9")
    return path


def _fill(connection: sqlite3.Connection, table: str) -> None:
    known = {"rowid"} | {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
    kept = [place for place, name in enumerate(KINDS[table]["columns"]) if name in known]
    names = [KINDS[table]["columns"][place] for place in kept]
    if table == "sqlite_sequence":
        connection.execute("DELETE FROM sqlite_sequence")
    connection.executemany(
        f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
        [
            [bytes.fromhex(row[place]["hex"]) if isinstance(row[place], dict) else row[place] for place in kept]
            for row in KINDS[table]["rows"]
        ],
    )


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of a file but for when migrations were made."""
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'phrase' ORDER BY name"
        )
        return {
            name: connection.execute(f"SELECT {'name' if name == 'migration' else '*'} FROM {name}").fetchall()
            for (name,) in tables.fetchall()
        }


def schema_of(path: Path) -> list[str]:
    """Every statement that made the tables and indices of a file."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
    return [" ".join(sql.split()) for (sql,) in rows if "phrase_" not in sql and "sqlite_sequence" not in sql]


BUS = "The bus is " + "very, " * 25 + "very red. It is " + "so, " * 25 + "so old."
TOLD = [
    ("one", 0, "Maya", "user", "I live in Ghent.", "2024-03-01T09:30:00+01:00"),
    ("one", 1, "Maya", "user", "I do not own a car.", "2024-03-01T09:31:00+01:00"),
    ("one", 2, "Maya", "user", "My sister's name is Ann.", "2024-03-01T09:32:00+01:00"),
    ("one", 3, "assistant", "assistant", "Noted.", "2024-03-01T09:33:00+01:00"),
    ("two", 0, "Maya", "user", "I moved to Bruges.", "2024-05-02T10:00:00+00:00"),
    ("two", 1, "Bob", "user", BUS, "2024-05-02T10:01:00+00:00"),
]
EXPIRED = "t124f96a6bfa23b12d4eae32d"


def assert_given_back(store: Store, migrations: Sequence[str], count: int) -> None:
    """All that rows of every kind held, as far as the version with the first `count` of these migrations could hold it."""

    def had(migration: str) -> bool:
        return migration not in migrations[count:]

    turns = list(store.all_turns("default"))
    ids = [turn.id for turn in turns]
    assert [(t.session, t.position, t.speaker, t.role, t.text, t.at.isoformat()) for t in turns] == TOLD
    assert [turn.text for turn in store.all_turns("other")] == ["I sing."]
    assert [(name, turns) for name, _, turns in store.sessions("default")] == [("one", 4), ("two", 2)]
    assert (turns[0].external_id, store.spaces()) == ("m1", ["default", "other"])
    noted = had("turn_metadata")
    assert turns[0].metadata == ({"n": 3, "project": "kiln", "tags": ["home"]} if noted else {})
    assert turns[2].expires_at == (datetime(2999, 12, 31, tzinfo=UTC) if noted else None)
    assert store.next_expiry("default") == turns[2].expires_at
    found = store.matching("default", parse_where({"project": "kiln", "n": {"gt": 2}, "tags": "home"}))
    assert sorted(found) == ([next(store.index_rows("default")).seq] if noted else [])
    assert ("expired on" in store.fate("default", EXPIRED)) == noted
    before = {id_: [v.text for v in every] for id_, every in store.versions("default").items()}
    assert before == ({ids[5]: ["The bus is yellow.", BUS]} if had("turn_versions") else {})

    facts = store.facts("default")
    assert [f.statement for f in facts if f.slot == "residence"] == ["Maya lives in Ghent", "Maya moved to Bruges"]
    assert [f.statement for f in facts if not f.polarity] == ["Maya does not own a car"]
    assert len(facts) == len(KINDS["fact"]["rows"]) - 1
    assert [f.turn for f in store.facts("default", entity="ann")] == [ids[2]] * 3
    assert [m.text for m in store.mentions("default", entity="Ann")] == ["sister", "Ann"]
    edges = [(e.subject, e.relation, e.object) for e in store.edges("default", object="ghent")]
    assert edges == [("Maya", "live in", "Ghent")]
    assert store.aliases("default") == {"maya's sister": "Ann"}
    assert store.phrase("default", "moved to Bruges") == [ids[4]]

    signals = [[bytes.fromhex(blob["hex"]) for blob in row[1:4]] for row in KINDS["signal"]["rows"]]
    for row, (vector, terms, features) in zip(store.index_rows("default"), signals[: len(turns)], strict=True):
        assert (row.vector, row.terms, row.features) == (vector, terms, features if had("structure_features") else b"")

    replies = [store.cached_reply("default", key) for key in ("k1", "k2", "k3")]
    assert replies == (["Maya lives in Ghent.", "?", "Where does she live?"] if had("chat_replies") else [None] * 3)
    rules = [rule.text for rule in store.rules("default")]
    assert rules == (["Everybody from Ghent is nice.", "Bob is big."] if had("stated_rules") else [])
    graph = had("imported_graphs")
    counts = store.graphs.counts("default")
    assert (counts.triples, store.graphs.relations("default")) == (
        (2, ["lives in", "owns", "near"]) if graph else (0, [])
    )
    names = store.graphs.names("default", [1])
    assert names == ({1: [(0, "Gent")]} if graph else {})
    unfinished = store.graphs.import_state("default", "unfinished")
    assert (unfinished and unfinished.entries) == (2 if graph else None)
    begun = PendingReembedding(EmbeddingModel("other", 4), 3, 7) if had("vectors_of_another_model") else None
    assert reembedding_of(store).under_way() == begun
