"""A turn that `add` returned for is never lost, whatever is killed when. Adding it again adds nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from goalmem.store import open_store

from . import children
from .samples import DIMENSION, MODEL, batch

BATCHES, SIZE = 2_000, 3


def killed_while_adding(path: Path, session: str, after: float) -> list[str]:
    """Ids that a process had been told were stored when it was killed, `after` seconds from its opening the store."""
    child = children.start("child_add.py", path, session, BATCHES, SIZE)
    assert child.stdout
    assert child.stdout.readline() == "open\n"
    time.sleep(after)
    child.kill()
    out, _ = child.communicate()
    lines = out.splitlines(keepends=True)
    return [id_ for line in lines if line.endswith("\n") for id_ in line.split()]


@pytest.mark.parametrize("moments", [(0.2, 0.011, 0.037), (0.13, 0.001, 0.071)])
def test_what_was_acknowledged_survives_a_kill(tmp_path: Path, moments: tuple[float, ...]) -> None:
    path = tmp_path / "memory.db"
    acknowledged: list[str] = []
    for attempt, moment in enumerate(moments):
        acknowledged += killed_while_adding(path, f"s{attempt}", moment)
        with_log = open_store(path, model=MODEL, dimension=DIMENSION)
        assert with_log.check() == []
        found = with_log.turns("ana", acknowledged)
        assert list(found) == acknowledged
        assert len(with_log.facts("ana", turns=acknowledged)) == len(acknowledged)
        for _, _, size in with_log.sessions("ana"):
            assert size % SIZE == 0, "a batch was stored in part"
        with_log.close()
    assert acknowledged


@pytest.mark.parametrize("moment", [0.06, 0.09, 0.11, 0.13, 0.16])
def test_a_kill_while_the_store_is_made_leaves_a_place_that_opens(tmp_path: Path, moment: float) -> None:
    path = tmp_path / "memory.db"
    child = children.start("child_add.py", path, "s", BATCHES, SIZE)
    time.sleep(moment)
    child.kill()
    child.communicate()
    store = open_store(path, model=MODEL, dimension=DIMENSION)
    assert store.check() == []
    store.add(batch(["after"], session="after"))
    store.close()


def test_adding_again_after_a_kill_completes(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    killed_while_adding(path, "s", 0.1)
    store = open_store(path, model=MODEL, dimension=DIMENSION)
    stored = store.stats("ana").turns
    texts = [f"turn {n} of s" for n in range(stored + 2 * SIZE)]
    assert len(store.add(batch(texts, session="s"))) == 2 * SIZE
    assert [t.text for t in store.session_turns("ana", "s")] == texts
    assert [t.position for t in store.session_turns("ana", "s")] == list(range(len(texts)))
    store.close()
