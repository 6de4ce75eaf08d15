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
from enum import Enum

from goalmem.language.terms import terms_of
from goalmem.language.words import any_of
from goalmem.language.words.modifiers import ASKED_EARLIER, ASKED_LATEST

LEAST = 1e-3
"""Lower probabilities are not distinguished."""
PREFERENCE = (2.03, 0, 0, 0, 0.198, -0.355, -0.255)
"""Weights of `OfferFeatures.measured`."""
PREFERENCE_BIAS = 0.397
CERTAINTY = (0.609, 0.839, 0, 0, 0, 0.017, 0, -0.182, 0.293, 0, -0.252, -1.811, -0.045, 0.762, 0.5, 1.0)
"""Weights of `CertaintyFeatures.of_many`. The last is set, the others fitted: the one of dates to what the others leave."""
CERTAINTY_BIAS = -0.021
"""With .405 for the likeliest reading of a question, which is right more often than others of its probability: .34 fitted to the lives held
out, .51 to them and lab/everyday/dev."""
CERTAINTY_OF_FEW = (0.417, 0.467, 0.095, -0.329, 0.389, 0.212, -0.41, -0.358, -1.8, -3.0, 1.0)
"""Weights of `CertaintyFeatures.of_few`. The last three are set, the others fitted to the cases of `lab/plain/told` and `dev`."""
CERTAINTY_OF_FEW_BIAS = -0.4
"""Lower by .3 than fitted: of the likeliest readings between .5 and .57 half are right, and nobody is helped by these."""
ELSEWHERE = 0.1
"""Log-odds by which the judge is surer of an answer for somebody else, from which it is not told, in a memory of few turns."""
JUDGED_OF_FEW, UNJUDGED = 0.65, -0.3
"""The judge's probability below which a reading is not told in a memory of few turns, and the most log-odds that it has, as has one beside a
denial: such readings are right as seldom as not."""
FEW = math.log(2.4)
"""Logarithm of the scarcity of a memory of ten turns, the most of a plain case; from there on the weights pass over to those of many."""
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
AND = re.compile(r"\band\b", re.IGNORECASE)
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


class Refusal(Enum):
    """Why words seem not to answer: in a long conversation that is often not so."""

    OF_ANOTHER = "their clause is about somebody else"
    UNSAID = "they are not asserted, or not of what is asked"


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
    refusal: Refusal | None = None
    """Why the words seem not to answer; None if they seem to."""
    dated: bool = False
    """True if the words are a time of the calendar: people say few times beside that of which they speak. But a memory of few turns is often
    asked about another event than the only one that it dates."""

    @property
    def few(self) -> float:
        """How much the memory is one of few turns, in [0, 1]."""
        return min(1.0, max(0.0, math.log(self.scarcity) / FEW))

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
    of_two: bool = False
    """True if it is computed from values of two things that the question names."""
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
        of_two = reckoned and AND.search(question) is not None
        return cls(max(1, len(question.split())), reckoned, joined, of_two, latest, recalls)

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


@dataclass(frozen=True, slots=True)
class CertaintyFeatures:
    """What bears on the probability that an answer is right."""

    form: QuestionFeatures
    features: OfferFeatures
    own: float
    """The answer's preference."""
    others: float
    """The preference of the best words that would answer if they were about the people in the question: if they fit better, the question
    probably means them under a wrong name. `FLOOR` if there are none."""
    rival: float
    """The preference of the best answer with another value; `FLOOR` if there is none."""
    entailed: float
    """The judge's probability that the cited words state the answer."""
    recent: float = 0.0
    """How much later than the other answers it was said (`recency`)."""
    denied: bool = False
    """True if something is denied between the same commas."""
    elsewhere: float = 0.0
    """By how much the judge's log-odds are higher if the question is about whom the clause is about (`passages.twin_questions`)."""

    def _lead(self, other: float) -> float:
        return min(LEAD, self.own - max(other, FLOOR))

    @property
    def of_many(self) -> tuple[float, ...]:
        """The features that `CERTAINTY` weighs."""
        leads = self._lead(self.rival), self._lead(self.others)
        told = (log_odds(self.entailed), *self.features.measured, *leads, *self.form.measured)
        return (*told, self.form.latest * self.recent, float(self.features.dated), float(self.form.recalls))

    @property
    def of_few(self) -> tuple[float, ...]:
        """The features that `CERTAINTY_OF_FEW` weighs: the judge's log-odds; logarithms of span and present; passage; sentence; lead; if it is
        beside somebody else, dated, reckoned from two things, not asserted, recalled.
        """
        own = self.features
        read = log_odds(self.entailed), log(own.span), log(own.present), own.passage, own.sentence
        beside, unsaid = (own.refusal is reason for reason in (Refusal.OF_ANOTHER, Refusal.UNSAID))
        return (
            *read,
            self._lead(self.rival),
            *map(float, (beside, own.dated, self.form.of_two, unsaid, self.form.recalls)),
        )


def certainty(features: CertaintyFeatures) -> float:
    """The probability in (0, 1) that an answer is right."""
    of_many = CERTAINTY_BIAS + sum(w * x for w, x in zip(CERTAINTY, features.of_many, strict=True))
    of_few = CERTAINTY_OF_FEW_BIAS + sum(w * x for w, x in zip(CERTAINTY_OF_FEW, features.of_few, strict=True))
    if features.denied or features.entailed < JUDGED_OF_FEW or features.elsewhere > ELSEWHERE:
        of_few = min(of_few, UNJUDGED)
    few = features.features.few
    return 1 / (1 + math.exp(-(1 - few) * of_many - few * of_few))


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
