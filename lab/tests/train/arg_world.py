"""A small graph of pictures, questions about it, and what is needed to collect samples from them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from goalmem.graph.arrays import ArrayGraph
from goalmem.graph.critic import Query
from goalmem.graph.protocol import Triple
from goalmem.graph.retriever import EmbeddingRetriever, Vectors
from goalmem_lab.train.arg_collect import Collector, Shape
from goalmem_lab.train.arg_paths import AnswerCritic
from goalmem_lab.train.critic_labels import Asked

LINES = """
Kites|painted_by|Ann Poe
Rain|painted_by|Ann Poe
Fog|painted_by|Ben Ash
Snow|painted_by|Cy Lund
Kites|shown_in|Porto Museum
Rain|shown_in|Oslo Hall
Fog|shown_in|Oslo Hall
Snow|shown_in|Porto Museum
Kites|made_of|oil
Rain|made_of|ink
Fog|made_of|oil
Snow|made_of|ink
Kites|owned_by|Ann Poe
Ann Poe|born_in|Faro
Ben Ash|born_in|Oslo
Cy Lund|born_in|Faro
"""
QUESTIONS = [
    ("what did [Ann Poe] paint", "Kites|Rain"),
    ("what did [Ben Ash] paint", "Fog"),
    ("what did [Cy Lund] paint", "Snow"),
    ("where is [Kites] shown", "Porto Museum"),
    ("where is [Fog] shown", "Oslo Hall"),
    ("where is [Snow] shown", "Porto Museum"),
    ("where are pictures by [Ann Poe] shown", "Porto Museum|Oslo Hall"),
    ("where are pictures by [Ben Ash] shown", "Oslo Hall"),
    ("where are pictures by [Cy Lund] shown", "Porto Museum"),
]


class Hashed:
    """An embedder that needs no model: counts of words."""

    name = "hashed"
    dimension = 32

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        found = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(found, texts, strict=True):
            for word in text.split():
                row[zlib.crc32(word.encode()) % self.dimension] += 1
        return found / np.maximum(1e-9, np.linalg.norm(found, axis=1, keepdims=True))


def world() -> ArrayGraph:
    return ArrayGraph(Triple(*line.split("|")) for line in LINES.split("\n") if line)


def asked(graph: ArrayGraph) -> list[Asked]:
    found = []
    for text, answers in QUESTIONS:
        before, _, rest = text.partition("[")
        topic, _, after = rest.partition("]")
        span = (len(before), len(before) + len(topic))
        nodes = np.array(sorted(graph.node(name) for name in answers.split("|")), dtype=np.int64)
        found.append(Asked(Query(before + topic + after, topic, span), graph.node(topic), nodes))
    return found


def retriever() -> EmbeddingRetriever:
    return EmbeddingRetriever(Vectors(Hashed()))


def collector(graph: ArrayGraph, shape: Shape | None = None, critic=None) -> Collector:
    def by_answers(question, paths):
        return critic or AnswerCritic(graph, question.topic, question.answers, paths)

    return Collector(graph, retriever(), by_answers, shape or Shape(depth=2))


def samples(graph: ArrayGraph, shape: Shape | None = None) -> list[tuple[str, str]]:
    made = collector(graph, shape)
    return [(s.prompt, s.completion) for n, q in enumerate(asked(graph)) for s in made.samples(q, n)]
