"""Several processes share a database, are killed, and outlive the server: nothing acknowledged is lost."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from benchmarks.postgres_server import PostgresServer

from goalmem.errors import StoreBusyError, StoreError
from goalmem.store import Store, open_store

from .. import children
from ..samples import DIMENSION, MODEL, batch, ids
from .conftest import execute

psycopg = pytest.importorskip("psycopg")

PROCESSES, BATCHES, SIZE = 3, 6, 4
MANY = 100_000


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    store = open_store(url, model=MODEL, dimension=DIMENSION)
    yield store
    store.close()


def test_processes_that_create_and_fill_one_store_at_once_lose_nothing(empty_database: Callable[[], str]) -> None:
    place = empty_database()
    running = [children.start("child_add.py", place, f"s{n}", BATCHES, SIZE) for n in range(PROCESSES)]
    acknowledged: list[str] = []
    for child in running:
        out, err = child.communicate(timeout=60)
        assert (child.returncode, err) == (0, "")
        acknowledged += out.split()[1:]
    store = open_store(place, model=MODEL, dimension=DIMENSION)
    assert len(set(acknowledged)) == PROCESSES * BATCHES * SIZE
    assert store.turns("ana", acknowledged).keys() == set(acknowledged)
    for session, _, size in store.sessions("ana"):
        assert [t.text for t in store.session_turns("ana", session)] == [f"turn {n} of {session}" for n in range(size)]
    assert store.check() == []
    store.close()


def test_threads_that_add_the_same_turns_store_them_once_and_see_each_other(store: Store, url: str) -> None:
    made = [batch([f"turn {n * SIZE + k}" for k in range(SIZE)], first=n * SIZE) for n in range(BATCHES)]
    other = open_store(url, model=MODEL, dimension=DIMENSION)
    with ThreadPoolExecutor(4) as pool:
        new = list(pool.map(lambda n: (store, other)[n % 2].add(made[n // 4]), range(4 * BATCHES)))
    assert sorted(id_ for of in new for id_ in of) == sorted(id_ for one in made for id_ in ids(one))
    epoch, last = store.version("ana")
    other.add(batch(["later"], session="s2"))
    assert store.version("ana")[1] > last
    other.forget("ana", session="s2")
    assert store.version("ana")[0] > epoch
    other.close()


def test_who_reads_on_while_others_add_misses_nothing(store: Store) -> None:
    stop = threading.Event()
    seen: list[str] = []

    def follow() -> None:
        after = 0
        while not (stop.is_set() and store.version("ana")[1] == after):
            for row in store.index_rows("ana", after=after):
                seen.append(row.turn)
                after = row.seq

    with ThreadPoolExecutor(4) as pool:
        reader = pool.submit(follow)
        writers = [
            pool.submit(lambda n=n: [store.add(batch([f"{n} {k}"], session=f"s{n}", first=k)) for k in range(20)])
            for n in range(3)
        ]
        for writer in writers:
            writer.result()
        stop.set()
        reader.result()
    assert seen == [turn.id for turn in store.all_turns("ana")]
    assert len(seen) == 60


def test_a_killed_process_leaves_whole_calls_and_all_that_it_was_told(store: Store, url: str) -> None:
    child = children.start("child_add.py", url, "s1", MANY, SIZE)
    assert child.stdout is not None
    assert child.stderr is not None
    told = [child.stdout.readline().split() for _ in range(5)][1:]
    child.kill()
    told += [line.split() for line in child.stdout if line.endswith("\n")]
    child.wait()
    child.stdout.close()
    child.stderr.close()
    acknowledged = [id_ for line in told for id_ in line]
    assert store.turns("ana", acknowledged).keys() == set(acknowledged)
    assert all(size % SIZE == 0 for _, _, size in store.sessions("ana"))
    assert store.check() == []


def test_the_server_may_be_restarted_and_killed_under_load(store: Store, url: str, server: PostgresServer) -> None:
    child = children.start("child_add.py", url, "s1", MANY, SIZE)
    assert child.stdout is not None
    assert child.stderr is not None
    acknowledged: list[str] = []
    child.stdout.readline()
    for stop in (server.restart, server.kill):
        acknowledged += [id_ for _ in range(3) for id_ in child.stdout.readline().split()]
        stop()
        acknowledged += [id_ for _ in range(3) for id_ in child.stdout.readline().split()]
    child.kill()
    child.wait()
    child.stdout.close()
    child.stderr.close()
    assert store.turns("ana", acknowledged).keys() == set(acknowledged)
    assert store.check() == []
    assert len(store.add(batch(["after it all"], session="s2"))) == 1


def test_a_server_that_stays_away_is_an_error_that_says_so(new_url: Callable[[], str], server: PostgresServer) -> None:
    store = open_store(new_url(), model=MODEL, dimension=DIMENSION, busy_timeout=0.5)
    server.stop()
    try:
        with pytest.raises(StoreError, match="cannot be reached"):
            store.add(batch(["a"]))
    finally:
        server.start()
    assert added_once_it_is_back(store)
    store.close()


def added_once_it_is_back(store: Store) -> list[str]:
    """A busy machine takes longer than the busy timeout to start a server and to connect."""
    for _ in range(120):
        with suppress(StoreError):
            return store.add(batch(["a"]))
        time.sleep(0.5)
    return store.add(batch(["a"]))


def test_a_call_whose_answer_was_lost_is_repeated_and_says_what_is_new(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, lost = psycopg.Connection.execute, []

    def execute(self: object, query: object, *values: object, **options: object) -> object:
        done = real(self, query, *values, **options)
        if query == "COMMIT" and not lost:
            lost.append(True)
            raise psycopg.OperationalError("the connection is lost")
        return done

    monkeypatch.setattr(psycopg.Connection, "execute", execute)
    made = batch(["a", "b"])
    assert store.add(made) == ids(made)
    assert lost
    assert store.add(made) == []


def test_who_waits_for_a_space_for_too_long_is_told(store: Store, url: str) -> None:
    store.add(batch(["a"]))
    impatient = open_store(url, model=MODEL, dimension=DIMENSION, busy_timeout=0.3)
    with psycopg.connect(url) as connection:
        connection.execute("SELECT * FROM goalmem.space FOR UPDATE")
        with pytest.raises(StoreBusyError):
            impatient.add(batch(["b"], first=1))
        assert impatient.add(batch(["b"], space="bob"))
    assert impatient.add(batch(["b"], first=1))
    impatient.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_parent_and_child_of_a_fork_have_connections_of_their_own(store: Store) -> None:
    store.add(batch(["before"]))
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            store.add(batch(["in the child"], session="child"))
            status = 0 if store.stats("ana").turns == 2 else 2
        finally:
            os._exit(status)
    assert store.add(batch(["in the parent"], session="parent"))
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 2)
    assert store.stats("ana").turns == 3


def test_two_that_deadlock_are_tried_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from goalmem.store import writes

    real, failed = writes.insert, []

    def insert(*given: object, **options: object) -> object:
        if not failed:
            failed.append(True)
            raise psycopg.errors.DeadlockDetected("deadlock detected")
        return real(*given, **options)

    monkeypatch.setattr(writes, "insert", insert)
    assert len(store.add(batch(["a"]))) == 1


def test_no_rows_are_left_of_what_was_forgotten(store: Store, url: str) -> None:
    from goalmem.store.postgres.schema import TABLES

    made = batch(["a", "b"])
    store.add(made)
    store.keep_reply("ana", "k", "text", ids(made))
    store.forget("ana", turn=ids(made)[0])
    store.forget("ana", turn=ids(made)[1])
    assert {table: execute(url, f"SELECT count(*) FROM goalmem.{table}") for table in TABLES} == {
        table: [(0,)] for table in TABLES
    }
