"""Samples for a tuned critic, collected from files of questions over graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from goalmem.errors import FormatError
from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.critic import Critic, Query
from goalmem.graph.protocol import Graph
from goalmem.graph.retriever import EmbeddingRetriever, Vectors
from goalmem_lab.evals.kgqa import graph_of, questions_of
from goalmem_lab.evals.kgqa_data import GraphQuestion, node_named, read_rog, span_of
from goalmem_lab.evals.kgqa_folds import asked_of
from goalmem_lab.train.arg_collect import Collector, Sample, Shape
from goalmem_lab.train.arg_paths import AnswerCritic, RelationPath
from goalmem_lab.train.arg_records import Layout, collect
from goalmem_lab.train.critic_labels import Asked, sampled

ALIKE = 40
"""Questions that are the same but for their topics, of which more teach little."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is collected from."""

    files: Sequence[Path]
    kb: Path | None
    """The graph of all questions; None where each comes with its own (RoG's layout)."""
    questions: int | None
    shape: Shape


def collected(
    wanted: Wanted,
    vectors: Vectors,
    critic: Critic | None,
    out: Path,
    layout: Layout,
    tick: Callable[[str, int, int], None],
) -> dict[str, int]:
    """Write the samples, and count them. Without a critic the answers decide.

    Raises FormatError for bad data, and InputError where `out` is there already.
    """
    asked = _over_one(wanted, wanted.kb) if wanted.kb is not None else _over_their_own(wanted)
    if not asked:
        raise FormatError(
            "None of the questions has a topic in its graph.", "Mark it as [topic], as the graph names it."
        )

    def labels(graph: Graph) -> Callable[[Asked, Sequence[RelationPath]], Critic]:
        return lambda each, paths: critic or AnswerCritic(graph, each.topic, each.answers, paths)

    def samples_of(place: int) -> list[Sample]:
        graph, each = asked[place]
        return Collector(graph, EmbeddingRetriever(vectors), labels(graph), wanted.shape).samples(each, place)

    told = [f"{each.query} {each.topic} {each.answers.tolist()}" for _, each in asked]
    settings = {"shape": asdict(wanted.shape), "critic": critic.name if critic else "answers", "asked": told}
    done = collect(
        out, layout, len(asked), samples_of, settings, lambda at: tick("Collecting samples", at.questions, at.of)
    )
    return {"questions": done.questions, "samples": done.samples}


def _over_one(wanted: Wanted, kb: Path) -> list[tuple[Graph, Asked]]:
    questions = [question for path in wanted.files for question in questions_of(path)]
    graph = graph_of(kb)
    asked = sampled(asked_of(graph, questions), wanted.questions or len(questions), ALIKE, wanted.shape.seed)
    return [(graph, each) for each in asked]


def _over_their_own(wanted: Wanted) -> list[tuple[Graph, Asked]]:
    """A question with several topics is learned from once for each."""
    questions = [question for path in wanted.files for question in read_rog(path)][: wanted.questions]
    return [pair for question in questions for pair in _of(question)]


def _of(question: GraphQuestion) -> list[tuple[Graph, Asked]]:
    graph = ArrayGraph(question.triples)
    answers = sorted({n for name in question.answers if (n := node_named(graph, name)) is not None})
    found: list[tuple[Graph, Asked]] = []
    for name in question.topics:
        node = node_named(graph, name)
        if node is not None and answers:
            query = Query(question.text, name, span_of(question.text, name))
            found.append((graph, Asked(query, node, np.array(answers, dtype=np.int64))))
    return found
