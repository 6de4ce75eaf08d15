"""The process: how it starts, what it finishes when it is told to stop, and what is left when it is killed."""

from __future__ import annotations

import json
import signal
import threading
import time
from pathlib import Path

import pytest

from goalmem import Memory

from .process import running


@pytest.mark.slow
@pytest.mark.parametrize("messages", [150, pytest.param(400, marks=pytest.mark.thorough)])
def test_what_has_begun_is_finished_and_what_was_accepted_goes_on(tmp_path: Path, messages: int):
    chat = b"".join(b"Leo: I met person number %d at the harbour.\n" % n for n in range(messages))
    store = tmp_path / "store.goalmem"
    with running(store) as server:
        status, job = server.call("POST", "/v1/uploads?name=chat.txt", chat)
        assert status == 202
        done = []
        said = {"messages": [{"content": f"I have {n} lamps."} for n in range(40)]}
        adding = threading.Thread(target=lambda: done.append(server.call("POST", "/v1/messages", said)))
        adding.start()
        while not server.call("GET", f"/v1/jobs/{job['id']}")[1]["done"]:
            time.sleep(0.01)
        assert server.end(signal.SIGTERM) == 0
        adding.join()
    ((status, told),) = done
    with Memory(store) as memory:
        held = {name: turns for name, _, turns in memory.sessions()}
        assert memory.check() == []
    assert held.get("default", 0) == (len(told["turns"]) if status == 201 else 0)
    assert 0 < held["chat"] < messages, "it was stopped in the middle"
    with running(store) as server:
        while (job := server.call("GET", f"/v1/jobs/{job['id']}")[1])["state"] == "running":
            time.sleep(0.05)
        assert (job["state"], job["done"]) == ("done", messages)
        assert server.call("GET", "/v1/stats")[1]["turns"] == messages + held.get("default", 0)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_nothing_that_was_acknowledged_is_lost_when_it_is_killed(tmp_path: Path, kills: int):
    store = tmp_path / "store.goalmem"
    acknowledged: list[str] = []
    answers: dict[str, object] = {}
    for kill in range(kills):
        with running(store) as server:

            def write(server=server, kill=kill) -> None:
                for n in range(10_000):
                    key, said = (
                        f"{kill}-{n}",
                        {"messages": [{"content": f"Walk {n} of day {kill}.", "id": f"{kill}-{n}"}]},
                    )
                    try:
                        status, told = server.call("POST", "/v1/messages", said, Idempotency_Key=key)
                    except (OSError, ValueError):
                        return
                    assert status == 201
                    acknowledged.extend(told["turns"])
                    answers[key] = told

            writer = threading.Thread(target=write)
            writer.start()
            while len(answers) < 5 * (kill + 1):
                time.sleep(0.005)
            server.end(signal.SIGKILL)
            writer.join()
    with running(store) as server:
        for turn in acknowledged:
            assert server.call("GET", f"/v1/turns/{turn}")[0] == 200
        key, told = next(iter(answers.items()))
        said = {"messages": [{"content": "Walk 0 of day 0.", "id": "0-0"}]}
        assert server.call("POST", "/v1/messages", said, Idempotency_Key=key) == (201, told)


@pytest.mark.slow
@pytest.mark.parametrize(("count", "grace"), [(2000, "1"), pytest.param(6000, "3", marks=pytest.mark.thorough)])
def test_a_write_that_takes_longer_than_the_grace_is_ended_and_nothing_acknowledged_is_lost(
    tmp_path: Path, count: int, grace: str
):
    store = tmp_path / "store.goalmem"
    long = {"messages": [{"content": f"I met person number {n}. " * 40, "id": str(n)} for n in range(count)]}
    with running(store, GOALMEM_SERVE_GRACE=grace) as server:
        status, told = server.call("POST", "/v1/messages", {"messages": "I own a kayak."})
        assert status == 201
        answers = []
        writer = threading.Thread(target=lambda: answers.append(server.call("POST", "/v1/messages", long)))
        writer.start()
        while b'running{lane="writing"} 1' not in server.text("/metrics"):
            time.sleep(0.01)
        assert server.end(signal.SIGTERM) == 0
        writer.join()
    ((status, problem),) = answers
    assert (status, problem["title"]) == (503, "Stopping")
    assert "all of it or nothing" in problem["detail"]
    with Memory(store) as memory:
        assert [turn.id for turn in memory.get_all().items] == told["turns"]
        assert memory.check() == []


def test_it_does_not_start_where_others_reach_it_without_keys(goalmem, tmp_path: Path):
    store = str(tmp_path / "store.goalmem")
    done = goalmem("serve", "--store", store, "--host", "0.0.0.0", "--port", "0")  # noqa: S104
    assert done.exit_code == 3
    assert "Without keys" in done.stderr
    assert not Path(store).exists()


def test_a_port_in_use_is_told(goalmem, tmp_path: Path):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = goalmem("serve", "--store", str(tmp_path / "x.goalmem"), "--port", str(taken.getsockname()[1]))
    assert done.exit_code == 3
    assert "Choose another" in done.stderr


def test_keys_are_made_listed_and_revoked(goalmem, tmp_path: Path):
    store = ("--store", str(tmp_path / "store.goalmem"))
    made = json.loads(goalmem("keys", "add", "ci", "--space", "maya", "--scope", "write", "--json", *store).stdout)
    assert made["key"].startswith(f"gm_{made['id']}_")
    text = goalmem("keys", "add", "all", "--all-spaces", "--expires", "2999-01-01", "--rate", "5", *store)
    assert text.stdout.startswith("gm_")
    held = json.loads(goalmem("keys", "list", "--json", *store).stdout)
    assert [(k["name"], k["scope"], k["spaces"], k["state"]) for k in held] == [
        ("ci", "write", ["maya"], "valid"),
        ("all", "read", ["*"], "valid"),
    ]
    assert made["key"].removeprefix(f"gm_{made['id']}_") not in goalmem("keys", "list", *store).stdout
    assert goalmem("keys", "revoke", made["id"], *store).exit_code == 0
    assert json.loads(goalmem("keys", "list", "--json", *store).stdout)[0]["state"] == "revoked"
    assert goalmem("keys", "revoke", "nothing", *store).exit_code == 3
    assert goalmem("keys", "add", "x", *store).exit_code == 2
    assert goalmem("keys", "add", "x", "--space", "a", "--all-spaces", *store).exit_code == 2
    assert goalmem("keys", "add", "x", "--space", "a", "--expires", "someday", *store).exit_code == 3
    assert goalmem("keys", "add", "x", "--space", "a", "--store", ":memory:").exit_code == 3
