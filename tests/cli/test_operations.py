"""`goalmem backup`, `restore` and `check`."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.cli.conftest import Goalmem


def test_a_backup_is_made_and_put_back(goalmem: Goalmem, store: Path):
    done = goalmem("backup", "memory.goalmem", "kept/first.backup")
    assert done.exit_code == 0
    assert done.stdout.startswith("kept/first.backup: 3 turns in 1 spaces, ")
    goalmem("forget", "--all", "--yes")
    assert goalmem("search", "dog").exit_code == 1
    refused = goalmem("restore", "kept/first.backup", "memory.goalmem")
    assert refused.exit_code == 3
    assert "--force" in refused.stderr
    assert goalmem("restore", "kept/first.backup", "memory.goalmem", "--force").exit_code == 0
    assert "Wotan" in goalmem("search", "dog", "-k", "1").stdout


def test_a_backup_is_not_overwritten(goalmem: Goalmem, store: Path):
    Path("first.backup").write_text("mine", encoding="utf-8")
    refused = goalmem("backup", "memory.goalmem", "first.backup")
    assert refused.exit_code == 3
    assert "first.backup already" in refused.stderr
    assert Path("first.backup").read_text(encoding="utf-8") == "mine"
    assert goalmem("backup", "memory.goalmem", "first.backup", "--force").exit_code == 0


def test_what_was_copied_is_told_to_programs(goalmem: Goalmem, store: Path):
    told = json.loads(goalmem("backup", "memory.goalmem", "first.backup", "--json").stdout)
    assert (told["spaces"], told["turns"]) == (1, 3)
    assert json.loads(goalmem("restore", "first.backup", "new.goalmem", "--json").stdout)["turns"] == 3


def test_no_store_is_said(goalmem: Goalmem):
    for command in (("backup", "no.goalmem", "x"), ("restore", "no.backup", "x"), ("check", "--store", "no.goalmem")):
        refused = goalmem(*command)
        assert refused.exit_code == 3
        assert "There is no store" in refused.stderr
        assert not Path("x").exists()
    assert goalmem("check", "--store", ":memory:").exit_code == 3


def test_a_damaged_backup_is_refused(goalmem: Goalmem, store: Path):
    goalmem("backup", "memory.goalmem", "first.backup")
    whole = Path("first.backup").read_bytes()
    Path("first.backup").write_bytes(whole[: len(whole) // 2])
    refused = goalmem("restore", "first.backup", "memory.goalmem", "--force")
    assert refused.exit_code == 4
    assert "first.backup is damaged" in refused.stderr
    assert goalmem("check").exit_code == 0


def test_a_sound_store_is_said_to_be(goalmem: Goalmem, store: Path):
    done = goalmem("check")
    assert (done.exit_code, done.stdout) == (0, "memory.goalmem is sound.\n")
    assert json.loads(goalmem("check", "--json").stdout)["sound"] is True


def test_damage_is_found_and_repaired(goalmem: Goalmem, store: Path):
    with closing(sqlite3.connect(store)) as broken, broken:
        broken.execute("DELETE FROM signal WHERE turn = 1")
    found = goalmem("check")
    assert found.exit_code == 1
    assert "found: 1 turns without vector and terms" in found.stdout
    repaired = goalmem("check", "--repair")
    assert repaired.exit_code == 0
    assert "repaired: 1 turns read again" in repaired.stdout
    assert goalmem("check").exit_code == 0


def test_what_cannot_be_repaired_remains(goalmem: Goalmem, store: Path):
    with closing(sqlite3.connect(store)) as broken, broken:
        broken.execute("UPDATE turn SET text = 'I adopted a cat.' WHERE seq = 1")
    done = goalmem("check", "--repair", "--json")
    told = json.loads(done.stdout)
    assert done.exit_code == 1
    assert told["remaining"] == ["1 turns whose text is not what was stored"]


def test_a_truncated_store_is_an_error_that_says_so(goalmem: Goalmem, store: Path):
    store.write_bytes(store.read_bytes()[:9000])
    done = goalmem("check", "--repair")
    assert done.exit_code in (1, 4)
    assert "damaged" in done.output


def test_a_database_server_that_is_not_there_is_said_without_the_password(goalmem: Goalmem, store: Path):
    place = "postgresql://ana:secret@127.0.0.1:1/none"
    for command in (("check", "--store", place), ("backup", place, "x"), ("restore", str(store), place)):
        refused = goalmem(*command)
        assert refused.exit_code == 4
        assert "postgresql://ana@127.0.0.1:1/none cannot be reached" in refused.stderr
        assert "secret" not in refused.output
