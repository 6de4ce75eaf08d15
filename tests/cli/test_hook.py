"""The hook of a coding assistant: a session is remembered once, and the assistant goes on whatever happens."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import examples
from tests.integrations.importers.exports import claude_code_line, transcript

from goalmem import Memory
from goalmem.cli.hook import transcript_in

SECONDS = 300
LINES = [
    claude_code_line("u1", "user", "My sister Ilse lives in Ghent."),
    claude_code_line("u2", "assistant", [{"type": "text", "text": "Good to know."}]),
    claude_code_line("u3", "user", "I moved to Bergen."),
]


def event(path: Path, name: str = "Stop") -> str:
    """What Claude Code writes to a hook."""
    held = {"session_id": "5d1f2a33", "transcript_path": str(path), "cwd": "/home/maya", "permission_mode": "default"}
    return json.dumps(held | {"hook_event_name": name, "stop_hook_active": False})


def hooked(*options: str, stdin: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "goalmem.cli", "hook", *options],
        input=stdin,
        capture_output=True,
        text=True,
        env=os.environ | {"XDG_STATE_HOME": str(home)},
        cwd=home,
        check=False,
    )


def turns(store: Path) -> list[str]:
    if not store.exists():
        return []
    with Memory(store) as memory:
        return [turn.text for turn in memory.get_all(space="maya").items]


EVENTS = ((LINES[:2], "Stop"), (LINES, "PreCompact"), (LINES, "SessionEnd"))


@pytest.mark.parametrize("events", [EVENTS[::2], pytest.param(EVENTS, marks=pytest.mark.thorough)])
def test_a_session_is_remembered_once_while_it_grows(tmp_path: Path, events: tuple[tuple[list[dict], str], ...]):
    store = tmp_path / "life.goalmem"
    options = ("claude-code", "--store", str(store), "--space", "maya", "--name", "Maya", "--wait")
    for lines, name in events:
        done = hooked(*options, stdin=event(transcript(tmp_path / "x.jsonl", *lines), name), home=tmp_path)
        assert done.returncode == 0
        assert turns(store) == [
            line["message"]["content"] if i != 1 else "Good to know." for i, line in enumerate(lines)
        ]


def test_the_assistant_does_not_wait_for_it(tmp_path: Path):
    """The process that remembers goes on after the hook has returned, and holds none of its streams open."""
    store = tmp_path / "life.goalmem"
    path = transcript(tmp_path / "x.jsonl", *LINES)
    done = hooked(
        "claude-code", "--store", str(store), "--space", "maya", stdin=event(path, "SessionEnd"), home=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    until = time.monotonic() + SECONDS
    log = tmp_path / "goalmem" / "hook.log"
    while "new" not in log.read_text() and time.monotonic() < until:
        time.sleep(0.2)
    assert "3 messages in 1 conversation, 3 new" in log.read_text()
    assert len(turns(store)) == 3


@pytest.mark.parametrize(
    ("options", "stdin"),
    [
        (("claude-code",), ""),
        (("claude-code",), "not valid JSON"),
        (("claude-code",), "[]"),
        (("claude-code",), '{"transcript_path": 3}'),
        (("claude-code",), '{"transcript_path": "/nowhere/x.jsonl"}'),
        (("claude-code",), '{"transcript_path": "/etc/passwd"}'),
        (("telegram",), "{}"),
    ],
)
def test_what_is_wrong_is_said_and_stops_nothing(tmp_path: Path, options: tuple[str, ...], stdin: str):
    done = hooked(*options, stdin=stdin, home=tmp_path)
    assert done.returncode == 0
    assert done.stdout == ""
    assert done.stderr.startswith("goalmem: This session is not remembered: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("options", [(), ("claude-code", "--nosuch"), ("claude-code", "--store"), ("a", "b")])
def test_a_wrong_command_line_never_exits_with_2(tmp_path: Path, options: tuple[str, ...]):
    done = hooked(*options, stdin="{}", home=tmp_path)
    assert done.returncode == 1
    assert "goalmem hook --help" in done.stderr


def test_a_store_that_cannot_be_opened_stops_nothing(tmp_path: Path):
    path = transcript(tmp_path / "x.jsonl", *LINES)
    (tmp_path / "life.goalmem").write_text("This is no store.")
    done = hooked("claude-code", "--store", "life.goalmem", "--wait", stdin=event(path), home=tmp_path)
    assert done.returncode == 0
    assert "life.goalmem" in done.stderr


@examples(15, 500)
@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.text(max_size=5), st.lists).map(lambda v: json.dumps(v).encode())
)
def test_any_input_names_a_transcript_or_none(data: bytes):
    assert transcript_in(data) is None
