"""A store of every version that was released, with rows of every kind, is brought up to date and gives back all that it held."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.language import Analyzer
from goalmem.store import Store, open_store
from goalmem.store.migrations import migrate
from goalmem.store.schema import MIGRATIONS
from tests.cases import one_in

from ..hostile.history import Letters
from .older import FIRST_RELEASED, FORGOTTEN, TOLD, assert_given_back, filled_after, rows_of

VERSIONS = range(FIRST_RELEASED, len(MIGRATIONS) + 1)
NAMES = [migration.__name__ for migration in MIGRATIONS]


def opened(path: Path) -> Store:
    return open_store(path, model=Letters.name, dimension=Letters.dimension)


@pytest.mark.parametrize("count", one_in(2, VERSIONS))
def test_a_store_of_every_version_gives_back_what_it_held(tmp_path: Path, count: int, analyzer: Analyzer) -> None:
    path = filled_after(tmp_path / "memory.db", count)
    assert FORGOTTEN.encode() in path.read_bytes()
    store = opened(path)
    assert_given_back(store, NAMES, count)
    assert store.check() == []
    store.close()
    assert FORGOTTEN.encode() not in path.read_bytes()
    once = path.read_bytes()
    with Memory(path, embedder=Letters(), analyzer=analyzer) as memory:
        assert memory.check() == []
        assert {hit.turn.text for hit in memory.search("bus", k=9)} == {text for *_, text, _ in TOLD}
    store = opened(path)
    assert_given_back(store, NAMES, count)
    store.close()
    assert path.read_bytes() == once
    with Memory(path, embedder=Letters(), analyzer=analyzer) as memory:
        assert not memory.add(
            [{"role": "user", "name": "Maya", "content": "I live in Ghent.", "id": "m1"}], session="one"
        ).new
        memory.update(memory.get_all().items[1].id, text="I do not own a boat.")
        memory.forget(session="two")
        assert memory.check() == []


@pytest.mark.parametrize("count", one_in(4, VERSIONS[:-1]))
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
        assert_given_back(store, NAMES, count)
        store.close()
        assert rows_of(moment / path.name) == whole
