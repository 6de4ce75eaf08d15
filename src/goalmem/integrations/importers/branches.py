"""Conversations that are trees: an edited or regenerated message has siblings, and one path is what the page shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

__all__ = ["Tree", "branches", "path_to"]

Tree: TypeAlias = Mapping[str, tuple[str | None, float]]
"""Node -> its parent, and when it was said."""


def path_to(tree: Tree, leaf: str | None) -> list[str]:
    """The nodes from the root to `leaf`; without one, to the leaf that was said last."""
    if leaf is None:
        ends = leaves(tree)
        leaf = max(ends, key=lambda node: tree[node][1]) if ends else None
    path: list[str] = []
    seen: set[str] = set()
    while leaf is not None and leaf in tree and leaf not in seen:
        seen.add(leaf)
        path.append(leaf)
        leaf = tree[leaf][0]
    return path[::-1]


def branches(tree: Tree, shown: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Every other leaf, with those nodes of the path to it that no earlier path has."""
    seen = set(shown)
    for leaf in leaves(tree):
        fresh = [node for node in path_to(tree, leaf) if node not in seen]
        if fresh:
            seen.update(fresh)
            yield leaf, fresh


def leaves(tree: Tree) -> list[str]:
    """Nodes that are nobody's parent, in the order of the file; of a tree that is only a circle, its last node."""
    parents = {parent for parent, _ in tree.values()}
    return [node for node in tree if node not in parents] or list(tree)[-1:]
