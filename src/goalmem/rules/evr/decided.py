"""What follows from the steps that a network proposed: the well-founded model of the proposed instances, and its shortest proofs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from goalmem.rules.compiled import Ground
from goalmem.rules.demand import Instance
from goalmem.rules.derivation import Derivation

__all__ = ["Decided", "Node", "decide"]


@dataclass(slots=True, eq=False)
class Node:
    """A statement that was judged, and the steps that were proposed for it, or, of a denial, against it."""

    statement: Ground
    fact: int | None = None
    """The clause that states it, or what it denies."""
    instances: list[Instance] = field(default_factory=list)

    @property
    def positive(self) -> Ground:
        """What its steps prove."""
        return (self.statement[0], False, self.statement[2])


@dataclass(frozen=True)
class Decided:
    """Which nodes have a proof of their positive statement."""

    proofs: Mapping[Ground, Derivation]
    """By the statement of the node, a denial included: then of what it denies."""
    open: frozenset[Ground]
    """Nodes that rest on their own denial."""


def decide(nodes: Mapping[Ground, Node]) -> Decided:
    """The well-founded model by the alternating fixpoint (Van Gelder 1993): a denial holds where its node has no proof."""
    under: dict[Ground, Derivation] = {}
    while True:
        over = _least(nodes, frozenset(under))
        grown = _least(nodes, frozenset(over))
        if grown.keys() == under.keys():
            return Decided(grown, frozenset(over.keys() - grown.keys()))
        under = grown


def _least(nodes: Mapping[Ground, Node], contradicted: frozenset[Ground]) -> dict[Ground, Derivation]:
    """What is proved where exactly those denials fail, in waves, so that each proof is a shortest one."""
    proved = {key: Derivation(node.positive, "fact", node.fact) for key, node in nodes.items() if node.fact is not None}
    height = 0
    while True:
        height += 1
        wave = dict(_wave(nodes, contradicted, proved, height))
        if not wave:
            return proved
        proved |= wave


def _wave(
    nodes: Mapping[Ground, Node], contradicted: frozenset[Ground], proved: Mapping[Ground, Derivation], height: int
) -> Iterator[tuple[Ground, Derivation]]:
    for key, node in nodes.items():
        if key in proved:
            continue
        for instance in sorted(node.instances, key=lambda i: i.rule.number):
            children = [_condition(c, contradicted, proved) for c in instance.body]
            found = tuple(c for c in children if c is not None)
            if len(found) == len(children):
                yield key, Derivation(node.positive, "rule", instance.rule.number, instance, found, height)
                break


def _condition(
    condition: Ground, contradicted: frozenset[Ground], proved: Mapping[Ground, Derivation]
) -> Derivation | None:
    if condition[1]:
        return None if condition in contradicted else Derivation(condition, "failure")
    return proved.get(condition)
