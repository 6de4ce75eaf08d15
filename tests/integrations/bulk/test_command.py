"""`goalmem bulk` on the command line."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from goalmem.cli.app import app

from .benchmarks import locomo_file
from .telling import messages, turns_in, write


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def goalmem(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["bulk", *arguments])


def test_ingest_says_what_was_stored_and_how_fast() -> None:
    write(Path("chat.jsonl"), messages(spaces=2, sessions=1))
    done = goalmem("ingest", "chat.jsonl", "--store", "s.goalmem")
    assert done.exit_code == 0, done.output
    assert "8 messages stored, 8 new, 0 there before, 0 left out" in done.stdout
    assert "for each second of a core" in done.stdout
    assert turns_in("s.goalmem") == 8


def test_what_is_left_out_is_listed_and_json_is_for_programs() -> None:
    write(Path("chat.jsonl"), [*messages(spaces=1, sessions=1), "{oops", {"role": "user", "content": "Hi"}])
    refused = goalmem("ingest", "chat.jsonl", "--store", "s.goalmem")
    assert (refused.exit_code, refused.stdout) == (3, "")
    assert "chat.jsonl, line 5" in refused.stderr
    done = goalmem("ingest", "chat.jsonl", "--store", "s.goalmem", "--skip-bad", "--json")
    assert "chat.jsonl, line 5, left out" in done.stderr
    assert "taken as said when stored: 1 message." in done.stderr
    report = json.loads(done.stdout)
    assert (report["messages"], report["new"], len(report["left_out"])) == (5, 5, 1)
    assert report["per_core_second"] > 0


@pytest.mark.parametrize("more", [["--workers", "2"], ["--address", "auto"]])
def test_several_workers_take_an_engine(more: list[str]) -> None:
    write(Path("chat.jsonl"), messages(spaces=1))
    refused = goalmem("ingest", "chat.jsonl", *more)
    assert refused.exit_code == 3
    assert "--engine ray" in refused.stderr


def test_without_ray_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goalmem.integrations.bulk.ray_engine.find_spec", lambda name: None)
    write(Path("chat.jsonl"), messages(spaces=1))
    refused = goalmem("ingest", "chat.jsonl", "--engine", "ray")
    assert refused.exit_code == 3
    assert "goalmem[ray]" in refused.stderr


def test_a_cluster_that_is_not_there_is_said_at_once() -> None:
    pytest.importorskip("ray")
    write(Path("chat.jsonl"), messages(spaces=1))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        refused = goalmem("ingest", "chat.jsonl", "--engine", "ray", "--address", address)
    assert refused.exit_code == 3
    assert f"Ray at {address} cannot be used" in refused.stderr


def test_a_benchmark_is_measured_in_parts() -> None:
    path = locomo_file(Path("locomo.json"))
    done = goalmem("eval", "locomo", str(path), "--json", "out.json", "--cache", "cache", "--categories", "4")
    assert done.exit_code == 0, done.output
    assert json.loads(Path("out.json").read_text())["questions"] == 3
