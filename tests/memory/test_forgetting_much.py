"""Many turns are forgotten in portions, between which others write, and which may be stopped and gone on with."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

from goalmem import Memory, NotFoundError
from goalmem.cancellation import OutOfTimeError, until
from goalmem.language import Analyzer
from goalmem.maintenance import reanalysis

from ..hostile.history import Letters


@pytest.fixture
def store(tmp_path: Path, analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reanalysis, "PORTION", 10)
    with Memory(tmp_path / "memory.db", embedder=Letters(), analyzer=analyzer) as memory:
        memory.add([{"content": f"zq{n}q.", "metadata": {"odd": n % 2}} for n in range(20)], session="one")
        memory.add([{"content": f"zq{n}q."} for n in range(20, 30)], session="two")
        memory.add_rules("Bob is big.")
    return tmp_path / "memory.db"


def words_in(folder: Path) -> list[int]:
    content = b"".join(file.read_bytes() for file in folder.iterdir())
    return [n for n in range(30) if f"zq{n}q".encode() in content]


def test_what_is_stopped_is_done_so_far_and_gone_on_with(store: Path, analyzer: Analyzer) -> None:
    portions = count()
    with (
        Memory(store, embedder=Letters(), analyzer=analyzer) as memory,
        Memory(store, embedder=Letters(), analyzer=analyzer) as other,
        ThreadPoolExecutor(1) as thread,
    ):

        def over() -> bool:
            thread.submit(other.add, f"Between {next(done)}.", space="other").result()  # a thread that is not to stop
            return next(portions) == 2

        done = count()
        with pytest.raises(OutOfTimeError), until(over):
            memory.forget(everything=True)
        assert other.stats(space="other").turns == 3
        assert [turn.text for turn in memory.get_all().items] == [f"zq{n}q." for n in range(10)]
        assert words_in(store.parent) == [*range(10)]
        assert memory.rules()
        assert memory.check() == []
        gone = memory.forget(everything=True)
        assert (gone.turns, gone.rules) == (10, 1)
        assert words_in(store.parent) == []
        assert other.spaces() == ["other"]


@pytest.mark.parametrize(
    ("which", "turns"), [({"session": "one"}, 20), ({"where": {"odd": 1}}, 10), ({"everything": True}, 30)]
)
def test_all_portions_are_told_of_together(
    store: Path, analyzer: Analyzer, which: dict[str, object], turns: int
) -> None:
    with Memory(store, embedder=Letters(), analyzer=analyzer) as memory:
        before = memory.forget(**which, dry_run=True)
        gone = memory.forget(**which)
        assert gone == before
        assert gone.turns == turns
        assert len(words_in(store.parent)) == 30 - turns
        assert memory.check() == []
        if "where" not in which:
            with pytest.raises(NotFoundError):
                memory.forget(**which)
