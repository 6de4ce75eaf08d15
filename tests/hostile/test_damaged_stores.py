"""Whatever byte or row of a store is altered: using it does no harm, or is refused as damage that a check has found."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem import Memory
from goalmem.errors import CorruptStoreError, GoalmemError, NotAStoreError, RuleError
from goalmem.language import Analyzer
from goalmem.maintenance.check import check
from goalmem.serve.ledger import Ledger
from goalmem.store.location import LEDGER, SERVED
from tests.cases import examples

CHAT = [
    {"role": "user", "name": "Nadia", "content": "I adopted a dog last Saturday!", "metadata": {"app": "chat", "n": 3}},
    {"role": "user", "name": "Ivo", "content": "Congratulations! My sister Lucia lives in Tarnholm."},
    {"role": "user", "name": "Nadia", "content": "She is a good swimmer.", "expires_at": "2090-01-01T00:00:00Z"},
]
TRIPLES = [("Tarnholm", "capital of", "Nordmark"), ("Nordmark", "part of", "Europe")]
QUESTION = "Where does Ivo's sister live?"


@dataclass(frozen=True)
class Filled:
    """A store that holds something of every kind, and what was made of it."""

    path: Path
    turns: tuple[str, ...]
    proof: Any
    rows: list[tuple[str, int]]
    """Table and number of every row of its tables."""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, analyzer: Analyzer) -> Filled:
    path = tmp_path_factory.mktemp("damaged") / "memory.db"
    with Memory(path, analyzer=analyzer) as memory:
        turns = memory.add(CHAT, at="2024-04-16T21:10:00").turns
        memory.update(turns[2], text="She is a good diver.")
        memory.add_rules("Everyone who has a dog needs a leash.")
        memory.import_graph(TRIPLES)
        proof = memory.ask(QUESTION).proof
    with closing(sqlite3.connect(path)) as connection:
        rows = [
            (table, n)
            for table in tables(connection)
            for n, _ in enumerate(connection.execute(f"SELECT 1 FROM {table}"))
        ]
    return Filled(path, turns, proof, rows)


def tables(connection: sqlite3.Connection) -> list[str]:
    """Every table but those of SQLite and what the store is recognized by, whose damage is another test's."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('phrase', 'meta', 'migration')"
    return [name for (name,) in connection.execute(f"{query} AND name NOT LIKE 'sqlite%' ORDER BY name")]


def alter(path: Path, table: str, number: int, choose: Callable[[int], int]) -> None:
    """Delete a row, or flip a bit of one of its values, or cut it short."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
        row = connection.execute(f"SELECT {', '.join(columns)} FROM {table} LIMIT 1 OFFSET ?", (number,)).fetchone()
        this = " AND ".join(f"{column} IS ?" for column in columns)
        place = choose(len(columns))
        if place == len(columns):
            connection.execute(f"DELETE FROM {table} WHERE {this}", row)
            return
        value = row[place]
        kind = "CAST(? AS TEXT)" if isinstance(value, str) else "?"
        connection.execute(
            f"UPDATE OR IGNORE {table} SET {columns[place]} = {kind} WHERE {this}", (flipped(value, choose), *row)
        )


def flipped(value: Any, choose: Callable[[int], int]) -> Any:
    """The value with one bit changed, or a text or bytes cut."""
    if isinstance(value, int):
        return value ^ 1 << choose(62)
    if not isinstance(value, str | bytes) or not value:
        return value
    written = bytearray(value.encode() if isinstance(value, str) else value)
    if choose(3) == 0:
        return bytes(written[: choose(len(written) - 1)])
    written[choose(len(written) - 1)] ^= 1 << choose(7)
    return bytes(written)


def failures(memory: Memory, filled: Filled, out: Path) -> Iterator[Exception]:
    """What a store that is used raises."""
    uses: list[Callable[[], object]] = [
        lambda: memory.search("sister in Tarnholm"),
        lambda: memory.ask(QUESTION),
        lambda: memory.ask("What is Tarnholm the capital of?"),
        memory.rules,
        memory.sessions,
        memory.stats,
        memory.get_all,
        lambda: memory.get_all(where={"app": "chat"}),
        lambda: memory.profile("Nadia"),
        lambda: memory.history("Nadia"),
        lambda: memory.versions(filled.turns[2]),
        lambda: memory.verify(filled.proof),
        lambda: memory.export(out),
        lambda: memory.add("Nadia likes plums."),
        lambda: memory.forget(turn=filled.turns[0]),
    ]
    for use in uses:
        try:
            use()
        except Exception as error:  # noqa: BLE001 - which they are is what the test is about
            yield error


@examples(8, 500)
@given(st.data())
def test_damage_is_harmless_or_found(
    filled: Filled, analyzer: Analyzer, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = Path(shutil.copy(filled.path, tmp_path_factory.mktemp("altered") / "memory.db"))
    table, number = data.draw(st.sampled_from(filled.rows))
    alter(path, table, number, lambda most: data.draw(st.integers(0, most)))
    try:
        with Memory(path, analyzer=analyzer) as memory:
            found = memory.check()
            raised = list(failures(memory, filled, path.with_suffix(".jsonl")))
    except CorruptStoreError:
        return
    assert all(isinstance(error, GoalmemError) for error in raised), raised
    assert found or not any(isinstance(error, CorruptStoreError | RuleError) for error in raised), raised


def no_text(table: str, column: str) -> str:
    return f"UPDATE {table} SET {column} = CAST(x'61ff62' AS TEXT)"


SAID = {
    "no UTF-8 in facts": (no_text("fact", "statement"), "row of fact that is not valid UTF-8"),
    "no UTF-8 in mentions": (no_text("mention", "type"), "row of mention that is not valid UTF-8"),
    "no UTF-8 in turns": (no_text("turn", "text"), "rows of turn that are not valid UTF-8"),
    "no UTF-8 in versions": (no_text("version", "text"), "rows of version that are not valid UTF-8"),
    "no UTF-8 in rules": (no_text("rule", "clauses"), "rows of rule that are not valid UTF-8"),
    "a rule that cannot be read": ("UPDATE rule SET clauses = '[['", "rules in the space 'default' cannot be read"),
    "a session at no time": (f"UPDATE session SET at = {2**62}", "the times of sessions"),
    "a version until no time": (f"UPDATE version SET until = {2**62}", "earlier versions of turns"),
    "triples of nothing": ("UPDATE graph_edge SET object = 77", "triples of what is not there"),
    "a node too few": ("DELETE FROM graph_node WHERE node = 1", "nodes without a number of their own"),
    "no count of phrases": ("UPDATE phrase_data SET block = x'' WHERE id = 1", "counted other turns"),
}


@pytest.mark.parametrize("name", SAID)
def test_what_is_damaged_is_said(name: str, filled: Filled, analyzer: Analyzer, tmp_path: Path) -> None:
    path = Path(shutil.copy(filled.path, tmp_path / "memory.db"))
    damage, said = SAID[name]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(damage)
    with Memory(path, analyzer=analyzer) as memory:
        found = memory.check()
        assert any(said in text for text in found), found
        checked = check(memory._parts.store, memory._parts.embedder, repair=True, analyzer=analyzer)
        derived = "row of" in said or "counted" in said
        assert checked.sound == derived, checked


@pytest.mark.parametrize("left", ["-wal", "-journal", SERVED])
def test_an_empty_file_beside_what_a_store_leaves_is_damage(left: str, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.touch()
    beside = path.with_name(path.name + left)
    if left == SERVED:
        beside.mkdir()
        (beside / LEDGER).touch()
    else:
        beside.write_bytes(b"\x01" * 512)
    with pytest.raises(CorruptStoreError, match="its file is empty"):
        Memory(path)
    assert path.stat().st_size == 0
    assert beside.exists()


@pytest.mark.parametrize("left", ["-wal", "-journal", SERVED])
def test_a_missing_file_beside_what_a_store_leaves_is_damage(left: str, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    beside = path.with_name(path.name + left)
    if left == SERVED:
        beside.mkdir()
        ledger = Ledger(beside)
        with ledger.writing() as connection:
            connection.execute("INSERT INTO acknowledged VALUES ('k', 's', 'i', x'00', 'o', 0, 200, x'7b7d')")
        ledger.close()
    else:
        beside.write_bytes(b"\x01" * 512)
    with pytest.raises(CorruptStoreError, match="its file is missing") as refused:
        Memory(path)
    assert str(beside) in refused.value.remedy
    assert not path.exists()
    assert beside.exists()


def test_keys_may_be_made_before_the_store(tmp_path: Path, analyzer: Analyzer) -> None:
    path = tmp_path / "memory.db"
    Ledger(path.with_name(path.name + SERVED)).close()
    with Memory(path, analyzer=analyzer) as memory:
        memory.add("I like tea.")
        assert memory.stats().turns == 1


@pytest.mark.skipif(os.name != "posix", reason="a pipe with a name, and devices")
def test_a_pipe_or_a_device_is_no_store(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path("/dev/zero"), Path("/dev/null")):
        with pytest.raises(NotAStoreError, match="pipe"):
            Memory(place)
