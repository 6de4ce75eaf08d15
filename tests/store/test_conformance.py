"""The SQLite store, in a file and in memory, keeps what the protocol promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from goalmem.store import Store, open_store

from .conformance import StoreConformance
from .samples import DIMENSION, MODEL


class TestFile(StoreConformance):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = open_store(tmp_path / "memory.db", model=MODEL, dimension=DIMENSION)
        yield store
        store.close()


class TestMemory(StoreConformance):
    @pytest.fixture
    def store(self) -> Iterator[Store]:
        store = open_store(":memory:", model=MODEL, dimension=DIMENSION)
        yield store
        store.close()
