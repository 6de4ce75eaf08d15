"""Processes and servers on one store: an order of all calls explains what each returned, so that what was acknowledged is seen
by every later call of any of them, what was forgotten stays forgotten, and no change is lost.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from goalmem import Client, Memory
from goalmem.language import Analyzer

from ..serve.process import running
from ..store.children import ENVIRONMENT
from .history import Call, Caller, Letters, explained, message, original

ROOT = Path(__file__).parents[2]
TURNS = 3


def call(what: str, result: str | None, begun: float, ended: float, given: str = "b") -> Call:
    return Call("t", what, given, result, begun, ended)


def test_histories_that_no_order_explains_are_found() -> None:
    assert explained([call("update", "done", 0, 9), call("read", "a", 1, 2), call("read", "b", 3, 4)], "a")
    assert not explained([call("update", "done", 0, 9), call("read", "b", 1, 2), call("read", "a", 3, 4)], "a")
    assert not explained([call("update", "done", 0, 1), call("search", "a", 2, 3)], "a")
    assert not explained([call("forget", "done", 0, 1), call("read", "a", 2, 3)], "a")
    assert not explained([call("forget", "done", 0, 5), call("forget", "done", 1, 6)], "a")
    assert explained([call("forget", "done", 0, 5), call("add", "new", 1, 6), call("read", "b", 7, 8)], "a")
    assert not explained([call("add", "new", 0, 5), call("add", "new", 1, 6)], None)


def require_an_order(histories: Iterable[Call], turns: list[str]) -> None:
    """Of the calls of each turn."""
    calls = list(histories)
    assert {one.what for one in calls} == {"add", "update", "forget", "read", "search"}
    for number, turn in enumerate(turns):
        mine = [one for one in calls if one.turn == turn]
        assert explained(mine, original(number)), sorted(mine, key=lambda one: one.begun)


@pytest.mark.slow
@pytest.mark.parametrize("calls", [25, pytest.param(400, marks=pytest.mark.thorough)])
def test_an_order_explains_what_processes_of_one_store_see(calls: int, tmp_path: Path, analyzer: Analyzer) -> None:
    store = tmp_path / "memory.db"
    with Memory(store, embedder=Letters(), analyzer=analyzer) as memory:
        turns = list(memory.add([message(number) for number in range(TURNS)], session="s").turns)
    command = [sys.executable, "-m", "tests.hostile.history", str(store)]
    children = [
        subprocess.Popen(
            [*command, str(seed), str(calls), json.dumps(turns)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=ENVIRONMENT,
        )
        for seed in range(3)
    ]
    for child in children:
        assert child.stdout
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin
        child.stdin.write("go\n")
        child.stdin.flush()
    told = [json.loads(child.communicate()[0]) for child in children]
    require_an_order((Call(*one) for history in told for one in history), turns)
    with Memory(store, embedder=Letters(), analyzer=analyzer) as memory:
        assert memory.check() == []


@pytest.mark.slow
@pytest.mark.parametrize("calls", [20, pytest.param(60, marks=pytest.mark.thorough)])
def test_an_order_explains_what_clients_of_two_servers_on_one_store_see(calls: int, tmp_path: Path) -> None:
    store = tmp_path / "memory.db"
    with ExitStack() as opened, ThreadPoolExecutor(4) as pool:
        servers = [
            opened.enter_context(running(store, GOALMEM_SERVE_DATA=str(tmp_path / name))) for name in ("one", "two")
        ]
        clients = [
            opened.enter_context(Client(f"http://127.0.0.1:{server.port}")) for server in servers for _ in range(2)
        ]
        turns = list(clients[0].add([message(number) for number in range(TURNS)], session="s").turns)
        callers = [Caller(client, turns, str(number)) for number, client in enumerate(clients)]
        told = list(pool.map(lambda caller: caller.history(calls), callers))
    require_an_order((one for history in told for one in history), turns)
