"""`goalmem check`, `backup` and `restore` of a store in a database, with what goalmem itself derives from turns."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from goalmem.cli.app import app
from goalmem.store.postgres.text import key_of
from tests.cli.conftest import CHAT
from tests.serve.process import running

from .conftest import execute

DEFAULT = f"'{key_of('default')}'"


def goalmem(*arguments: str) -> Result:
    """Run the command line in this process."""
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture(scope="module")
def place(empty_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store in a database that holds a short conversation."""
    url = empty_database().replace("postgres@", "postgres:secret@")
    file = tmp_path_factory.mktemp("chat") / "chat.jsonl"
    file.write_text("".join(json.dumps(session) + "\n" for session in CHAT), encoding="utf-8")
    done = goalmem("add", str(file), "--store", url)
    assert done.exit_code == 0, done.output
    return url


def test_a_server_that_keeps_its_keys_in_a_folder_serves_commands_too(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = goalmem("list", "--json", "--store", place)
    data = tmp_path / "data"
    with running(place, GOALMEM_SERVE_DATA=str(data)) as server:
        assert server.call("GET", "/v1/spaces")[1]["items"] == ["default"]
        monkeypatch.setenv("GOALMEM_SERVE_DATA", str(data))
        through = goalmem("list", "--json", "--store", place)
        assert (through.exit_code, through.stdout) == (0, own.stdout)
        assert 'route="/v1/turns",status="200"} 1.0' in server.text("/metrics").decode()
        assert server.end(signal.SIGTERM) == 0
    assert goalmem("list", "--json", "--store", place).stdout == own.stdout


def test_a_store_is_checked_backed_up_damaged_and_restored(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sound = goalmem("check", "--store", place)
    assert (sound.exit_code, sound.stdout.endswith(" is sound.\n")) == (0, True)
    assert "secret" not in sound.output
    done = goalmem("backup", place, "first.backup")
    assert done.stdout.startswith("first.backup: 3 turns in 1 spaces, ")
    assert goalmem("check", "--store", "first.backup").exit_code == 0

    damages = {
        f"UPDATE goalmem.turn SET text = 'I adopted a cat.' WHERE space = {DEFAULT} AND position = 0": (
            "2 turns whose text is not what was stored"
        ),
        f"UPDATE goalmem.passage SET vector = array_fill(0.5::real, ARRAY[384])::halfvec WHERE space = {DEFAULT}": "damaged vectors",
        f"UPDATE goalmem.mention SET start = start + 1, stop = stop + 1 WHERE space = {DEFAULT}": "mentions that are not in",
        f"UPDATE goalmem.fact SET args = 'x' WHERE space = {DEFAULT}": "facts that cannot be read",
        f"DELETE FROM goalmem.words WHERE space = {DEFAULT}": "3 turns without words",
    }
    for statement, said in damages.items():
        execute(place, statement)
        found = goalmem("check", "--store", place)
        assert found.exit_code == 1
        assert said in " ".join(found.stdout.split())
    told = json.loads(goalmem("check", "--store", place, "--json").stdout)
    assert told["sound"] is False
    assert len(told["found"]) >= len(damages) - 1
    assert "secret" not in json.dumps(told)
    repaired = goalmem("check", "--store", place, "--repair")
    assert repaired.exit_code == 1
    assert "repaired: 3 turns read again" in repaired.stdout
    remains = [line for line in repaired.stdout.splitlines() if line.startswith("remains:")]
    assert remains == ["remains: 2 turns whose text is not what was stored in the space 'default'"]

    refused = goalmem("restore", "first.backup", place)
    assert refused.exit_code == 3
    assert "--force" in refused.stderr
    done = goalmem("restore", "first.backup", place, "--force")
    assert done.exit_code == 0
    assert done.stdout.endswith(": 3 turns in 1 spaces, checked\n")
    assert "secret" not in done.output
    assert goalmem("check", "--store", place).exit_code == 0
    assert "Wotan" in goalmem("search", "dog", "--store", place, "-k", "1").stdout


def derived(place: str) -> list[list[tuple[object, ...]]]:
    """All that was read out of turns, row by row."""
    tables = ("fact", "fact_entity", "mention", "edge", "alias", "words", "passage")
    rows = [execute(place, f"SELECT x::text FROM goalmem.{table} AS x ORDER BY x::text") for table in tables]
    return [*rows, execute(place, "SELECT seq, terms, features FROM goalmem.turn ORDER BY seq")]


def test_what_follows_from_turns_is_repaired(place: str) -> None:
    assert goalmem("check", "--store", place).exit_code == 0
    before = derived(place)
    for statement in (
        f"DELETE FROM goalmem.words WHERE space = {DEFAULT}",
        f"DELETE FROM goalmem.passage WHERE space = {DEFAULT}",
        f"UPDATE goalmem.fact SET args = 'x' WHERE space = {DEFAULT}",
        f"UPDATE goalmem.turn SET terms = '' WHERE space = {DEFAULT} AND position = 1",
        f"UPDATE goalmem.space SET turns = 9, last_seq = 1 WHERE space = {DEFAULT}",
        f"INSERT INTO goalmem.alias VALUES ({DEFAULT}, 77, 0, 'Wo', 'Wotan')",
    ):
        execute(place, statement)
    done = goalmem("check", "--store", place, "--repair")
    assert done.exit_code == 0, done.stdout
    for said in ("1 rows deleted that belonged to nothing", "turns counted again", "3 turns read again"):
        assert f"repaired: {said}" in done.stdout
    assert goalmem("check", "--store", place).stdout.endswith(" is sound.\n")
    assert derived(place) == before
    assert "Wotan" in goalmem("search", "dog", "--store", place, "-k", "1").stdout
    again = goalmem("check", "--store", place, "--rebuild")
    assert (again.exit_code, "repaired: 3 turns read again" in again.stdout) == (0, True)
