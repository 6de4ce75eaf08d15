"""From a fresh environment to the first own answer, by what the README says.

    python scripts/first_answer.py [dist/goalmem-0.1.0-py3-none-any.whl] [--python python3.11 --python python3.13]

For each Python: an empty virtual environment, `pip install` of the wheel without extras, the README's three calls as a program, then
`goalmem add` and `goalmem ask` as in its first lines. What each prints has to be what the README says; if it is not, the exit status
is 1. Printed: seconds of each step, packages and megabytes of the environment (pip left out). The time of the install
depends on the network and the cache of pip.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("python3.11", "python3.13")
NOT_OURS = re.compile(r"^(pip|setuptools)([-_.]|$)")
"""What `python -m venv` brings."""


@dataclass(frozen=True)
class Outcome:
    """Of one Python."""

    version: str
    install: float
    """Seconds of `venv` and `pip install`."""
    program: float
    """Seconds of the three calls, from the start of the process to its end."""
    shell: float
    """Seconds of `goalmem add` and `goalmem ask`."""
    packages: int
    megabytes: float


def main() -> int:
    """Measure, print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("wheel", type=Path, nargs="?", help="what `make build` made")
    options.add_argument("--build", action="store_true", help="build the wheel first")
    options.add_argument("--python", action="append", help=f"repeatable (default: {', '.join(PYTHONS)})")
    given = options.parse_args()
    found = [path for name in given.python or PYTHONS if (path := shutil.which(name)) and starts(path)]
    if not found:
        print("None of these Pythons is there.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        wheel = built(Path(folder)) if given.build or given.wheel is None else given.wheel.resolve()
        rows = [outcome(path, wheel) for path in found]
    print("| Python | install | three calls | add and ask | in all | packages | size |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for one in rows:
        whole = one.install + one.program + one.shell
        print(
            f"| {one.version} | {one.install:.0f} s | {one.program:.1f} s | {one.shell:.1f} s | {whole:.0f} s "
            f"| {one.packages} | {one.megabytes:.0f} MB |"
        )
    return 0


def built(folder: Path) -> Path:
    """A wheel of this checkout."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob("*.whl"))


def starts(python: str) -> bool:
    """False for a stand-in that leads nowhere."""
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def outcome(python: str, wheel: Path) -> Outcome:
    """In a folder of its own, with nothing of ours in the environment."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GOALMEM_"))}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        began = time.perf_counter()
        run([python, "-m", "venv", "env"], folder, surroundings)
        program = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        run([str(program / "python"), "-m", "pip", "install", "--quiet", str(wheel)], folder, surroundings)
        installed = time.perf_counter()
        code, expected = three_calls()
        (folder / "first.py").write_text(code, encoding="utf-8")
        hold(run([str(program / "python"), "first.py"], folder, surroundings), expected)
        answered = time.perf_counter()
        shutil.copy(ROOT / "examples" / "friends.txt", folder)
        for arguments, lines in shell_lines():
            hold(run([str(program / "goalmem"), *arguments], folder, surroundings), lines)
        ended = time.perf_counter()
        version = run(
            [str(program / "python"), "-c", "import platform; print(platform.python_version())"], folder, surroundings
        )
        packages, size = content(folder / "env")
    return Outcome(version.strip(), installed - began, answered - installed, ended - answered, packages, size)


def three_calls() -> tuple[str, list[str]]:
    """The program below *Three calls*, and what its comments say that it prints."""
    code = re.search(r"## Three calls\n\n```python\n(.*?)```", readme(), re.DOTALL)
    assert code, "the README has three calls"
    return code[1], re.findall(r"^print\(.*\)  # (.+)$", code[1], re.MULTILINE)


def shell_lines() -> list[tuple[list[str], list[str]]]:
    """Arguments and output of the first two commands that the README shows."""
    console = re.search(r"```console\n(.*?)```", readme(), re.DOTALL)
    assert console, "the README begins with commands"
    found = []
    for block in re.split(r"^\$ goalmem ", console[1], flags=re.MULTILINE)[1:3]:
        command, *lines = block.splitlines()
        words = [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', command)]
        found.append((words, lines))
    return found


def readme() -> str:
    """The README."""
    return (ROOT / "README.md").read_text(encoding="utf-8")


def run(command: Sequence[str], folder: Path, surroundings: dict[str, str]) -> str:
    """What a command printed; its errors end this program."""
    done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def hold(printed: str, expected: Sequence[str]) -> None:
    """End this program where a command printed something else than the README says."""
    if [line.rstrip() for line in printed.splitlines()] != list(expected):
        sys.exit("The README says\n" + "\n".join(expected) + "\n\nand this was printed:\n" + printed)


def content(environment: Path) -> tuple[int, float]:
    """Packages of an environment and their megabytes, compiled modules included."""
    folder = next(environment.glob("[Ll]ib/**/site-packages"))
    packages = [path for path in folder.glob("*.dist-info") if not NOT_OURS.match(path.name)]
    files = [
        path
        for part in folder.iterdir()
        if not NOT_OURS.match(part.name)
        for path in ([part] if part.is_file() else part.rglob("*"))
    ]
    return len(packages), sum(path.stat().st_size for path in files if path.is_file()) / 1e6


if __name__ == "__main__":
    sys.exit(main())
