"""One store serves many threads at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from goalmem.errors import StoreClosedError
from goalmem.store import Store, open_store

from .samples import DIMENSION, MODEL, batch

THREADS, BATCHES, SIZE = 8, 10, 3


@pytest.mark.parametrize("place", ["file", ":memory:"])
def test_threads_add_and_read_at_once(tmp_path: Path, place: str) -> None:
    store = open_store(tmp_path / "memory.db" if place == "file" else place, model=MODEL, dimension=DIMENSION)

    def add_and_read(number: int) -> int:
        session = f"s{number}"
        stored = 0
        for n in range(BATCHES):
            stored += len(store.add(batch([f"t{n * SIZE + k}" for k in range(SIZE)], session=session, first=n * SIZE)))
            assert len(store.session_turns("ana", session)) == stored
            assert sum(1 for _ in store.index_rows("ana")) >= stored
            assert store.facts("ana", entity="maya")
        return stored

    with ThreadPoolExecutor(THREADS) as threads:
        assert sum(threads.map(add_and_read, range(THREADS))) == THREADS * BATCHES * SIZE
    assert store.stats("ana").turns == THREADS * BATCHES * SIZE
    assert store.check() == []
    store.close()


def test_threads_that_add_the_same_turns_store_them_once(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory.db", model=MODEL, dimension=DIMENSION)
    with ThreadPoolExecutor(THREADS) as threads:
        fresh = list(threads.map(lambda _: store.add(batch(["a", "b", "c"])), range(THREADS)))
    assert sorted(map(len, fresh)) == [0] * (THREADS - 1) + [3]
    store.close()


@pytest.mark.parametrize("place", ["file", ":memory:"])
def test_closing_under_use_ends_each_call_cleanly(tmp_path: Path, place: str) -> None:
    store: Store = open_store(tmp_path / "memory.db" if place == "file" else place, model=MODEL, dimension=DIMENSION)

    def until_closed(number: int) -> str:
        for n in range(10_000):
            try:
                store.add(batch([f"t{n}"], session=f"s{number}", first=n))
                list(store.index_rows("ana"))
            except StoreClosedError:
                return "closed"
        return "never closed"

    with ThreadPoolExecutor(4) as threads:
        running = [threads.submit(until_closed, number) for number in range(4)]
        while store.stats("ana").turns < 20:
            pass
        store.close()
        assert [future.result() for future in running] == ["closed"] * 4


def test_a_check_beside_a_writer_finds_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory.db", model=MODEL, dimension=DIMENSION)

    def write() -> None:
        for n in range(60):
            store.add(batch([f"plum {n}", f"fig {n}"], first=2 * n))
            if n % 7 == 6:
                store.forget("ana", turn=batch([f"plum {n}"], first=2 * n).turns[0].turn.id)

    with ThreadPoolExecutor(1) as threads:
        writing = threads.submit(write)
        found = [store.check() for _ in range(3)]
        while not writing.done():
            found.append(store.check())
        writing.result()
    assert not any(found)
    store.close()
