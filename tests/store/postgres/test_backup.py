"""A backup of a database is one file that is a store, of one state; a store is made of it whole or not at all."""

from __future__ import annotations

import itertools
import os
import stat
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from benchmarks.postgres_server import programs

from goalmem.errors import (
    ConflictError,
    CorruptStoreError,
    InputError,
    NotAStoreError,
    NotFoundError,
    ReadOnlyStoreError,
    StoreBusyError,
    StoreError,
)
from goalmem.store import open_store
from goalmem.store.backup import back_up, restore
from goalmem.store.postgres import PostgresStore
from goalmem.store.transfer import PORTION, move

from ..children import start
from ..moves import fill, opened
from ..samples import DIMENSION, batch
from .conftest import execute

_numbers = itertools.count()


@pytest.fixture(scope="module")
def one(empty_database: Callable[[], str]) -> str:
    return empty_database()


@pytest.fixture
def database(one: str) -> str:
    """A place of its own in one database."""
    return f"{one}&goalmem_schema=backup{next(_numbers)}"


def schema_of(place: str) -> str:
    return place.partition("goalmem_schema=")[2]


def schemas(place: str) -> list[str]:
    like = f"SELECT nspname FROM pg_namespace WHERE nspname LIKE '{schema_of(place)}%' ORDER BY nspname"
    return [str(name) for (name,) in execute(place, like)]


def texts(place: object, space: str = "ana") -> list[str]:
    with opened(str(place)) as store:
        return [turn.text for turn in store.all_turns(space)]


def killed_on_the_way(*arguments: object) -> None:
    """Kill a backup or a restore when a portion of turns was copied."""
    child = start("child_backup.py", *arguments)
    assert child.stdout is not None
    assert child.stderr is not None
    assert child.stdout.readline().split() == [str(PORTION), str(4 * PORTION)]
    child.kill()
    child.wait()
    child.stdout.close()
    child.stderr.close()


def many(place: str) -> None:
    """Two portions of turns."""
    with opened(place) as store:
        store.add(batch([f"turn {n}" for n in range(2 * PORTION)]))


def test_a_backup_is_one_file_that_holds_everything(database: str, tmp_path: Path) -> None:
    fill(database)
    target = tmp_path / "kept" / "copy.backup"
    copied = back_up(database, target)
    assert os.listdir(target.parent) == ["copy.backup"]
    assert (copied.path, copied.spaces, copied.turns) == (target, 3, 6)
    assert copied.bytes == target.stat().st_size
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with opened(str(target)) as store:
        assert store.check() == []
    other = f"{database}x"
    assert move(database, other).checksum == move(str(target), str(tmp_path / "again.goalmem")).checksum


def test_a_store_is_made_of_a_backup_of_either_kind(database: str, tmp_path: Path) -> None:
    from_file, last = str(tmp_path / "first.goalmem"), str(tmp_path / "last.goalmem")
    fill(from_file)
    back_up(from_file, tmp_path / "file.backup")
    told = restore(tmp_path / "file.backup", database)
    assert (told.spaces, told.turns) == (3, 6)
    assert str(told.path).startswith("postgresql://postgres@/")
    assert schemas(database) == [schema_of(database)]
    back_up(database, tmp_path / "database.backup")
    restore(tmp_path / "database.backup", last)
    assert move(from_file, str(tmp_path / "a")).checksum == move(last, str(tmp_path / "b")).checksum
    with opened(database) as store:
        assert store.check() == []


def test_a_backup_is_one_state_while_others_write(database: str, tmp_path: Path) -> None:
    """Each round adds two turns to one space, then two to another: no backup has a half of a call, or the later alone."""
    with opened(database) as store:
        store.add(batch(["red apple", "green pear"]))
        store.add(batch(["red apple", "green pear"], space="bob"))
    done = threading.Event()

    def write() -> None:
        with opened(database) as store:
            for n in range(1, 9):
                for space in ("bob", "ana"):
                    store.add(batch([f"plum {n}", f"fig {n}"], first=2 * n, space=space))
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    pairs = []
    while not done.is_set():
        back_up(database, tmp_path / "copy.backup", force=True)
        with opened(str(tmp_path / "copy.backup")) as store:
            pairs.append((store.stats("ana").turns, store.stats("bob").turns))
    thread.join()
    assert all(ana % 2 == bob % 2 == 0 and ana <= bob <= ana + 2 for ana, bob in pairs)


def test_a_backup_that_was_killed_leaves_no_file_and_goes_on(database: str, tmp_path: Path) -> None:
    many(database)
    target = tmp_path / "copy.backup"
    killed_on_the_way(database, target)
    assert not target.exists()
    with opened(database) as store:
        store.forget("ana", session="s1")
        store.add(batch([f"other {n}" for n in range(100)]))
    assert back_up(database, target).turns == 100
    assert texts(target) == [f"other {n}" for n in range(100)]
    assert os.listdir(tmp_path) == ["copy.backup"]


def test_a_backup_whose_connection_is_lost_leaves_no_file_and_goes_on(database: str, tmp_path: Path) -> None:
    many(database)

    def interrupt(done: int, total: int) -> None:
        execute(
            database,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            " AND datname = current_database() AND state = 'idle in transaction'",
        )

    with pytest.raises(StoreError, match=r"ended the connection|cannot be reached"):
        back_up(database, tmp_path / "copy.backup", on_progress=interrupt)
    assert not (tmp_path / "copy.backup").exists()
    assert back_up(database, tmp_path / "copy.backup").turns == 2 * PORTION
    assert os.listdir(tmp_path) == ["copy.backup"]


def test_two_backups_to_one_file_do_not_meet(database: str, tmp_path: Path) -> None:
    with opened(database) as store:
        store.add(batch(["red apple"]))
    met: list[str] = []

    def again(done: int, total: int) -> None:
        with pytest.raises(StoreBusyError, match="same file"):
            back_up(database, tmp_path / "copy.backup")
        met.append("yes")
        back_up(database, tmp_path / "other.backup", force=True)

    back_up(database, tmp_path / "copy.backup", on_progress=again)
    assert met
    assert sorted(os.listdir(tmp_path)) == ["copy.backup", "other.backup"]


def test_nothing_is_overwritten_unless_it_is_asked_for(database: str, tmp_path: Path) -> None:
    with opened(database) as store:
        store.add(batch(["red apple"]))
    target = tmp_path / "copy.backup"
    target.write_text("mine")
    with pytest.raises(ConflictError, match="already"):
        back_up(database, target)
    assert target.read_text() == "mine"
    back_up(database, target, force=True)
    with opened(database) as store:
        store.add(batch(["green pear"], first=1))
    with pytest.raises(ConflictError, match="--force"):
        restore(target, database)
    assert texts(database) == ["red apple", "green pear"]
    restore(target, database, force=True)
    assert texts(database) == ["red apple"]
    assert schemas(database) == [schema_of(database)]


def test_a_restore_over_a_store_that_is_used_is_seen_at_once_or_not_at_all(database: str, tmp_path: Path) -> None:
    states = {"old": [f"old {n}" for n in range(4)], "new": [f"new {n}" for n in range(4)]}
    for name, said in states.items():
        with opened(str(tmp_path / name)) as store:
            store.add(batch(said))
    restore(tmp_path / "old", database)
    stop, seen = threading.Event(), []

    def follow() -> None:
        with opened(database) as store:
            while not stop.is_set():
                seen.append([turn.text for turn in store.session_turns("ana", "s1")])
                version = store.version("ana")
                assert version[0] > 0

    reader = threading.Thread(target=follow)
    with opened(database) as kept:
        reader.start()
        for name in ("new", "old", "new"):
            before = kept.version("ana")
            restore(tmp_path / name, database, force=True)
            assert kept.version("ana")[0] > before[0]
        stop.set()
        reader.join()
        assert [turn.text for turn in kept.all_turns("ana")] == states["new"]
        kept.add(batch(["later"], session="s2"))
    assert seen
    assert all(one in states.values() for one in seen)


def test_a_restore_that_was_killed_changed_nothing_and_goes_on(database: str, tmp_path: Path) -> None:
    many(str(tmp_path / "large"))
    with opened(database) as store:
        store.add(batch(["red apple"]))
    killed_on_the_way("restore", tmp_path / "large", database)
    assert texts(database) == ["red apple"]
    assert restore(tmp_path / "large", database, force=True).turns == 2 * PORTION
    assert schemas(database) == [schema_of(database)]


def test_what_another_model_began_is_not_gone_on_with(database: str, tmp_path: Path) -> None:
    with opened(database) as store:
        store.add(batch(["red apple"]))
    part = tmp_path / ".copy.backup.part"
    open_store(part, model="another", dimension=DIMENSION).close()
    back_up(database, tmp_path / "copy.backup")
    assert os.listdir(tmp_path) == ["copy.backup"]
    schema = schema_of(database)
    begun = database.replace(schema, f"{schema}_restoring")
    open_store(begun, model="another", dimension=DIMENSION).close()
    restore(tmp_path / "copy.backup", database, force=True)
    assert texts(database) == ["red apple"]


def test_vectors_of_another_model_are_not_put_in_the_place_of_these(database: str, tmp_path: Path) -> None:
    open_store(tmp_path / "other", model="another", dimension=DIMENSION).close()
    with opened(database) as store:
        store.add(batch(["red apple"]))
    with pytest.raises(ConflictError, match="another embedding model"):
        restore(tmp_path / "other", database, force=True)
    assert texts(database) == ["red apple"]


def test_a_damaged_store_is_not_backed_up_over_a_good_backup(database: str, tmp_path: Path) -> None:
    target = tmp_path / "copy.backup"
    with opened(database) as store:
        store.add(batch(["red apple"]))
    back_up(database, target)
    before = target.read_bytes()
    execute(database, f"DELETE FROM {schema_of(database)}.passage")
    with pytest.raises(CorruptStoreError, match="without a vector"):
        back_up(database, target, force=True)
    assert target.read_bytes() == before
    restore(target, database, force=True)
    with opened(database) as store:
        assert store.check() == []


def test_a_damaged_backup_changes_nothing(database: str, tmp_path: Path) -> None:
    with opened(database) as store:
        store.add(batch(["red apple"]))
    target = tmp_path / "copy.backup"
    back_up(database, target)
    target.write_bytes(target.read_bytes()[:9000])
    with pytest.raises(CorruptStoreError, match=r"copy\.backup is damaged"):
        restore(target, database, force=True)
    assert texts(database) == ["red apple"]
    assert os.listdir(tmp_path) == ["copy.backup"]


def test_a_store_that_lost_a_table_can_be_restored(database: str, tmp_path: Path) -> None:
    with opened(database) as store:
        store.add(batch(["red apple"]))
    back_up(database, tmp_path / "copy.backup")
    for table in ("turn", "space"):
        execute(database, f"DROP TABLE {schema_of(database)}.{table}")
        with pytest.raises(CorruptStoreError):
            back_up(database, tmp_path / "copy.backup", force=True)
        restore(tmp_path / "copy.backup", database, force=True)
        assert texts(database) == ["red apple"]


def test_there_must_be_something_to_back_up_and_to_restore(database: str, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        back_up(database, tmp_path / "copy.backup")
    with pytest.raises(NotFoundError):
        restore(tmp_path / "missing", database)
    with pytest.raises(InputError, match="goalmem move"):
        restore(database, tmp_path / "copy.goalmem")
    assert os.listdir(tmp_path) == []
    assert schemas(database) == []


def test_another_programs_schema_is_never_overwritten(database: str, tmp_path: Path) -> None:
    with opened(str(tmp_path / "some")) as store:
        store.add(batch(["red apple"]))
    schema = schema_of(database)
    execute(database, f"CREATE SCHEMA {schema}", f"CREATE TABLE {schema}.orders (id integer)")
    with pytest.raises(NotAStoreError):
        restore(tmp_path / "some", database, force=True)
    execute(database, f"DROP TABLE {schema}.orders")
    assert restore(tmp_path / "some", database).turns == 1  # an empty schema is as none


def test_the_extension_is_not_dropped_with_the_schema_that_it_is_in(
    empty_database: Callable[[], str], tmp_path: Path
) -> None:
    place = empty_database()
    execute(place, "CREATE SCHEMA goalmem", "CREATE EXTENSION vector SCHEMA goalmem")
    with opened(place) as store:
        store.add(batch(["red apple"]))
    back_up(place, tmp_path / "copy.backup")
    with pytest.raises(StoreError, match="ALTER EXTENSION"):
        restore(tmp_path / "copy.backup", place, force=True)
    execute(place, "ALTER EXTENSION vector SET SCHEMA public")
    restore(tmp_path / "copy.backup", place, force=True)
    assert texts(place) == ["red apple"]


def test_whom_the_store_belongs_to_may_restore_it(empty_database: Callable[[], str], tmp_path: Path) -> None:
    place = empty_database()
    execute(
        place,
        "CREATE EXTENSION vector",
        "CREATE ROLE keeper LOGIN",
        f"GRANT CREATE ON DATABASE {urlsplit(place).path[1:]} TO keeper",
    )
    owned = place.replace("postgres@", "keeper@")
    with opened(owned) as store:
        store.add(batch(["red apple"]))
    back_up(owned, tmp_path / "copy.backup")
    with pytest.raises(StoreError, match="Connect as keeper"):
        restore(tmp_path / "copy.backup", place, force=True)
    restore(tmp_path / "copy.backup", owned, force=True)
    assert texts(owned) == ["red apple"]


def test_a_database_that_may_only_be_read_is_backed_up(url: str, tmp_path: Path) -> None:
    with opened(url) as store:
        store.add(batch(["red apple"]))
    reading = f"{url}&options=-c%20default_transaction_read_only%3Don%20-c%20statement_timeout%3D10s"
    assert back_up(reading, tmp_path / "copy.backup").turns == 1
    with pytest.raises(ReadOnlyStoreError):
        restore(tmp_path / "copy.backup", reading, force=True)


def test_a_dump_of_postgresql_is_restored_with_its_locks(
    url: str, empty_database: Callable[[], str], tmp_path: Path
) -> None:
    fill(url)
    with opened(url) as store:
        assert isinstance(store, PostgresStore)
        store.index_space("ana")
    other = empty_database()
    execute(other, "CREATE EXTENSION vector")
    bin_ = programs()
    assert bin_ is not None
    dump = tmp_path / "dump"
    for command in (
        (bin_ / "pg_dump", "--schema=goalmem", "--format=custom", f"--file={dump}", url),
        (bin_ / "pg_restore", f"--dbname={other.split('&')[0]}", dump),
    ):
        subprocess.run([str(word) for word in command], check=True, cwd=tmp_path)
    with opened(other) as store, opened(url) as origin:
        assert isinstance(store, PostgresStore)
        assert store.examine() == []
        assert store.indexed("ana") == 4
        assert list(store.all_turns("ana")) == list(origin.all_turns("ana"))
        assert store.add(batch(["after it all"], session="s9"))
