"""What graphs are made from: triples, and what things are called and are."""

from __future__ import annotations

from dataclasses import dataclass

from goalmem.graph.protocol import NodeKind, Triple

__all__ = ["ALIAS", "Entry", "Kinded", "Name"]


@dataclass(frozen=True, slots=True)
class Name:
    """What an entity is called: its label, or another name of it."""

    identifier: str
    text: str
    label: bool = True
    """False for an alias. Of several labels the first in order of text is what the entity is called."""
    foreign: bool = False
    """True for a label in another language, which counts where there is no other label."""

    @property
    def rank(self) -> int:
        """Smaller is better: 0 label, 1 label in another language, 2 alias."""
        return 0 if self.label and not self.foreign else 1 if self.label else ALIAS


ALIAS = 2
"""The rank of names that are no labels."""


@dataclass(frozen=True, slots=True)
class Kinded:
    """What a node is. Without this one: an entity, or a mediator where its identifier is Freebase's and has no name."""

    identifier: str
    kind: NodeKind


Entry = Triple | Name | Kinded
