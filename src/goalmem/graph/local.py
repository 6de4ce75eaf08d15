"""The local critic: reflects on walks without a language model.

A log-linear model gives each walk a distribution over its next hops and stopping. Its features are the alignment of the
question's words with relations (`local_alignment`) and, if trained, the hops that n-grams of questions indicated in
training (`local_lexical`). The reflection tokens are derived from that distribution:

- Retrieval: after a relation [Retrieve Entity]; else [No Retrieval] has the probability of stopping, [Retrieve Relation] the rest. Where nothing was learned of the
  walk's relations, stopping counts times one minus how surely the question speaks of a relation that the walk has not taken.
- Relevance of a hop: r is its probability divided by that of the likeliest; three values as from two draws that each say
  "relevant" with probability r, so S_rel is r itself, and a hop less than a third as likely as the best is pruned.
- Relevance of entities: full. Which entities a hop leads to is decided by the graph, not by their names.
- Rationality of a walk: likewise, with the geometric mean of r over its hops.
- Utility: four draws with the root of the probability that this walk is the one meant (its hops' and that of stopping,
  multiplied), so S_uti is that root; not covered words count against it as they do against stopping.
- The candidate's own log-probability, for S_seq, is that of the hop, stopping included.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from goalmem.graph.critic import Hypothesis, Query, Reflection, Walk
from goalmem.graph.local_alignment import FEATURES, MOST_NAMES, QuestionAlignment
from goalmem.graph.local_model import LocalModel, buckets, contexts, grams
from goalmem.graph.protocol import Hop
from goalmem.graph.retriever import Vectors

CACHED_QUESTIONS = 512
CACHED_WALKS = 4_096
FULLY, ENTITIES = Reflection((1.0, 0.0, 0.0)), Reflection((0.0, 1.0, 0.0))
FLOOR = 1e-9
"""Probabilities are not less, so that their logarithms are finite."""


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """A walk's next hops with their probabilities, and that of stopping, which is 0 at the start."""

    hops: tuple[Hop, ...]
    probabilities: NDArray[np.float64]
    """Shape (len(hops),)."""
    stop: float


class LocalCritic:
    """A `Critic` over an embedder and the weights of `train critic`; without those, over weights that were set by hand.

    Safe to use from several threads: what it keeps is only what it would work out again.
    """

    def __init__(self, vectors: Vectors, model: LocalModel | None = None, relations: Sequence[str] = ()) -> None:
        """`relations`: those of the graph, for walks that do not list their next hops."""
        self._vectors, self._model = vectors, model or LocalModel()
        self._general = self._model.weights(FEATURES)
        self._forth = tuple(Hop(name) for name in sorted(relations))
        self._all = tuple(way for hop in self._forth for way in (hop, hop.back))
        self._alignment = lru_cache(CACHED_QUESTIONS)(self._aligned)
        self._steps: OrderedDict[tuple[str, tuple[Hop, ...]], Steps] = OrderedDict()

    @property
    def name(self) -> str:
        """See `Critic.name`."""
        return f"local-{self._model.name}-{self._vectors.embedder.name}"

    def steps(self, query: Query, walk: Walk, candidates: Sequence[Hop] = ()) -> Steps:
        """Probabilities of the next hops of a walk and of stopping."""
        key = (query.masked, walk.hops)
        found, onward = self._steps.get(key), walk.onward or tuple(candidates) or self._any(query.masked)
        if found is None or found.hops != onward:
            found = self._steps[key] = self._worked_out(query.masked, walk.hops, onward)
            while len(self._steps) > CACHED_WALKS:
                self._steps.popitem(last=False)
        return found

    def _any(self, masked: str) -> tuple[Hop, ...]:
        """All relations both ways, where nothing says which may follow; of many, those that are most like the question."""
        if len(self._forth) <= MOST_NAMES:
            return self._all
        return tuple(way for hop in self._alignment(masked).spoken for way in (hop, hop.back))

    def scores(self, masked: str, walked: tuple[Hop, ...], choices: Sequence[Hop | None]) -> NDArray[np.float64]:
        """The log-linear model's scores of choices after a walk, None being to stop; shape (len(choices),)."""
        scores = self._alignment(masked).features(walked, choices) @ self._general
        table, known = self._model.table, self._model.relations
        if table is not None and any(hop.relation in known for hop in (walked or choices) if hop is not None):
            found = grams(masked)
            rows = [i for i, choice in enumerate(choices) if _relation(walked, choice) in known]
            if rows and len(found):
                places = buckets(found, contexts(walked, [choices[i] for i in rows]))
                scores[rows] += table[places].sum(axis=1) / math.sqrt(len(found))
        return scores.astype(np.float64)

    def retrieval(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """See `Critic.retrieval`."""
        return [ENTITIES if walk.pending else self._stopping(query, walk) for walk in walks]

    def _stopping(self, query: Query, walk: Walk) -> Reflection:
        stop = self.steps(query, walk).stop * self._covered(query, walk)
        return Reflection((1 - stop, 0.0, stop))

    def hypotheses(self, query: Query, walk: Walk, k: int) -> list[Hypothesis]:
        """See `Critic.hypotheses`."""
        steps = self.steps(query, walk)
        going = max(1 - steps.stop, FLOOR)
        best = np.argsort(-steps.probabilities, kind="stable")[:k].tolist()
        return [Hypothesis(str(steps.hops[i]), min(1.0, float(steps.probabilities[i]) / going)) for i in best]

    def relations(self, query: Query, walk: Walk, candidates: Sequence[Hop]) -> list[Reflection]:
        """See `Critic.relations`."""
        steps = self.steps(query, walk, candidates)
        chance = dict(zip(steps.hops, steps.probabilities.tolist(), strict=True))
        best = max(*chance.values(), FLOOR) if chance else 1.0
        found = [max(chance.get(hop, 0.0), FLOOR) for hop in candidates]
        return [_drawn_twice(p / best, math.log(p)) for p in found]

    def entities(self, query: Query, walk: Walk, candidates: Sequence[str]) -> list[Reflection]:
        """See `Critic.entities`."""
        return [FULLY] * len(candidates)

    def rationality(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """See `Critic.rationality`."""
        return [_drawn_twice(self._coherence(query, walk)) for walk in walks]

    def utility(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """See `Critic.utility`."""
        meant = [self._meant(query, walk) for walk in walks]
        return [_drawn_four_times(p * self._covered(query, w)) for p, w in zip(meant, walks, strict=True)]

    def _meant(self, query: Query, walk: Walk) -> float:
        """The root of the probability that this walk is the one meant, stopping included.

        Walks of different length are ranked by that probability; the root keeps what several sure steps come to from looking
        doubtful.
        """
        return math.sqrt(math.prod(p for p, _ in self._chances(query, walk)) * self.steps(query, walk).stop)

    def _coherence(self, query: Query, walk: Walk) -> float:
        """The geometric mean, over a walk's hops, of each one's probability divided by that of the likeliest."""
        logs = [math.log(p / best) for p, best in self._chances(query, walk)]
        return math.exp(math.fsum(logs) / len(logs)) if logs else 1.0

    def _chances(self, query: Query, walk: Walk) -> list[tuple[float, float]]:
        """For each hop of a walk, its probability when it was taken, and that of the likeliest alternative."""
        found = []
        for place, hop in enumerate(walk.hops):
            onward = walk.passed[place] if place < len(walk.passed) else ()
            steps = self.steps(query, Walk(walk.hops[:place], onward=onward))
            chances = dict(zip(steps.hops, steps.probabilities.tolist(), strict=True))
            found.append((max(chances.get(hop, 0.0), FLOOR), max(*chances.values(), FLOOR) if chances else FLOOR))
        return found

    def _covered(self, query: Query, walk: Walk) -> float:
        """One minus the confidence that the question mentions a relation that the walk has not taken; 1 if training
        determines when to stop.
        """
        known = self._model.relations if self._model.table is not None else frozenset()
        if walk.hops and all(hop.relation in known for hop in walk.hops):
            return 1.0
        return 1.0 - self._alignment(query.masked).missed(walk.hops, walk.onward)

    def _aligned(self, masked: str) -> QuestionAlignment:
        return QuestionAlignment(masked, self._vectors, self._forth)

    def _worked_out(self, masked: str, walked: tuple[Hop, ...], onward: tuple[Hop, ...]) -> Steps:
        choices: list[Hop | None] = [*onward, *([None] if walked else [])]
        if not choices:
            return Steps((), np.zeros(0), 1.0)
        scores = self.scores(masked, walked, choices)
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        return Steps(onward, chances[: len(onward)], float(chances[-1]) if walked else 0.0)


def _relation(walked: Sequence[Hop], choice: Hop | None) -> str:
    """The relation that a choice is about: that of the hop, or the one after which it stops."""
    return choice.relation if choice is not None else walked[-1].relation


def _drawn_twice(chance: float, log_probability: float = 0.0) -> Reflection:
    chance = min(max(chance, 0.0), 1.0)
    return Reflection((chance**2, 2 * chance * (1 - chance), (1 - chance) ** 2), log_probability)


def _drawn_four_times(chance: float) -> Reflection:
    chance = min(max(chance, 0.0), 1.0)
    return Reflection(tuple(math.comb(4, n) * chance**n * (1 - chance) ** (4 - n) for n in range(4, -1, -1)))
