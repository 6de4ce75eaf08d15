"""Parts of Retaining (second version) that our search lacks, each added to the full search to be measured (`eval ablation --with`).

Retaining ranks sessions by one vector each, ours ranks turns. Where a part speaks of a session's place by vector, that is the place of its
nearest turn; what raises a session raises this turn. The published constants are used where the source gives them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError
from goalmem.records import Extraction, Hit
from goalmem.retrieve.search import ScoredTurns
from goalmem.retrieve.settings import Weights
from goalmem_lab.evals.corpus import Corpus, Variant
from goalmem_lab.evals.encoded import SPACE

FIRST = 5
"""Sessions that count as first by vector."""
ANCHOR = np.linspace(0.10, 0.032, FIRST)
"""Share by which the similarity of these grows, from the first to the fifth."""
DISPLACED_TO, INTRUDER_FROM = 12, 8
"""Places of a displaced session, and by vector of an intruder (as in `retrieve/fusion.py`)."""
BOOSTS = ("logic", "time", "phrase", "preference", "reminiscence", "speaker", "person")
KEYWORDS = 0.2
"""Share of the keywords from which they count as a boost."""
WITHIN = 0.5
"""Share of the greatest nearness in time from which a turn is within the window of a question."""
NAMED = 0.3
"""What a name adds, as a speaker's does."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Found:
    """What the full search finds for a question, best first."""

    corpus: Corpus
    question: str
    turns: ScoredTurns
    weights: Weights

    def signal(self, name: str) -> Floats:
        """A signal before its weight, shape (turns,); zeros where it does not apply."""
        return self.turns.signals.get(name, np.zeros_like(self.turns.scores))

    def leaders(self, scores: Floats) -> list[int]:
        """The best turn of each session, best session first."""
        order = np.argsort(-scores, kind="stable")
        _, first = np.unique(self.turns.sessions[order], return_index=True)
        return [int(order[place]) for place in np.sort(first)]


def anchored(found: Found) -> Floats:
    """The first five sessions by vector get a bonus on their similarity."""
    return _closer(found, found.leaders(found.signal("dense"))[:FIRST], ANCHOR)


def protected(found: Found) -> Floats:
    """Those of them get a bonus that have no boost at all."""
    boosted = np.any([found.signal(name) > 0 for name in BOOSTS], axis=0) | (found.signal("lexical") >= KEYWORDS)
    sessions = set(found.turns.sessions[boosted].tolist())
    leaders = found.leaders(found.signal("dense"))[:FIRST]
    alone = [turn for turn in leaders if int(found.turns.sessions[turn]) not in sessions]
    return _closer(found, alone, np.full(len(alone), ANCHOR[0]))


def _closer(found: Found, turns: Sequence[int], shares: NDArray[np.float64]) -> Floats:
    scores = found.turns.scores.copy()
    chosen = list(turns)
    scores[chosen] += found.weights.dense * found.signal("dense")[chosen] * shares[: len(chosen)]
    return scores


def preserved(found: Found) -> Floats:
    """Of the first five sessions by vector, the best that an intruder displaced takes the fifth place."""
    scores, sessions = found.turns.scores, found.turns.sessions
    leaders = found.leaders(scores)
    by_vector = {int(sessions[turn]): place for place, turn in enumerate(found.leaders(found.signal("dense")), 1)}
    places = [by_vector[int(sessions[turn])] for turn in leaders]
    displaced = [n for n in range(FIRST, min(DISPLACED_TO, len(leaders))) if places[n] <= FIRST]
    if not displaced or max(places[:FIRST]) < INTRUDER_FROM:
        return scores
    raised = scores.copy()
    raised[leaders[displaced[0]]] = np.nextafter(scores[leaders[FIRST - 1]], np.float32(np.inf))
    return raised


def filtered(found: Found) -> Floats:
    """Noun phrases are compared only within the time that a question names."""
    nearness = found.signal("time")
    if not nearness.any():
        return found.turns.scores
    outside = nearness < WITHIN * nearness.max()
    scores = found.turns.scores.copy()
    scores[outside] -= np.float32(found.weights.bridge) * found.signal("bridge")[outside]
    return scores


def named(found: Found) -> Floats:
    """Turns that name a person of the question who does not speak."""
    names = found.corpus.persons(found.question)
    if not names:
        return found.turns.scores
    told = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b", re.IGNORECASE)
    says = [bool(told.search(turn.content)) for turn in found.corpus.turns(found.turns.turns)]
    return found.turns.scores + np.float32(NAMED) * np.array(says, dtype=np.float32)


def enriched(found: Found) -> Floats:
    """A turn is as near as the nearer of its passages and the text of what analysis found in it."""
    readings = found.corpus.readings
    texts = [enriched_text(readings[turn]) for turn in found.turns.turns]
    nearness = found.corpus.closeness(found.question, texts)
    gained = np.where([bool(text) for text in texts], np.maximum(nearness - found.signal("dense"), 0), 0)
    return found.turns.scores + np.float32(found.weights.dense) * gained.astype(np.float32)


def enriched_text(reading: Extraction) -> str:
    """Names, then statements in the third person; empty where nothing was found."""
    names = dict.fromkeys(mention.entity for mention in reading.mentions)
    statements = dict.fromkeys(fact.statement for fact in reading.facts)
    return ". ".join(filter(None, (", ".join(names), *statements)))


PARTS: Mapping[str, Callable[[Found], Floats]] = {
    "enriched-text": enriched,
    "anchoring": anchored,
    "protection": protected,
    "session-preservation": preserved,
    "filter-then-phrase": filtered,
    "other-names": named,
}
"""New scores of the turns found, by name of the part."""


def check_parts(names: Collection[str]) -> tuple[str, ...]:
    """The names, each once. Raises InputError that lists the parts when one is none."""
    if unknown := set(names) - set(PARTS):
        raise InputError(f"Retaining has no part {min(unknown)!r} to add.", f"Parts are: {', '.join(PARTS)}.")
    return tuple(dict.fromkeys(names))


def searched(
    corpus: Corpus, variant: Variant, asked: str, text: str, *, k: int, at: datetime | None = None
) -> list[Hit]:
    """The `k` best turns for a question by its id and text, the way a variant searches."""
    settings = variant.settings_of(asked)
    searcher = corpus.searcher(settings)
    if not variant.added:
        return searcher.search(text, space=SPACE, k=k, at=at, without=variant.without)
    turns = searcher.scored(text, space=SPACE, at=at, without=variant.without)
    if not turns.turns:
        return []
    scores = PARTS[variant.added](Found(corpus, text, turns, settings.weights))
    best = np.argsort(-scores, kind="stable")[:k].tolist()
    return [
        Hit(turn, float(scores[place]))
        for place, turn in zip(best, corpus.turns([turns.turns[place] for place in best]), strict=True)
    ]
