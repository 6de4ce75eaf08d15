"""A PostgreSQL store is opened, made, brought up to date, or refused with a reason."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from benchmarks.postgres_server import PostgresServer

from goalmem.errors import (
    InputError,
    NewerStoreError,
    NotAStoreError,
    OtherModelError,
    ReadOnlyStoreError,
    StoreError,
)
from goalmem.store import Store, open_store
from goalmem.store.transfer import move

from ..samples import DIMENSION, MODEL, batch
from .conftest import execute


def opened(place: str, **options: object) -> Store:
    return open_store(place, **{"model": MODEL, "dimension": DIMENSION, **options})


def test_another_model_is_refused(url: str) -> None:
    for given in ({"model": "other"}, {"dimension": 9}):
        with pytest.raises(OtherModelError) as raised:
            opened(url, **given)
        assert raised.value.model == MODEL


def test_another_programs_schema_is_left_as_it_is(empty_database: Callable[[], str]) -> None:
    place = empty_database()
    execute(place, "CREATE SCHEMA goalmem", "CREATE TABLE goalmem.orders (id integer)")
    with pytest.raises(NotAStoreError):
        opened(place)
    assert execute(place, "SELECT relname FROM pg_class WHERE relnamespace = 'goalmem'::regnamespace") == [("orders",)]
    store = opened(f"{place}&goalmem_schema=elsewhere")
    store.add(batch(["a"]))
    store.close()
    assert execute(place, "SELECT count(*) FROM elsewhere.turn") == [(1,)]


def test_a_store_of_a_newer_goalmem_is_refused(new_url: Callable[[], str]) -> None:
    place = new_url()
    execute(place, "INSERT INTO goalmem.migration VALUES ('time_travel', '2031-01-01')")
    with pytest.raises(NewerStoreError, match="time_travel"):
        opened(place)


def test_a_migration_that_is_missing_is_applied_once(
    new_url: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from goalmem.store.postgres import migrations
    from goalmem.store.postgres.schema import MIGRATIONS, Connection, Layout

    def remember_the_weather(connection: Connection, layout: Layout) -> None:
        connection.execute("CREATE TABLE weather (day date)")

    place = new_url()
    later = (*MIGRATIONS, remember_the_weather)
    monkeypatch.setattr(migrations.open_schema, "__kwdefaults__", {"migrations": later})
    for _ in range(2):
        opened(place).close()
    assert execute(place, "SELECT count(*) FROM goalmem.weather") == [(0,)]
    further = (*later, test_another_model_is_refused)
    monkeypatch.setattr(migrations.open_schema, "__kwdefaults__", {"migrations": further})
    with pytest.raises(ReadOnlyStoreError):
        opened(place, read_only=True)


def test_what_is_opened_for_reading_is_not_written(url: str) -> None:
    store = opened(url)
    store.add(batch(["a"]))
    store.close()
    reader = opened(url, read_only=True)
    assert reader.stats("ana").turns == 1
    with pytest.raises(ReadOnlyStoreError):
        reader.add(batch(["b"], first=1))
    reader.close()


def test_a_store_that_is_not_there_is_not_made_for_reading(empty_database: Callable[[], str]) -> None:
    with pytest.raises(ReadOnlyStoreError):
        opened(empty_database(), read_only=True)


def test_a_server_that_is_not_there_is_named_without_the_password() -> None:
    with pytest.raises(StoreError, match=r"postgresql://ana@127\.0\.0\.1:1/none") as raised:
        opened("postgresql://ana:secret@127.0.0.1:1/none")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "place",
    [
        "postgresql://host:port/db",
        "postgresql:///db?goalmem_colour=red",
        "postgresql:///db?goalmem_schema=a;b",
        "postgresql:///db?goalmem_partitions=many",
        "postgresql:///db?goalmem_partitions=1000",
    ],
)
def test_a_url_that_cannot_be_read_is_refused(place: str) -> None:
    with pytest.raises(InputError):
        opened(place)


def test_without_its_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("goalmem.store.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"goalmem\[postgres\]"):
        opened("postgresql:///db")
    with pytest.raises(StoreError, match=r"goalmem\[postgres\]"):
        move("some.goalmem", "postgresql:///db")


def test_tables_need_not_be_partitioned(server: PostgresServer) -> None:
    execute(server.url(), "CREATE DATABASE plain_tables")
    place = server.url("plain_tables", goalmem_partitions=0)
    store = opened(place)
    assert execute(place, "SELECT count(*) FROM pg_inherits") == [(0,)]
    store.add(batch(["the lazy dog"]))
    assert store.index_space("ana")
    assert store.indexed("ana") == 1
    assert len(store.phrase("ana", "lazy dog")) == 1
    assert store.forget("ana").turns == 1
    assert store.check() == store.spaces() == []
    store.close()
