"""The PostgreSQL store keeps what the protocol promises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goalmem.store import Store, open_store

from ..conformance import StoreConformance
from ..samples import DIMENSION, MODEL


class TestPostgres(StoreConformance):
    @pytest.fixture
    def store(self, url: str) -> Iterator[Store]:
        store = open_store(url, model=MODEL, dimension=DIMENSION)
        yield store
        store.close()
