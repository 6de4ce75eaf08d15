"""The protocol of knowledge graphs, and the entries that they are built from.

Nodes are numbers of the graph's own, which mean nothing outside it and may differ from run to run; what lasts is an
entity's identifier. All methods are safe to call from several threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Nodes = NDArray[np.int64]
"""Numbers of nodes: shape (n,). What a graph returns as a set of nodes is sorted and distinct."""
NodeKind = Literal["entity", "literal", "mediator"]
"""A mediator represents a relation between more than two things (Freebase's compound values): it has no name of its
own, is never an answer, and is traversed.
"""
INVERSE = "~"
"""Before a relation's name: the relation taken from object to subject."""


@dataclass(frozen=True, slots=True, order=True)
class Triple:
    """Subject, relation, object, by identifier."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True, slots=True, order=True)
class Hop:
    """A relation, taken from subject to object or back."""

    relation: str
    inverse: bool = False

    @property
    def back(self) -> Hop:
        """The same relation, taken the other way."""
        return Hop(self.relation, not self.inverse)

    def triple(self, head: str, tail: str) -> Triple:
        """The triple that this hop from `head` to `tail` rests on."""
        return Triple(tail, self.relation, head) if self.inverse else Triple(head, self.relation, tail)

    def __str__(self) -> str:
        return f"{INVERSE}{self.relation}" if self.inverse else self.relation


@dataclass(frozen=True, slots=True)
class GraphSize:
    """Size of a graph."""

    entities: int
    relations: int
    triples: int


class Graph(Protocol):
    """Entities, and the relations between them."""

    def size(self) -> GraphSize:
        """Counts; cheap."""

    def relations(self) -> Sequence[str]:
        """The name of every relation, sorted."""

    def node(self, identifier: str) -> int | None:
        """The node with exactly this identifier."""

    def named(self, name: str) -> Nodes:
        """The nodes with this name, label or alias, however its case and spaces are written."""

    def identifiers(self, nodes: Nodes) -> list[str]:
        """The identifier of each node, in order. For graphs without labels it is the name."""

    def labels(self, nodes: Nodes) -> list[str]:
        """The display name of each node, in order; its identifier if it has no label."""

    def kinds(self, nodes: Nodes) -> list[NodeKind]:
        """The kind of each node, in order."""

    def hops(self, nodes: Nodes) -> list[Hop]:
        """The hops that leave any of these nodes, sorted, including inverse ones. Fast, however many tails there are."""

    def edges(self, nodes: Nodes, hop: Hop, *, limit: int | None = None) -> tuple[Nodes, Nodes]:
        """The pairs (head, tail) that a hop makes from these nodes: two arrays of shape (m,), ordered by head, then
        tail, each pair once; with `limit`, the first so many.
        """


@dataclass(frozen=True, slots=True)
class Name:
    """A name of an entity: its label or an alias."""

    identifier: str
    text: str
    label: bool = True
    """False for an alias. If there are several labels, the first in text order is the display name."""
    foreign: bool = False
    """True for a label in another language, used only if there is no other label."""

    @property
    def rank(self) -> int:
        """Smaller is better: 0 label, 1 label in another language, 2 alias."""
        return 0 if self.label and not self.foreign else 1 if self.label else ALIAS


ALIAS = 2
"""The rank of names that are no labels."""


@dataclass(frozen=True, slots=True)
class Kinded:
    """The kind of a node. By default an entity, or a mediator if its identifier is Freebase's and it has no name."""

    identifier: str
    kind: NodeKind


Entry = Triple | Name | Kinded
