"""A store moves from a file to PostgreSQL, back, and from one database to another."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.postgres_server import PostgresServer

from goalmem.store.transfer import move

from ..moves import Moves, fill, opened
from .conftest import execute

_numbers = itertools.count()


@pytest.fixture(scope="module")
def one(empty_database: Callable[[], str]) -> str:
    return empty_database()


@pytest.fixture
def database(one: str) -> str:
    """A place of its own in one database."""
    return f"{one}&goalmem_schema=place{next(_numbers)}"


class TestToPostgres(Moves):
    @pytest.fixture
    def source(self, tmp_path: Path) -> str:
        return str(tmp_path / "old.goalmem")

    @pytest.fixture
    def target(self, database: str) -> str:
        return database


class TestFromPostgres(Moves):
    @pytest.fixture
    def source(self, database: str) -> str:
        return database

    @pytest.fixture
    def target(self, tmp_path: Path) -> str:
        return str(tmp_path / "new.goalmem")


def test_there_and_back_the_checksum_is_the_same(database: str, tmp_path: Path) -> None:
    first, last = str(tmp_path / "first.goalmem"), str(tmp_path / "last.goalmem")
    fill(first)
    there, back = move(first, database), move(database, last)
    assert there == back
    with opened(first) as a, opened(last) as b:
        assert list(a.all_turns("ana")) == list(b.all_turns("ana"))


def test_a_move_leaves_no_schema_behind(database: str, tmp_path: Path, server: PostgresServer) -> None:
    first = str(tmp_path / "first.goalmem")
    fill(first)
    move(first, database)
    schema = database.partition("goalmem_schema=")[2]
    assert execute(database, f"SELECT nspname FROM pg_namespace WHERE nspname LIKE '{schema}%'") == [(schema,)]
