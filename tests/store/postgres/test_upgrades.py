"""A database of every version that was released, with rows of every kind, is brought up to date and gives back all that it held."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from goalmem import Memory
from goalmem.errors import StoreError
from goalmem.language import Analyzer
from goalmem.store import Store, open_store
from tests.cases import one_in

from ...hostile.history import Letters
from ..older import TOLD, assert_given_back
from .conftest import execute

if TYPE_CHECKING:
    from goalmem.store.postgres.schema import Connection, Layout

WRITTEN = {
    "spaces_sessions_turns": "b8fdbb29de27dc67",
    "vectors": "8203fcee8f156596",
    "facts_and_their_entities": "49ed5caa1867bf27",
    "mentions_edges_aliases": "ca698dcb9381790f",
    "words_of_turns": "de01685c04095c7b",
    "chat_replies": "e4c8d133d1649e76",
    "stated_rules": "e3c2f51aad68bf37",
    "imported_graphs": "558244747c72330a",
    "vectors_of_another_model": "01c0ab74881deef6",
    "turn_metadata": "68059aeaa00bc6f5",
    "turn_versions": "434506418fb7b819",
    "checksums": "c7bcbe110fd0e9b1",
}
"""Name of each migration ever released -> digest of its statements. Only ever appended to."""
NAMES = list(WRITTEN)
VERSIONS = range(NAMES.index("imported_graphs") + 1, len(NAMES) + 1)
"""Counts of migrations: the first version on PostgreSQL had eight."""
KINDS = json.loads((Path(__file__).parent / "rows_of_every_kind.json").read_text(encoding="utf-8"))
"""Table -> its columns and rows, as texts, as the version with 12 migrations wrote them, and where its sequences stood: the rows of
`older.KINDS`. Never changed; columns that come later are those of what an older version stored.
"""


class Statements:
    """A connection that only notes what it is asked."""

    def __init__(self) -> None:
        self.noted: list[str] = []

    def execute(self, statement: Any) -> None:
        self.noted.append(" ".join(statement.as_string(None).split()))


def test_released_migrations_are_never_changed() -> None:
    schema = pytest.importorskip("goalmem.store.postgres.schema")
    written = {}
    for migration in schema.MIGRATIONS:
        migration(noting := Statements(), schema.Layout(partitions=2, dimension=8))
        written[migration.__name__] = hashlib.sha256("\n".join(noting.noted).encode()).hexdigest()[:16]
    assert written == WRITTEN


def opened(place: str) -> Store:
    return open_store(place, model=Letters.name, dimension=Letters.dimension)


def filled_after(place: str, count: int) -> str:
    """Make a store as the first `count` migrations left it, with rows in all the tables and columns that there were then."""
    import psycopg

    from goalmem.store.postgres.location import locate_postgres
    from goalmem.store.postgres.migrations import open_schema
    from goalmem.store.postgres.schema import MIGRATIONS

    open_schema(locate_postgres(place), Letters.name, Letters.dimension, read_only=False, migrations=MIGRATIONS[:count])
    with psycopg.connect(place.split("&goalmem")[0]) as connection:
        connection.execute("SET search_path = goalmem, public; DELETE FROM meta")
        if staged := "vectors_of_another_model" in NAMES[:count]:
            connection.execute("ALTER TABLE next_passage ALTER COLUMN vector TYPE halfvec(4)")
        for table in tables_in(place) & KINDS.keys():
            _fill(connection, table)
        if not staged:
            connection.execute("DELETE FROM meta WHERE key LIKE 'next%'")
        for sequence, last in KINDS["sequences"].items():
            connection.execute("SELECT setval(%s, %s)", (sequence, last))
    return place


def _fill(connection: Connection, table: str) -> None:
    query = "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
    known = {name for (name,) in connection.execute(query, (table,))}
    kept = [place for place, name in enumerate(KINDS[table]["columns"]) if name in known]
    names = ", ".join(KINDS[table]["columns"][place] for place in kept)
    connection.cursor().executemany(
        f"INSERT INTO {table} ({names}) VALUES ({', '.join(['%s'] * len(kept))})".encode(),
        [[row[place] for place in kept] for row in KINDS[table]["rows"]],
    )


def tables_in(place: str) -> set[str]:
    query = "SELECT relname FROM pg_class WHERE relnamespace = 'goalmem'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition"
    return {str(name) for (name,) in execute(place, query)}


def rows_of(place: str) -> dict[str, list[tuple[object, ...]]]:
    """Every row of a store but for when migrations were made."""
    return {
        table: sorted(
            execute(place, f"SELECT {'name' if table == 'migration' else 'x::text'} FROM goalmem.{table} AS x")
        )
        for table in tables_in(place)
    }


@pytest.mark.parametrize("count", one_in(2, VERSIONS))
def test_a_database_of_every_version_gives_back_what_it_held(
    empty_database: Callable[[], str], count: int, analyzer: Analyzer
) -> None:
    place = filled_after(empty_database(), count)
    for _ in range(2):
        store = opened(place)
        assert_given_back(store, NAMES, count)
        assert store.check() == []
        store.close()
        once = rows_of(place)
        with Memory(place, embedder=Letters(), analyzer=analyzer) as memory:
            assert memory.check() == []
            assert {hit.turn.text for hit in memory.search("bus", k=9)} == {text for *_, text, _ in TOLD}
        assert rows_of(place) == once
    with Memory(place, embedder=Letters(), analyzer=analyzer) as memory:
        said = {"role": "user", "name": "Maya", "content": "I live in Ghent.", "id": "m1"}
        assert not memory.add([said], session="one").new
        memory.update(memory.get_all().items[1].id, text="I do not own a boat.")
        memory.forget(session="two")
        memory.add("I am back.", session="three")
        assert memory.check() == []


@pytest.mark.parametrize("count", one_in(4, VERSIONS[:-1]))
def test_killed_within_any_migration_the_next_opening_goes_on(
    empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    from goalmem.store.postgres import migrations
    from goalmem.store.postgres.schema import MIGRATIONS

    place = filled_after(empty_database(), count)
    before = rows_of(place)
    for last in range(count, len(MIGRATIONS)):

        def killed(connection: Connection, layout: Layout, last: int = last) -> None:
            MIGRATIONS[last](connection, layout)
            connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")

        killed.__name__ = NAMES[last]
        with monkeypatch.context() as patched:
            patched.setattr(
                migrations.open_schema,
                "__kwdefaults__",
                {"migrations": (*MIGRATIONS[:last], killed, *MIGRATIONS[last + 1 :])},
            )
            with pytest.raises(StoreError):
                opened(place)
        assert rows_of(place) == before
    with ThreadPoolExecutor(4) as openers:  # the first brings it up to date, the others wait
        stores = list(openers.map(opened, [place] * 4))
    for store in stores:
        assert_given_back(store, NAMES, count)
        store.close()
