"""A file changes its embedding model whole or not at all, and gives back what the old vectors took."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from goalmem.maintenance.reembedding import reembed, reindex
from goalmem.store import open_store
from goalmem.store.sqlite import SqliteStore

from .changing import NEW, OLD, SETTINGS, Changes, assert_whole, opened, tell
from .children import start
from .older import store_after
from .samples import DIMENSION, MODEL, batch
from .spelling import Spelling


class TestOfFiles(Changes):
    """The embedded store."""

    @pytest.fixture
    def place(self, tmp_path: Path) -> str:
        return str(tmp_path / "memory.goalmem")


def test_the_file_is_no_larger_after_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.goalmem"
    wide = Spelling("wide", 512)
    with opened(str(path), wide) as store:
        for session in range(8):
            tell(store, [f"turn {n}" for n in range(250)], session=f"s{session}", embedder=wide)
    before = path.stat().st_size
    reindex(path, OLD, settings=SETTINGS)
    assert path.stat().st_size < before - 2000 * 2 * (512 - 16)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert "past_signal" not in tables
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_change_left_goes_when_the_store_is_closed_next(tmp_path: Path) -> None:
    place = str(tmp_path / "memory.goalmem")
    with opened(place) as store:
        tell(store, ["one", "two"])
    child = start("child_reindex.py", place, NEW.name, NEW.dimension, "after")
    child.communicate(timeout=60)
    with opened(place, NEW) as store:
        assert_whole(store, NEW)
    with closing(sqlite3.connect(place)) as connection:
        assert not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'past_signal'").fetchone()
        assert not connection.execute("SELECT 1 FROM meta WHERE key = 'scrub'").fetchone()


def test_a_store_in_memory_changes_while_it_is_open() -> None:
    store = open_store(":memory:", model=OLD.name, dimension=OLD.dimension)
    tell(store, ["one", "two"])
    done, changed = reembed(store, NEW)
    assert done.turns == 2
    assert_whole(changed, NEW)
    changed.close()


@pytest.mark.parametrize("count", [5, 9])
def test_an_older_store_is_brought_up_to_date_and_changes(tmp_path: Path, count: int) -> None:
    path = store_after(tmp_path / "memory.db", count)
    with closing(open_store(path, model=MODEL, dimension=DIMENSION)) as store:
        store.add(batch(["red apple", "green pear"]))
    assert reindex(path, NEW, settings=SETTINGS).turns == 2
    with opened(str(path), NEW) as store:
        assert_whole(store, NEW)


def test_a_turn_that_was_repaired_meanwhile_is_made_again(tmp_path: Path) -> None:
    place = str(tmp_path / "memory.goalmem")
    with opened(place) as store:
        assert isinstance(store, SqliteStore)
        tell(store, ["one", "two"])
        from goalmem.maintenance.reembedding import reembedding_of
        from goalmem.retrieve.search import vectors_of
        from goalmem.store.reembedding import EmbeddingModel

        staging = reembedding_of(store)
        staging.begin(EmbeddingModel(NEW.name, NEW.dimension))
        (page,) = staging.unmade(9)
        staging.stage(list(zip(page, vectors_of([u.turn for u in page], NEW), strict=True)))
        (new,) = batch(["one"]).turns
        assert store.repairs().replace("ana", [(page[0].seq, new)]) == 1
        assert staging.switch() is None
    assert reindex(place, NEW, settings=SETTINGS).turns == 1
    with opened(place, NEW) as store:
        assert_whole(store, NEW)
        assert next(store.index_rows("ana")).terms == new.terms
