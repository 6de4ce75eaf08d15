"""What was forgotten is no longer in the files, not only no longer found."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from goalmem.records import Edge, Extraction, Mention, Turn
from goalmem.store import NewTurn, Store, open_store
from goalmem.store.sqlite import SqliteStore, space_named
from goalmem.store.transactions import write_transaction
from goalmem.store.writes import forget

from .samples import DIMENSION, MODEL, batch, batch_of, change_of, digest, fact, new_turn, turn


def secret(number: int) -> str:
    """A word that is nowhere else."""
    return f"zq{digest('secret', number)}"


def telling(number: int, filler: int = 0) -> NewTurn:
    """A turn whose secret stands in its text and in everything derived from it."""
    word = secret(number)
    said = turn(f"my word is {word} {'and so on ' * filler}", number, caption=f"picture of {word}", speaker=word)
    derived = Extraction(
        said.id,
        (fact(said, statement=f"it is {word}", slot=word, predicate=word),),
        (Mention("ana", said.id, 0, 9, word, word, "thing"),),
        (Edge("ana", word, word, word, "f", said.id),),
        ((word, word),),
    )
    return new_turn(said, number, derived)


def bytes_of(folder: Path) -> bytes:
    """All that lies in the store's files."""
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir()))


def left_behind(folder: Path, numbers: list[int]) -> list[int]:
    """Those whose secret is still in a file."""
    content = bytes_of(folder)
    return [n for n in numbers if secret(n).encode() in content]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "memory.db", model=MODEL, dimension=DIMENSION)


def test_a_forgotten_turn_leaves_the_file_at_once(store: Store, tmp_path: Path) -> None:
    said = [telling(n, filler=n * 200) for n in range(12)]
    store.add(batch_of(said))
    assert left_behind(tmp_path, list(range(12))) == list(range(12))
    store.forget("ana", turn=said[3].turn.id)
    assert left_behind(tmp_path, list(range(12))) == [n for n in range(12) if n != 3]
    store.forget("ana")
    assert left_behind(tmp_path, list(range(12))) == []
    store.close()
    assert left_behind(tmp_path, list(range(12))) == []


def test_a_forgotten_turn_takes_what_it_said_before_it_was_changed(store: Store, tmp_path: Path) -> None:
    said = [new_turn(turn(f"my word is {secret(n)} {'and so on ' * n * 200}", n), n) for n in range(6)]
    store.add(batch_of(said))
    for new in said:
        assert store.change(change_of(store, new.turn, "nothing any more"))
    assert left_behind(tmp_path, list(range(6))) == list(range(6))
    store.forget("ana", turn=said[3].turn.id)
    assert left_behind(tmp_path, list(range(6))) == [0, 1, 2, 4, 5]


def test_no_copy_stays_behind_when_rows_moved_between_pages(store: Store, tmp_path: Path) -> None:
    alive: dict[int, Turn] = {}
    gone: list[int] = []
    for first in range(0, 240, 8):
        said = [telling(n, (0, 0, 3, 40, 900)[n * n % 5]) for n in range(first, first + 8)]
        store.add(batch_of(said))
        alive |= {first + n: new.turn for n, new in enumerate(said)}
        if first % 40 == 32:
            for step in (3, 17, 31, 57):
                gone.append(list(alive)[first * step % len(alive)])
                store.forget("ana", turn=alive.pop(gone[-1]).id)
    assert left_behind(tmp_path, gone) == []
    assert store.check() == []
    store.close()


def test_a_forgotten_turn_leaves_no_words_in_the_replies_about_it(store: Store, tmp_path: Path) -> None:
    said = [telling(n) for n in range(3)]
    store.add(batch_of(said))
    for number in range(3):
        store.keep_reply("ana", f"about {number}", f"she said {secret(number)}", [said[number].turn.id])
    store.keep_reply("ana", "question", f"what about {secret(7)}?", [])
    store.forget("ana", turn=said[1].turn.id)
    assert left_behind(tmp_path, [0, 1, 2, 7]) == [0, 2]
    assert store.cached_reply("ana", "about 0") == f"she said {secret(0)}"
    store.close()


def test_a_large_store_is_written_anew_when_it_is_closed(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory.db", model=MODEL, dimension=DIMENSION)
    large = turn("x" * 9_000_000, 99)
    store.add(batch_of([new_turn(large, 99, Extraction(large.id)), telling(1), telling(2)]))
    store.forget("ana", turn=telling(1).turn.id)
    assert left_behind(tmp_path, [1, 2]) == [2]
    store.forget("ana", turn=large.id)
    store.close()
    assert (tmp_path / "memory.db").stat().st_size < 1_000_000
    assert left_behind(tmp_path, [1, 2]) == [2]


def test_a_reader_in_another_store_does_not_keep_forgotten_words(store: Store, tmp_path: Path) -> None:
    store.add(batch_of([telling(n) for n in range(4)]))
    other = open_store(tmp_path / "memory.db", model=MODEL, dimension=DIMENSION)
    rows = other.index_rows("ana")
    next(rows)
    store.forget("ana", turn=telling(2).turn.id)
    assert left_behind(tmp_path, [0, 1, 2, 3]) == [0, 1, 3]
    other.close()
    store.close()


def test_who_is_killed_before_forgotten_words_leave_the_index_leaves_that_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(tmp_path / "memory.db", model=MODEL, dimension=DIMENSION)
    large = turn("x" * 9_000_000, 99)
    store.add(batch_of([new_turn(large, 99, Extraction(large.id)), telling(1), telling(2)]))
    with monkeypatch.context() as patch:
        patch.setattr(SqliteStore, "overwrite_removed", lambda _: None)
        store.forget("ana", turn=telling(1).turn.id)
    assert left_behind(tmp_path, [1, 2]) == [1, 2]
    with open_database_of(tmp_path) as killed:  # which keeps the log from being emptied when the first is closed
        assert killed.execute("SELECT value FROM meta WHERE key = 'phrases'").fetchone() == ("due",)
    later = open_store(tmp_path / "memory.db", model=MODEL, dimension=DIMENSION)
    assert left_behind(tmp_path, [1, 2]) == [2]
    assert later.phrase("ana", f"my word is {secret(2)}") == [telling(2).turn.id]
    assert later.check() == []
    later.close()
    store.close()


def open_database_of(folder: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(folder / "memory.db", isolation_level=None))


def steps_of_forgetting(folder: Path, sessions: int, **which: str) -> int:
    """Hundreds of steps of the database's machine that forgetting takes in a store with so many sessions of 50 turns."""
    folder.mkdir()
    with closing(open_store(folder / "memory.db", model=MODEL, dimension=DIMENSION)) as store:
        for n in range(sessions):
            texts = [f"in session {n} they said {k} and {digest(n, k)}" for k in range(50)]
            store.add(batch(texts, session=f"s{n}", first=50 * n))
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    with open_database_of(folder) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.set_progress_handler(count, 100)
        with write_transaction(connection):
            assert forget(space_named(connection, "ana"), which.get("turn"), which.get("session")).turns
    return steps


def test_forgetting_costs_what_goes_and_not_what_stays(tmp_path: Path) -> None:
    session = partial(steps_of_forgetting, session="s1")
    assert session(tmp_path / "small", 4) * 1.2 > session(tmp_path / "large", 40)
    few, many = (steps_of_forgetting(tmp_path / f"{n}", n) for n in (4, 40))
    assert few * 12 > many
