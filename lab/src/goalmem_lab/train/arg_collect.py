"""The weakly supervised collector of ArG (Algorithm 2): from a question and its answers to text with reflection tokens.

For each of several shortest paths one sample is the whole transcript, as in Figure 4: at every hop the candidate relations that
the retriever finds, the gold one among them, the tails beside the path's own, what a critic thinks of each, and of the walk so
far; at [Unreasonable] the transcript ends with the answers. The other samples are the single decisions that a tuned critic is
asked for in a search, as it is asked for them: one candidate beside a walk as it was taken. To these belong walks that take a
wrong candidate: without any, nothing would be seen to be unreasonable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from random import Random
from typing import TypeVar

import numpy as np

from goalmem.graph.critic import Critic, Query, Rationality, Reflection, Relevance, Retrieval, Utility, Walk
from goalmem.graph.protocol import Graph, Hop
from goalmem.graph.retriever import EmbeddingRetriever
from goalmem.graph.tuned_text import (
    ends_text,
    entity_choice,
    entity_step,
    knowledge_text,
    query_text,
    relation_choice,
    relation_name,
    relation_step,
    walk_text,
)
from goalmem.graph.walk_reading import paths_of
from goalmem_lab.train.arg_paths import RelationPath, shortest_paths
from goalmem_lab.train.chance import chance
from goalmem_lab.train.critic_labels import Asked

Token = TypeVar("Token", bound=Enum)

SEED_STEP = 1_000_003
MOST_ANSWERS = 10
"""Answers that a transcript ends with; of more the first by label."""
MOST_SIBLINGS = 1_000
"""Tails of one entity that siblings are chosen of."""
DECIDED = 2
"""Entities of a hop that are decisions of their own: most of those beside each other are alike."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What a model is shown, and what it shall write then."""

    kind: str
    """`path` for a whole transcript, or the decision: `retrieval`, `relation`, `entity`, `rationality`, `utility`."""
    prompt: str
    completion: str


@dataclass(frozen=True, slots=True)
class Shape:
    """What is collected."""

    paths: int = 3
    """Of a question, at most."""
    depth: int = 3
    """Hops of a path, at most."""
    candidates: int = 5
    """Relations at a hop, and entities: ArG's K."""
    contrasts: int = 1
    """Walks with a wrong relation, for each path."""
    decisions: bool = True
    """Whether there are samples beside the whole transcripts."""
    seed: int = 7


@dataclass(frozen=True, slots=True)
class _Hopped:
    """One hop of a path, with what is shown beside it."""

    node: int
    head: str
    """What the node is called."""
    hop: Hop
    relations: tuple[Hop, ...]
    """In the order in which they are shown; the hop is among them."""
    entities: tuple[str, ...]
    """The same; of the tails of the head."""
    tail: str


@dataclass(frozen=True)
class Collector:
    """Makes samples; the same for the same question, place and seed, whatever came before."""

    graph: Graph
    retriever: EmbeddingRetriever
    critic: Callable[[Asked, Sequence[RelationPath]], Critic]
    """The critic that labels a question, given the paths to its answers."""
    shape: Shape = Shape()

    def samples(self, question: Asked, place: int) -> list[Sample]:
        """What one question gives, each sample once; nothing where no path leads to an answer. `place`: sets its chance apart."""
        shape = self.shape
        paths = shortest_paths(self.graph, question.topic, question.answers, depth=shape.depth, keep=shape.paths)
        random = chance(shape.seed * SEED_STEP + place)
        critic = self.critic(question, paths)
        made = (sample for path in paths for sample in self._of_path(question, path, critic, random))
        return list(dict.fromkeys(made))

    def _of_path(self, question: Asked, path: RelationPath, critic: Critic, random: Random) -> Iterator[Sample]:
        hopped = list(self._hopped(question, path, random))
        answers = self._answers(question, path)
        yield self._transcript(question, hopped, answers, critic)
        if self.shape.decisions:
            for n in range(len(hopped)):
                yield from self._decisions(question.query, hopped, n, critic)
            yield from self._end(question.query, hopped, answers, critic)
            for _ in range(self.shape.contrasts):
                yield from self._contrast(question, hopped, critic, random)

    # -- what the graph has beside a path ----------------------------------------------------------------------------

    def _hopped(self, question: Asked, path: RelationPath, random: Random) -> Iterator[_Hopped]:
        rows = paths_of(self.graph, question.topic, path.hops, question.answers)
        walk = Walk()
        for hop, (head, tail) in zip(path.hops, pairwise(rows[0]), strict=True):
            relations = self._relations(question.query, walk, head, hop, random)
            entities = self._entities(head, hop, tail, random)
            named = self.graph.labels(np.array([head, tail]))
            yield _Hopped(int(head), named[0], hop, relations, entities, named[1])
            walk = walk.then(hop, _first(named[1], entities))

    def _relations(self, query: Query, walk: Walk, head: np.int64, hop: Hop, random: Random) -> tuple[Hop, ...]:
        """What the retriever finds at an entity, with the path's own relation, shuffled."""
        available = self.graph.hops(np.array([head]))
        best = self.retriever.retrieve(query, walk, (), available, self.shape.candidates)
        listed = best if hop in best else [*best[: self.shape.candidates - 1], hop]
        return tuple(random.sample(listed, len(listed)))

    def _entities(self, head: np.int64, hop: Hop, tail: np.int64, random: Random) -> tuple[str, ...]:
        """Labels of some tails, the path's own among them, shuffled."""
        tails = self.graph.edges(np.array([head]), hop, limit=MOST_SIBLINGS)[1]
        others = [int(t) for t in tails if t != tail]
        chosen = [int(tail), *random.sample(others, min(len(others), self.shape.candidates - 1))]
        labels = self.graph.labels(np.array(chosen))
        distinct = list(dict.fromkeys(labels))
        return tuple(random.sample(distinct, len(distinct)))

    def _answers(self, question: Asked, path: RelationPath) -> tuple[str, ...]:
        rows = paths_of(self.graph, question.topic, path.hops, question.answers)
        return tuple(sorted(set(self.graph.labels(rows[:, -1])))[:MOST_ANSWERS])

    # -- samples -----------------------------------------------------------------------------------------------------

    def _transcript(self, question: Asked, hopped: Sequence[_Hopped], answers: Sequence[str], critic: Critic) -> Sample:
        """The whole path, as in Figure 4."""
        query, text, walk = question.query, "", Walk()
        for at in hopped:
            ratings = _values(Relevance, critic.relations(query, walk, at.relations))
            text += relation_step(at.relations, ratings)
            walk = walk.then(at.hop, _first(at.tail, at.entities))
            ratings = _values(Relevance, critic.entities(query, walk, at.entities))
            text += entity_step(at.head, at.hop, at.entities, ratings)
            reasonable = _value(Rationality, critic.rationality(query, [walk])[0])
            text += reasonable.value
            if reasonable is Rationality.UN:
                known = sorted(set(self.graph.labels(question.answers)))
                answers = known[:MOST_ANSWERS]
                break
        useful = _value(Utility, critic.utility(query, [walk])[0])
        return Sample("path", query_text(query), text + ends_text(answers) + useful.value)

    def _decisions(self, query: Query, hopped: Sequence[_Hopped], n: int, critic: Critic) -> Iterator[Sample]:
        """What is decided at one hop of a path: what is thought of each candidate, and that it is to be taken.

        The latter only where the critic finds the walk with it fully reasonable: what is partially so shall be rated, not sought.
        """
        at, before = hopped[n], _walk(hopped[:n])
        text = walk_text(query, before.bare)
        for hop, rating in zip(at.relations, critic.relations(query, before, at.relations), strict=True):
            yield Sample("relation", text + relation_choice(hop), _said(Relevance, rating))
        walk = before.then(at.hop, _first(at.tail, at.entities))
        if _value(Rationality, reasonable := critic.rationality(query, [walk])[0]) is Rationality.FULLY:
            yield Sample(
                "retrieval",
                walk_text(query, before),
                Retrieval.RELATION.value + knowledge_text([relation_name(at.hop)]),
            )
            yield from self._entity_wanted(query, hopped, n, critic)
        some = at.entities[:DECIDED]
        for label, rating in zip(some, critic.entities(query, walk, some), strict=True):
            prompt = walk_text(query, before) + entity_choice(at.head, at.hop, label)
            yield Sample("entity", prompt, _said(Relevance, rating))
        yield Sample("rationality", walk_text(query, walk.bare, whole=False), _said(Rationality, reasonable))

    def _entity_wanted(self, query: Query, hopped: Sequence[_Hopped], n: int, critic: Critic) -> Iterator[Sample]:
        """After the path's own relation its entities are needed; after an unrelevant one another relation is, the path's own."""
        at, before = hopped[n], _walk(hopped[:n])
        yield Sample("retrieval", walk_text(query, before.towards(at.hop)), Retrieval.ENTITY.value)
        ratings = _values(Relevance, critic.relations(query, before, at.relations))
        wrong = next((hop for hop, r in zip(at.relations, ratings, strict=True) if r is Relevance.UN), None)
        if wrong is not None:
            another = Retrieval.RELATION.value + knowledge_text([relation_name(at.hop)])
            yield Sample("retrieval", walk_text(query, before.towards(wrong)), another)

    def _end(self, query: Query, hopped: Sequence[_Hopped], answers: Sequence[str], critic: Critic) -> Iterator[Sample]:
        walk = _walk(hopped)
        if _value(Rationality, critic.rationality(query, [walk])[0]) is not Rationality.FULLY:
            return
        useful = _said(Utility, critic.utility(query, [walk])[0])
        yield Sample("retrieval", walk_text(query, walk), ends_text(answers) + useful)

    def _contrast(self, question: Asked, hopped: Sequence[_Hopped], critic: Critic, random: Random) -> Iterator[Sample]:
        """A walk that takes another candidate than the path does, and what is thought of it."""
        query, n = question.query, random.randrange(len(hopped))
        at, before = hopped[n], _walk(hopped[:n])
        others = [hop for hop in at.relations if hop != at.hop]
        if not others:
            return
        hop = random.choice(others)
        tails = self.graph.edges(np.array([at.node]), hop, limit=MOST_SIBLINGS)[1]
        some = random.sample([int(t) for t in tails], min(len(tails), self.shape.candidates))
        labels = tuple(dict.fromkeys(self.graph.labels(np.array(some, dtype=np.int64))))
        walk = before.then(hop, labels)
        reasonable, useful = critic.rationality(query, [walk])[0], critic.utility(query, [walk])[0]
        yield Sample("rationality", walk_text(query, walk.bare, whole=False), _said(Rationality, reasonable))
        yield Sample("utility", walk_text(query, walk) + ends_text(labels), _said(Utility, useful))


def _walk(hopped: Sequence[_Hopped]) -> Walk:
    return Walk(tuple(at.hop for at in hopped), tuple(_first(at.tail, at.entities) for at in hopped))


def _first(tail: str, entities: Sequence[str]) -> tuple[str, ...]:
    """The path's own entity, then those beside it: the first stands for where the next hop sets out from."""
    return (tail, *(label for label in entities if label != tail))


def _value(kind: type[Token], reflection: Reflection) -> Token:
    return list(kind)[reflection.best]


def _values(kind: type[Token], reflections: Sequence[Reflection]) -> list[Token]:
    return [_value(kind, reflection) for reflection in reflections]


def _said(kind: type[Enum], reflection: Reflection) -> str:
    return str(_value(kind, reflection).value)
