"""A small conversation, remembered once for the tests that only read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from goalmem import Memory
from goalmem.language import Analyzer

FIRST = [
    {"role": "user", "name": "Nadia", "content": "I adopted a beagle last Friday. His name is Comet."},
    {"role": "user", "name": "Ruben", "content": "Lovely! My sister Ilse has a beagle, too."},
    {"role": "user", "name": "Nadia", "content": "Does Ilse still live in Ghent?"},
    {"role": "user", "name": "Ruben", "content": "No, Ilse moved to Bruges in March. She works at a library."},
    {"role": "user", "name": "Nadia", "content": "I love olives. I might buy a sailing boat next year."},
]
SECOND = [
    {"role": "user", "name": "Nadia", "content": "I can't stand olives any more. Did you ever learn to ski?"},
    {"role": "user", "name": "Ruben", "content": "I started a new job at a bakery on Monday."},
]


def remember(memory: Memory, space: str = "default") -> None:
    """Add both sessions."""
    memory.add(FIRST, space=space, session="one", at="2024-05-08T18:00:00")
    memory.add(SECOND, space=space, session="two", at="2024-09-04T18:00:00")


@pytest.fixture(scope="session")
def remembered(analyzer: Analyzer) -> Iterator[Memory]:
    """A memory that holds both sessions; tests must not write to it."""
    with Memory(analyzer=analyzer) as memory:
        remember(memory)
        yield memory


Message = dict[str, Any]
