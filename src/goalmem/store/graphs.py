"""What a store can do with imported graphs: nodes by number, triples of numbers, and names found by keys.

A space has one graph. Its nodes and relations are numbered from 0 in the order stored. What a name's keys and words are
is the caller's: the store keeps keys as 64-bit integers and finds nodes by them.

All methods are safe to call from several threads, and several processes may import at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ALIAS",
    "ENTITY",
    "FOREIGN_LABEL",
    "LABEL",
    "LITERAL",
    "MEDIATOR",
    "Chunk",
    "GraphCounts",
    "GraphStore",
    "ImportState",
    "Node",
    "Spelling",
]

Numbers = NDArray[np.int64]

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


class GraphStore(Protocol):
    """Keeps the imported graph of each space."""

    def counts(self, space: str) -> GraphCounts:
        """Counts; cheap (one indexed row)."""
        ...

    def version(self, space: str) -> int:
        """Another number after each change of a space's graph; 0 where there is none. Cheap."""
        ...

    def relations(self, space: str) -> list[str]:
        """The name of every relation, by number."""
        ...

    def node(self, space: str, identifier: str) -> int | None:
        """The number of the node with this identifier."""
        ...

    def nodes(self, space: str, numbers: Sequence[int]) -> dict[int, Node]:
        """The nodes with these numbers; those that are not there are left out."""
        ...

    def names(self, space: str, numbers: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
        """Each node's names, in order of rank, then text; nodes without are left out."""
        ...

    def keyed(self, space: str, keys: Sequence[int], *, limit: int) -> dict[int, list[int]]:
        """Key -> the nodes that have it, in order, at most `limit` of each; keys of none are left out."""
        ...

    def words(self, space: str, start: str, *, backwards: bool = False, limit: int) -> list[str]:
        """Words of names that begin with `start` or, backwards, end with it (given as it is read); at most `limit`."""
        ...

    def hops(self, space: str, numbers: Sequence[int], *, inverse: bool) -> set[int]:
        """The relations that lead away from any of these nodes; does not read their tails one by one."""
        ...

    def edges(
        self, space: str, numbers: Sequence[int], relation: int, *, inverse: bool, limit: int | None
    ) -> tuple[Numbers, Numbers]:
        """Heads and tails, ordered by head, then tail; `numbers` are distinct and ascending."""
        ...

    def degrees(self, space: str, numbers: Sequence[int], *, most: int) -> list[int]:
        """Edges of each node in either direction, each way counted up to `most`."""
        ...

    def pages(self, space: str) -> Iterator[NDArray[np.int64]]:
        """Every triple as numbers (subject, relation, object), ordered, in arrays of shape (n, 3)."""
        ...

    def numbered(self, space: str) -> Iterator[list[tuple[int, Node]]]:
        """Every node, in order, page by page."""
        ...

    def import_state(self, space: str, digest: str) -> ImportState | None:
        """How far the import of the source with this digest is; None where it was never begun."""
        ...

    def begin(self, space: str, digest: str, source: str, total: int) -> ImportState:
        """Begin to import a source, or take it up where it stopped."""
        ...

    def stage(self, space: str, number: int, chunk: Chunk, spell: Callable[[str], Spelling]) -> ImportState:
        """Store the next chunk in one durable transaction; one that was stored already is passed over.

        `spell` says what the identifiers of new nodes, and names, are found by.

        Raises:
            StoreError: one of its subclasses; nothing of the chunk was stored.
        """
        ...

    def merge(self, space: str, number: int) -> Iterator[tuple[ImportState, int]]:
        """Make what was staged part of the graph, step by step, each a durable transaction; with the number of steps."""
        ...

    def drop(self, space: str) -> int:
        """Remove the graph of a space with all imports, in one durable transaction; returns how many triples it had.

        Raises:
            StoreError: one of its subclasses; nothing was removed.
        """
        ...
