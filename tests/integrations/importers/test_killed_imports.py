"""An import that was killed is taken up by the same call: nothing is lost, nothing is there twice."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import goalmem
from goalmem import Memory
from tests.integrations.importers.exports import chatgpt, chatgpt_node, written

CHILD = Path(__file__).with_name("child_import.py")
SOURCE = Path(goalmem.__file__).parents[1]
CONVERSATIONS, EACH = 12, 3


def start(store: Path, export: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-u", str(CHILD), str(store), str(export)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
    )


@pytest.mark.slow
@pytest.mark.parametrize("kills", [(7,), pytest.param((2, 7), marks=pytest.mark.thorough)])
def test_a_killed_import_goes_on_where_it_stopped(tmp_path: Path, kills: tuple[int, ...]):
    """It is killed behind so many conversations."""
    talks = [
        chatgpt(
            *(
                chatgpt_node(f"{c}-{n}", f"{c}-{n - 1}" if n else "root", "user", f"Note {c}, {n}.")
                for n in range(EACH)
            ),
            id_=f"c{c}",
        )
        for c in range(CONVERSATIONS)
    ]
    export, store = written(tmp_path / "c.json", talks), tmp_path / "memory.db"
    for behind in kills:
        with start(store, export) as child:
            assert child.stdout
            for line in child.stdout:
                if line.startswith("storing") and int(line.split()[1]) >= behind * EACH:
                    child.kill()
    with start(store, export) as child:
        said = child.communicate(timeout=240)[0].splitlines()[-1].split()
    new, known = int(said[1]), int(said[2])
    assert new + known == CONVERSATIONS * EACH
    assert known >= 7 * EACH
    assert new > 0
    with Memory(store) as memory:
        assert memory.check() == []
        assert [turns for _, _, turns in memory.sessions()] == [EACH] * CONVERSATIONS
        assert memory.stats().turns == CONVERSATIONS * EACH
