"""A check finds what does not follow from the turns; a repair reads it out of them again."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goalmem import Memory
from goalmem.errors import CorruptStoreError, ReadOnlyStoreError
from goalmem.language import Analyzer
from goalmem.maintenance.check import CheckReport, check
from goalmem.models.registry import make_embedder
from goalmem.store.backup import back_up, restore
from goalmem.store.sqlite import SqliteStore

CHAT = [
    {"role": "user", "name": "Nadia", "content": "I adopted a dog last Saturday! His name is Wotan."},
    {"role": "user", "name": "Ivo", "content": "Congratulations! My sister Lucia lives in Tarnholm."},
    {"role": "user", "name": "Nadia", "content": "She is a good swimmer, you said. Does she still live there?"},
]
QUESTION = "Where does Ivo's sister live?"


@pytest.fixture(scope="module")
def _filled(tmp_path_factory: pytest.TempPathFactory, analyzer: Analyzer) -> Path:
    path = tmp_path_factory.mktemp("filled") / "memory.db"
    with Memory(path, analyzer=analyzer) as memory:
        memory.add(CHAT, at="2024-04-16T21:10:00")
        memory.add("I sold my bike.", space="other")
        memory.add_rules("Everyone who has a dog needs a leash.")
    return path


@pytest.fixture
def path(_filled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(_filled, tmp_path / "memory.db"))


@pytest.fixture(scope="module")
def embedder() -> Any:
    return make_embedder("minilm", threads=1)


@pytest.fixture
def checked(path: Path, embedder: Any, analyzer: Analyzer) -> Callable[..., CheckReport]:
    def run(**options: bool) -> CheckReport:
        with closing(SqliteStore(path, model=embedder.name, dimension=embedder.dimension)) as store:
            return check(store, embedder, analyzer=analyzer, **options)

    return run


@contextmanager
def damaging(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        yield connection


def derived(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All that is derived, without the numbers of rows."""
    tables = {
        "signal": "turn, terms, features",
        "fact": "space, turn, id, start, stop, text, statement, kind, predicate, slot, args, polarity, occurs",
        "mention": "space, turn, start, stop, text, entity, entity_key, type",
        "edge": "space, turn, fact, subject, relation, object",
        "alias": "space, turn, alias, name",
        "fact_entity": "space, entity, (SELECT id FROM fact WHERE seq = fact_entity.fact)",
    }
    with closing(sqlite3.connect(path)) as connection:
        return {
            table: sorted(connection.execute(f"SELECT {columns} FROM {table}")) for table, columns in tables.items()
        }


def test_a_sound_store_is_sound(checked: Callable[..., CheckReport]):
    assert checked() == CheckReport((), (), ())
    assert checked(repair=True).repaired == ()


def flip_vector(connection: sqlite3.Connection) -> None:
    (vector,) = connection.execute("SELECT vector FROM signal WHERE turn = 2").fetchone()
    values = np.frombuffer(vector, dtype="<f2").copy()
    values[7] = np.nan
    connection.execute("UPDATE signal SET vector = ? WHERE turn = 2", (values.tobytes(),))


def flip_terms(connection: sqlite3.Connection) -> None:
    (terms,) = connection.execute("SELECT terms FROM signal WHERE turn = 2").fetchone()
    flipped = bytes([terms[0] ^ 4]) + terms[1:]
    connection.execute("UPDATE signal SET terms = ? WHERE turn = 2", (flipped,))


def unindex(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO phrase (phrase, rowid, words) VALUES ('delete', 4, '2·i 2·sold 2·my 2·bike')")


DAMAGES: dict[str, tuple[str | Callable[[sqlite3.Connection], None], str]] = {
    "no signal row": ("DELETE FROM signal WHERE turn = 2", "without vector and terms"),
    "no signal rows at all": ("DELETE FROM signal", "4 turns without"),
    "a short vector": ("UPDATE signal SET vector = x'00' WHERE turn = 2", "vectors of another length"),
    "a vector that is none": (flip_vector, "damaged vectors"),
    "flipped terms": (flip_terms, "damaged terms"),
    "odd terms": ("UPDATE signal SET terms = x'0102' WHERE turn = 1", "terms of another length"),
    "facts deleted": ("DELETE FROM fact", "facts that are not there"),
    "a fact that nobody said": ("UPDATE fact SET text = 'I adopted a cat' WHERE turn = 1", "do not say"),
    "a fact out of its turn": ("UPDATE fact SET stop = 9999, start = 9000 WHERE turn = 1", "do not say"),
    "arguments that are no JSON": ("UPDATE fact SET args = '[[' WHERE turn = 2", "cannot be read"),
    "a mention elsewhere": ("UPDATE mention SET start = 0, stop = 1 WHERE turn = 2", "not in them"),
    "no entities": ("DELETE FROM fact_entity", "not found by the entities"),
    "a fact of another space": ("UPDATE fact SET space = 2 WHERE turn = 1", "facts of another space"),
    "words not indexed": (unindex, "phrase index does not hold"),
    "words of no turn": ("INSERT INTO phrase (rowid, words) VALUES (99, '1·plum')", "that are not there"),
    "phrase index torn": ("UPDATE phrase_data SET block = x'00' WHERE id > 10", "phrase index"),
    "rows of no turn": ("INSERT INTO alias VALUES (NULL, 1, 99, 'x', 'y')", "refers to a turn"),
    "numbers behind": ("UPDATE space SET last_seq = 1", "last number"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_derived_is_found_damaged_and_read_again(name: str, path: Path, checked: Callable[..., CheckReport]):
    damage, said = DAMAGES[name]
    before = derived(path)
    with damaging(path) as connection:
        connection.execute(damage) if isinstance(damage, str) else damage(connection)
    found = checked()
    assert not found.sound
    assert any(said in text for text in found.found), found.found
    repaired = checked(repair=True)
    assert repaired.sound, repaired.remaining
    assert repaired.repaired
    assert checked().found == ()
    assert derived(path) == before


def test_an_answer_is_proved_again_after_a_repair(path: Path, checked: Callable[..., CheckReport], analyzer: Analyzer):
    with Memory(path, analyzer=analyzer) as memory:
        before = memory.ask(QUESTION)
    with damaging(path) as connection:
        for table in ("fact", "fact_entity", "mention", "edge", "alias", "signal"):
            connection.execute(f"DELETE FROM {table}")
        connection.execute("INSERT INTO phrase (phrase) VALUES ('delete-all')")
    assert checked(repair=True).sound
    with Memory(path, analyzer=analyzer) as memory:
        after = memory.ask(QUESTION)
        assert (after.text, after.citations) == (before.text, before.citations) == ("Tarnholm", before.citations)
        assert memory.verify(before).ok
        assert memory.search("adopted a dog", k=1)[0].turn.text == CHAT[0]["content"]


def test_who_has_the_store_open_sees_what_was_repaired(
    path: Path, checked: Callable[..., CheckReport], analyzer: Analyzer
):
    with damaging(path) as connection:
        connection.execute("DELETE FROM signal WHERE turn = 2")
    with Memory(path, analyzer=analyzer) as memory:
        assert all("Tarnholm" not in hit.turn.text for hit in memory.search("sister in Tarnholm"))
        checked(repair=True)
        assert "Tarnholm" in memory.search("sister in Tarnholm", k=1)[0].turn.text


def test_an_altered_turn_is_found_and_left_as_it_is(path: Path, checked: Callable[..., CheckReport]):
    with damaging(path) as connection:
        connection.execute("UPDATE turn SET text = replace(text, 'Tarnholm', 'Dornbach')")
        connection.execute("DELETE FROM signal WHERE turn = 1")
    report = checked(repair=True)
    assert report.remaining == ("1 turns whose text is not what was stored",)
    assert report.repaired[-1] == "1 turns read again"


def test_everything_that_is_derived_can_be_built_anew(path: Path, checked: Callable[..., CheckReport]):
    before = derived(path)
    with damaging(path) as connection:
        connection.execute("UPDATE fact SET statement = 'nonsense', occurs_text = 'never'")
    assert checked().found == ("4 turns whose facts and names are not what was stored",)
    assert checked(rebuild=True).repaired[-1] == "4 turns read again"
    assert derived(path) == before


def test_what_cannot_be_repaired_keeps_nothing_else_from_it(path: Path, checked: Callable[..., CheckReport]):
    with damaging(path) as connection:
        connection.execute("DELETE FROM session WHERE space = 2")
        connection.execute("UPDATE signal SET terms = x'0102030405060708' WHERE turn = 1")
    report = checked(repair=True)
    assert report.repaired == ("1 turns read again",)
    assert all("session" in text for text in report.remaining)


def test_a_turn_without_its_session_remains(path: Path, checked: Callable[..., CheckReport]):
    with damaging(path) as connection:
        connection.execute("DELETE FROM session WHERE id = 1")
    report = checked(repair=True)
    assert not report.sound
    assert any("session that is not there" in text for text in report.remaining)


def test_an_index_of_the_file_is_built_again(path: Path, checked: Callable[..., CheckReport]):
    """The rows of an index exchanged for those of another: what its table holds cannot be found by it."""
    with damaging(path) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        query = "UPDATE sqlite_master SET sql = 'CREATE INDEX fact_turn ON fact (start)' WHERE name = 'fact_turn'"
        connection.execute(query)
    assert any("index" in text for text in checked().found)
    assert checked(repair=True).sound


def test_what_can_be_read_of_a_damaged_file_is_exported(
    path: Path, checked: Callable[..., CheckReport], analyzer: Analyzer, tmp_path: Path
):
    """Pages of what is derived are overwritten: nothing is written to the file, and the turns can be saved."""
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'fact'").fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xa5" * 4096
    path.write_bytes(content)
    report = checked(repair=True)
    assert (report.sound, report.repaired) == (False, ())
    with Memory(path, analyzer=analyzer) as damaged, Memory(tmp_path / "new.db", analyzer=analyzer) as saved:
        damaged.export(tmp_path / "saved.jsonl")
        assert saved.import_(tmp_path / "saved.jsonl") == 4
        assert saved.ask(QUESTION).text == "Tarnholm"


def test_who_has_a_store_open_searches_what_was_restored(path: Path, analyzer: Analyzer, tmp_path: Path):
    back_up(path, tmp_path / "copy.backup")
    with Memory(path, analyzer=analyzer) as memory:
        memory.forget(session="default")
        memory.add("Ivo bought a boat.")
        memory.add_rules("Boats float. Alba is a boat.")
        assert memory.ask(QUESTION).text != "Tarnholm"
        restore(tmp_path / "copy.backup", path, force=True)
        assert memory.ask(QUESTION).text == "Tarnholm"
        assert memory.search("boat", k=1)[0].turn.text in [message["content"] for message in CHAT]
        assert [rule.text for rule in memory.rules()] == ["Everyone who has a dog needs a leash."]


def test_a_truncated_file_is_a_clear_error(path: Path, checked: Callable[..., CheckReport]):
    path.write_bytes(path.read_bytes()[: 4096 * 6])
    try:
        report = checked(repair=True)
    except CorruptStoreError as error:
        assert str(path) in error.problem
    else:
        assert not report.sound
        assert not report.repaired


def test_any_damage_is_a_clear_error_or_a_report(path: Path, checked: Callable[..., CheckReport]):
    whole = path.read_bytes()
    sound = 0
    for place in range(4096, len(whole), len(whole) // 24):
        path.write_bytes(whole[:place] + b"\xff" * 48 + whole[place + 48 :])
        with suppress(CorruptStoreError):
            sound += checked().sound
        for left in path.parent.glob("memory.db-*"):
            left.unlink()
    assert sound < 22  # of 24; what is not found lies in the unused parts of pages, and many tables are empty here


def test_a_text_that_is_no_utf_8_is_found_and_not_quoted(path: Path, checked: Callable[..., CheckReport]):
    whole = path.read_bytes()
    said = CHAT[0]["content"].encode()
    assert said in whole
    path.write_bytes(whole.replace(said[8:], b"\xff" * len(said[8:])))
    try:
        report = checked()
    except CorruptStoreError as error:
        shown = str(error)
    else:
        assert not report.sound
        shown = str(report)
    assert said[:8].decode() not in shown


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_store_that_cannot_be_written_is_not_repaired(path: Path, checked: Callable[..., CheckReport]):
    with damaging(path) as connection:
        connection.execute("DELETE FROM signal")
    path.chmod(0o400)
    with pytest.raises(ReadOnlyStoreError):
        checked(repair=True)
