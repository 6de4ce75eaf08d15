"""A place is opened as a store, or refused with the reason, and then left as it was."""

from __future__ import annotations

import os
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from goalmem.errors import (
    CorruptStoreError,
    GoalmemError,
    InputError,
    NewerStoreError,
    NotAStoreError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreError,
)
from goalmem.store import Store, open_store
from goalmem.store.sqlite import SqliteStore

from . import children
from .samples import DIMENSION, MODEL, batch, ids

WORDS = [f"{begin}{end}" for begin in ("ba", "fo", "mi", "tu", "re") for end in ("lo", "nd", "ssa", "rk", "pel", "vin")]


def opened(
    place: str | Path, *, model: str = MODEL, dimension: int = DIMENSION, read_only: bool = False, busy: float = 30
) -> Store:
    return open_store(place, model=model, dimension=dimension, read_only=read_only, busy_timeout=busy)


def with_turns(path: Path) -> Path:
    """A closed store with two turns."""
    store = opened(path)
    store.add(batch(["red apple", "green pear"]))
    store.close()
    return path


# places


def test_missing_folders_are_made_and_the_store_is_kept(tmp_path: Path) -> None:
    path = with_turns(tmp_path / "a" / "b c?#%20" / "mémoire.db")
    store = opened(path)
    assert store.stats("ana").turns == 2
    store.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_urls_name_files_and_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = with_turns(tmp_path / "memory.db")
    monkeypatch.chdir(tmp_path)
    for place in (f"sqlite:///{path}", "sqlite:///memory.db", "memory.db", "./memory.db"):
        store = opened(place)
        assert store.stats("ana").turns == 2
        store.close()
    for place in (":memory:", "sqlite://", "sqlite:///:memory:"):
        store = opened(place)
        assert store.spaces() == []
        store.close()
    assert sorted(os.listdir(tmp_path)) == ["memory.db"]


@pytest.mark.parametrize("place", ["mysql://x", "sqlite://host/memory.db", "http://x/y.db"])
def test_other_urls_name_what_is_supported(place: str) -> None:
    with pytest.raises(StoreError, match="sqlite:///"):
        opened(place)


@pytest.mark.parametrize("place", ["", "  ", "a\0b", None, 7, b"memory.db"])
def test_places_that_name_nothing(place: str) -> None:
    with pytest.raises(InputError):
        opened(place)


def test_a_relative_path_means_the_folder_it_was_opened_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_turns(tmp_path / "memory.db")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    store = opened("memory.db")
    monkeypatch.chdir(tmp_path / "elsewhere")
    turns = store.all_turns("ana")
    assert next(turns).text == "red apple"
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: store.stats("ana").turns, range(20))) == [2] * 20
    assert len(store.add(batch(["more"], first=7))) == 1
    store.close()


def test_a_place_that_cannot_hold_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path, tmp_path / "file" / "memory.db", tmp_path / ("n" * 300), "/proc/memory.db"):
        with pytest.raises(StoreError):
            opened(place)
    assert os.listdir(tmp_path) == ["file"]


def test_a_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    assert with_turns(tmp_path / "memory.db").stat().st_mode & 0o077 == 0


# what is no store


@pytest.mark.parametrize("content", [b"x", b"hello " * 100, b"SQLite format 3\0", b"\0" * 4096])
def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    with pytest.raises(NotAStoreError):
        opened(path)
    assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["memory.db"]


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_the_database_of_another_program_is_left_as_it_is(tmp_path: Path, journal: str) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA journal_mode = {journal}")
        other.execute("CREATE TABLE turn (a)")
        other.commit()
    before = path.read_bytes()
    with pytest.raises(NotAStoreError, match="another program"):
        opened(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["other.db"]


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.touch()
    with closing(opened(with_turns(path))) as store:
        assert store.stats("ana").turns == 2


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = with_turns(tmp_path / "memory.db")
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("INSERT INTO migration VALUES ('from_the_future', '2099-01-01')")
        newer.commit()
    for read_only in (False, True):
        with pytest.raises(NewerStoreError, match="from_the_future"):
            opened(path, read_only=read_only)


@pytest.mark.parametrize(("model", "dimension"), [("other-model", DIMENSION), (MODEL, DIMENSION + 1)])
def test_vectors_of_two_models_are_never_mixed(tmp_path: Path, model: str, dimension: int) -> None:
    path = with_turns(tmp_path / "memory.db")
    with pytest.raises(StoreError, match=MODEL):
        opened(path, model=model, dimension=dimension)
    opened(path).close()


# damage


def test_a_damaged_store_is_named_as_such(tmp_path: Path) -> None:
    path = with_turns(tmp_path / "memory.db")
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(CorruptStoreError), closing(opened(path)) as store:
        store.add(batch(["more"], first=9))


def test_a_truncated_store_is_named_as_such(tmp_path: Path) -> None:
    path = with_turns(tmp_path / "memory.db")
    path.write_bytes(path.read_bytes()[: 4096 * 5])
    with pytest.raises(CorruptStoreError), closing(opened(path)) as store:
        list(store.all_turns("ana"))


def test_check_finds_what_is_wrong(tmp_path: Path) -> None:
    path = with_turns(tmp_path / "memory.db")
    with closing(sqlite3.connect(path)) as broken:
        broken.execute("DELETE FROM signal WHERE turn = 1")
        broken.execute("UPDATE space SET last_seq = 0")
        broken.commit()
    store = opened(path)
    assert len(store.check()) == 2
    store.close()


def test_any_damage_is_a_clear_error_or_a_whole_answer(tmp_path: Path) -> None:
    sound = with_turns(tmp_path / "memory.db").read_bytes()
    path, errors = tmp_path / "damaged.db", list[GoalmemError]()
    for place in range(0, len(sound), len(sound) // 40):
        path.write_bytes(sound[:place] + b"\xff" * 64 + sound[place + 64 :])
        try:
            with closing(opened(path)) as store:
                store.check()
                store.facts("ana", entity="maya")
                store.phrase("ana", "red apple")
                store.add(batch(["more"], first=7))
                store.forget("ana")
        except GoalmemError as error:
            errors.append(error)
        for file in tmp_path.glob("damaged.db*"):
            file.unlink()
    assert errors
    assert all(str(path) in error.problem for error in errors)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_damaged_phrase_index_is_found_and_stops_no_process(tmp_path: Path, seed: int) -> None:
    chance, path = random.Random(seed), tmp_path / "memory.db"  # noqa: S311
    with closing(opened(path)) as store:
        store.add(batch([" ".join(chance.choices(WORDS, k=30)) for _ in range(400)]))
    sound, found = path.read_bytes(), 0
    for _ in range(20):
        with closing(sqlite3.connect(path)) as connection, connection:
            blocks = connection.execute("SELECT id, block FROM phrase_data WHERE length(block) > 400").fetchall()
            number, block = chance.choice(blocks)
            start, length = chance.randrange(len(block) - 300), chance.choice([1, 2, 4, 48, 300])
            damaged = block[:start] + b"\xff" * length + block[start + length :]
            connection.execute("UPDATE phrase_data SET block = ? WHERE id = ?", (damaged, number))
        with closing(opened(path)) as store:
            found += bool(store.check())
            for word in WORDS[:20]:
                with suppress(StoreError):
                    store.phrase("ana", f"{word} {chance.choice(WORDS)}")
        path.write_bytes(sound)
    assert found >= 16


# reading only


def test_a_store_opened_for_reading_reads_and_does_not_write(tmp_path: Path) -> None:
    path = with_turns(tmp_path / "memory.db")
    before = path.read_bytes()
    store = opened(path, read_only=True)
    assert [t.text for t in store.all_turns("ana")] == ["red apple", "green pear"]
    assert store.phrase("ana", "red apple")
    assert store.check() == []
    for use in (lambda: store.add(batch(["more"], first=7)), lambda: store.forget("ana")):
        with pytest.raises(ReadOnlyStoreError):
            use()
    store.close()
    assert path.read_bytes() == before


def test_a_reader_sees_what_a_writer_adds(tmp_path: Path) -> None:
    path = with_turns(tmp_path / "memory.db")
    reader, writer = opened(path, read_only=True), opened(path)
    writer.add(batch(["blue plum"], first=2))
    assert reader.stats("ana").turns == 3
    reader.close()
    writer.close()


def test_a_missing_store_is_not_made_for_reading(tmp_path: Path) -> None:
    with pytest.raises(ReadOnlyStoreError):
        opened(tmp_path / "memory.db", read_only=True)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_write_permission(tmp_path: Path) -> None:
    path = with_turns(tmp_path / "memory.db")
    path.chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        store = opened(path)
        assert store.stats("ana").turns == 2
        with pytest.raises(ReadOnlyStoreError):
            store.add(batch(["more"], first=7))
        store.close()
        with pytest.raises(ReadOnlyStoreError):
            opened(tmp_path / "new.db")
    finally:
        tmp_path.chmod(0o700)


@pytest.fixture
def readable_folder() -> Iterator[Path]:
    """A folder that everyone may read and only its owner write."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("writer_at_work", [False, True])
def test_a_folder_of_another_user(readable_folder: Path, writer_at_work: bool) -> None:
    path = with_turns(readable_folder / "memory.db")
    writer = opened(path)
    writer.add(batch(["other"], space="bob"))
    if not writer_at_work:
        writer.close()
    for file in readable_folder.iterdir():
        file.chmod(0o644)
    assert children.run("child_as_nobody.py", path).split() == ["read", "refused", "refused"]
    writer.close()


# waiting


def test_waiting_too_long_for_another_writer_is_said(tmp_path: Path) -> None:
    path = with_turns(tmp_path / "memory.db")
    store = opened(path, busy=0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError):
            store.add(batch(["more"], first=7))
        assert store.stats("ana").turns == 2
        other.execute("ROLLBACK")
    assert len(store.add(batch(["more"], first=7))) == 1
    store.close()


def test_a_file_taken_away_under_the_store_is_noticed(tmp_path: Path) -> None:
    path = with_turns(tmp_path / "memory.db")
    store = opened(path)
    path.rename(tmp_path / "elsewhere.db")
    with pytest.raises(StoreError, match="moved"):
        store.add(batch(["more"], first=7))
    store.close()


# a full disk


def test_a_full_disk_stores_nothing_of_the_call_and_harms_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    stored = children.run("child_full.py", path).split()
    store = opened(path)
    assert store.check() == []
    assert [t.id for t in store.all_turns("ana")] == stored
    made = batch([f"{n} " + "x" * 20_000 for n in range(len(stored) + 3)])
    assert store.add(made) == ids(made)[len(stored) :]
    store.close()


def test_a_store_that_may_not_grow_says_it_is_full(tmp_path: Path) -> None:
    path = with_turns(tmp_path / "memory.db")
    store = SqliteStore(path, model=MODEL, dimension=DIMENSION)
    with store._pool.lend() as connection:
        connection.execute("PRAGMA max_page_count = 50")
    before = list(store.all_turns("ana"))
    with pytest.raises(GoalmemError, match="full"):
        store.add(batch(["x" * 1_000_000], first=7))
    assert list(store.all_turns("ana")) == before
    assert len(store.add(batch(["small"], first=7))) == 1
    store.close()
