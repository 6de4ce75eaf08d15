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
from goalmem.graph.tuned_model import ScoringRequest, TextScore, TunedModel
from goalmem.graph.tuned_text import (
    BETWEEN,
    CLOSE,
    OPEN,
    ends_text,
    entity_choice,
    head_of,
    label_text,
    query_text,
    relation_choice,
    relation_name,
    relation_step,
    triple,
    walk_text,
)

EXACTLY = 256
"""Relations, both ways, up to which each is scored; of more the likeliest are searched for with a beam."""
LONGEST_RELATION = 48
"""Tokens of a relation that is written without knowing the graph's."""


@dataclass(frozen=True)
class TunedCritic:
    """`Critic` over a model from `goalmem train arg`. Each candidate is judged independently of the others."""

    model: TunedModel
    relations_known: tuple[str, ...] = ()
    """The graph's relations, to which hypotheses are restricted if a walk does not list its next hops; None allows
    any text.
    """

    @classmethod
    def load(cls, folder: Path | str, *, relations: Iterable[str] = ()) -> TunedCritic:
        """Load a critic from a folder. `relations`: those of the graph (`Graph.relations()`), if walks do not list
        their next hops.

        Raises ModelError where torch is missing, InputError where the folder holds no tuned model.
        """
        return cls(TunedModel.load(Path(folder)), tuple(sorted(set(relations))))

    @property
    def name(self) -> str:
        """Says which critic this is, with its weights."""
        return f"tuned:{self.model.name}"

    def retrieval(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Distribution over `Retrieval` for each walk: what it needs next."""
        return self._over(Retrieval, [self._text(walk_text(query, walk)) for walk in walks])

    def rationality(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Over `Rationality`: each walk so far."""
        return self._over(Rationality, [self._text(walk_text(query, walk.bare, whole=False)) for walk in walks])

    def utility(self, query: Query, walks: Sequence[Walk]) -> list[Reflection]:
        """Distribution over `Utility` for each walk: the quality of its end as the answer."""
        texts = [walk_text(query, walk) + ends_text(_ends(query, walk)) for walk in walks]
        return self._over(Utility, [self._text(text) for text in texts])

    def relations(self, query: Query, walk: Walk, candidates: Sequence[Hop]) -> list[Reflection]:
        """Over `Relevance`: each candidate as the walk's next hop."""
        before = walk_text(query, walk.bare)
        start = before + Retrieval.RELATION.value + OPEN
        return self._over(
            Relevance, [self._candidate(before + relation_choice(c), start, relation_name(c)) for c in candidates]
        )

    def entities(self, query: Query, walk: Walk, candidates: Sequence[str]) -> list[Reflection]:
        """Distribution over `Relevance` for each entity of the walk's last hop; none for a walk without hops."""
        if not walk.hops:
            return [Reflection((0.0, 0.0, 1.0)) for _ in candidates]
        hop, head = walk.hops[-1], head_of(query, walk, len(walk.hops) - 1)
        before = walk_text(query, Walk(walk.hops[:-1], walk.entities[:-1]))
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
        """At most `k` relations expected next, likeliest first: the model's generation at the start of the next
        paragraph.

        Of those that lead on from the walk where they are known, else of the graph's. Each weighs its share of what the model
        thinks likely of all of them, or of those that a beam search finds where there are too many.
        """
        if k < 1:
            return []
        before = self.model.begun(walk_text(query, walk) + Retrieval.RELATION.value + OPEN)
        hops = walk.onward or tuple(Hop(name, way) for name in self.relations_known for way in (False, True))
        names = list(dict.fromkeys(map(relation_name, hops)))
        found = self._scored(before, names) if 0 < len(names) <= EXACTLY else self._written(before, names, k)
        best = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:k]
        return [Hypothesis(text, weight) for text, weight in best]

    def recalled(self, query: Query) -> str:
        """The model's answer after [Unreasonable], without the graph; empty if it considers that useless."""
        before = f"{query_text(query)}{Rationality.UN.value}{Retrieval.NO.value} Answer:"
        utilities = [self.model.encode(token.value)[0] for token in Utility]
        found = self.model.beams(self.model.begun(before), 1, utilities, LONGEST_RELATION, None)
        if not found:
            return ""
        text = label_text(self.model.tokenizer.decode(list(found[0][0]), skip_special_tokens=True)).strip()
        (useful,) = self._over(Utility, [self._text(f"{before} {text} ")])
        return "" if useful.best == len(Utility) - 1 else text

    # -- prompts and generation ------------------------------------------------------------------------------------------

    def _text(self, text: str) -> ScoringRequest:
        return ScoringRequest(self.model.begun(text))

    def _candidate(self, text: str, before: str, own: str, given: str = "") -> ScoringRequest:
        """A text that has a candidate after `before`; the span is the candidate's own text, as far as it goes beyond `given`."""
        start, ids = len(self.model.begun(before)), self.model.encode(own)
        return ScoringRequest(
            self.model.begun(text), (start + _shared(ids, self.model.encode(given)), start + len(ids))
        )

    def _over(self, kind: type[Enum], wanted: Sequence[ScoringRequest]) -> list[Reflection]:
        judged = self.model.judged(wanted, [token.value for token in kind])
        return [_reflection(j, w) for j, w in zip(judged, wanted, strict=True)]

    def _scored(self, before: tuple[int, ...], names: Sequence[str]) -> dict[str, float]:
        """Each relation's share of the total probability."""
        wanted = [
            ScoringRequest((*before, *ids), (len(before), len(before) + len(ids)))
            for ids in map(self.model.encode, names)
        ]
        logs = [j.log_probability for j in self.model.judged(wanted, [CLOSE])]
        return dict(zip(names, _softmax(logs), strict=True))

    def _written(self, before: tuple[int, ...], names: Sequence[str], k: int) -> dict[str, float]:
        """Results of a beam search, restricted to the names if there are any."""
        ends = list(dict.fromkeys((self.model.encode(CLOSE)[0], self.model.encode(BETWEEN)[-1])))
        allowed = self._allowed(len(before), names, ends) if names else None
        most = max((len(self.model.encode(n)) for n in names), default=LONGEST_RELATION) + 1
        found = self.model.beams(before, k, ends, most, allowed)
        texts = [label_text(self.model.tokenizer.decode(list(ids), skip_special_tokens=True)) for ids, _ in found]
        return {t: w for t, w in zip(texts, _softmax([score for _, score in found]), strict=True) if t}

    def _allowed(self, length: int, names: Sequence[str], ends: Sequence[int]) -> Callable[[Any, Any], list[int]]:
        """The allowed next ids: a trie of the names' ids."""
        nexts: dict[tuple[int, ...], set[int]] = {}
        for ids in map(self.model.encode, names):
            for n, following in enumerate(ids):
                nexts.setdefault(ids[:n], set()).add(following)
            nexts.setdefault(ids, set()).update(ends)
        tries = {written: sorted(following) for written, following in nexts.items()}
        return lambda _, row: tries.get(tuple(row.tolist()[length:]), list(ends))


def _ends(query: Query, walk: Walk) -> tuple[str, ...]:
    return walk.entities[-1] if walk.entities else (query.topic,)


def _reflection(judged: TextScore, wanted: ScoringRequest) -> Reflection:
    start, stop = wanted.span
    return Reflection(judged.probabilities, judged.log_probability, max(1, stop - start))


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """Length of the common prefix of two rows of ids."""
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return same


def _softmax(logs: Sequence[float]) -> list[float]:
    most = max(logs, default=0.0)
    weights = [math.exp(log - most) for log in logs]
    return [weight / sum(weights) for weight in weights]
