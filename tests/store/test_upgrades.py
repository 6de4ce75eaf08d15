"""A store of every version that was released, with rows of every kind, is brought up to date and gives back all that it held."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.language import Analyzer
from goalmem.store import Store, open_store
from goalmem.store.metadata import parse_where
from goalmem.store.migrations import migrate
from goalmem.store.reembedding import EmbeddingModel, PendingReembedding
from goalmem.store.reembedding_sqlite import SqliteReembedding
from goalmem.store.schema import MIGRATIONS
from goalmem.store.sqlite import SqliteStore

from ..hostile.history import Letters
from .older import FIRST_RELEASED, FORGOTTEN, KINDS, filled_after, rows_of

VERSIONS = range(FIRST_RELEASED, len(MIGRATIONS) + 1)
NAMES = [migration.__name__ for migration in MIGRATIONS]
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


def opened(path: Path) -> Store:
    return open_store(path, model=Letters.name, dimension=Letters.dimension)


def assert_given_back(store: Store, count: int) -> None:
    """What the version with this many migrations could hold."""

    def had(migration: str) -> bool:
        return NAMES.index(migration) < count

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
    assert sorted(found) == ([1] if noted else [])
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

    signals = {row[0]: [bytes.fromhex(blob["hex"]) for blob in row[1:4]] for row in KINDS["signal"]["rows"]}
    for row in store.index_rows("default"):
        vector, terms, features = signals[row.seq]
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
    assert isinstance(store, SqliteStore)
    begun = PendingReembedding(EmbeddingModel("other", 4), 3, 7) if had("vectors_of_another_model") else None
    assert SqliteReembedding(store).under_way() == begun


@pytest.mark.parametrize("count", VERSIONS)
def test_a_store_of_every_version_gives_back_what_it_held(tmp_path: Path, count: int, analyzer: Analyzer) -> None:
    path = filled_after(tmp_path / "memory.db", count)
    assert FORGOTTEN.encode() in path.read_bytes()
    store = opened(path)
    assert_given_back(store, count)
    assert store.check() == []
    store.close()
    assert FORGOTTEN.encode() not in path.read_bytes()
    once = path.read_bytes()
    with Memory(path, embedder=Letters(), analyzer=analyzer) as memory:
        assert memory.check() == []
        assert {hit.turn.text for hit in memory.search("bus", k=9)} == {text for *_, text, _ in TOLD}
    store = opened(path)
    assert_given_back(store, count)
    store.close()
    assert path.read_bytes() == once
    with Memory(path, embedder=Letters(), analyzer=analyzer) as memory:
        assert not memory.add(
            [{"role": "user", "name": "Maya", "content": "I live in Ghent.", "id": "m1"}], session="one"
        ).new
        memory.update(memory.get_all().items[1].id, text="I do not own a boat.")
        memory.forget(session="two")
        assert memory.check() == []


@pytest.mark.parametrize("count", VERSIONS[:-1])
def test_killed_within_any_statement_of_an_upgrade_the_next_one_goes_on(tmp_path: Path, count: int) -> None:
    path = filled_after(tmp_path / "memory.db", count)
    moments: list[Path] = []

    def killed(_: str) -> None:
        moments.append(tmp_path / f"{len(moments)}")
        moments[-1].mkdir()
        for file in tmp_path.glob("memory.db*"):
            if not file.name.endswith("-shm"):  # of who runs
                shutil.copy(file, moments[-1])

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")  # what is written is in the log before it is committed
        connection.set_trace_callback(killed)
        migrate(connection, str(path), MIGRATIONS[: count + 1])
        connection.set_trace_callback(None)
        migrate(connection, str(path))
    opened(path).close()
    whole = rows_of(path)
    assert len(moments) > 4
    for moment in moments:
        store = opened(moment / path.name)
        assert store.check() == []
        assert_given_back(store, count)
        store.close()
        assert rows_of(moment / path.name) == whole
