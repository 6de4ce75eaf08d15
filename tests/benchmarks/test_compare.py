"""The whole comparison, as a user runs it, over two tiny benchmarks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.rivals import RIVALS, missing_packages

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "compare.py"


def compare(*arguments: object) -> str:
    command = [sys.executable, SCRIPT, *map(str, arguments)]
    wide = os.environ | {"COLUMNS": "120"}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=wide).stdout


@pytest.mark.slow
def test_one_row_is_measured_shown_and_kept(longmemeval: Path, locomo: Path, tmp_path: Path) -> None:
    report = tmp_path / "figures.json"
    options: list[object] = [longmemeval, locomo, "--only", "goalmem", "--part", "quality", "--scope", "pool"]
    options += ["--state", tmp_path / "state", "--json", report]

    shown = compare(*options)
    assert "goalmem: pool done" in shown
    figures = json.loads(report.read_text(encoding="utf-8"))["rivals"]["goalmem"]["figures"]
    assert figures["LongMemEval pool any@10"] == figures["LongMemEval pool all@10"] == 1
    assert figures["LoCoMo recall@20"] == 1

    again = compare(*options)
    assert "done" not in again
    assert json.loads(report.read_text(encoding="utf-8"))["rivals"]["goalmem"]["figures"] == figures


def test_a_rival_that_is_not_installed_is_left_out_with_a_word(longmemeval: Path, locomo: Path, tmp_path: Path) -> None:
    absent = next((name for name in RIVALS if missing_packages(name)), None)
    if absent:
        shown = compare(longmemeval, locomo, "--only", absent, "--state", tmp_path / "state")
        assert f"{absent} is left out" in shown
        assert "pip install 'goalmem-lab[compare]'" in shown
