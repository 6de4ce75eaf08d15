"""Draw the reasoning tree of docs/graph.md: `python benchmarks/graph_tree.py` writes docs/images/graph-tree.svg."""

from __future__ import annotations

from pathlib import Path

from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.local import LocalCritic
from goalmem.graph.reasoner import GraphReasoner, Topic
from goalmem.graph.retriever import EmbeddingRetriever, Vectors
from goalmem.graph.tree import svg
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


if __name__ == "__main__":
    main()
