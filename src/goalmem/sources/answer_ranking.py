"""What an answer read out of a passage is worth: clues of reading and of retrieval, weighed by two fitted models.

One model orders what is offered, the other says how likely it is that the best of it answers. Both are logistic
regressions over a handful of clues, fitted to dialogues with questions, among them questions about another person than
the one whom the words are about (docs/reasoning.md). `goalmem eval weigh` fits them anew. Its optimum for the second is flat:
what is here tells answerable from unanswerable as well as its own weights do (AUROC .750 and .749; right from wrong .789 and
.796), and was taken among such because it leaves more of what LoCoMo's development half does not answer open.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from goalmem.retrieve.words import terms_of

__all__ = ["Clue", "Spoken", "certainty", "certainty_clues", "confidence", "preference"]

LEAST = 1e-3
"""Probabilities under this are not told apart."""
PREFERENCE = (0.43, 1.32, 0.27, 1.02, -0.45, -0.3)
"""Weights of a clue's `measured`."""
PREFERENCE_BIAS = 0.27
CONFIDENCE = (0.43, 0.23, 1.5)
"""Weights of the best answer's preference; of how far it lies over the best of somebody else's; and of how much more of the
question its sentence speaks of than any of theirs."""
CONFIDENCE_BIAS = -1.23
FLOOR = -6.0
"""The preference of what nobody else tells."""


CERTAINTY = (0.669, 0.57, 0.171, 0.372, 1.397, -0.913, 0.26, -0.39, -0.131, -0.296)
"""Weights of the judge's log-odds, of `confidence`, of the best answer's preference and how far it lies over the best other
answer's, of what the reader thinks of the words and of the passage (logarithms), of how much of the question the sentence speaks of, and of the
answer's place, length and fit to the type (logarithms). Logistic regression on the ten best readings of each of 638 questions of the 22 lives
that neither reader nor judge was trained on (6,241 readings, 259 of them right; cross-validated by conversation AUROC .861). `goalmem
eval certainty` fits them anew."""
CERTAINTY_BIAS = -1.531


@dataclass(frozen=True, slots=True)
class Clue:
    """What bears on whether words of a passage answer."""

    span: float
    """How much of the answer the reader expects these words to be."""
    present: float
    """The reader's probability that the passage answers at all."""
    suits: float
    """How well the words fit the type asked for and whom the question names, in (0, 1]."""
    place: float
    """The turn's place among those found, from 1: scores of different memories do not compare, places do. Where fewer turns
    are found than are read it is as many times farther back: to be the first of three says little."""
    words: int
    """How many they are."""
    passage: float
    """How much of the question is spoken of in the turn and the one before it, in [0, 1], rare words counting more."""
    sentence: float
    """The same of the sentence alone."""

    @property
    def measured(self) -> tuple[float, float, float, float, float, float]:
        """What `PREFERENCE` weighs."""
        read = log(self.span), log(self.present), log(self.suits)
        return *read, self.passage, math.log(self.place), math.log(self.words)


def preference(clue: Clue) -> float:
    """How much speaks for an answer, as log-odds of being right."""
    return PREFERENCE_BIAS + sum(w * x for w, x in zip(PREFERENCE, clue.measured, strict=True))


def confidence(best: Clue, others: Sequence[Clue]) -> float:
    """What the best of what was offered is worth, in (0, 1).

    That the question can be answered counts half, and half that this answers it.

    `others` are words that would answer if they spoke of whom the question names. Where they fit better, it is most
    likely their story that is asked about under a wrong name.
    """
    own = preference(best)
    rival = max((preference(c) for c in others), default=FLOOR)
    told = max((c.sentence for c in others), default=0.0)
    clues = (own, own - max(rival, FLOOR), best.sentence - told)
    return 1 / (1 + math.exp(-CONFIDENCE_BIAS - sum(w * x for w, x in zip(CONFIDENCE, clues, strict=True))))


def certainty_clues(clue: Clue, others: Sequence[Clue], rival: float, entailed: float) -> tuple[float, ...]:
    """What `CERTAINTY` weighs.

    `others` as for `confidence`; `rival` is the preference of the best answer with another value, `FLOOR` where there is none;
    `entailed` the judge's probability that the cited words state the answer.
    """
    own = preference(clue)
    odds = log(entailed) - log(1 - entailed)
    read = log(clue.span), log(clue.present), clue.sentence
    logs = math.log(clue.place), math.log(clue.words), log(clue.suits)
    return (odds, confidence(clue, others), own, own - max(rival, FLOOR), *read, *logs)


def certainty(clues: Sequence[float]) -> float:
    """The probability in (0, 1) that an answer is right, by its `certainty_clues`."""
    return 1 / (1 + math.exp(-CERTAINTY_BIAS - sum(w * x for w, x in zip(CERTAINTY, clues, strict=True))))


def log(probability: float) -> float:
    """The natural logarithm, bounded where probabilities are not told apart."""
    return math.log(max(probability, LEAST))


class Spoken:
    """How much of a question's words texts speak of. Words of few of the turns found count more than those of many."""

    def __init__(self, question: str, without: Sequence[str], turns: Sequence[str]) -> None:
        skipped = {term for text in without for term in terms_of(text)}
        words = [w for w in dict.fromkeys(terms_of(question)) if w not in skipped]
        held = Counter(w for text in turns for w in set(terms_of(text)))
        self.rarity = {w: math.log((len(turns) + 1) / (held[w] + 0.5)) for w in words}

    def in_(self, text: str) -> float:
        """The share in [0, 1] of the question that a text speaks of; 1 where the question asks of nothing in particular."""
        whole = sum(self.rarity.values())
        if whole <= 0:
            return 1.0
        said = set(terms_of(text))
        return sum(worth for word, worth in self.rarity.items() if word in said) / whole
