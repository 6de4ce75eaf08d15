"""A command uses a server that runs over its store: the outcome is the same, and it loads no model itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.serve.process import running

from goalmem.client.local_server import LocalServerMemory, reachable, settings_digest
from goalmem.serve.command_socket import socket_for_commands
from goalmem.settings import Settings
from goalmem.store.location import socket_path

from .conftest import Goalmem

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no Unix sockets")

HEAVY = ("spacy", "numpy", "onnxruntime", "tokenizers", "goalmem.retrieve.search", "goalmem.store.sqlite")
PROGRAM = f"""
import json, sys
from goalmem.cli.app import main
for arguments in json.loads(sys.argv[1]):
    sys.argv[1:], code = arguments, 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    for stream in (sys.stdout, sys.stderr):
        print(f"\\0{{code}}\\0", end="", file=stream, flush=True)
print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)
"""
"""Runs commands one after another in one process; behind what each printed, its exit code."""
QUESTIONS = [
    ["ask", "Where does Ivo's sister live?"],
    ["ask", "Where does Ivo's sister live?", "--proof"],
    ["ask", "Where does Ivo's sister live?", "--json"],
    ["search", "the dog", "--json", "--speaker", "Nadia"],
    ["search", "dog", "--after", "whenever"],
    ["search", "dog", "--space", "nosuch"],
    ["context", "What does the dog like?", "--json"],
    ["why-not", "Who sings?", "--json"],
    ["history", "t0", "--json"],
    ["list", "--json"],
    ["profile"],
    ["stats", "--sessions"],
    ["stats", "--json"],
    ["stats", "--space", "nosuch"],
    ["export"],
    ["export", "--space", "default"],
    ["export", "--space", "nosuch"],
    ["forget", "--session", "nosuch"],
    ["forget", "--session", "spring", "--dry-run"],
    ["update", "t0", "--text", "Hello."],
]


def run_all(commands: list[list[str]], **environment: str) -> tuple[list[tuple[int, str, str]], bool]:
    """Exit code of each command and what it printed on both streams; whether any did its work itself."""
    program = [sys.executable, "-c", PROGRAM, json.dumps(commands)]
    done = subprocess.run(program, capture_output=True, text=True, env=os.environ | environment, check=True)
    printed, noted = done.stdout.split("\0"), done.stderr.split("\0")
    told = [re.sub(r'"(seconds|created)": .*', "", text) for text in printed[:-1:2]]
    return list(zip(map(int, printed[1::2]), told, noted[:-1:2], strict=True)), noted[-1].strip() != "[]"


def run(*arguments: str, **environment: str) -> tuple[int, str, str, bool]:
    """The same of one command."""
    (done,), alone = run_all([[*arguments]], **environment)
    return *done, alone


@contextmanager
def serving(store: Path) -> Iterator[Path]:
    with running(store) as process:
        yield store
        assert process.end(signal.SIGTERM) == 0
    assert not os.path.lexists(socket_of(store))


@pytest.fixture(scope="module")
def served(_filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store that a server serves, to all tests of this file: they may add to it."""
    with serving(Path(shutil.copy(_filled, tmp_path_factory.mktemp("served") / "memory.goalmem"))) as store:
        yield store


def socket_of(store: Path) -> Path:
    path = socket_path(str(store), "")
    assert path is not None
    return path


def test_commands_print_the_same_through_a_server_and_load_no_model(served: Path):
    told, alone = run_all([[*question, "--store", str(served)] for question in QUESTIONS])
    own, by_itself = run_all([[*question, "--no-server", "--store", str(served)] for question in QUESTIONS])
    for question, *both in zip(QUESTIONS, told, own, strict=True):
        assert both[0] == both[1], question
    assert (alone, by_itself) == (False, True)


def test_a_proof_is_verified_and_a_message_is_added_through_a_server(served: Path, tmp_path: Path, goalmem: Goalmem):
    asked = goalmem(*QUESTIONS[2], "--store", str(served))
    assert asked.exit_code == 0
    (tmp_path / "answer.json").write_text(asked.stdout)
    (verified, added), alone = run_all(
        [
            ["verify", "answer.json", "--store", str(served)],
            ["add", "--text", "Wotan likes plums.", "--store", str(served)],
        ]
    )
    assert (verified[0], alone) == (0, False)
    assert added == (0, "--text: 1 message in 1 session, 1 new\n", "")
    assert "plums" in goalmem("search", "plums", "--no-server", "--store", str(served)).stdout


def test_turns_are_changed_forgotten_counted_and_exported_through_a_server(store: Path, tmp_path: Path):
    turn = json.loads(run("list", "--json", "--store", str(store), "--no-server")[1])["items"][0]["id"]
    with serving(store):
        at = ["--store", str(store)]
        told, alone = run_all(
            [
                [
                    "update",
                    turn,
                    "--text",
                    "I adopted a cat.",
                    "--metadata",
                    "project=x",
                    "--expires-at",
                    "2099-01-01",
                    *at,
                ],
                ["update", turn, "--history", *at],
                ["export", "all.jsonl", *at],
                ["stats", *at],
                ["forget", "--where", "project=x", *at],
                ["forget", "--all", "--yes", *at],
                ["stats", "--json", *at],
            ]
        )
    assert [code for code, _, _ in told] == [0] * len(told)
    assert not alone
    assert told[0][1] == f"{turn}: I adopted a cat.\n"
    assert [line.partition(": ")[2][:15] for line in told[1][1].splitlines()] == ["I adopted a dog", "I adopted a cat"]
    assert told[2][1] == "all.jsonl: 3 turns\n"
    assert "I adopted a cat." in (tmp_path / "all.jsonl").read_text()
    assert told[4][1].startswith("forgotten: 1 turn, ")
    assert told[5][1].startswith("forgotten: 2 turns, ")
    assert json.loads(told[6][1])["spaces"] == []


def test_only_the_owner_may_enter_and_connect(served: Path):
    path = socket_of(served)
    assert stat.S_IMODE(os.lstat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.lstat(path.parent).st_mode) == 0o700


def test_who_works_otherwise_works_alone(
    store: Path, tmp_path: Path, goalmem: Goalmem, monkeypatch: pytest.MonkeyPatch
):
    with serving(store):
        question = ["search", "dog", "--store", str(store)]
        answered: list[object] = []
        send = LocalServerMemory._document
        monkeypatch.setattr(
            LocalServerMemory, "_document", lambda *call: answered.append(found := send(*call)) or found
        )
        for other, through in (
            ({}, True),
            ({"GOALMEM_ANSWER_THRESHOLD": "0.6"}, False),
            ({"GOALMEM_USE_SERVER": "0"}, False),
        ):
            with monkeypatch.context() as changed:
                for name, value in other.items():
                    changed.setenv(name, value)
                answered.clear()
                assert goalmem(*question).exit_code == 0
                assert bool(answered) is through, other
        moved = tmp_path / "moved.goalmem"
        store.rename(moved)
        os.link(moved, store)
        assert run(*question)[::3] == (0, False)  # the same file
        store.unlink()
        assert run(*question)[0] == 3  # no store, whatever the server holds
        answered.clear()
        assert goalmem("add", "--text", "Hello.", "--store", str(store)).exit_code == 0
        assert store.exists()
        assert not answered


def left_behind(path: Path) -> None:
    """A socket as a server leaves it that is killed."""
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listening, reachable(path) as name:
        listening.bind(name)


def test_what_a_server_that_was_killed_left_behind_is_passed_over(store: Path, goalmem: Goalmem):
    left_behind(socket_of(store))
    assert goalmem("search", "dog", "--store", str(store)).exit_code == 0
    with socket_for_commands(Settings(store=str(store))) as listening:
        assert listening is not None
        with socket.socket(socket.AF_UNIX) as command, reachable(socket_of(store)) as name:
            command.connect(name)
    assert not os.path.lexists(socket_of(store))


def test_of_servers_that_begin_at_once_one_has_the_socket_and_it_ends_with_it(store: Path):
    path, begun = socket_of(store), threading.Barrier(8)
    for _ in range(20):
        left_behind(path)

        def serve(_: int) -> bool:
            begun.wait()
            with socket_for_commands(Settings(store=str(store))) as listening:
                begun.wait()  # all are there
                assert stat.S_IMODE(os.lstat(path).st_mode) == 0o600
                with socket.socket(socket.AF_UNIX) as command:
                    command.connect(str(path))
                begun.wait()
            return listening is not None

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(serve, range(8))) == 1
        assert not os.path.lexists(path)
        path.parent.rmdir()


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_what_is_no_socket_is_left_where_it_is(kind: str, store: Path):
    path = socket_of(store)
    path.parent.mkdir(mode=0o700)
    if kind == "file":
        path.write_text("notes")
    elif kind == "link":
        path.symlink_to(store)
    else:
        path.mkdir()
    before = os.lstat(path)
    with socket_for_commands(Settings(store=str(store))) as listening:
        assert listening is None
    assert os.lstat(path) == before


def test_a_server_without_a_folder_for_a_socket_has_none(store: Path):
    for place in (str(store), ":memory:", "postgresql://nobody@nowhere/none"):
        with socket_for_commands(Settings(store=place)) as listening:
            assert listening is None, place


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
    assert settings_digest(here) == settings_digest(replace(here, store=f"sqlite:///{store}", space="x", serve_port=1))
    assert settings_digest(here) != settings_digest(replace(here, ask_depth=1))
    other = tmp_path / "other.goalmem"
    other.write_bytes(store.read_bytes())
    assert settings_digest(here) != settings_digest(replace(here, store=str(other)))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="long paths of sockets take Linux")
def test_a_socket_may_lie_deep(tmp_path: Path):
    deep = tmp_path.joinpath(*(["folder" * 5] * 5))
    deep.mkdir(parents=True)
    with reachable(deep / "commands.sock") as name, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(name)
    assert (deep / "commands.sock").is_socket()


def test_calls_over_the_socket_need_no_key_and_others_do(served: Path, goalmem: Goalmem):
    made = goalmem("keys", "add", "ci", "--space", "x", "--store", str(served), "--json")
    assert made.exit_code == 0
    assert json.loads(made.stdout)["key"].startswith("gm_")
    assert run("search", "dog", "--store", str(served))[::3] == (0, False)
