"""One question has one answer and one proof: whatever else runs, in whatever order they are asked, however texts are hashed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.demo import remember
from goalmem.demo.show import read_questions

from ..store.children import ENVIRONMENT

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize(("busy", "every"), [(0, 6), pytest.param(2, 1, marks=pytest.mark.thorough)])
def test_processes_that_compete_answer_alike_byte_for_byte(busy: int, every: int, tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with Memory(store) as memory:
        remember(memory)
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
    try:
        asking = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.hostile.child_answers", str(store), str(seed), str(every)],
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
                env=ENVIRONMENT | {"PYTHONHASHSEED": str(seed), "OMP_NUM_THREADS": str(1 + seed % 2)},
            )
            for seed in (1, 2)
        ]
        told = [dict(map(json.loads, child.communicate()[0].splitlines())) for child in asking]
    finally:
        for one in others:
            one.kill()
            one.wait()
    assert len(told[0]) == len(read_questions()[::every]) > 5
    assert told[1] == told[0]
