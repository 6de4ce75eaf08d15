"""What was remembered never reaches a terminal as an escape: every command that shows text shows it escaped."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from goalmem.cli.app import app
from goalmem.cli.output import terminal_text

HOSTILE = "My beagle is called \x1b]0;pwned\x07Comet\x9b31m and \x7flikes\x85 tea."
CONTROL = [*map(chr, range(9)), *map(chr, range(11, 32)), *map(chr, range(127, 160))]


@given(st.text())
def test_no_control_character_is_shown_and_plain_text_stays(text: str):
    said = terminal_text(text)
    assert not set(said) & set(CONTROL)
    assert said == text or set(text) & set(CONTROL)


@pytest.mark.parametrize(
    "command",
    [
        ["search", "beagle"],
        ["search", "beagle", "--json"],
        ["ask", "What is my beagle called?"],
        ["ask", "What is my beagle called?", "--json"],
        ["why-not", "Where does the beagle live?"],
        ["context", "beagle"],
        ["history", "beagle"],
    ],
)
def test_every_command_shows_escapes_escaped(command: list[str], store: str):
    done = CliRunner().invoke(app, [*command, "--store", store])
    assert done.exit_code in (0, 1), done.output
    assert not set(done.output) & set(CONTROL), repr(done.output)


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals; run it on Linux or macOS")
def test_an_export_is_escaped_on_a_terminal_and_kept_as_it_is_in_a_pipe(store: str):
    import pty

    command = [sys.executable, "-m", "goalmem.cli", "export", "--store", store]
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as seen:
        with os.fdopen(theirs, "wb") as terminal:
            subprocess.run(command, stdout=terminal, check=True)
        shown = seen.read(65_536).decode()
    piped = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    assert set(shown) & set(CONTROL) == {"\r"}  # by which the terminal ends lines
    assert {"\x9b", "\x7f", "\x85"} <= set(piped)
    told = [[json.loads(line) for line in text.strip().split("\n")] for text in (shown, piped)]
    assert told[0] == told[1]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("hostile") / "life.goalmem")
    assert CliRunner().invoke(app, ["add", "--text", HOSTILE, "--store", path]).exit_code == 0
    return path
