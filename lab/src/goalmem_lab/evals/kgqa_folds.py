"""Critics for cross-validation: each question is answered with weights that were learned without it.

Apart are not only questions but what they are about: the questions of one topic are all in one part, so that no answer list of
training comes back in measuring.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from goalmem.errors import InputError
from goalmem.graph.critic import Query
from goalmem.graph.local import LocalCritic
from goalmem.graph.protocol import Graph
from goalmem.graph.retriever import Vectors
from goalmem_lab.evals.kgqa_data import GraphQuestion, node_named, topic_of
from goalmem_lab.evals.progress import Tick, ignore, within
from goalmem_lab.train.critic import train_critic
from goalmem_lab.train.critic_labels import Asked


def asked_of(graph: Graph, questions: Iterable[GraphQuestion]) -> list[Asked]:
    """The questions whose topic is marked and in the graph, with those of their answers that are."""
    found = []
    for question in questions:
        topic = topic_of(graph, question)
        if topic is None:
            continue
        node, span = topic
        (label,) = graph.labels(np.array([node], dtype=np.int64))
        answers = {n for name in question.answers if (n := node_named(graph, name)) is not None}
        found.append(Asked(Query(question.text, label, span), node, np.array(sorted(answers), dtype=np.int64)))
    return found


def critics_by_question(
    graph: Graph,
    questions: Sequence[GraphQuestion],
    folds: int,
    vectors: Vectors,
    tick: Tick = ignore,
) -> Mapping[str, LocalCritic]:
    """For each question's id a critic trained without its part. Raises InputError where a part would be empty."""
    part = {question.id: _part(question, folds) for question in questions}
    if len(set(part.values())) < folds:
        raise InputError(f"{len(questions)} questions make no {folds} parts.", "Ask for fewer folds.")
    critics = []
    for fold in range(folds):
        others = asked_of(graph, (q for q in questions if part[q.id] != fold))
        model, _ = train_critic(graph, others, vectors, tick=within(tick, f"Fold {fold + 1} of {folds}:"))
        critics.append(LocalCritic(vectors, model, graph.relations()))
    return {question.id: critics[part[question.id]] for question in questions}


def _part(question: GraphQuestion, folds: int) -> int:
    topics = "|".join(question.text[slice(*span)] for span in question.spans)
    return zlib.crc32((topics or question.id).encode("utf-8", "replace")) % folds
