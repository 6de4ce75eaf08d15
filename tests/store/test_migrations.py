"""Every store that was ever written opens, is brought up to date, and works."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from goalmem.errors import ReadOnlyStoreError
from goalmem.store import open_store
from goalmem.store.migrations import migrate
from goalmem.store.schema import MIGRATIONS
from tests.cases import one_in

from .older import schema_of, store_after
from .samples import DIMENSION, MODEL, batch, change_of, ids

WRITTEN = {
    "spaces_sessions_turns": "bfe0e6c80b79a3ee",
    "vectors_and_terms": "2d95b3087181a86d",
    "facts_and_their_entities": "47f0650e795ed855",
    "mentions_edges_aliases": "87f3ffd465c6e2a6",
    "phrase_index": "6a248e199eed4093",
    "structure_features": "97497de99ed5616a",
    "chat_replies": "c2f6d5e64a09f1e9",
    "stated_rules": "74617e27d94c58be",
    "imported_graphs": "c60680237391f728",
    "vectors_of_another_model": "dac87ff9ec9ba025",
    "turn_metadata": "a10c289791aa8f66",
    "turn_versions": "53fad5efd437dff2",
    "checksums": "c47276de06c66151",
}
"""Name of each migration ever released -> digest of the schema as it left it. Only ever appended to."""


def digest_of(path: Path) -> str:
    return hashlib.sha256("\n".join(schema_of(path)).encode()).hexdigest()[:16]


def test_released_migrations_are_never_changed(tmp_path: Path) -> None:
    names = [migration.__name__ for migration in MIGRATIONS]
    digests = [digest_of(store_after(tmp_path / f"{n}.db", n + 1)) for n in range(len(names))]
    assert dict(zip(names, digests, strict=True)) == WRITTEN


@pytest.mark.parametrize("count", one_in(2, range(len(MIGRATIONS) + 1)))
def test_an_older_store_opens_and_works(tmp_path: Path, count: int) -> None:
    path = store_after(tmp_path / "memory.db", count)
    store = open_store(path, model=MODEL, dimension=DIMENSION)
    made = batch(["red apple", "green pear"])
    assert store.add(made) == ids(made)
    assert store.phrase("ana", "green pear") == ids(made)[1:]
    assert len(store.facts("ana", entity="biscuit")) == 2
    assert store.change(change_of(store, made.turns[0].turn, "blue plum"))
    assert [version.text for version in store.versions("ana")[ids(made)[0]]] == ["red apple", "blue plum"]
    assert store.meta()["schema"] == len(MIGRATIONS)
    assert store.meta()["created"].year == 2024
    assert store.check() == []
    store.close()
    assert schema_of(path) == schema_of(store_after(tmp_path / "new.db", len(MIGRATIONS)))


def test_a_store_without_replies_takes_them(tmp_path: Path) -> None:
    store = open_store(store_after(tmp_path / "memory.db", 6), model=MODEL, dimension=DIMENSION)
    made = batch(["red apple"])
    store.add(made)
    assert store.cached_reply("ana", "k") is None
    assert store.keep_reply("ana", "k", "red", ids(made))
    assert store.cached_reply("ana", "k") == "red"
    store.close()


def test_an_older_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    path = store_after(tmp_path / "memory.db", len(MIGRATIONS) - 1)
    with pytest.raises(ReadOnlyStoreError, match="older"):
        open_store(path, model=MODEL, dimension=DIMENSION, read_only=True)


def test_a_migration_that_fails_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    path = store_after(tmp_path / "memory.db", len(MIGRATIONS))
    before = schema_of(path)

    def half_done(connection: sqlite3.Connection) -> None:
        connection.execute("CREATE TABLE extra (a)")
        connection.execute("CREATE TABLE turn (a)")

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        with pytest.raises(sqlite3.OperationalError):
            migrate(connection, "store", [*MIGRATIONS, half_done])
        assert not connection.in_transaction
    assert schema_of(path) == before
    open_store(path, model=MODEL, dimension=DIMENSION).close()
