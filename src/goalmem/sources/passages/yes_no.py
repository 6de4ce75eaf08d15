"""Yes/no questions, decided by a judge over the turns found for them.

For each turn, the judge is asked if it states `yes` and if it states `no`; entailment of one and contradiction of the other count the same.
The turn with the most certain answer decides; turns with the opposite answer lower the probability.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from goalmem.models.protocol import Excerpt, Judge, Statement
from goalmem.sources.certainty.answer_ranking import log_odds

DECIDES = 0.7
"""Least probability of a turn that decides."""
FOR, AGAINST, BIAS = 1.267, -0.303, -0.268
"""Weights of the log-odds of the turn that decides, and of the strongest opposing turn, for the probability that the answer is right. They
and `DECIDES` were chosen on 446 questions of 14 conversations that the judge was not trained on: of 100 decided questions 77 are right, and
of 85 that nothing decides 1 is decided.
"""


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
    """The judge's opinion of each excerpt."""
    pairs = [(Statement(question, answer), excerpt) for excerpt in excerpts for answer in ("yes", "no")]
    verdicts = judge.judge(pairs)
    return [
        Opinion((yes.entailed + no.contradicted) / 2, (no.entailed + yes.contradicted) / 2)
        for yes, no in zip(verdicts[::2], verdicts[1::2], strict=True)
    ]


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
