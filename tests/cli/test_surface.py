"""The command line as a whole: help, errors, colour, speed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from goalmem.cli.app import OTHERS, app, main

SURFACE = typer.main.get_command(app)
COMMANDS = sorted(SURFACE.list_commands(typer.Context(SURFACE)))


def goalmem_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "goalmem.cli", *arguments], capture_output=True, text=True, env=os.environ | environment
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_an_example(goalmem, command: str):
    done = goalmem(command, "--help")
    assert done.exit_code == 0
    assert "Example" in done.stdout or command in ("eval", "train")


@pytest.mark.parametrize("benchmark", ["longmemeval", "locomo", "ablation", "fit"])
def test_help_of_the_benchmarks_has_an_example(goalmem, benchmark: str):
    assert "Example" in goalmem("eval", benchmark, "--help").stdout


def test_version(goalmem):
    assert goalmem("--version").stdout.startswith("goalmem 0.")


@pytest.mark.parametrize("arguments", [("nosuch",), ("search",), ("search", "a", "-k", "0"), ("ask", "a", "--nosuch")])
def test_a_wrong_command_line_is_exit_code_2(goalmem, arguments: tuple[str, ...]):
    assert goalmem(*arguments).exit_code == 2


def test_a_bad_setting_is_one_line(goalmem, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GOALMEM_ASK_DEPTH", "deep")
    done = goalmem("stats")
    assert done.exit_code == 3
    assert done.stderr.startswith("goalmem: GOALMEM_ASK_DEPTH is 'deep'")
    assert len(done.stderr.splitlines()) == 1


def test_settings_name_store_and_space(goalmem, store: Path, monkeypatch: pytest.MonkeyPatch):
    moved = store.rename("elsewhere.goalmem")
    monkeypatch.setenv("GOALMEM_STORE", str(moved))
    assert "elsewhere.goalmem" in goalmem("stats").stdout


def test_help_lists_every_command_once_in_a_section(goalmem):
    lines = goalmem("--help").stdout.splitlines()
    listed = [line.split()[0] for line in lines if re.match(r"  [a-z][a-z-]* {2,}[A-Z]", line)]
    assert sorted(listed) == COMMANDS
    assert f"{OTHERS}:" not in lines


def test_help_imports_nothing_heavy():
    program = (
        "import sys; from goalmem.cli.app import app; import typer.main; typer.main.get_command(app); "
        "print([m for m in ('spacy', 'numpy', 'onnxruntime', 'pydantic', 'tokenizers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_output_on_a_pipe_has_no_colour(store: Path):
    done = goalmem_process("search", "dog", "--store", str(store))
    assert done.returncode == 0
    assert "\x1b" not in done.stdout


def test_no_colour_is_honoured_where_colour_is_forced(store: Path):
    done = goalmem_process("search", "dog", "--store", str(store), NO_COLOR="1", FORCE_COLOR="1")
    assert "\x1b[3" not in done.stdout


def test_a_defect_is_one_line_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    from goalmem.cli import app as surface

    def broken() -> None:
        raise RuntimeError("oh\nno")

    monkeypatch.setattr(surface, "app", broken)
    with pytest.raises(SystemExit) as caught:
        surface.main()
    assert caught.value.code == 70
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_an_interrupt_outside_of_any_work_ends_with_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("goalmem.cli.app.app", interrupted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert "run the same command again" in capsys.readouterr().err
