"""From derivations, however deep and shared, to nodes of a proof document: as trees, or with a table of lemmas."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from goalmem.engine.step import Proved
from goalmem.logic.syntax import canonical
from goalmem.proof.document import Node, NodeKind, reached

__all__ = ["KINDS", "Lemmas"]

KINDS: dict[str, NodeKind] = {
    "fact": "fact",
    "edge": "edge",
    "rule": "rule",
    "refinement": "refinement",
    "closed-world": "closed-world",
}
TREE_DEPTH = 12
"""Levels up to which a derivation is written as a tree. With the engine's 40 rules above, it stays within a document's 60."""
TREE_SIZE = 200
"""Nodes up to which a derivation is written as a tree, shared parts as often as they are used: people read trees."""
LEMMA_DEPTH = 8
"""Levels of a lemma's own tree."""


@dataclass(slots=True)
class Lemmas:
    """The lemmas of one proof."""

    table: list[Node] = field(default_factory=list)
    _made: dict[int, tuple[Proved, Node]] = field(default_factory=dict)
    """By identity: the node that stands for a derivation, a reference for one that became a lemma."""
    _levels: dict[int, int] = field(default_factory=dict)
    _stated: dict[object, int] = field(default_factory=dict)

    def nodes(self, proved: Sequence[Proved]) -> tuple[Node, ...]:
        """Nodes for derivations, in order; what makes them too deep or too large goes into the table."""
        if not proved:
            return ()
        order = list(_each_once(proved))
        uses = Counter(id(c) for p in order for c in p.step.proved) + Counter(map(id, proved))
        small = _small(proved, order)
        for part in order:
            if id(part) not in self._made:
                self._make(part, lemma=not small and self._cut(part, uses[id(part)]))
        return tuple(self._made[id(p)][1] for p in proved)

    def kept(
        self, root: Node | None, alternatives: tuple[Node, ...]
    ) -> tuple[Node | None, tuple[Node, ...], tuple[Node, ...]]:
        """Root, alternatives and table, without the lemmas that none of them rests on."""
        tops = [n for n in (root, *alternatives) if n is not None]
        used = sorted({n.lemma for top in tops for n in reached(top, self.table) if n.lemma is not None})
        if len(used) == len(self.table):
            return root, alternatives, tuple(self.table)
        number = {old: new for new, old in enumerate(used)}

        def renumbered(node: Node) -> Node:
            lemma = number[node.lemma] if node.lemma is not None else None
            return node.model_copy(update={"lemma": lemma, "children": tuple(map(renumbered, node.children))})

        table = tuple(renumbered(self.table[old]) for old in used)
        return renumbered(root) if root is not None else None, tuple(map(renumbered, alternatives)), table

    def _cut(self, part: Proved, uses: int) -> bool:
        """Whether a derivation becomes a lemma."""
        below = part.step.proved
        level = 1 + max((self._levels[id(c)] for c in below), default=0)
        return bool(below) and (uses > 1 or level >= LEMMA_DEPTH)

    def _make(self, part: Proved, *, lemma: bool) -> None:
        step, atom = part.step, canonical(part.atom)
        children = tuple([self._made[id(c)][1] for c in step.proved])
        node = Node(
            kind=KINDS.get(step.kind, "rule"),
            goal=atom,
            ground=atom,
            score=step.score * math.prod([c.score for c in children]),
            weight=step.score,
            source=step.source,
            evidence=step.evidence,
            rule=step.rule,
            instance=dict(step.instance or {}),
            note=step.note,
            children=children,
        )
        self._levels[id(part)] = 1 if lemma else 1 + max((self._levels[id(c)] for c in step.proved), default=0)
        if lemma:
            number = self._stated.setdefault(atom, len(self.table))
            if number == len(self.table):
                self.table.append(node)
            score = self.table[number].score
            node = Node(
                kind="lemma", goal=atom, ground=atom, score=score, weight=score, source=step.source, lemma=number
            )
        # The derivation is kept with its node: an identity is only one as long as the thing is there.
        self._made[id(part)] = (part, node)


def _each_once(proved: Sequence[Proved]) -> Iterator[Proved]:
    """Every derivation, after those that it rests on."""
    done: set[int] = set()
    for root in proved:
        work = [(root, iter(root.step.proved))]
        while work:
            part, below = work[-1]
            following = next((c for c in below if id(c) not in done), None)
            if following is not None:
                work.append((following, iter(following.step.proved)))
                continue
            work.pop()
            if id(part) not in done:
                done.add(id(part))
                yield part


def _small(proved: Sequence[Proved], order: Sequence[Proved]) -> bool:
    """Whether derivations make a small tree."""

    def over(all_of: Callable[[Iterator[int]], int]) -> dict[int, int]:
        found: dict[int, int] = {}
        for part in order:
            found[id(part)] = 1 + all_of(found[id(c)] for c in part.step.proved)
        return found

    depth = over(lambda found: max(found, default=0))
    if max(depth[id(p)] for p in proved) > TREE_DEPTH:
        return False
    # The size of a tree as deep as this fits a number; that of a deeper one may have as many digits as it has levels.
    size = over(sum)
    return sum(size[id(p)] for p in proved) <= TREE_SIZE
