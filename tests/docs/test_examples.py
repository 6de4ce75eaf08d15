"""Every Python and console example of the README and the docs runs, and prints what it shows.

The blocks of a page run in order in one folder, beside a copy of `examples/`.
"""

import contextlib
import io
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.page import ROOT, agrees, examples, pages
from tests.docs.warm_command import installed

SECONDS = 240
"""What one command may take on a machine that does other work, too."""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the command `goalmem`."""
    with installed(tmp_path_factory.mktemp("command")) as folder:
        yield folder


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_the_examples_of_a_page_run(page: Path, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    blocks = examples(page)
    if not blocks:
        pytest.skip("no examples on this page")
    shutil.copytree(ROOT / "examples", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOALMEM_ASK_SECONDS", str(SECONDS))  # what is printed does not depend on how busy it is
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks:
        where = f"{page.name}, line {block.line}"
        if block.kind == "python":
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                exec(compile("\n" * block.line + block.text, str(page), "exec"), names)
            if block.printed:
                assert agrees("\n".join(block.printed), said.getvalue()), f"{where} printed:\n{said.getvalue()}"
        else:
            for command, shown in block.commands:
                printed = run(command, programs)
                assert agrees(shown, printed), f"{where}: $ {command}\nprinted:\n{printed}"


def run(command: str, programs: Path) -> str:
    """What a shell command prints, errors included."""
    # Lines are as long as they are, not as a terminal would break them.
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment["PATH"] = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", command],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
    )
    return done.stdout


PROGRAMS = [p for p in sorted((ROOT / "examples").glob("*.py")) if not p.name.startswith("chat_")]
"""Those that talk to a chat model run against a scripted one in tests/models/test_chat_named.py."""


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_example_programs_run(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    shutil.copytree(ROOT / "examples", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    runpy.run_path(program.name, run_name="__main__")
    assert capsys.readouterr().out.strip()
