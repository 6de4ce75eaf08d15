"""An import that was killed goes on where it stopped, and two processes that import at once import once."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

import goalmem.store
from goalmem.graph.protocol import Triple
from goalmem.graph.stored import entries_of
from goalmem.store import open_store

CHILD = Path(__file__).with_name("child_import.py")
SOURCE = Path(goalmem.store.__file__).parents[2]
MADE = sorted({Triple(f"n{i % 97}", f"r{i % 5}", f"n{i * 7 % 389}") for i in range(900)})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kb.txt"
    path.write_text("".join(f"{t.subject}|{t.relation}|{t.object}\n" for t in MADE), encoding="utf-8")
    return path


def start(store: Path, file: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-u", str(CHILD), str(store), str(file)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
    )


def killed(store: Path, file: Path, behind: str) -> bool:
    """Whether the import said `behind` and was killed then; what had been done before is not done again."""
    with start(store, file) as child:
        assert child.stdout
        for line in child.stdout:
            if line.startswith(behind):
                child.kill()
                return True
    return False


def held(store: Path) -> list[Triple]:
    with closing(open_store(store, model="m", dimension=4)) as opened:
        assert opened.check() == []
        assert opened.graphs.counts("ana").imports == 0
        return sorted(entry for entry in entries_of(opened.graphs, "ana") if isinstance(entry, Triple))


MOMENTS = ("open", "reading 300", "reading 700", "storing 1", "storing 4")


@pytest.mark.parametrize("moments", [MOMENTS[1::3], pytest.param(MOMENTS, marks=pytest.mark.thorough)])
def test_a_killed_import_goes_on_where_it_stopped(tmp_path: Path, file: Path, moments: tuple[str, ...]) -> None:
    store = tmp_path / "memory.db"
    for behind in moments:
        assert killed(store, file, behind), behind
    assert not killed(store, file, "reading"), "all had been read"
    assert held(store) == MADE
    assert not killed(store, file, "storing"), "all had been stored"


def test_two_processes_import_once(tmp_path: Path, file: Path) -> None:
    store = tmp_path / "memory.db"
    children = [start(store, file) for _ in range(2)]
    for child in children:
        child.communicate(timeout=60)
        assert child.returncode == 0
    assert held(store) == MADE
