"""Imported graphs as a store keeps them: nodes by number, triples of numbers, and names found by keys.

A space has one graph. Its nodes and relations are numbered from 0 in the order stored. What a name's keys and words are
is the caller's: the store keeps keys as 64-bit integers and finds nodes by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ENTITY, LITERAL, MEDIATOR = 0, 1, 2
"""Node kinds as stored. A mediator with a label is an entity."""
LABEL, FOREIGN_LABEL, ALIAS = 0, 1, 2
"""Ranks of names. A node's display name is its first label, or a label in another language if it has no other."""


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """Size of the graph of a space."""

    nodes: int = 0
    relations: int = 0
    triples: int = 0
    imports: int = 0
    """Imports that were begun and are not done."""


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node as stored."""

    identifier: str
    kind: int


@dataclass(frozen=True, slots=True)
class Spelling:
    """Lookup keys of a name."""

    keys: Sequence[int]
    """Signed 64-bit, of the whole name and of its words."""
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive entries of a source, numbered within the chunk."""

    number: int
    """Number of the chunk, from 0."""
    entries: int
    """Number of source entries in the chunk."""
    identifiers: Sequence[str]
    relations: Sequence[str]
    triples: NDArray[np.uint32]
    """Shape (n, 3): places in `identifiers`, `relations` and `identifiers`."""
    kinds: dict[int, int]
    """Index in `identifiers` -> kind of the node. Others are entities unless the graph already has them."""
    given: dict[int, int]
    """Like `kinds`, for kinds that the source states itself."""
    names: Sequence[tuple[int, int, str]]
    """Place in `identifiers`, the name's rank, and the name."""


@dataclass(frozen=True, slots=True)
class ImportState:
    """Progress of an import. Its number is never reused."""

    number: int
    chunks: int
    entries: int
    total: int
    """Entries of the whole source."""
    steps: int
    """Steps of merging that are done."""
    triples: int
    """Triples that were new."""
    done: bool
