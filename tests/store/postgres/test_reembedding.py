"""A database changes its embedding model whole or not at all, with its dimension and its indices."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from goalmem import Memory
from goalmem.errors import InputError, OtherModelError
from goalmem.maintenance.reembedding import reindex
from goalmem.settings import Settings
from goalmem.store.protocol import LargeSpaces, TurnFilter
from goalmem_lab.evals.cache import NoAnalysis

from ..changing import NEW, OLD, SETTINGS, Changes, assert_whole, opened, tell
from ..spelling import Spelling
from .conftest import execute

_numbers = itertools.count()


@pytest.fixture(scope="module")
def one(empty_database: Callable[[], str]) -> str:
    return empty_database()


@pytest.fixture
def place(one: str) -> str:
    """A place of its own in one database."""
    return f"{one}&goalmem_schema=place{next(_numbers)}"


class TestOfDatabases(Changes):
    """The server store."""


def schema(place: str) -> str:
    return place.partition("goalmem_schema=")[2]


def test_nothing_is_left_of_the_old_vectors(place: str) -> None:
    with opened(place) as store:
        tell(store, ["one", "two"])
        before = tables(place)
    for embedder in (NEW, OLD):
        reindex(place, embedder, settings=SETTINGS)
        assert tables(place) == before
        rows = execute(place, f"SELECT count(*) FROM {schema(place)}.next_passage")
        assert rows == [(0,)]


def tables(place: str) -> list[tuple[object, ...]]:
    query = (
        "SELECT relname, relkind, relrowsecurity, relforcerowsecurity FROM pg_class"
        f" WHERE relnamespace = '{schema(place)}'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname"
    )
    return execute(place, query)


def test_a_space_that_is_searched_in_the_database_is_so_with_the_new_vectors(place: str) -> None:
    texts = [f"{word} number {n}" for n, word in enumerate(["apple", "barn", "cello", "dune"] * 30)]
    with opened(place) as store:
        assert isinstance(store, LargeSpaces)
        tell(store, texts, space="large")
        tell(store, texts[:3], space="small")
        assert store.index_space("large")
    reindex(place, NEW, settings=SETTINGS)
    with opened(place, NEW) as store:
        assert isinstance(store, LargeSpaces)
        assert_whole(store, NEW)
        assert store.indexed("large") == len(texts)
        wanted = NEW.embed(["Maya: cello number 42"])[0].astype("<f2").tobytes()
        near = store.nearest("large", wanted, 5, TurnFilter())
        assert len(near) == 5
        rows = {row.seq: row for row in store.index_rows("large")}
        found = next(iter(store.turns("large", [rows[near[0]].turn]).values()))
        assert found.text == "cello number 42"
    indices = execute(
        place,
        "SELECT relname FROM pg_class WHERE relkind = 'i' AND relname LIKE 'large%'"
        f" AND relnamespace = '{schema(place)}'::regnamespace ORDER BY relname",
    )
    assert [str(name).rpartition("_")[0] for (name,) in indices] == ["large_passage", "large_turn", "large_words"]


def test_a_memory_changes_while_it_is_open_and_another_process_goes_on(place: str) -> None:
    def memory() -> Memory:
        return Memory(place, settings=Settings(), analyzer=NoAnalysis())

    with memory() as one, memory() as other:
        for text in ("I adopted a beagle.", "We moved to Lisbon."):
            one.add(text)
        assert len(other.search("beagle")) == 2
        one.reindex(NEW)
        one.add("It is sunny.")
        assert len(one.search("beagle")) == 3
        with pytest.raises(OtherModelError, match="'new'"):
            other.search("beagle")
        one.reindex("minilm")
        assert len(other.search("beagle")) == 3
        other.add("He is called Comet.")
        assert len(one.search("beagle")) == 4


def test_more_dimensions_than_the_database_takes_are_refused_before_anything_is_done(place: str) -> None:
    with opened(place) as store:
        tell(store, ["one"])
        assert isinstance(store, LargeSpaces)
    with pytest.raises(InputError, match="16,000"):
        reindex(place, Spelling("huge", 16_001), settings=SETTINGS)
    with opened(place) as store:
        assert store.index_space("ana")
    with pytest.raises(InputError, match="4,000"):
        reindex(place, Spelling("wide", 4_001), settings=SETTINGS)
    with opened(place) as store:
        assert_whole(store, OLD)
