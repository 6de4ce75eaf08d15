"""Stores, and a way to tell them things."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from goalmem.store import Store, open_store
from tests.retrieve.telling import Told, WordEmbedder


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens the same file again and again, as other processes would."""
    stores: list[Store] = []

    def once_more() -> Store:
        stores.append(open_store(tmp_path / "s.db", model=WordEmbedder.name, dimension=WordEmbedder.dimension))
        return stores[-1]

    yield once_more
    for store in stores:
        store.close()


@pytest.fixture
def told(opened) -> Told:
    return Told(opened())
