"""Yes/no questions, decided by a judge over the turns found for them.

For each turn, the judge is asked if it states `yes` and if it states `no`; entailment of one and contradiction of the other count the same.
The turn with the most certain answer decides; turns with the opposite answer lower the probability.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from goalmem.language.lexicon import is_known
from goalmem.language.terms import terms_of
from goalmem.language.words.modifiers import NO, YES
from goalmem.models.protocol import Excerpt, Judge, Statement
from goalmem.sources.certainty.answer_ranking import log_odds

DECIDING = 10
"""Turns that are asked about a yes/no question."""
DECIDES = 0.65
"""Least probability of a turn that decides, if `DECIDING` turns are found."""
FOR, AGAINST, SCARCE, BIAS = 1.074, -0.189, -0.85, -0.09
"""Weights for the probability that the answer is right: of the log-odds of the turn that decides and of the strongest opposing turn, and of
how few turns are found. All but `SCARCE` and `DECIDES` were fitted on 906 questions of 35 conversations that the judge was not trained on: of 734
that a turn decides 316 are decided, 252 of these rightly, and of 172 that none decides 15 are decided. `SCARCE` is set: the only
turn of a memory decides from 0.93 on, because it often comes near the question without answering it; a reply to the question itself does not.
"""

ASKED = 0.5
"""Least share of the question's words in the line before a turn, if that line asks the question."""
WORDS = re.compile(r"\w+(?:['’]\w+)?")
SENTENCE_END = re.compile(r"(?<=[.!?])\s")
ASKING = re.compile(r"(?<![^.!?\n])[^.!?\n]*\?")
REFERRING = frozenset("it one ones them neither both none".split())
"""Words at the start of a reply that stand for what was asked about (Quirk et al. 1985, sections 6.53 to 6.56)."""
REFUSES = re.compile(
    r"\W*(?:(?:sorry|i|we|he|she|they|it)\W+)*(?:can['’]?t|cannot|won['’]?t|couldn['’]?t|wouldn['’]?t)\b", re.IGNORECASE
)
"""A reply that begins with a negated modal, whatever verb the question has."""
COPULAS = ("is ", "are ", "was ", "were ", "am ")
SAME_VERB = (
    frozenset("do does did".split()),
    frozenset("is are was were am".split()),
    frozenset("has have had".split()),
    frozenset("can could".split()),
    frozenset("will would".split()),
)
"""Auxiliaries that stand for the predicate of a question with another of the same verb: `I did` (sections 2.51 and 12.26)."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """The answer of one turn to a question: probabilities in [0, 1]."""

    yes: float
    no: float
    direct: bool = False
    """True if the turn replies to the question itself."""

    @property
    def verdict(self) -> Literal["entailed", "contradicted"]:
        """The likelier answer."""
        return "entailed" if self.yes >= self.no else "contradicted"

    @property
    def sure(self) -> float:
        """The probability of the likelier answer."""
        return max(self.yes, self.no)


def opinions(judge: Judge, question: str, excerpts: Sequence[Excerpt]) -> list[Opinion]:
    """The judge's opinion of each excerpt. A turn that was asked the question and evades it has none, whatever the judge finds."""
    pairs = [(Statement(question, answer), excerpt) for excerpt in excerpts for answer in ("yes", "no")]
    verdicts = judge.judge(pairs)
    return [
        Opinion(0.0, 0.0)
        if evades(question, excerpt)
        else Opinion(
            (yes.entailed + no.contradicted) / 2,
            (no.entailed + yes.contradicted) / 2,
            replies(question, excerpt),
        )
        for excerpt, yes, no in zip(excerpts, verdicts[::2], verdicts[1::2], strict=True)
    ]


def replies(question: str, excerpt: Excerpt) -> bool:
    """True if the line before a turn asks the question."""
    if "?" not in excerpt.before:
        return False
    asked = topic_of(question, excerpt)
    return bool(asked) and len(asked & {*terms_of(excerpt.before)}) >= ASKED * len(asked)


def topic_of(question: str, excerpt: Excerpt) -> set[str]:
    """The stems of a question's content words, without the names of those who speak."""
    return {*terms_of(question)} - {*terms_of(excerpt.speaker), *terms_of(excerpt.before.partition(":")[0])}


def evades(question: str, excerpt: Excerpt) -> bool:
    """True if the line before asks the question and the turn neither answers it nor mentions what it is about: `Hang on, the doorbell`."""
    if not replies(question, excerpt):
        return False
    told = ASKING.sub(" ", excerpt.text)
    if not topic_of(question, excerpt).isdisjoint(terms_of(told)):
        return False
    if REFUSES.match(told) or (question.casefold().startswith(COPULAS) and is_state(told)):
        return False
    words, first = words_of(told), words_of(SENTENCE_END.split(told.strip(), maxsplit=1)[0])
    verb = question.split(maxsplit=1)[0].casefold().removesuffix("n't")
    stands_for = next((forms for forms in SAME_VERB if verb in forms), frozenset({verb}))
    if not first.isdisjoint(REFERRING) or not words.isdisjoint(YES | NO):
        return False
    return stands_for.isdisjoint(word.removesuffix("n't") for word in words)


def is_state(reply: str) -> bool:
    """True if a reply begins with a state or property: `icy lol`."""
    first = WORDS.search(reply)
    return first is not None and is_known(first.group().casefold(), "a")


def words_of(text: str) -> set[str]:
    """The words of a text in lower case."""
    return {m.group().casefold().replace("’", "'") for m in WORDS.finditer(text)}


def deciding_opinion(told: Sequence[Opinion]) -> tuple[int, float] | None:
    """The index of the turn that decides, and the probability that it is right, in [0, 1]; None if no turn is certain enough. Turns are in
    the order of retrieval.
    """
    place = max(range(len(told)), key=lambda i: (told[i].sure, -i), default=None)
    if place is None:
        return None
    best = told[place]
    scarce = 0.0 if best.direct else SCARCE * math.log(DECIDING / len(told))
    if log_odds(best.sure) + scarce < log_odds(DECIDES):
        return None
    against = max((o.no if best.verdict == "entailed" else o.yes) for o in told)
    return place, 1 / (1 + math.exp(-BIAS - FOR * log_odds(best.sure) - AGAINST * log_odds(against) - scarce))
