"""Edges in one direction as sorted arrays: what leads away from a node is one slice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goalmem.graph.protocol import Nodes

__all__ = ["Adjacency", "spans"]

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Adjacency:
    """Edges ordered by head, then relation, then tail, in groups of the same head and relation.

    `tails` has shape (edges,); the groups are `tails[starts[g]:starts[g + 1]]`, `keys[g]` is head * relations + relation,
    ascending, and the groups of a node are `firsts[node]` up to `firsts[node + 1]`.
    """

    relations: int
    tails: Integers
    keys: Integers
    starts: Integers
    firsts: Integers

    @classmethod
    def of(cls, heads: Integers, relations: Integers, tails: Integers, nodes: int, count: int) -> Adjacency:
        """Build from three arrays of shape (edges,) without duplicates; `count` is the number of relations."""
        keys = heads * max(count, 1) + relations
        order = np.lexsort((tails, keys))
        keys, starts = np.unique(keys[order], return_index=True)
        firsts = np.searchsorted(keys, np.arange(nodes + 1, dtype=np.int64) * max(count, 1))
        return cls(max(count, 1), tails[order], keys, np.append(starts, len(tails)), firsts)

    def relations_from(self, nodes: Nodes) -> Integers:
        """The distinct relations that lead away from any of these nodes, sorted."""
        if len(nodes) == 1:
            first, stop = self.firsts[nodes[0]], self.firsts[nodes[0] + 1]
            return self.keys[first:stop] % self.relations
        groups = spans(self.firsts[nodes], self.firsts[nodes + 1])
        return np.unique(self.keys[groups] % self.relations)

    def pairs(self, nodes: Nodes, relation: int, limit: int | None) -> tuple[Nodes, Nodes]:
        """The edges of a relation from these nodes (sorted, distinct), as heads and tails; the first `limit` of them."""
        wanted = nodes * self.relations + relation
        places = np.searchsorted(self.keys, wanted)
        found = places < len(self.keys)
        found[found] = self.keys[places[found]] == wanted[found]
        groups, heads = places[found], nodes[found]
        starts, stops = self.starts[groups], self.starts[groups + 1]
        if limit is not None:
            before = np.cumsum(stops - starts) - (stops - starts)
            stops = starts + np.clip(limit - before, 0, stops - starts)
        return np.repeat(heads, stops - starts), self.tails[spans(starts, stops)]

    def has(self, head: int, relation: int, tail: int) -> bool:
        """Whether there is this edge."""
        key = head * self.relations + relation
        place = int(np.searchsorted(self.keys, key))
        if place == len(self.keys) or self.keys[place] != key:
            return False
        group = self.tails[self.starts[place] : self.starts[place + 1]]
        at = int(np.searchsorted(group, tail))
        return at < len(group) and bool(group[at] == tail)

    def degrees(self, nodes: Nodes) -> Integers:
        """How many edges lead away from each node."""
        counts: Integers = self.starts[self.firsts[nodes + 1]] - self.starts[self.firsts[nodes]]
        return counts


def spans(starts: Integers, stops: Integers) -> Integers:
    """The numbers from each start up to its stop, one span after another."""
    lengths = stops - starts
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    places: Integers = np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - lengths), lengths)
    return places
