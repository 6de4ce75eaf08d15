"""Run a script of this folder in a process of its own, against the package under test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import goalmem.store

HERE = Path(__file__).parent
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(goalmem.store.__file__).parents[2])}


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """Start `script`; what it prints can be read line by line."""
    return subprocess.Popen(
        [sys.executable, "-u", str(HERE / script), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


def run(script: str, *arguments: object, timeout: float = 60) -> str:
    """Run `script` to its end; what it printed. Fails when the script does."""
    child = start(script, *arguments)
    out, err = child.communicate(timeout=timeout)
    assert child.returncode == 0, err
    return out
