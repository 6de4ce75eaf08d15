"""A check of a database finds what is missing, what is left over, and what no longer locks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

from goalmem.store import open_store
from goalmem.store.integrity import Remedy
from goalmem.store.postgres import PostgresStore
from goalmem.store.postgres.text import key_of
from tests.cases import one_in

from ..moves import fill
from ..samples import DIMENSION, MODEL, batch, ids
from .conftest import execute

_numbers = itertools.count()
ANA = f"'{key_of('ana')}'"


@pytest.fixture(scope="module")
def filled(empty_database: Callable[[], str]) -> str:
    """A database with a store that holds something of everything, to copy."""
    place = empty_database()
    fill(place)
    return place


@pytest.fixture
def place(filled: str) -> str:
    """A copy of it."""
    name = f"checked{next(_numbers)}"
    origin = filled.split("/")[3].split("?")[0]
    execute(
        filled.replace(f"/{origin}?", "/postgres?"), f"CREATE DATABASE {name} TEMPLATE {origin} STRATEGY = FILE_COPY"
    )
    return filled.replace(f"/{origin}?", f"/{name}?")


@pytest.fixture
def store(place: str) -> Iterator[PostgresStore]:
    store = open_store(place, model=MODEL, dimension=DIMENSION)
    assert isinstance(store, PostgresStore)
    yield store
    store.close()


def found(store: PostgresStore) -> list[str]:
    return [finding.text for finding in store.examine()]


def test_a_store_of_everything_is_sound(store: PostgresStore) -> None:
    assert found(store) == []
    store.index_space("ana")
    store.forget("ana", session="s1")
    assert found(store) == []


def test_rows_that_are_missing_or_left_over_are_found(store: PostgresStore, place: str) -> None:
    """Each statement does one thing to the space `ana` of the store; undone by the next copy."""
    damages = {
        "UPDATE goalmem.space SET turns = 9 WHERE name = 'ana'": "5 turns more or fewer than counted in the space 'ana'",
        "UPDATE goalmem.space SET turns = 4, last_seq = 1 WHERE name = 'ana'": "4 turns above their space's last number",
        f"UPDATE goalmem.graph SET triples = 5 WHERE space = {ANA}": "2 triples more or fewer than counted",
        f"DELETE FROM goalmem.graph_edge_back WHERE space = {ANA}": "3 triples that are not found by their object",
        f"DELETE FROM goalmem.graph_node WHERE space = {ANA}": "6 triples of nodes that are not there",
        f"DELETE FROM goalmem.graph_relation WHERE space = {ANA}": "3 triples of relations that are not there",
        f"DELETE FROM goalmem.fact WHERE space = {ANA} AND n = 1": "entities of facts that are not there",
        f"UPDATE goalmem.edge SET fact = 'x' WHERE space = {ANA}": "edges of facts that are not there",
        f"UPDATE goalmem.passage SET n = n + 5 WHERE space = {ANA} AND n = 1": "1 turns with vectors that are not numbered",
        f"UPDATE goalmem.turn SET terms = '\\x00' WHERE space = {ANA}": "4 turns with terms of another length",
        f"UPDATE goalmem.words SET words = 'other' WHERE space = {ANA}": "4 turns that are found by other words than their own",
        f"DELETE FROM goalmem.words WHERE space = {ANA}": "4 turns without words",
        f"DELETE FROM goalmem.passage WHERE space = {ANA}": "4 turns without a vector",
        f"DELETE FROM goalmem.reply WHERE space = {ANA}": "1 turns of replies that are not kept",
        f"UPDATE goalmem.session SET name = 'other' WHERE space = {ANA}": "2 sessions that are not found by their names",
        f"DELETE FROM goalmem.session WHERE space = {ANA}": "4 turns without a session",
        f"DELETE FROM goalmem.turn WHERE space = {ANA}": "rows of mention whose turn is not there",
        "UPDATE goalmem.space SET name = 'anna' WHERE name = 'ana'": "the space 'anna' is not found by its name",
        "DELETE FROM goalmem.space WHERE name <> 'bob'": "rows of rule whose space is not there",
    }
    for statement, said in damages.items():
        execute(place, statement)
        assert any(said in text for text in found(store)), (statement, found(store))


def test_a_turn_that_lost_what_it_needs_is_named_by_number(store: PostgresStore, place: str) -> None:
    (number,) = (
        row.seq for row in store.index_rows("bob\x00") if row.turn == ids(batch(["more"], "bob\x00", first=1))[0]
    )
    execute(place, f"DELETE FROM goalmem.passage WHERE seq = {number}")
    (finding,) = store.examine()
    assert (finding.space, finding.turns) == ("bob\x00", (number,))
    assert store.check() == [finding.text]


@pytest.mark.parametrize(
    ("statement", "said"),
    one_in(
        2,
        [
            ("ALTER TABLE goalmem.turn NO FORCE ROW LEVEL SECURITY", "row-level security is not forced on turn "),
            ("ALTER TABLE goalmem.fact_1 DISABLE ROW LEVEL SECURITY", "row-level security is not forced on fact_1 "),
            ("DROP POLICY own ON goalmem.session", "the policy own of the table session is not there"),
            (
                "CREATE POLICY anybody ON goalmem.rule USING (true)",
                "the table rule shows rows to a query without a space",
            ),
            ("CREATE POLICY anybody ON goalmem.rule USING (true)", "DROP POLICY anybody ON goalmem.rule"),
            (
                "ALTER TABLE goalmem.turn DETACH PARTITION goalmem.turn_1",
                "the table turn has 1 partitions instead of 2",
            ),
            ("DROP TABLE goalmem.edge", "the table edge is not there"),
            ("ALTER TABLE goalmem.mention DROP CONSTRAINT mention_pkey", "the table mention has no primary key"),
            (
                "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'goalmem.turn_0_pkey'::regclass",
                "the index turn_0_pkey of turn_0 is not valid (REINDEX INDEX CONCURRENTLY goalmem.turn_0_pkey)",
            ),
        ],
    ),
)
def test_what_no_longer_locks_or_is_not_there_is_found(
    store: PostgresStore, place: str, statement: str, said: str
) -> None:
    execute(place, statement)
    assert any(said in text for text in found(store)), found(store)


def test_an_index_of_a_large_space_that_is_gone_is_found(store: PostgresStore, place: str) -> None:
    store.index_space("ana")
    assert found(store) == []
    execute(place, f"DROP INDEX goalmem.large_words_{key_of('ana').hex}")
    (text,) = found(store)
    assert "no index of its words" in text
    assert "goalmem index --space ana" in text
    assert store.index_space("ana")
    assert found(store) == []


def test_an_owner_without_privileges_checks_too(place: str) -> None:
    """Row-level security shows the owner one space at a time: all but rows without a space are checked."""
    name = place.split("/")[3].split("?")[0]
    owner = f"owner_{name}"
    execute(
        place,
        f"CREATE ROLE {owner} LOGIN",
        f"GRANT USAGE, CREATE ON SCHEMA goalmem TO {owner}",
        f"ALTER SCHEMA goalmem OWNER TO {owner}",
        "DO $$ DECLARE name text; BEGIN FOR name IN SELECT c.relname FROM pg_class AS c"
        " WHERE c.relnamespace = 'goalmem'::regnamespace AND c.relkind IN ('r', 'p') LOOP"
        f" EXECUTE 'ALTER TABLE goalmem.' || name || ' OWNER TO {owner}'; END LOOP; END $$",
    )
    store = open_store(place.replace("postgres@", f"{owner}@"), model=MODEL, dimension=DIMENSION)
    assert isinstance(store, PostgresStore)
    assert found(store) == []
    execute(place, f"DELETE FROM goalmem.passage WHERE space = {ANA}")
    assert found(store) == ["4 turns without a vector in the space 'ana'"]
    store.close()


def test_what_belongs_to_nothing_is_dropped_and_counted_again(store: PostgresStore, place: str) -> None:
    gone = f"space = {ANA} AND seq IN (SELECT min(seq) FROM goalmem.turn WHERE space = {ANA})"
    epoch, _ = store.version("ana")
    execute(place, f"DELETE FROM goalmem.turn WHERE {gone}", f"DELETE FROM goalmem.fact WHERE space = {ANA} AND n = 1")
    assert {finding.remedy for finding in store.examine()} == {Remedy.DROP, Remedy.RENUMBER}
    done = store.repairs().apply({Remedy.DROP, Remedy.RENUMBER}, everything=False)
    assert done[1:] == ["turns counted again"]
    assert found(store) == []
    assert store.version("ana")[0] > epoch
    assert store.cached_reply("ana", "k1") is None  # it was asked about the turn that is gone
    assert store.cached_reply("ana", "k0") == "y"
    assert store.stats("ana").turns == 3
