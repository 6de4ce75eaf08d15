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

from goalmem.language.terms import terms_of
from goalmem.language.words.modifiers import NO, YES
from goalmem.models.protocol import Excerpt, Judge, Statement
from goalmem.sources.certainty.answer_ranking import log_odds

DECIDES = 0.85
"""Least probability of a turn that decides."""
FOR, AGAINST, BIAS = 1.041, -0.234, -0.105
"""Weights of the log-odds of the turn that decides, and of the strongest opposing turn, for the probability that the answer is right. They
and `DECIDES` were chosen on 894 questions of 35 conversations that the judge was not trained on: of 739 questions 27 are decided, 26 of these
rightly, and of 155 that nothing decides 1 is decided. At 0.75 it would be 172, 151 and 6; but of small memories whose only turn comes near the
question many are decided then.
"""


ASKED = 0.5
"""Least share of the question's words in the line before a turn, if that line asks the question."""
WORDS = re.compile(r"\w+(?:['’]\w+)?")
ASKING = re.compile(r"[^.!?\n]*\?")
REFERRING = frozenset("it one ones them neither both none".split())
"""Words of a reply that stand for what was asked about (Quirk et al. 1985, sections 6.53 to 6.56)."""
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
        else Opinion((yes.entailed + no.contradicted) / 2, (no.entailed + yes.contradicted) / 2)
        for excerpt, yes, no in zip(excerpts, verdicts[::2], verdicts[1::2], strict=True)
    ]


def evades(question: str, excerpt: Excerpt) -> bool:
    """True if the line before asks the question and the turn neither answers it nor mentions what it is about: `Hang on, the doorbell`."""
    if "?" not in excerpt.before:
        return False
    people = {*terms_of(excerpt.speaker), *terms_of(excerpt.before.partition(":")[0])}
    asked = {*terms_of(question)} - people
    if not asked or len(asked & {*terms_of(excerpt.before)}) < ASKED * len(asked):
        return False
    told = ASKING.sub(" ", excerpt.text)
    if not asked.isdisjoint(terms_of(told)):
        return False
    words = {m.group().casefold().replace("’", "'") for m in WORDS.finditer(told)}
    verb = question.split(maxsplit=1)[0].casefold().removesuffix("n't")
    stands_for = next((forms for forms in SAME_VERB if verb in forms), frozenset({verb}))
    return words.isdisjoint(REFERRING | YES | NO) and stands_for.isdisjoint(word.removesuffix("n't") for word in words)


def deciding_opinion(told: Sequence[Opinion]) -> tuple[int, float] | None:
    """The index of the turn that decides, and the probability that it is right, in [0, 1]; None if no turn is certain enough. Turns are in
    the order of retrieval.
    """
    place = max(range(len(told)), key=lambda i: (told[i].sure, -i), default=None)
    if place is None or told[place].sure < DECIDES:
        return None
    best = told[place]
    against = max((o.no if best.verdict == "entailed" else o.yes) for o in told)
    return place, 1 / (1 + math.exp(-BIAS - FOR * log_odds(best.sure) - AGAINST * log_odds(against)))
