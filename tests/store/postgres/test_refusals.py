"""What stands between us and a database is told with what to do about it, and never with the password."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from benchmarks.postgres_server import NOT_DURABLE, PostgresServer

from goalmem.errors import ReadOnlyStoreError, StoreBusyError, StoreError
from goalmem.store import Store, open_store
from goalmem.store.backup import back_up
from goalmem.store.postgres import PostgresStore
from goalmem.store.postgres.tables import PostgresTables

from ..samples import DIMENSION, MODEL, batch
from .conftest import execute

psycopg = pytest.importorskip("psycopg")


def opened(place: str, **options: object) -> Store:
    return open_store(place, **{"model": MODEL, "dimension": DIMENSION, **options})


def database_of(place: str) -> str:
    return urlsplit(place).path[1:]


def refusal(place: str) -> str:
    with pytest.raises(StoreError) as raised:
        opened(place)
    return str(raised.value)


def test_a_database_or_a_role_that_is_not_there_is_named(server: PostgresServer) -> None:
    assert 'database "nowhere" does not exist. Create the database' in refusal(server.url("nowhere"))
    assert 'role "nobody_here" does not exist. Create the role' in refusal(
        server.url().replace("postgres@", "nobody_here@")
    )


def test_a_wrong_password_is_told_without_it() -> None:
    with PostgresServer(NOT_DURABLE, in_memory=True) as server:
        execute(server.url(), "CREATE ROLE guarded LOGIN PASSWORD 'right'")
        rules = server.folder / "data" / "pg_hba.conf"
        rules.write_text("local all guarded scram-sha-256\nlocal all postgres trust\n")
        server.restart()
        told = refusal(server.url().replace("postgres@", "guarded:wrong-secret@"))
        assert "password authentication failed" in told
        assert "PGPASSFILE" in told
        assert "wrong-secret" not in told
        assert "pg_hba.conf" in refusal(server.url().replace("postgres@", "stranger@"))


@pytest.mark.parametrize(
    ("place", "remedy"),
    [
        ("postgresql://ana:secret@host.invalid/none", "Check the host in the URL"),
        ("postgresql://ana:secret@127.0.0.1:1/none", "Check that the server runs"),
    ],
)
def test_a_server_that_is_not_there_is_told_without_the_password(place: str, remedy: str) -> None:
    told = refusal(place)
    assert remedy in told
    assert "secret" not in told


def test_without_pgvector_or_with_an_old_one_it_is_said_what_to_install(empty_database: Callable[[], str]) -> None:
    place = empty_database()
    if not execute(place, "SELECT 1 FROM pg_settings WHERE name = 'extension_control_path'"):
        pytest.skip("this server cannot be told to have no extensions")
    database = database_of(place)
    execute(place, f"ALTER DATABASE {database} SET extension_control_path = '/nowhere'")
    assert "lacks pgvector" in refusal(place)
    assert execute(place, "SELECT 1 FROM pg_namespace WHERE nspname = 'goalmem'") == []
    execute(place, f"ALTER DATABASE {database} RESET extension_control_path")
    store = opened(place)
    execute(place, "UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
    assert "pgvector 0.7.4, older than 0.8" in refusal(place)
    assert isinstance(store, PostgresStore)
    assert any("ALTER EXTENSION vector UPDATE" in finding.text for finding in store.examine())
    store.close()


def test_a_database_that_does_not_hold_every_character_is_refused(server: PostgresServer) -> None:
    execute(server.url(), "CREATE DATABASE western ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    assert "encoded in LATIN1" in refusal(server.url("western"))


def test_a_server_that_is_too_old_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from goalmem.store.postgres import migrations as requirements

    monkeypatch.setattr(requirements, "OLDEST_SERVER", 99)
    assert "older than 99" in refusal(url)


def test_what_the_server_ends_is_not_called_damage(url: str) -> None:
    store = opened(f"{url}&options=-c%20statement_timeout%3D1s")
    with psycopg.connect(url) as connection:
        connection.execute("LOCK TABLE goalmem.session")
        with pytest.raises(StoreBusyError, match="statement timeout"):
            store.add(batch(["a"]))
    assert store.spaces() == []
    assert len(store.add(batch(["a"]))) == 1
    store.close()


def test_a_process_whose_connections_are_all_in_use_is_told_so(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from goalmem.store.postgres import connections

    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 1)
    store = opened(url, busy_timeout=0.3)
    assert isinstance(store, PostgresStore)
    begun, done = threading.Event(), threading.Event()
    holding = threading.Thread(target=lambda: store.read("ana", lambda tables: (begun.set(), done.wait(30))))
    holding.start()
    assert begun.wait(30)
    with pytest.raises(StoreBusyError, match="All connections of this process"):
        store.stats("ana")
    done.set()
    holding.join()
    assert store.stats("ana").turns == 0
    store.close()


def test_a_server_that_takes_no_more_connections_is_told_so(empty_database: Callable[[], str]) -> None:
    place = empty_database()
    execute(place, "CREATE EXTENSION vector", "CREATE ROLE crowd LOGIN CONNECTION LIMIT 1")
    execute(place, f"GRANT CREATE ON DATABASE {database_of(place)} TO crowd")
    mine = place.replace("postgres@", "crowd@")
    store = opened(mine, busy_timeout=0.5)
    await_nobody(place, "crowd")
    with psycopg.connect(mine.split("&goalmem")[0]), pytest.raises(StoreBusyError, match="no more connections"):
        store.add(batch(["a"]))
    store.close()
    await_nobody(place, "crowd")
    patient = opened(mine)
    await_nobody(place, "crowd")
    assert len(patient.add(batch(["a"]))) == 1
    patient.close()


def await_nobody(place: str, role: str) -> None:
    """Until the server has noticed that a role's connections are closed."""
    deadline = time.monotonic() + 30
    while execute(place, f"SELECT 1 FROM pg_stat_activity WHERE usename = '{role}'"):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_connection_that_is_lost_in_the_middle_of_a_call_costs_nothing(url: str) -> None:
    store = opened(url)
    assert isinstance(store, PostgresStore)
    lost = []

    def interrupted(tables: PostgresTables) -> int:
        connection = tables.connection
        connection.execute("UPDATE space SET turns = turns + 0")
        if not lost:
            lost.append(True)
            execute(url, f"SELECT pg_terminate_backend({connection.info.backend_pid})")
        return connection.execute("SELECT 1").rowcount

    assert store.write("ana", interrupted) == 1
    assert lost
    store.close()


def test_a_standby_is_read_and_never_written(tmp_path: Path) -> None:
    """A real one: it follows its primary by streaming."""
    with PostgresServer(NOT_DURABLE, in_memory=True) as primary:
        writer = opened(primary.url(goalmem_partitions=1))
        writer.add(batch(["red apple"]))
        with PostgresServer(NOT_DURABLE, follows=primary, in_memory=True) as standby:
            reader = opened(standby.url())
            assert isinstance(reader, PostgresStore)
            assert reader.read_only
            with pytest.raises(ReadOnlyStoreError, match="primary"):
                reader.add(batch(["b"], first=1))
            writer.add(batch(["green pear"], first=1))
            await_turns(reader, 2)
            assert [turn.text for turn in reader.all_turns("ana")] == ["red apple", "green pear"]
            assert reader.examine() == []
            assert back_up(standby.url(), tmp_path / "copy.backup").turns == 2
            reader.close()
        writer.close()


def await_turns(store: Store, turns: int) -> None:
    """Until a standby has so many turns."""
    deadline = time.monotonic() + 60
    while store.stats("ana").turns < turns:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_url_may_hold_spaces_and_several_hosts(url: str) -> None:
    from goalmem.store.postgres.location import locate_postgres

    assert opened(f"{url}&application_name=my%20memories&options=-c%20work_mem%3D8MB").spaces() == []
    several = locate_postgres("postgresql://ana:secret@one:5432,two:5433/memories?target_session_attrs=read-write")
    assert several.name == "postgresql://ana@one:5432,two:5433/memories"
    assert several.conninfo.startswith("postgresql://ana:secret@one:5432,two:5433/memories?")
