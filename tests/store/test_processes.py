"""Several processes share one store: none errs, nothing is lost, each sees what the others stored."""

from __future__ import annotations

from pathlib import Path

from goalmem.store import open_store

from . import children
from .samples import DIMENSION, MODEL, batch

PROCESSES, BATCHES, SIZE = 4, 15, 4


def test_processes_that_create_and_fill_one_store_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "memory.db"
    running = [children.start("child_add.py", path, f"s{n}", BATCHES, SIZE) for n in range(PROCESSES)]
    acknowledged: list[str] = []
    for child in running:
        out, err = child.communicate(timeout=60)
        assert (child.returncode, err) == (0, "")
        acknowledged += out.split()[1:]
    store = open_store(path, model=MODEL, dimension=DIMENSION)
    assert len(set(acknowledged)) == PROCESSES * BATCHES * SIZE
    assert store.turns("ana", acknowledged).keys() == set(acknowledged)
    for session, _, size in store.sessions("ana"):
        assert size == BATCHES * SIZE
        assert [t.text for t in store.session_turns("ana", session)] == [f"turn {n} of {session}" for n in range(size)]
    assert store.check() == []
    store.close()


def test_processes_that_add_the_same_turns_store_them_once(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    running = [children.start("child_add.py", path, "same", BATCHES, SIZE) for _ in range(PROCESSES)]
    fresh = []
    for child in running:
        out, err = child.communicate(timeout=60)
        assert (child.returncode, err) == (0, "")
        fresh += out.split()[1:]
    assert len(fresh) == len(set(fresh)) == BATCHES * SIZE
    store = open_store(path, model=MODEL, dimension=DIMENSION)
    assert [t.position for t in store.session_turns("ana", "same")] == list(range(BATCHES * SIZE))
    store.close()


def test_what_another_process_stores_and_forgets_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    store = open_store(path, model=MODEL, dimension=DIMENSION)
    store.add(batch(["here"]))
    epoch, last = store.version("ana")
    children.run("child_add.py", path, "there", 2, 3)
    assert store.version("ana") > (epoch, last)
    assert len(list(store.index_rows("ana", after=last))) == 6
    other = open_store(path, model=MODEL, dimension=DIMENSION)
    other.forget("ana", session="there")
    other.close()
    assert store.version("ana")[0] > epoch
    assert store.stats("ana").turns == 1
    store.close()


def test_a_fork_leaves_parent_and_child_with_stores_that_work(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    assert children.run("child_fork.py", path).split() == ["ok"]
    store = open_store(path, model=MODEL, dimension=DIMENSION)
    sizes = {session: size for session, _, size in store.sessions("ana")}
    assert sizes == {"before": 1, "child": 30, "parent": 30, "thread": 60}
    assert store.check() == []
    store.close()
