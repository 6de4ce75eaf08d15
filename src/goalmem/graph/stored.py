"""The imported graph of a space, read from the store."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from goalmem.errors import CorruptStoreError, InputError
from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.entity_names import folded, implied_kind, name_key, readable, unlabelled_name, word_key, words_of
from goalmem.graph.imports import KINDS
from goalmem.graph.protocol import Entry, GraphSize, Hop, Kinded, Name, NodeKind, Nodes, Triple
from goalmem.records import Edge
from goalmem.store.graph_store import GraphStore
from goalmem.store.graphs import ALIAS, FOREIGN_LABEL, NodeRow

if TYPE_CHECKING:
    from goalmem.store import Store


IN_MEMORY = 500_000
"""Triples up to which a graph is read into memory: about two seconds and 200 MB, and then tens of times as fast."""
MOST_NAMESAKES = 10_000
"""Nodes of one name that are looked at."""
MOST_EDGES = 1000
"""Up to which the edges of a node are counted."""
_KIND_NAMES: dict[int, NodeKind] = {code: kind for kind, code in KINDS.items()}


class StoredGraph:
    """A `Graph` over a store's tables: loads nothing, and sees concurrent imports immediately."""

    def __init__(self, store: GraphStore, space: str) -> None:
        """A space without a graph is a graph without triples."""
        self._store = store
        self._space = space
        self._known: tuple[int, list[str], dict[str, int]] = (0, [], {})

    def size(self) -> GraphSize:
        """See `Graph.size`."""
        counts = self._store.counts(self._space)
        return GraphSize(counts.nodes, counts.relations, counts.triples)

    def relations(self) -> Sequence[str]:
        """See `Graph.relations`."""
        return sorted(self._relations()[0])

    def node(self, identifier: str) -> int | None:
        """See `Graph.node`."""
        return self._store.node(self._space, identifier)

    def named(self, name: str) -> Nodes:
        """See `Graph.named`."""
        plain = folded(name)
        key = name_key(words_of(name) or plain)
        nodes = self._store.keyed(self._space, [key], limit=MOST_NAMESAKES).get(key, [])
        names = self.names_of(np.array(nodes, dtype=np.int64))
        return np.array(
            [n for n, name in zip(nodes, names, strict=True) if plain in map(folded, name)],
            np.int64,
        )

    def identifiers(self, nodes: Nodes) -> list[str]:
        """See `Graph.identifiers`."""
        return [node.identifier for node in self._nodes(nodes)]

    def labels(self, nodes: Nodes) -> list[str]:
        """See `Graph.labels`."""
        names = self._store.names(self._space, nodes.tolist())
        return [
            _label(names.get(number)) or unlabelled_name(node.identifier, _kind(node))
            for number, node in zip(nodes.tolist(), self._nodes(nodes), strict=True)
        ]

    def kinds(self, nodes: Nodes) -> list[NodeKind]:
        """See `Graph.kinds`."""
        found = [_kind(node) for node in self._nodes(nodes)]
        if "mediator" not in found:
            return found
        names = self._store.names(self._space, nodes.tolist())
        return [
            "entity" if kind == "mediator" and _label(names.get(number)) else kind
            for kind, number in zip(found, nodes.tolist(), strict=True)
        ]

    def hops(self, nodes: Nodes) -> list[Hop]:
        """See `Graph.hops`."""
        numbers = nodes.tolist()
        found = [(way, relation) for way in (False, True)
                 for relation in self._store.hops(self._space, numbers, inverse=way)]  # fmt: skip
        names = self._relations()[0]  # read last, so that concurrent imports are included
        return sorted(Hop(names[relation], way) for way, relation in found if relation < len(names))

    def edges(self, nodes: Nodes, hop: Hop, *, limit: int | None = None) -> tuple[Nodes, Nodes]:
        """See `Graph.edges`."""
        relation = self._relations()[1].get(hop.relation)
        if relation is None or not len(nodes):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        numbers = np.unique(nodes).tolist()
        return self._store.edges(self._space, numbers, relation, inverse=hop.inverse, limit=limit)

    def holds(self, triple: Triple) -> bool:
        """True if the triple is there; looked for from that of its ends that has fewer edges."""
        head, tail = self.node(triple.subject), self.node(triple.object)
        if head is None or tail is None:
            return False
        ends = np.array([head, tail], dtype=np.int64)
        back = bool(np.argmin(self.degrees(ends)))
        _, reached = self.edges(ends[1:] if back else ends[:1], Hop(triple.relation, back))
        return (head if back else tail) in reached

    def names_of(self, nodes: Nodes) -> list[list[str]]:
        """Every name of each node: label, aliases, and the name in its identifier."""
        names = self._store.names(self._space, nodes.tolist())
        return [
            [*(text for _, text in names.get(number, ())), *filter(None, [readable(node.identifier)])]
            for number, node in zip(nodes.tolist(), self._nodes(nodes), strict=True)
        ]

    @property
    def index(self) -> StoredWords:
        """Its nodes by the words of their names."""
        return StoredWords(self._store, self._space)

    def degrees(self, nodes: Nodes) -> Nodes:
        """Number of edges of each node, each direction counted up to `MOST_EDGES`; shape (n,)."""
        return np.array(self._store.degrees(self._space, nodes.tolist(), most=MOST_EDGES), dtype=np.int64)

    def _nodes(self, nodes: Nodes) -> list[NodeRow]:
        numbers = nodes.tolist()
        found = self._store.nodes(self._space, numbers)
        return [found.get(number) or NodeRow("", 0) for number in numbers]

    def _relations(self) -> tuple[list[str], dict[str, int]]:
        version = self._store.version(self._space)
        if version != self._known[0]:
            names = self._store.relations(self._space)
            self._known = version, names, {name: number for number, name in enumerate(names)}
        return self._known[1], self._known[2]


class StoredWords:
    """Nodes by the words of their names, as `WordIndex`, from the store's tables."""

    def __init__(self, store: GraphStore, space: str, below: int | None = None) -> None:
        """Only nodes with numbers below `below`."""
        self._store = store
        self._space = space
        self._below = below

    def spelled(self, names: Sequence[tuple[str, ...]]) -> list[Nodes]:
        """See `Words.spelled`."""
        return self._keyed([name_key(words) for words in names], MOST_NAMESAKES)

    def holding(self, words: Sequence[str], *, limit: int) -> list[Nodes]:
        """See `Words.holding`."""
        return self._keyed([word_key(word) for word in words], limit)

    def words(self, start: str, *, backwards: bool = False, limit: int) -> list[str]:
        """See `Words.words`."""
        return self._store.words(self._space, start, backwards=backwards, limit=limit)

    def _keyed(self, keys: Sequence[int], limit: int) -> list[Nodes]:
        found = self._store.keyed(self._space, keys, limit=limit)
        nodes = [np.array(found.get(key, ()), dtype=np.int64) for key in keys]
        return nodes if self._below is None else [some[(some >= 0) & (some < self._below)] for some in nodes]


def _kind(node: NodeRow) -> NodeKind:
    if node.kind not in _KIND_NAMES:
        raise _damaged(f"“{node.identifier}” is of no kind that there is")
    return _KIND_NAMES[node.kind]


def _damaged(what: str) -> CorruptStoreError:
    return CorruptStoreError(
        f"The graph that was imported is damaged: {what}.", "Remove the graph and import it again, or restore a backup."
    )


def _label(names: list[tuple[int, str]] | None) -> str | None:
    return names[0][1] if names and names[0][0] < ALIAS else None


def graph_of(store: GraphStore, space: str, *, in_memory: int = IN_MEMORY) -> StoredGraph | ArrayGraph:
    """The fastest access to the graph of a space: in memory up to some number of triples, otherwise over the store's
    tables.

    One in memory stays as it was when it was read; ask again when `GraphStore.version` changed.
    """
    if store.counts(space).triples <= in_memory:
        return _loaded(store, space)
    return StoredGraph(store, space)


def _loaded(store: GraphStore, space: str) -> ArrayGraph:
    """A space's graph in memory with the stored numbers, so that the store's word index finds its nodes.

    Raises CorruptStoreError where numbers are missing, or name nothing.
    """
    version = store.version(space)
    try:
        return _in_memory(store, space)
    except CorruptStoreError:
        if store.version(space) == version:
            raise
        return _loaded(store, space)  # it was removed, and another imported, while it was read


def _in_memory(store: GraphStore, space: str) -> ArrayGraph:
    identifiers: list[str] = []
    names: dict[int, list[tuple[int, str]]] = {}
    kinds: dict[int, NodeKind] = {}
    for page in store.numbered(space):
        identifiers += [node.identifier for _, node in page]
        names |= store.names(space, [number for number, _ in page])
        kinds.update((number, _kind(node)) for number, node in page if node.kind)
        if page[-1][0] != len(identifiers) - 1:
            raise _damaged("some of its nodes are missing")
    many = len(identifiers)
    rows = np.concatenate([np.empty((0, 3), np.int64), *store.pages(space)])
    rows = rows[(rows[:, 0] < many) & (rows[:, 2] < many)]  # others came while it was read
    relations = store.relations(space)
    if len(rows) and not (rows.min() >= 0 and rows[:, 1].max() < len(relations) and all(relations)):
        raise _damaged("some of its relations are missing")
    index = StoredWords(store, space, many)
    return ArrayGraph.of_rows(identifiers, relations, rows, names=names, kinds=kinds, index=index)


def entries_of(store: GraphStore, space: str) -> Iterator[Entry]:
    """Everything that a space's graph holds, as it could be imported again: triples in order, then names and kinds."""
    relations = store.relations(space)
    identifiers: dict[int, str] = {}
    for page in store.numbered(space):
        identifiers.update((number, node.identifier) for number, node in page)
    for rows in store.pages(space):
        for subject, relation, object_ in rows.tolist():
            if not (subject in identifiers and object_ in identifiers and 0 <= relation < len(relations)):
                raise _damaged("a triple refers to what is not there")
            yield Triple(identifiers[subject], relations[relation], identifiers[object_])
    for page in store.numbered(space):
        names = store.names(space, [number for number, _ in page])
        for number, node in page:
            yield from (
                Name(node.identifier, text, rank < ALIAS, rank == FOREIGN_LABEL) for rank, text in names.get(number, ())
            )
            if (kind := _kind(node)) != implied_kind(node.identifier):
                yield Kinded(node.identifier, kind)


PORTION = 20_000
"""Triples of a portion: some two megabytes as JSON."""
_FIELDS: tuple[tuple[str, type[Entry]], ...] = (("triples", Triple), ("names", Name), ("kinds", Kinded))
_KINDS = frozenset({"entity", "literal", "mediator"})


def portions_of(store: GraphStore, space: str) -> Iterator[dict[str, list[list[Any]]]]:
    """Everything in a space's graph: triples, with the names and kinds of nodes on first use."""
    described: dict[str, list[Name | Kinded]] = {}
    for entry in entries_of(store, space):
        if not isinstance(entry, Triple):
            described.setdefault(entry.identifier, []).append(entry)
    triples = (entry for entry in entries_of(store, space) if isinstance(entry, Triple))
    while portion := list(islice(triples, PORTION)):
        ends = dict.fromkeys(end for triple in portion for end in (triple.subject, triple.object))
        told = [entry for end in ends for entry in described.pop(end, ())]
        written = {
            name: [list(astuple(entry)) for entry in (*portion, *told) if isinstance(entry, kind)]
            for name, kind in _FIELDS
        }
        yield {name: rows for name, rows in written.items() if rows}


def entries_in(portion: Mapping[str, Any]) -> list[Entry]:
    """Parse the entries of a portion. Raises InputError if they are invalid."""
    found: list[Entry] = []
    for name, kind in _FIELDS:
        rows = portion.get(name, [])
        if not isinstance(rows, list):
            raise InputError(f"Its {name} are not a list.", "Pass a file that export wrote.")
        found += [_entry(name, kind, row) for row in rows]
    return found


def _entry(name: str, kind: type[Entry], row: Sequence[Any]) -> Entry:
    texts = 3 if name == "triples" else 2
    whole = isinstance(row, list) and len(row) >= texts and all(isinstance(t, str) and t.strip() for t in row[:texts])
    flags = row[texts:] if whole else []
    known = name != "kinds" or (whole and row[1] in _KINDS)
    if not whole or not known or not all(isinstance(f, bool) for f in flags):
        raise InputError(f"{row!r} is none of its {name}.", "Pass a file that export wrote.")
    try:
        return kind(*row)
    except TypeError:
        raise InputError(f"{row!r} is none of its {name}.", "Pass a file that export wrote.") from None


class MemoryGraph(ArrayGraph):
    """A `Graph` of a space's edges as they were when it was made, which knows the facts behind each."""

    def __init__(self, edges: list[Edge], aliases: dict[str, str]) -> None:
        """`aliases`: lower-case alias -> canonical name. An entity is known by its canonical name, however it is cased."""
        self._facts: dict[Triple, list[str]] = {}
        cased: dict[str, str] = {}
        for edge in edges:
            subject = cased.setdefault(folded(edge.subject), edge.subject)
            object_ = cased.setdefault(folded(edge.object), edge.object)
            facts = self._facts.setdefault(Triple(subject, edge.relation, object_), [])
            if edge.fact not in facts:
                facts.append(edge.fact)
        entries: list[Entry] = list(self._facts)
        for alias, name in aliases.items():
            if (known := cased.get(folded(name))) is not None and folded(alias) != folded(known):
                entries.append(Name(known, alias, label=False))
                entries.append(Name(known, known))
        super().__init__(entries)

    def facts_of(self, triple: Triple) -> tuple[str, ...]:
        """Ids of the facts of this edge, in the order said; empty for a triple that is not an edge."""
        return tuple(self._facts.get(triple, ()))

    def triples_of(self, fact: str) -> tuple[Triple, ...]:
        """The edges that the fact with this id makes."""
        return tuple(self._triples.get(fact, ()))

    @cached_property
    def _triples(self) -> dict[str, list[Triple]]:
        found: dict[str, list[Triple]] = {}
        for triple, facts in self._facts.items():
            for fact in facts:
                found.setdefault(fact, []).append(triple)
        return found


class _Kept:
    """The graph of a space, rebuilt when the space changes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.version: tuple[int, int] = (-1, -1)
        self.graph: MemoryGraph | None = None


class MemoryGraphs:
    """The graph of each space of a store, kept as long as the space does not change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[str, _Kept] = {}

    def of(self, space: str) -> MemoryGraph:
        """The current graph of a space."""
        kept = self._kept.setdefault(space, _Kept())
        version = self._store.version(space)
        with kept.lock:
            if kept.graph is None or kept.version != version:
                kept.version, kept.graph = version, memory_graph(self._store, space)
            return kept.graph


def memory_graph(store: Store, space: str) -> MemoryGraph:
    """The graph of a space, read once."""
    return MemoryGraph(store.edges(space), store.aliases(space))
