"""The probability of an answer read out of a passage, from features of reading, retrieval, judge and question, by two fitted models.

The first model orders the offers before the judge is asked; the second gives the probability that an answer is right. Both are logistic
regressions over a handful of features. `goalmem eval certainty` fits them to conversations that neither reader nor judge was trained on.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from goalmem.language.terms import terms_of
from goalmem.language.words import any_of
from goalmem.language.words.modifiers import ASKED_EARLIER, ASKED_LATEST

LEAST = 1e-3
"""Lower probabilities are not distinguished."""
PREFERENCE = (2.03, 0, 0, 0, 0.198, -0.355, -0.255)
"""Weights of `OfferFeatures.measured`."""
PREFERENCE_BIAS = 0.397
CERTAINTY = (
    0.609,
    0.839,
    0,
    0,
    0,
    0.017,
    0,
    -0.182,
    0.293,
    0,
    -0.252,
    -1.811,
    -0.045,
    0.762,
    -0.1,
    0.18,
    -1.2,
    0.5,
    1.0,
)
"""Weights of `certainty_features`. The three that only a memory of few turns has and the last are set, the others fitted: the one of dates to
what the others leave."""
CERTAINTY_BIAS = -0.021
"""With .405 for the likeliest reading of a question, which is right more often than others of its probability: .34 fitted to the lives held
out, .51 to them and lab/everyday/dev."""
FEW, FEWER = math.log(2), math.log(4)
"""Logarithms of the scarcity of a memory of twelve turns, which is no longer one of few, and of six, which is: the cases of `lab/plain` have no
more than nine.
"""
MORE_OF_FEW, MOST_OF_FEW, JUDGED_OF_FEW, TELL_APART = 0.85, 0.6, 0.7, 0.1
"""What is added to the log-odds in such a memory, the probability up to which it counts, the least probability by the judge, and what counts
beyond, so that readings keep their order. Of 33 readings of
`lab/plain/dev`, and of 200 cases of `lab/plain/changes` without a change, to which the weights give .3 to .5 and the judge .7, 29 are right."""
FLOOR = -6.0
"""The preference if there is no other offer."""
LEAD = 3.0
"""The largest lead over other offers that counts: a small memory may have only one offer."""
RECKONED = re.compile(
    r"\bhow (?:much|many|far|long) (?:more|less|fewer|longer|later|earlier|under|over|above|below|beyond)\b"
    r"|\bby how (?:much|many)\b|\bhow (?:much|many)\b.*\b(?:go|goes|went|gone|going) (?:up|down)\b|\bexceed\w*"
    r"|\b(?:do|does|did) (?:that|they|it|these|those|all) come to\b"
    r"|\b(?:difference|total|altogether|combined|in all|left|remain\w*|sum|add(?:s|ed)? up|compared|between)\b",
    re.IGNORECASE,
)
"""Words of questions whose answer is computed from several values and seldom stated."""
JOINED = re.compile(r"\b(?:who|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
"""Question words; a question with two of them asks for two things, or for one by way of another."""
EARLIER, LATEST = any_of(ASKED_EARLIER), any_of(ASKED_LATEST)

AT_FIRST = re.compile(r"\b(?:first|originally|initially)\W*$", re.IGNORECASE)
"""Asks for the first of several: `Where did Ida live first?`."""
TELLS_ORDER = re.compile(
    r"\b(?:first\w*|original\w*|initial\w*|before|until|till|then|later|after\w*|start\w*|began|begin\w*|used to|born|grew|earli\w*|now|since)\b",
    re.IGNORECASE,
)
"""Words that order times (Quirk et al. 1985, section 8.55, time-relationship adverbials)."""


@dataclass(frozen=True, slots=True)
class OfferFeatures:
    """Features of an offer: words of a passage that may answer."""

    span: float
    """The share of the answer that the reader expects in these words."""
    present: float
    """The reader's probability that the passage contains an answer."""
    suits: float
    """How well the words fit the answer type and the people in the question, in (0, 1]."""
    place: float
    """Rank of the turn in retrieval, from 1: scores of different memories cannot be compared, ranks can. If fewer turns are found than are
    read, the rank is scaled up accordingly, since being first of three says little."""
    words: int
    """The number of words."""
    passage: float
    """The share of the question's words in the turn and the one before it, in [0, 1], rare words counting more."""
    sentence: float
    """The same for the sentence alone."""
    scarcity: float = 1.0
    """How many times as many turns are read as were found, at least 1."""
    refused: bool = False
    """True if the words seem to be about somebody else, or seem not to be asserted."""
    dated: bool = False
    """True if the words are a time of the calendar: people say few times beside that of which they speak. It does not count in a memory of
    few turns, which is often asked about another event than the only one that it dates."""

    @property
    def measured(self) -> tuple[float, ...]:
        """The features that `PREFERENCE` weighs: logarithms of span, present and suits; passage; sentence;
        logarithms of place and words.
        """
        read = log(self.span), log(self.present), log(self.suits)
        return *read, self.passage, self.sentence, math.log(self.place), math.log(self.words)


@dataclass(frozen=True, slots=True)
class QuestionFeatures:
    """Features of a question's form that affect if words of one turn can answer it."""

    words: int
    reckoned: bool
    """True if it asks for something computed from several values."""
    joined: bool
    """True if it contains a second question."""
    latest: int = 0
    """1 if it asks for the last of several values, -1 for an earlier one, otherwise 0."""
    recalls: bool = False
    """True if it takes for granted that its answer was told: `what did you recommend …`, `remind me …`, `in our last chat`. Of 80 such questions
    about the laboratory's conversations 79 have an answer, of the others 4 in 5."""

    @classmethod
    def of(cls, question: str, *, recalls: bool = False) -> QuestionFeatures:
        """The form of a question; `recalls`: if what was asked, of which it may be a part, is about the assistant (`questions.intent`)."""
        reckoned, joined = bool(RECKONED.search(question)), len(JOINED.findall(question)) > 1
        latest = -1 if EARLIER.search(question) else int(bool(LATEST.search(question)))
        return cls(max(1, len(question.split())), reckoned, joined, latest, recalls)

    @property
    def measured(self) -> tuple[float, float, float]:
        """The features that `CERTAINTY` weighs."""
        return math.log(self.words), float(self.reckoned), float(self.joined)


def preference(features: OfferFeatures) -> float:
    """The log-odds that an answer is right, before the judge is asked."""
    return PREFERENCE_BIAS + sum(w * x for w, x in zip(PREFERENCE, features.measured, strict=True))


def recency(said: Sequence[datetime]) -> list[float]:
    """For each answer, how many of the others are earlier minus how many are later: from -1 (all others are later) to 1."""
    most = max(1, len(said) - 1)
    return [(sum(other < one for other in said) - sum(other > one for other in said)) / most for one in said]


def certainty_features(
    form: QuestionFeatures,
    features: OfferFeatures,
    own: float,
    others: float,
    rival: float,
    entailed: float,
    recent: float,
) -> tuple[float, ...]:
    """The features that `CERTAINTY` weighs.

    `own` is the answer's preference; `others` that of the best words that would answer if they were about the people in the question (if
    they fit better, the question probably means them under a wrong name); `rival` that of the best answer with another value; both are
    `FLOOR` if there is none. `entailed` is the judge's probability that the cited words state the answer, `recent` how much later than the
    other answers it was said (`recency`).
    """
    leads = (min(LEAD, own - max(other, FLOOR)) for other in (rival, others))
    scarce = math.log(features.scarcity)
    scarcely = scarce, scarce * log(features.suits), scarce * features.refused
    told = (log_odds(entailed), *features.measured, *leads, *form.measured, form.latest * recent)
    return (*told, *scarcely, float(features.dated and features.scarcity <= 1), float(form.recalls))


def certainty(clues: Sequence[float], few: float = 0.0) -> float:
    """The probability in (0, 1) that an answer with these features is right; `few`: how much its memory is one of few turns (`of_few`)."""
    odds = CERTAINTY_BIAS + sum(w * x for w, x in zip(CERTAINTY, clues, strict=True))
    of_many, of_few = (1 / (1 + math.exp(-more)) for more in (odds, odds + MORE_OF_FEW * few))
    return max(of_many, min(MOST_OF_FEW, of_few) + TELL_APART * max(0.0, of_few - MOST_OF_FEW))


def of_few(features: OfferFeatures, entailed: float) -> float:
    """How much the memory of an offer is one of few turns, in [0, 1]; 0 for what seems to be about somebody else, or not asserted, and for
    what the judge is not sure of.
    """
    few = (math.log(features.scarcity) - FEW) / (FEWER - FEW)
    return 0.0 if features.refused or entailed < JUDGED_OF_FEW else min(1.0, max(0.0, few))


def log(probability: float) -> float:
    """The natural logarithm, bounded below."""
    return math.log(max(probability, LEAST))


def log_odds(probability: float) -> float:
    """The log-odds of a probability, bounded."""
    return log(probability) - log(1 - probability)


class WordOverlap:
    """The share of a question's words in a text. Words in few of the turns found count more than those in many."""

    def __init__(self, question: str, without: Sequence[str], turns: Sequence[str]) -> None:
        skipped = {term for text in without for term in terms_of(text)}
        words = [w for w in dict.fromkeys(terms_of(question)) if w not in skipped]
        held = Counter(w for text in turns for w in set(terms_of(text)))
        self.rarity = {w: math.log((len(turns) + 1) / (held[w] + 0.5)) for w in words}

    def share(self, text: str) -> float:
        """The share in [0, 1] of the question's words in a text; 1 if the question has no content words."""
        whole = sum(self.rarity.values())
        if whole <= 0:
            return 1.0
        said = set(terms_of(text))
        return sum(worth for word, worth in self.rarity.items() if word in said) / whole
