"""A command uses a server that runs over its store: the outcome is the same, and it loads no model itself."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.serve.process import running

from goalmem.client.beside import likeness, reachable
from goalmem.serve.beside import socket_for_commands
from goalmem.settings import Settings
from goalmem.store.location import socket_path

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no Unix sockets")

HEAVY = ("spacy", "numpy", "onnxruntime", "tokenizers", "goalmem.retrieve.search", "goalmem.store.sqlite")
PROGRAM = (
    "import sys\n"
    "from goalmem.cli.app import main\n"
    "try:\n    main()\n"
    f"finally:\n    print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)\n"
)
QUESTIONS = [
    ["ask", "Where does Ivo's sister live?"],
    ["ask", "Where does Ivo's sister live?", "--proof"],
    ["ask", "Where does Ivo's sister live?", "--json"],
    ["search", "the dog", "--json", "--speaker", "Nadia"],
    ["search", "dog", "--after", "whenever"],
    ["context", "What does the dog like?", "--json"],
    ["why-not", "Who sings?", "--json"],
    ["history", "t0", "--json"],
]


def run(*arguments: str, **environment: str) -> tuple[int, str, str, bool]:
    """Exit code, what was printed on both streams, and whether the command did its work itself."""
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
    notes, _, heavy = done.stderr.rstrip("\n").rpartition("\n")
    return done.returncode, re.sub(r'"(seconds|created)": .*', "", done.stdout), notes, heavy != "[]"


@pytest.fixture
def served(store: Path) -> Iterator[Path]:
    with running(store) as process:
        yield store
        assert process.end(signal.SIGTERM) == 0
    assert not os.path.lexists(socket_of(store))


def socket_of(store: Path) -> Path:
    path = socket_path(str(store), "")
    assert path is not None
    return path


def test_commands_print_the_same_through_a_server_and_load_no_model(served: Path):
    for question in QUESTIONS:
        code, *told, alone = run(*question, "--store", str(served))
        assert [code, *told, True] == [*run(*question, "--no-server", "--store", str(served))], question
        assert not alone, question


def test_a_proof_is_verified_and_a_message_is_added_through_a_server(served: Path, tmp_path: Path):
    asked = subprocess.run(
        [sys.executable, "-m", "goalmem.cli", *QUESTIONS[2], "--store", str(served)], capture_output=True, check=True
    )
    (tmp_path / "answer.json").write_bytes(asked.stdout)
    assert run("verify", "answer.json", "--store", str(served))[::3] == (0, False)
    added = run("add", "--text", "Wotan likes plums.", "--store", str(served))
    assert added == (0, "--text: 1 message in 1 session, 1 new\n", "", False)
    assert "plums" in run("search", "plums", "--no-server", "--store", str(served))[1]


def test_only_the_owner_may_enter_and_connect(served: Path):
    path = socket_of(served)
    assert stat.S_IMODE(os.lstat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.lstat(path.parent).st_mode) == 0o700


def test_who_works_otherwise_works_alone(served: Path, tmp_path: Path):
    question = ["search", "dog", "--store", str(served)]
    assert run(*question)[3] is False
    for other in ({"GOALMEM_ANSWER_THRESHOLD": "0.5"}, {"GOALMEM_USE_SERVER": "0"}):
        assert run(*question, **other)[::3] == (0, True)
    moved = tmp_path / "moved.goalmem"
    served.rename(moved)
    os.link(moved, served)
    assert run(*question)[3] is False  # the same file
    served.unlink()
    assert run(*question)[0] == 3  # no store, whatever the server holds
    assert run("add", "--text", "Hello.", "--store", str(served))[3] is True


def test_what_a_server_that_was_killed_left_behind_is_passed_over(store: Path):
    with running(store) as process:
        assert process.end(signal.SIGKILL) != 0
    assert os.path.lexists(socket_of(store))
    assert run("search", "dog", "--store", str(store))[::3] == (0, True)
    with running(store):
        assert run("search", "dog", "--store", str(store))[::3] == (0, False)


def test_a_second_server_leaves_the_socket_to_the_first(served: Path):
    with socket_for_commands(Settings(store=str(served))) as listening:
        assert listening is None
    assert run("search", "dog", "--store", str(served))[3] is False


def test_no_socket_is_put_where_others_may_write(store: Path):
    folder = socket_of(store).parent
    folder.mkdir()
    folder.chmod(0o777)
    with socket_for_commands(Settings(store=str(store))) as listening:
        assert listening is None


def test_other_stores_settings_and_files_are_unlike(store: Path, tmp_path: Path):
    here = Settings(store=str(store))
    assert likeness(here) == likeness(replace(here, store=f"sqlite:///{store}", space="x", serve_port=1))
    assert likeness(here) != likeness(replace(here, ask_depth=1))
    other = tmp_path / "other.goalmem"
    other.write_bytes(store.read_bytes())
    assert likeness(here) != likeness(replace(here, store=str(other)))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="long paths of sockets take Linux")
def test_a_socket_may_lie_deep(tmp_path: Path):
    deep = tmp_path.joinpath(*(["folder" * 5] * 5))
    deep.mkdir(parents=True)
    with reachable(deep / "commands.sock") as name, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(name)
    assert (deep / "commands.sock").is_socket()


def test_calls_over_the_socket_need_no_key_and_others_do(served: Path):
    made = subprocess.run(
        [sys.executable, "-m", "goalmem.cli", "keys", "add", "ci", "--space", "x", "--store", str(served), "--json"],
        capture_output=True,
        check=True,
    )
    assert json.loads(made.stdout)["key"].startswith("gm_")
    assert run("search", "dog", "--store", str(served))[::3] == (0, False)
