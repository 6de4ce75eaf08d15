"""Draw the reasoning tree of docs/graph.md: `python benchmarks/graph_tree.py` writes docs/images/graph-tree.svg."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.critic import Reflection, Relevance, Utility
from goalmem.graph.local import LocalCritic
from goalmem.graph.protocol import Graph
from goalmem.graph.reasoner import GraphReasoner, Topic
from goalmem.graph.retriever import EmbeddingRetriever, Vectors
from goalmem.graph.tree import Tree, TreeNode, WalkOutcome
from goalmem.io.triples_files import graph_file
from goalmem.models.minilm import MiniLM

ROOT = Path(__file__).parents[1]
QUESTION, TOPIC = "Who starred in the films directed by the director of Kismet?", "Kismet"


def main() -> None:
    """Search the films of `examples/films.psv` and draw what was searched."""
    graph = ArrayGraph(graph_file(ROOT / "examples" / "films.psv").entries())
    vectors = Vectors(MiniLM())
    reasoner = GraphReasoner(graph, LocalCritic(vectors, relations=graph.relations()), EmbeddingRetriever(vectors))
    topic, start = graph.node(TOPIC), QUESTION.index(TOPIC)
    assert topic is not None
    found = reasoner.ask(QUESTION, [Topic(topic, (start, start + len(TOPIC)))])
    assert found is not None
    (ROOT / "docs" / "images" / "graph-tree.svg").write_text(svg(found.tree, graph), encoding="utf-8")
    print(", ".join(answer.label for answer in found.answers))


SHOWN = 3
"""Entities of a walk that are named."""
LONGEST = 46
"""Characters of a line in a box."""
BOX, LINE, GAP, COLUMN = 300, 15, 10, 350
"""Width of a box, height of a line, space between boxes, and from column to column; pixels."""
COLOURS = {WalkOutcome.LEAF: "#009E73", WalkOutcome.FOLLOWED: "#0072B2"}
"""Green and blue of Okabe and Ito (2008); what is pruned is grey and dashed."""
PRUNED = "#888888"


def described(tree: Tree, node: TreeNode, graph: Graph) -> tuple[str, str, str]:
    """A walk in three lines: its last hop, what that leads to, and what became of it and why."""
    hop = str(node.hop) if node.hop is not None else tree.query.topic
    return hop, _entities(node, graph), _judged(node)


def svg(tree: Tree, graph: Graph) -> str:
    """The tree as an SVG document, from left to right; the walk that answers is drawn thick. The same tree gives the same text."""
    tops = _tops(tree)
    best = {node.id for node in tree.path(tree.leaves[0])} if tree.leaves else set()
    depth = max(len(node.walk.hops) for node in tree.nodes)
    width, height = COLUMN * depth + BOX + 2 * GAP, max(tops.values()) + 3 * LINE + 2 * GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="11">',
        f"<title>{escape(tree.query.question)}</title>",
    ]
    parts += [_edge(tree, node, tops, node.id in best) for node in tree.nodes[1:]]
    parts += [_box(tree, node, tops[node.id], graph, node.id in best) for node in tree.nodes]
    return "\n".join([*parts, "</svg>", ""])


def _entities(node: TreeNode, graph: Graph) -> str:
    if not node.walk.hops or not len(node.nodes):
        return ""
    if node.mediators:
        return f"{len(node.nodes)} mediator{'s' * (len(node.nodes) != 1)}"
    more = len(node.nodes) - SHOWN
    cut = " (cut)" if node.cut else ""
    return ", ".join(graph.labels(node.nodes[:SHOWN])) + (f" and {more} more" if more > 0 else "") + cut


def _judged(node: TreeNode) -> str:
    """The tokens, the score, and why it was pruned."""
    found = []
    if node.relevance is not None:
        found.append(_token(list(Relevance)[node.relevance.best].value, node.relevance))
    if node.utility is not None:
        found.append(_token(list(Utility)[node.utility.best].value, node.utility))
    if node.hopped and not (node.relevance is not None and node.fate is WalkOutcome.UNRELEVANT):
        found.append(f"S {node.score:.2f}")
    if node.fate.pruned:
        found.append(node.fate.value)
    return "  ".join(found)


def _token(name: str, reflection: Reflection) -> str:
    return f"{name} {max(reflection.probabilities):.2f}"


def _tops(tree: Tree) -> Mapping[int, int]:
    """Where each box begins: walks without any that go on one below the other, the others beside their first one."""
    tops: dict[int, int] = {}
    line = GAP

    def place(node: TreeNode) -> None:
        nonlocal line
        children = list(tree.children(node))
        for child in children:
            place(child)
        if children:
            tops[node.id] = tops[children[0].id]
        else:
            tops[node.id] = line
            line += 3 * LINE + GAP

    place(tree.nodes[0])
    return tops


def _left(node: TreeNode) -> int:
    return GAP + COLUMN * len(node.walk.hops)


def _edge(tree: Tree, node: TreeNode, tops: Mapping[int, int], thick: bool) -> str:
    before = tree.nodes[node.parent or 0]
    half = 3 * LINE // 2
    x1, y1, x2, y2 = _left(before) + BOX, tops[before.id] + half, _left(node), tops[node.id] + half
    dash = ' stroke-dasharray="4 3"' if node.fate.pruned else ""
    curve = f"M{x1} {y1} C{x1 + 25} {y1} {x2 - 25} {y2} {x2} {y2}"
    return f'<path d="{curve}" fill="none" stroke="{_colour(node)}" stroke-width="{3 if thick else 1}"{dash}/>'


def _box(tree: Tree, node: TreeNode, top: int, graph: Graph, thick: bool) -> str:
    left, height = _left(node), 3 * LINE
    dash = ' stroke-dasharray="4 3"' if node.fate.pruned else ""
    shape = (
        f'<rect x="{left}" y="{top}" width="{BOX}" height="{height}" rx="5" fill="white" '
        f'stroke="{_colour(node)}" stroke-width="{3 if thick else 1}"{dash}/>'
    )
    lines = [
        f'<text x="{left + 6}" y="{top + LINE * place - 3}" font-weight="{_weight(place)}">'
        f"{escape(text if len(text) <= LONGEST else text[: LONGEST - 1] + '…')}</text>"
        for place, text in enumerate(described(tree, node, graph), 1)
        if text
    ]
    return "\n".join([shape, *lines])


def _colour(node: TreeNode) -> str:
    return COLOURS.get(node.fate, PRUNED)


def _weight(place: int) -> str:
    return "bold" if place == 1 else "normal"


if __name__ == "__main__":
    main()
