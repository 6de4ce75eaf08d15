"""The graphs of the SQLite store, in a file and in memory, keep what the protocol promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from goalmem.store import Store, open_store

from .graph_conformance import GraphStoreConformance
from .samples import DIMENSION, MODEL


class TestFile(GraphStoreConformance):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = open_store(tmp_path / "memory.db", model=MODEL, dimension=DIMENSION)
        yield store
        store.close()


class TestMemory(GraphStoreConformance):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        store = open_store(":memory:", model=MODEL, dimension=DIMENSION)
        yield store
        store.close()
