"""The tuned critic: a local causal language model that learned to write reflection tokens (docs/graph.md).

Each token's distribution is the softmax over its kind's logits (equation 4). A candidate's part of the sequence score
(S_seq of equation 5) is the log-probability of its own text as the model's next knowledge, as in Figure 4's paragraphs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from goalmem.graph.critic import Hypothesis, Query, Rationality, Reflection, Relevance, Retrieval, Utility, Walk
from goalmem.graph.protocol import Hop
from goalmem.graph.tuned_model import Judged, TunedModel, Wanted
from goalmem.graph.tuned_text import (
    BETWEEN,
    CLOSE,
    OPEN,
    answered,
    asked,
    entity_choice,
    head_of,
    named,
    relation_choice,
    relation_name,
    relation_step,
    taken,
    triple,
)

EXACTLY = 256
"""Relations, both ways, up to which each is scored; of more the likeliest are searched for with a beam."""
LONGEST_RELATION = 48
"""Tokens of a relation that is written without knowing the graph's."""


@dataclass(frozen=True)
class TunedCritic:
    """`Critic` over a model by `goalmem train arg`. Each candidate is judged by itself: which others there are never matters."""

    model: TunedModel
    relations_known: tuple[str, ...] = ()
    """The graph's relations, which hypotheses are among where a walk does not say what leads on from it; without either the model
    writes what it likes."""

    @classmethod
    def load(cls, folder: Path | str, *, relations: Iterable[str] = ()) -> TunedCritic:
        """A critic from a folder. `relations`: those of the graph (`Graph.relations()`), where walks do not say what leads on.

        Raises ModelError where torch is missing, InputError where the folder holds no tuned model.
        """
        return cls(TunedModel.load(Path(folder)), tuple(sorted(set(relations))))

    @property
    def name(self) -> str:
        """Says which critic this is, with its weights."""
        return f"tuned:{self.model.name}"

    def retrieval(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Over `Retrieval`: what each walk needs next."""
        return self._over(Retrieval, [self._text(taken(query, walk)) for walk in walks])

    def rationality(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Over `Rationality`: each walk so far."""
        return self._over(Rationality, [self._text(taken(query, walk.bare, whole=False)) for walk in walks])

    def utility(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Over `Utility`: what each walk ends at, as the answer."""
        texts = [taken(query, walk) + answered(_ends(query, walk)) for walk in walks]
        return self._over(Utility, [self._text(text) for text in texts])

    def relations(self, query: Query, walk: Walk, candidates: Sequence[Hop]) -> list[Reflection]:
        """Over `Relevance`: each candidate as the walk's next hop."""
        before = taken(query, walk.bare)
        start = before + Retrieval.RELATION.value + OPEN
        return self._over(
            Relevance, [self._candidate(before + relation_choice(c), start, relation_name(c)) for c in candidates]
        )

    def entities(self, query: Query, walk: Walk, candidates: Sequence[str]) -> list[Reflection]:
        """Over `Relevance`: each entity that the walk's last hop led to. A walk without hops leads nowhere: none is relevant."""
        if not walk.hops:
            return [Reflection((0.0, 0.0, 1.0)) for _ in candidates]
        hop, head = walk.hops[-1], head_of(query, walk, len(walk.hops) - 1)
        before = taken(query, Walk(walk.hops[:-1], walk.entities[:-1]))
        start = before + relation_step([hop]) + Retrieval.ENTITY.value + OPEN
        given = triple(head, hop, "")
        return self._over(
            Relevance,
            [
                self._candidate(before + entity_choice(head, hop, tail), start, triple(head, hop, tail), given)
                for tail in candidates
            ],
        )

    def hypotheses(self, query: Query, walk: Walk, k: int) -> list[Hypothesis]:
        """At most `k` relations expected next, likeliest first: what the model would write into the next paragraph first.

        Of those that lead on from the walk where they are known, else of the graph's. Each weighs its share of what the model
        thinks likely of all of them, or of those that a beam search finds where there are too many.
        """
        if k < 1:
            return []
        before = self.model.begun(taken(query, walk) + Retrieval.RELATION.value + OPEN)
        hops = walk.onward or tuple(Hop(name, way) for name in self.relations_known for way in (False, True))
        names = list(dict.fromkeys(map(relation_name, hops)))
        found = self._scored(before, names) if 0 < len(names) <= EXACTLY else self._written(before, names, k)
        best = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:k]
        return [Hypothesis(text, weight) for text, weight in best]

    def recalled(self, query: Query) -> str:
        """What the model writes as the answer after [Unreasonable], without the graph; empty where it finds that of no use."""
        before = f"{asked(query)}{Rationality.UN.value}{Retrieval.NO.value} Answer:"
        utilities = [self.model.encode(token.value)[0] for token in Utility]
        found = self.model.beams(self.model.begun(before), 1, utilities, LONGEST_RELATION, None)
        if not found:
            return ""
        text = named(self.model.tokenizer.decode(list(found[0][0]), skip_special_tokens=True)).strip()
        (useful,) = self._over(Utility, [self._text(f"{before} {text} ")])
        return "" if useful.best == len(Utility) - 1 else text

    # -- what is asked of the model ----------------------------------------------------------------------------------

    def _text(self, text: str) -> Wanted:
        return Wanted(self.model.begun(text))

    def _candidate(self, text: str, before: str, own: str, given: str = "") -> Wanted:
        """A text that has a candidate after `before`; the span is the candidate's own text, as far as it goes beyond `given`."""
        start, ids = len(self.model.begun(before)), self.model.encode(own)
        return Wanted(self.model.begun(text), (start + _shared(ids, self.model.encode(given)), start + len(ids)))

    def _over(self, kind: type[Enum], wanted: Sequence[Wanted]) -> list[Reflection]:
        judged = self.model.judged(wanted, [token.value for token in kind])
        return [_reflection(j, w) for j, w in zip(judged, wanted, strict=True)]

    def _scored(self, before: tuple[int, ...], names: Sequence[str]) -> dict[str, float]:
        """Each relation's share of what the model thinks likely of all."""
        wanted = [
            Wanted((*before, *ids), (len(before), len(before) + len(ids))) for ids in map(self.model.encode, names)
        ]
        logs = [j.log_probability for j in self.model.judged(wanted, [CLOSE])]
        return dict(zip(names, _softmax(logs), strict=True))

    def _written(self, before: tuple[int, ...], names: Sequence[str], k: int) -> dict[str, float]:
        """What a beam search finds; among the names, where there are any."""
        ends = list(dict.fromkeys((self.model.encode(CLOSE)[0], self.model.encode(BETWEEN)[-1])))
        allowed = self._allowed(len(before), names, ends) if names else None
        most = max((len(self.model.encode(n)) for n in names), default=LONGEST_RELATION) + 1
        found = self.model.beams(before, k, ends, most, allowed)
        texts = [named(self.model.tokenizer.decode(list(ids), skip_special_tokens=True)) for ids, _ in found]
        return {t: w for t, w in zip(texts, _softmax([score for _, score in found]), strict=True) if t}

    def _allowed(self, length: int, names: Sequence[str], ends: Sequence[int]) -> Callable[[Any, Any], list[int]]:
        """What may follow, by what was written: a trie of the names' ids."""
        nexts: dict[tuple[int, ...], set[int]] = {}
        for ids in map(self.model.encode, names):
            for n, following in enumerate(ids):
                nexts.setdefault(ids[:n], set()).add(following)
            nexts.setdefault(ids, set()).update(ends)
        tries = {written: sorted(following) for written, following in nexts.items()}
        return lambda _, row: tries.get(tuple(row.tolist()[length:]), list(ends))


def _ends(query: Query, walk: Walk) -> tuple[str, ...]:
    return walk.entities[-1] if walk.entities else (query.topic,)


def _reflection(judged: Judged, wanted: Wanted) -> Reflection:
    start, stop = wanted.span
    return Reflection(judged.probabilities, judged.log_probability, max(1, stop - start))


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """How far two rows of ids begin alike."""
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return same


def _softmax(logs: Sequence[float]) -> list[float]:
    most = max(logs, default=0.0)
    weights = [math.exp(log - most) for log in logs]
    return [weight / sum(weights) for weight in weights]
