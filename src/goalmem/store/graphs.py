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
"""What a node is, as stored. A mediator that has a label is an entity."""
LABEL, FOREIGN_LABEL, ALIAS = 0, 1, 2
"""Ranks of names: the first label is what a node is called, one in another language where there is no other."""


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """How much the graph of a space holds."""

    nodes: int = 0
    relations: int = 0
    triples: int = 0
    imports: int = 0
    """Imports that were begun and are not done."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node as stored."""

    identifier: str
    kind: int


@dataclass(frozen=True, slots=True)
class Spelling:
    """What a name is found by."""

    keys: Sequence[int]
    """Signed 64-bit, of the whole name and of its words."""
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive entries of a source, numbered within the chunk."""

    number: int
    """Of the chunk, from 0."""
    entries: int
    """How many entries of the source it stands for."""
    identifiers: Sequence[str]
    relations: Sequence[str]
    triples: NDArray[np.uint32]
    """Shape (n, 3): places in `identifiers`, `relations` and `identifiers`."""
    kinds: dict[int, int]
    """Place in `identifiers` -> what the node is; the others are entities unless they are something already."""
    given: dict[int, int]
    """As `kinds`, for what the source itself says."""
    names: Sequence[tuple[int, int, str]]
    """Place in `identifiers`, the name's rank, and the name."""


@dataclass(frozen=True, slots=True)
class ImportState:
    """How far an import is. Its number is never used again."""

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
