"""What a call returned for is kept, across reopening, processes, and a stop at any moment."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from goalmem import Memory as GoalMemory
from goalmem.integrations.mem0 import Memory
from goalmem.language import Analyzer

from .conftest import MAYA, Opened, added, texts
from .test_mem0_changing import told

CHILD = Path(__file__).with_name("child_mem0.py")


class StoppedError(Exception):
    """The process ends here."""


class Stopping(GoalMemory):
    """Does so many writes, and then no more."""

    left = 1_000

    def add(self, *given: Any, **options: Any) -> Any:
        self._count()
        return super().add(*given, **options)

    def forget(self, **options: Any) -> Any:
        self._count()
        return super().forget(**options)

    def _count(self) -> None:
        if self.left == 0:
            raise StoppedError
        self.left -= 1


def test_all_is_there_again_after_reopening(opened: Opened, tmp_path: Path):
    path = tmp_path / "life.db"
    memory = opened(path)
    kept, gone = added(memory, "I like tea.", metadata={"a": 1}), added(memory, "I like rain.")
    memory.update(kept, text="I like coffee.")
    memory.update(kept, metadata={"b": 2})
    memory.delete(gone)
    before = memory.get(kept), memory.history(kept), memory.history(gone)
    memory.goalmem.close()
    again = opened(path)
    assert (again.get(kept), again.history(kept), again.history(gone)) == before
    assert [row["event"] for row in before[2]] == ["ADD", "DELETE"]


@pytest.mark.parametrize("writes", [0, 1, 2, 3])
def test_an_update_that_is_stopped_has_happened_or_not(opened: Opened, analyzer: Analyzer, tmp_path: Path, writes: int):
    path = tmp_path / "life.db"
    with Stopping(path, analyzer=analyzer) as under:
        id_ = added(Memory(under), "I like tea.", metadata={"a": 1})
        before = Memory(under).get(id_)
        under.left = writes
        if writes < 3:
            with pytest.raises(StoppedError):
                Memory(under).update(id_, text="I like coffee.", metadata={"b": 2})
        else:
            Memory(under).update(id_, text="I like coffee.", metadata={"b": 2})
    memory = opened(path)
    kept = memory.get(id_)
    assert kept is not None
    if writes < 2:
        assert kept == before
        assert told(memory, id_) == [("ADD", None, "I like tea.")]
    else:
        assert (kept["memory"], kept["metadata"]) == ("I like coffee.", {"a": 1, "b": 2})
        assert told(memory, id_)[1:] == [("UPDATE", "I like tea.", "I like coffee.")]
    assert len(memory.get_all(filters=MAYA)["results"]) == 1
    assert memory.goalmem.stats(space="maya").turns == 1
    memory.update(id_, text="I like water.")
    assert told(memory, id_)[-1] == ("UPDATE", kept["memory"], "I like water.")
    assert len(told(memory, id_)) == (2 if writes < 2 else 3)


@pytest.mark.parametrize("writes", [0, 1, 2, 3])
def test_a_deletion_that_is_stopped_has_happened_or_not(
    opened: Opened, analyzer: Analyzer, tmp_path: Path, writes: int
):
    path = tmp_path / "life.db"
    with Stopping(path, analyzer=analyzer) as under:
        id_ = added(Memory(under), "I like tea.")
        Memory(under).update(id_, text="I like coffee.")
        under.left = writes
        if writes < 3:
            with pytest.raises(StoppedError):
                Memory(under).delete(id_)
        else:
            Memory(under).delete(id_)
    memory = opened(path)
    events = [row["event"] for row in memory.history(id_)]
    if writes < 2:
        assert texts(memory.get_all(filters=MAYA)) == ["I like coffee."]
        assert events == ["ADD", "UPDATE"]
        memory.delete(id_)
        events = [row["event"] for row in memory.history(id_)]
    assert events == ["ADD", "UPDATE", "DELETE"]
    assert memory.get(id_) is None
    memory.get_all(filters=MAYA)
    memory.goalmem.close()
    assert not [
        path for path in tmp_path.iterdir() if b"like tea" in path.read_bytes() or b"coffee" in path.read_bytes()
    ]


def test_two_memories_of_a_file_see_each_others_changes(opened: Opened, tmp_path: Path):
    one, two = opened(tmp_path / "life.db"), opened(tmp_path / "life.db")
    ids = [added(one, "I like tea."), added(two, "I like rain.")]
    assert texts(one.get_all(filters=MAYA)) == texts(two.get_all(filters=MAYA)) == ["I like tea.", "I like rain."]
    two.update(ids[0], text="I like coffee.")
    one.update(ids[1], metadata={"a": 1})
    assert one.get(ids[0]) == two.get(ids[0])
    assert one.get(ids[1]) == two.get(ids[1])
    assert told(one, ids[0])[-1] == ("UPDATE", "I like tea.", "I like coffee.")
    one.delete(ids[0])
    assert two.get(ids[0]) is None
    assert two.history(ids[0])[-1]["event"] == "DELETE"
    two.delete_all(user_id="maya")
    assert one.get_all(filters=MAYA) == {"results": []}


def test_threads_may_share_a_memory(memory: Memory):
    def work(user: str) -> None:
        for n in range(3):
            id_ = added(memory, f"I like number {n}.", user_id=user)
            memory.update(id_, text=f"I love number {n}.")
            memory.search("number", filters={"user_id": user})
        memory.delete(id_)

    users = [f"user{n}" for n in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, users))
    for user in users:
        assert texts(memory.get_all(filters={"user_id": user})) == ["I love number 0.", "I love number 1."]


def test_what_was_acknowledged_survives_a_kill(opened: Opened, tmp_path: Path):
    path = tmp_path / "life.db"
    ours = opened(path)
    child = subprocess.Popen([sys.executable, str(CHILD), str(path), "maya"], stdout=subprocess.PIPE, text=True)
    assert child.stdout
    assert child.stdout.readline() == "open\n"
    first = child.stdout.readline()
    until = time.monotonic() + 0.7
    beside = []
    while time.monotonic() < until:
        beside.append(added(ours, "I like rain.", user_id="ruben", infer=False))
    child.kill()
    out, _ = child.communicate()
    done = [line.split() for line in (first + out).splitlines(keepends=True) if line.endswith("\n")]
    memory = opened(path)
    assert memory.goalmem.check() == []
    assert [row["id"] for row in memory.get_all(filters={"user_id": "ruben"}, top_k=1_000)["results"]] == beside
    rows = {row["id"]: row for row in memory.get_all(filters=MAYA, top_k=1_000)["results"]}
    updated = {what[1] for what in done if what[0] == "update"}
    deleted = {what[1] for what in done if what[0] == "delete"}
    assert updated <= rows.keys()
    assert all(rows[id_]["memory"].startswith("I love") for id_ in updated)
    assert not deleted & rows.keys()
    assert all(memory.history(id_)[-1]["event"] == "DELETE" for id_ in deleted)
    assert all(memory.history(id_) for what in done if what[0] == "add" for id_ in what[1:])
    assert memory.goalmem.stats(space="maya").turns == len(rows), "a turn is left of what was changed"


def test_an_update_finds_what_another_process_is_changing(opened: Opened, tmp_path: Path):
    one, two = opened(tmp_path / "life.db"), opened(tmp_path / "life.db")
    id_ = added(one, "I like tea.")
    with ThreadPoolExecutor(2) as pool:
        for memory, words in ((one, "coffee"), (two, "water")):
            pool.submit(lambda memory=memory, words=words: memory.update(id_, text=f"I like {words}."))
    (kept,) = texts(one.get_all(filters=MAYA))
    assert kept in ("I like coffee.", "I like water.")
    assert texts(two.get_all(filters=MAYA)) == [kept]
    assert opened(tmp_path / "life.db").get(id_) == one.get(id_)
    assert one.goalmem.stats(space="maya").turns == 1
    assert told(one, id_)[0] == ("ADD", None, "I like tea.")
    assert told(one, id_)[-1][2] == kept


def test_the_same_words_from_two_threads_are_kept_once(memory: Memory):
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: memory.add("I like tea.", **MAYA)["results"], range(4)))
    assert sorted(map(len, results)) == [0, 0, 0, 1]


def test_what_goalmem_forgot_leaves_no_log_behind(opened: Opened, tmp_path: Path):
    memory = opened(tmp_path / "life.db")
    id_ = added(memory, "I like tea.")
    memory.update(id_, text="I like coffee.")
    memory.goalmem.forget(space="maya", everything=True)
    assert memory.get(id_) is None
    assert memory.goalmem.spaces() == []
