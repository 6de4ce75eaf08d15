"""Commands of other distributions: found by entry point, and named when they are missing."""

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from goalmem.cli import outcome
from goalmem.cli.outcome import Exit

ADDED = """\
import typer


def register(app):
    @app.command("shout")
    def shout(word: str):
        typer.echo(word.upper())
"""


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other distribution is installed."""
    monkeypatch.setattr(outcome, "entry_points", lambda **chosen: metadata.EntryPoints(()))
    outcome.extension.cache_clear()
    yield
    outcome.extension.cache_clear()


@pytest.mark.parametrize("command", [("eval",), ("train",), ("bulk", "eval")])
def test_a_command_of_the_laboratory_says_where_it_is(goalmem, alone, command: tuple[str, ...]):
    done = goalmem(*command, "locomo", "data.json")
    assert done.exit_code == Exit.STORE
    assert done.stderr.splitlines() == [
        f"goalmem: `goalmem {' '.join(command)}` belongs to goalmem-lab, which is not installed. "
        "Install it: pip install goalmem-lab."
    ]


def test_what_is_not_installed_is_not_listed(goalmem, alone):
    listed = goalmem("--help").stdout
    assert "  add " in listed
    assert "  train " not in listed


def test_what_nobody_has_is_a_wrong_command_line(goalmem, alone):
    assert goalmem("nosuch").exit_code == Exit.USAGE


@pytest.mark.parametrize("path", ["shout", "bulk.shout"])
def test_a_distribution_adds_a_command(tmp_path: Path, path: str):
    (tmp_path / "loud.py").write_text(ADDED)
    info = tmp_path / "loud-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[goalmem.commands]\n{path} = loud:register\n")
    program = "import sys; sys.path.insert(0, sys.argv.pop(1)); from goalmem.cli.app import main; main()"
    group = path.split(".")

    def run(*arguments: str) -> str:
        command = [sys.executable, "-c", program, str(tmp_path), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "  shout" in run(*group[:-1], "--help")
    assert run(*group, "hello") == "HELLO\n"


def test_both_distributions_have_one_version():
    assert metadata.version("goalmem-lab") == metadata.version("goalmem")
