"""A graph in memory: sorted arrays of edges, both ways. What leads away from a node in one direction is one slice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError, shown
from goalmem.graph.entity_names import NameWords, WordIndex, folded, implied_kind, readable, unlabelled_name, words_of
from goalmem.graph.protocol import ALIAS, Entry, GraphSize, Hop, Kinded, Name, NodeKind, Nodes, Triple

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
        """True if the edge exists."""
        key = head * self.relations + relation
        place = int(np.searchsorted(self.keys, key))
        if place == len(self.keys) or self.keys[place] != key:
            return False
        group = self.tails[self.starts[place] : self.starts[place + 1]]
        at = int(np.searchsorted(group, tail))
        return at < len(group) and bool(group[at] == tail)

    def degrees(self, nodes: Nodes) -> Integers:
        """Number of outgoing edges of each node."""
        counts: Integers = self.starts[self.firsts[nodes + 1]] - self.starts[self.firsts[nodes]]
        return counts


def spans(starts: Integers, stops: Integers) -> Integers:
    """The numbers from each start up to its stop, one span after another."""
    lengths = stops - starts
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    places: Integers = np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - lengths), lengths)
    return places


class ArrayGraph:
    """A `Graph` of triples, names and kinds, held in memory; never changes."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Nodes are numbered in order of appearance. Duplicate triples count once; names of nodes without triples are
        ignored.

        For identifiers that are names (as in `s|r|o` files) triples are all it needs.
        """
        made = _Reading()
        for entry in entries:
            made.take(entry)
        rows = np.unique(np.array(made.rows, dtype=np.int64).reshape(-1, 3), axis=0)
        kinds = {n: k for i, k in made.kinds.items() if (n := made.nodes.get(i)) is not None}
        self._hold(list(made.nodes), list(made.relations), rows, dict(made.named()), kinds, None)

    @classmethod
    def of_rows(
        cls,
        identifiers: Sequence[str],
        relations: Sequence[str],
        rows: NDArray[np.int64],
        *,
        names: Mapping[int, Sequence[tuple[int, str]]],
        kinds: Mapping[int, NodeKind],
        index: NameWords | None = None,
    ) -> Self:
        """A graph that is numbered already.

        `rows`: distinct triples of places in `identifiers`, `relations` and `identifiers`, shape (n, 3). `names`: of nodes
        that have some, with their ranks, in order. `kinds`: of nodes whose identifiers do not say it. `index`: what finds
        nodes by words, instead of one of its own.
        """
        graph = cls.__new__(cls)
        graph._hold(identifiers, relations, rows, names, kinds, index)
        return graph

    def _hold(
        self,
        identifiers: Sequence[str],
        relations: Sequence[str],
        rows: NDArray[np.int64],
        names: Mapping[int, Sequence[tuple[int, str]]],
        kinds: Mapping[int, NodeKind],
        index: NameWords | None,
    ) -> None:
        self._identifiers = identifiers
        self._numbers = {identifier: number for number, identifier in enumerate(identifiers)}
        self._relations = sorted(relations)
        self._ranks = {name: rank for rank, name in enumerate(self._relations)}
        self._names = names
        self._kinds = kinds
        self._index = index
        ranks = np.array([self._ranks[name] for name in relations], dtype=np.int64)
        subjects, objects = np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(rows[:, 2])
        ranked = ranks[rows[:, 1]] if len(rows) else rows[:, 1]
        self._forth = Adjacency.of(subjects, ranked, objects, len(identifiers), len(relations))
        self._back = Adjacency.of(objects, ranked, subjects, len(identifiers), len(relations))
        self._size = GraphSize(len(identifiers), len(relations), len(rows))

    def size(self) -> GraphSize:
        """See `Graph.size`."""
        return self._size

    def relations(self) -> Sequence[str]:
        """See `Graph.relations`."""
        return self._relations

    def node(self, identifier: str) -> int | None:
        """See `Graph.node`."""
        return self._numbers.get(identifier)

    def named(self, name: str) -> Nodes:
        """See `Graph.named`."""
        plain = folded(name)
        [nodes] = self.index.spelled([words_of(name) or (plain,)])
        return nodes[[plain in map(folded, names) for names in self.names_of(nodes)]]

    def identifiers(self, nodes: Nodes) -> list[str]:
        """See `Graph.identifiers`."""
        return [self._identifiers[n] for n in nodes.tolist()]

    def labels(self, nodes: Nodes) -> list[str]:
        """See `Graph.labels`."""
        return [self._label(n) or unlabelled_name(self._identifiers[n], self._kind(n)) for n in nodes.tolist()]

    def kinds(self, nodes: Nodes) -> list[NodeKind]:
        """See `Graph.kinds`."""
        return [self._kind(n) for n in nodes.tolist()]

    def hops(self, nodes: Nodes) -> list[Hop]:
        """See `Graph.hops`."""
        forth, back = self._forth.relations_from(nodes), self._back.relations_from(nodes)
        ways = sorted([(rank, False) for rank in forth.tolist()] + [(rank, True) for rank in back.tolist()])
        return [Hop(self._relations[rank], inverse) for rank, inverse in ways]

    def edges(self, nodes: Nodes, hop: Hop, *, limit: int | None = None) -> tuple[Nodes, Nodes]:
        """See `Graph.edges`."""
        rank = self._ranks.get(hop.relation)
        if rank is None or not len(nodes):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        return (self._back if hop.inverse else self._forth).pairs(np.unique(nodes), rank, limit)

    def holds(self, triple: Triple) -> bool:
        """True if the triple is there."""
        head, tail = self._numbers.get(triple.subject), self._numbers.get(triple.object)
        rank = self._ranks.get(triple.relation)
        if head is None or tail is None or rank is None:
            return False
        return self._forth.has(head, rank, tail)

    def degrees(self, nodes: Nodes) -> Nodes:
        """Number of edges of each node in both directions; shape (n,)."""
        return self._forth.degrees(nodes) + self._back.degrees(nodes)

    def names(self) -> Iterator[tuple[int, str]]:
        """Every node with each of its names: label, aliases, and the name in its identifier."""
        return ((number, name) for number in range(len(self._identifiers)) for name in self._names_of(number))

    @property
    def index(self) -> NameWords:
        """Its nodes by the words of their names; made when it is first asked for."""
        if self._index is None:
            self._index = WordIndex(self.names)
        return self._index

    def names_of(self, nodes: Nodes) -> list[list[str]]:
        """Every name of each node: label, aliases, and the name in its identifier."""
        return [self._names_of(number) for number in nodes.tolist()]

    def _names_of(self, number: int) -> list[str]:
        own = readable(self._identifiers[number])
        names = [text for _, text in self._names.get(number, ())]
        return list(dict.fromkeys(names if own is None else [*names, own]))

    def _label(self, number: int) -> str | None:
        names = self._names.get(number)
        return names[0][1] if names and names[0][0] < ALIAS else None

    def _kind(self, number: int) -> NodeKind:
        kind = self._kinds.get(number) or implied_kind(self._identifiers[number])
        return "entity" if kind == "mediator" and self._label(number) else kind


class _Reading:
    """Assigns numbers to nodes and relations in the order of the triples."""

    def __init__(self) -> None:
        self.nodes: dict[str, int] = {}
        self.relations: dict[str, int] = {}
        self.rows: list[tuple[int, int, int]] = []
        self.names: dict[str, set[tuple[int, str]]] = {}
        self.kinds: dict[str, NodeKind] = {}

    def take(self, entry: Entry) -> None:
        if isinstance(entry, Triple):
            nodes, relations = self.nodes, self.relations
            subject = nodes.setdefault(entry.subject, len(nodes))
            relation = relations.setdefault(entry.relation, len(relations))
            self.rows.append((subject, relation, nodes.setdefault(entry.object, len(nodes))))
        elif isinstance(entry, Name):
            self.names.setdefault(entry.identifier, set()).add((entry.rank, entry.text))
        elif isinstance(entry, Kinded):
            self.kinds[entry.identifier] = entry.kind

    def named(self) -> Iterator[tuple[int, list[tuple[int, str]]]]:
        """The nodes that have names, in order of rank, then text, so that how they came does not matter."""
        for identifier, names in self.names.items():
            if (number := self.nodes.get(identifier)) is not None:
                yield number, sorted(names)


_FIELDS = 3


def entries_of_networkx(
    graph: Any, *, relation: str = "relation", label: str = "label", unnamed: str | None = None
) -> Iterator[Entry]:
    """The edges of a networkx graph as triples, from its first node to its second, and the labels of its nodes.

    An edge's relation is its attribute of that name; else, in a multigraph, its key where that is text; else `unnamed`.
    Nodes are known by `str(node)`. `graph` is a `networkx.Graph` of any kind; the package is not needed here.

    Raises InputError for an edge without a relation.
    """
    edges = graph.edges(keys=True, data=True) if graph.is_multigraph() else ((*e, None) for e in graph.edges(data=True))
    for edge in edges:
        head, tail, key, data = edge if graph.is_multigraph() else (edge[0], edge[1], None, edge[2])
        name = data.get(relation, key if isinstance(key, str) else unnamed)
        if name is None:
            raise InputError(
                f"The edge from {head!r} to {tail!r} has no attribute {relation!r}.",
                "Name the attribute that holds the relation, or pass `unnamed`.",
            )
        yield Triple(str(head), str(name), str(tail))
    for node, data in graph.nodes(data=True):
        if isinstance(text := data.get(label), str) and text.strip():
            yield Name(str(node), text)


def triples_of_rows(rows: Iterable[Any], name: str = "graph") -> Iterator[Triple]:
    """Triples of rows [subject, relation, object], as the subgraphs of RoG's questions have them.

    Raises InputError, naming the row, for one that is something else.
    """
    for number, row in enumerate(rows, 1):
        if (
            not isinstance(row, list | tuple)
            or len(row) != _FIELDS
            or not all(isinstance(f, str) and f.strip() for f in row)
        ):
            raise InputError(
                f"{name}, row {number}: {shown(row)} is not a triple.", "Give subject, relation and object as text."
            )
        yield Triple(*(field.strip() for field in row))
