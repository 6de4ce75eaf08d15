"""Backups: one state of a store that is in use, checked, and put back whole or not at all."""

import os
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from goalmem.errors import (
    ConflictError,
    CorruptStoreError,
    InputError,
    NewerStoreError,
    NotAStoreError,
    NotFoundError,
    ReadOnlyStoreError,
    StoreBusyError,
)
from goalmem.store.backup import back_up, restore
from goalmem.store.sqlite import SqliteStore
from tests.cases import one_in

from . import children
from .older import store_after
from .samples import DIMENSION, MODEL, batch


def opened(path: Path, **options: object) -> SqliteStore:
    return SqliteStore(path, model=MODEL, dimension=DIMENSION, **options)


def with_turns(path: Path, *texts: str) -> Path:
    with closing(opened(path)) as store:
        store.add(batch(texts or ("red apple", "green pear")))
    return path


def texts(path: Path) -> list[str]:
    with closing(opened(path)) as store:
        return [turn.text for turn in store.all_turns("ana")]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return with_turns(tmp_path / "memory.db")


def test_a_backup_is_one_file_that_is_a_store(store: Path, tmp_path: Path) -> None:
    copied = back_up(store, tmp_path / "kept" / "copy.backup")
    assert os.listdir(tmp_path / "kept") == ["copy.backup"]
    assert (copied.spaces, copied.turns, copied.bytes) == (1, 2, copied.path.stat().st_size)
    assert texts(copied.path) == ["red apple", "green pear"]


def test_nothing_is_left_beside_the_store(store: Path, tmp_path: Path) -> None:
    back_up(store, tmp_path / "copy.backup")
    assert sorted(os.listdir(tmp_path)) == ["copy.backup", "memory.db"]


def test_what_is_still_in_the_log_is_in_the_backup(store: Path, tmp_path: Path) -> None:
    with closing(opened(store)) as writer:
        writer.add(batch(["blue plum"], first=2))
        back_up(store, tmp_path / "copy.backup")
        assert store.with_name("memory.db-wal").stat().st_size
    assert texts(tmp_path / "copy.backup")[-1] == "blue plum"


def test_a_backup_under_a_writer_is_one_of_its_states(store: Path, tmp_path: Path) -> None:
    """Each add stores two turns: a backup never has one of them alone."""
    done = threading.Event()

    def write() -> None:
        with closing(opened(store)) as writer:
            for n in range(1, 40):
                writer.add(batch([f"plum {n}", f"fig {n}"], first=2 * n))
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    counts = []
    while not done.is_set():
        counts.append(back_up(store, tmp_path / "copy.backup", force=True).turns)
    thread.join()
    counts.append(back_up(store, tmp_path / "copy.backup", force=True).turns)
    assert all(count % 2 == 0 for count in counts)
    assert counts == sorted(counts)
    assert counts[-1] == 80


def test_pages_are_counted_while_they_are_copied(store: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    back_up(store, tmp_path / "copy.backup", on_progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1] > 0


def test_nothing_is_overwritten_unless_it_is_asked_for(store: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.backup"
    target.write_text("mine")
    with pytest.raises(ConflictError, match="already"):
        back_up(store, target)
    assert target.read_text() == "mine"
    back_up(store, target, force=True)
    assert len(texts(target)) == 2


def test_a_store_is_never_backed_up_over_itself(store: Path, tmp_path: Path) -> None:
    (tmp_path / "same").symlink_to(store)
    for target in (store, tmp_path / "same"):
        with pytest.raises(ConflictError, match="same file"):
            back_up(store, target, force=True)
        with pytest.raises(ConflictError, match="same file"):
            restore(store, target, force=True)


def test_a_target_that_is_open_as_a_store_is_left_alone(store: Path, tmp_path: Path) -> None:
    other = with_turns(tmp_path / "other.db", "mine")
    with closing(opened(other)) as held:
        held.add(batch(["mine, too"], first=1))
        with pytest.raises(ConflictError, match="in use"):
            back_up(store, other, force=True)
    assert texts(other) == ["mine", "mine, too"]


def test_a_damaged_store_is_not_backed_up_over_a_good_backup(store: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.backup"
    back_up(store, target)
    before = target.read_bytes()
    content = bytearray(store.read_bytes())
    content[3 * 4096 :] = b"\xa5" * (len(content) - 3 * 4096)
    store.write_bytes(content)
    with pytest.raises(CorruptStoreError, match=r"memory\.db"):
        back_up(store, target, force=True)
    assert target.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["copy.backup", "memory.db"]


@pytest.mark.parametrize("place", [":memory:", ""])
def test_a_store_without_a_file_cannot_be_backed_up(place: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        back_up(place, tmp_path / "copy.backup")


def test_what_is_no_store_is_not_backed_up(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        back_up(tmp_path / "missing.db", tmp_path / "copy.backup")
    (tmp_path / "notes.txt").write_text("words " * 100)
    with pytest.raises(NotAStoreError):
        back_up(tmp_path / "notes.txt", tmp_path / "copy.backup")


def test_a_newer_store_is_refused(store: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(store)) as newer, newer:
        newer.execute("INSERT INTO migration VALUES ('of_tomorrow', '')")
    with pytest.raises(NewerStoreError):
        back_up(store, tmp_path / "copy.backup")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_said(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    with pytest.raises(ReadOnlyStoreError):
        back_up(store, folder / "copy.backup")


# putting back


def test_a_backup_is_put_where_nothing_is(store: Path, tmp_path: Path) -> None:
    back_up(store, tmp_path / "copy.backup")
    restored = restore(tmp_path / "copy.backup", tmp_path / "new" / "memory.db")
    assert (restored.spaces, restored.turns) == (1, 2)
    assert texts(restored.path) == ["red apple", "green pear"]
    assert (tmp_path / "copy.backup").exists()


def test_a_store_that_is_there_is_overwritten_only_when_asked(store: Path, tmp_path: Path) -> None:
    back_up(store, tmp_path / "copy.backup")
    other = with_turns(tmp_path / "other.db", "mine")
    with pytest.raises(ConflictError, match="already"):
        restore(tmp_path / "copy.backup", other)
    assert texts(other) == ["mine"]
    restore(tmp_path / "copy.backup", other, force=True)
    assert texts(other) == ["red apple", "green pear"]


def test_who_has_the_store_open_reads_what_was_put_back(store: Path, tmp_path: Path) -> None:
    back_up(store, tmp_path / "copy.backup")
    with closing(opened(store)) as held:
        held.add(batch(["blue plum"], first=2))
        before = held.version("ana")
        restore(tmp_path / "copy.backup", store, force=True)
        assert [turn.text for turn in held.all_turns("ana")] == ["red apple", "green pear"]
        assert held.version("ana")[0] > before[0]
        held.add(batch(["yellow quince"], first=2))
        assert held.check() == []
    assert texts(store)[-1] == "yellow quince"


def test_a_store_in_the_middle_of_a_write_is_waited_for_and_left_alone(store: Path, tmp_path: Path) -> None:
    back_up(store, tmp_path / "copy.backup")
    with closing(sqlite3.connect(store, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError):
            restore(tmp_path / "copy.backup", store, force=True, busy_timeout=0.2)
        writer.execute("ROLLBACK")
    assert len(texts(store)) == 2


def test_a_damaged_backup_changes_nothing(store: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.backup"
    back_up(store, bad)
    whole = bad.read_bytes()
    for damage in (whole[: len(whole) // 2], whole[:4096] + b"\xa5" * (len(whole) - 4096)):
        bad.write_bytes(damage)
        with pytest.raises(CorruptStoreError, match=r"bad\.backup"):
            restore(bad, store, force=True)
        with pytest.raises(CorruptStoreError):
            restore(bad, tmp_path / "new.db")
    assert texts(store) == ["red apple", "green pear"]
    assert not (tmp_path / "new.db").exists()


def test_a_damaged_store_is_replaced(store: Path, tmp_path: Path) -> None:
    back_up(store, tmp_path / "copy.backup")
    store.write_bytes(store.read_bytes()[: 4096 * 3])
    restore(tmp_path / "copy.backup", store, force=True)
    assert texts(store) == ["red apple", "green pear"]


def test_a_file_that_is_no_store_is_never_overwritten(store: Path, tmp_path: Path) -> None:
    back_up(store, tmp_path / "copy.backup")
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8" * 100)
    with pytest.raises(NotAStoreError):
        restore(tmp_path / "copy.backup", tmp_path / "photo.jpg", force=True)


def test_what_is_left_of_another_store_is_not_taken_for_a_part_of_the_new_one(store: Path, tmp_path: Path) -> None:
    back_up(store, tmp_path / "copy.backup")
    (tmp_path / "new.db-wal").write_bytes(b"old")
    with pytest.raises(ConflictError, match="left of another"):
        restore(tmp_path / "copy.backup", tmp_path / "new.db")
    restore(tmp_path / "copy.backup", tmp_path / "new.db", force=True)
    assert len(texts(tmp_path / "new.db")) == 2


def test_vectors_of_another_model_do_not_come_under_who_has_the_store_open(store: Path, tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "other.db", model="other", dimension=DIMENSION)) as other:
        other.add(batch(["fig"]))
    with pytest.raises(ConflictError, match="another embedding model"):
        restore(tmp_path / "other.db", store, force=True)


def test_an_older_backup_is_brought_up_to_date(store: Path, tmp_path: Path) -> None:
    older = store_after(tmp_path / "older.db", 5)
    restore(older, tmp_path / "new.db")
    with closing(opened(tmp_path / "new.db", read_only=True)) as store_:
        assert store_.check() == []


# killed


def killed(after: float, *arguments: object) -> int:
    """Copy again and again in a process that is killed `after` seconds; how often it had copied."""
    child = children.start("child_copy.py", *arguments)
    assert child.stdout
    assert child.stdout.readline() == "open\n"
    time.sleep(after)
    child.kill()
    return len(child.communicate()[0].splitlines())


@pytest.mark.parametrize("moment", one_in(2, [0.05, 0.1, 0.17, 0.31]))
def test_a_restore_that_is_killed_leaves_all_of_the_old_or_all_of_the_new(tmp_path: Path, moment: float) -> None:
    few, many = ["red apple"], [f"plum {n}" for n in range(300)]
    back_up(with_turns(tmp_path / "few.db", *few), tmp_path / "few.backup")
    back_up(with_turns(tmp_path / "many.db", *many), tmp_path / "many.backup")
    store = with_turns(tmp_path / "memory.db", *few)
    with closing(opened(store)) as held:  # so that the log is not tidied away
        killed(moment, "restore", store, tmp_path / "many.backup", tmp_path / "few.backup")
        assert held.check() == []
        assert [turn.text for turn in held.all_turns("ana")] in (few, many)
    assert texts(store) in (few, many)


@pytest.mark.parametrize("moment", one_in(2, [0.05, 0.1, 0.17, 0.31]))
def test_a_backup_that_is_killed_leaves_the_one_before(tmp_path: Path, moment: float) -> None:
    many = [f"plum {n}" for n in range(300)]
    store = with_turns(tmp_path / "memory.db", *many)
    back_up(store, tmp_path / "copy.backup")
    killed(moment, "backup", store, tmp_path / "copy.backup")
    assert texts(tmp_path / "copy.backup") == many
    assert texts(store) == many
