"""Questions of yes or no, decided by a judge over the turns that are found for them.

The judge is asked of each turn whether it says `yes` and whether it says `no` to the question as it stands: the one entailed and the other
contradicted count alike. The turn that says either most surely decides; what any other turn says against it speaks against it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from goalmem.models.protocol import Excerpt, Judge, Statement
from goalmem.sources.certainty.answer_ranking import log_odds

DECIDES = 0.7
"""Least probability at which a turn decides."""
FOR, AGAINST, BIAS = 1.267, -0.303, -0.268
"""Weights of the log-odds that the judge gives the turn that decides, and of the most that any turn says against it, for the probability that
the answer is right. They and `DECIDES` were chosen on 446 questions of 14 lives that the judge was not trained on: of those decided 77 in 100
are right, and 1 of 85 that nothing decides is decided."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one turn says to a question: probabilities in [0, 1]."""

    yes: float
    no: float

    @property
    def verdict(self) -> Literal["entailed", "contradicted"]:
        """What is likelier."""
        return "entailed" if self.yes >= self.no else "contradicted"

    @property
    def sure(self) -> float:
        """How likely that is."""
        return max(self.yes, self.no)


def opinions(judge: Judge, question: str, excerpts: Sequence[Excerpt]) -> list[Opinion]:
    """What a judge makes of each excerpt."""
    pairs = [(Statement(question, answer), excerpt) for excerpt in excerpts for answer in ("yes", "no")]
    verdicts = judge.judge(pairs)
    return [
        Opinion((yes.entailed + no.contradicted) / 2, (no.entailed + yes.contradicted) / 2)
        for yes, no in zip(verdicts[::2], verdicts[1::2], strict=True)
    ]


def deciding_opinion(told: Sequence[Opinion]) -> tuple[int, float] | None:
    """Which of the turns, best found first, decides, and how likely it is right, in [0, 1]; None where none is sure enough."""
    place = max(range(len(told)), key=lambda i: (told[i].sure, -i), default=None)
    if place is None or told[place].sure < DECIDES:
        return None
    best = told[place]
    against = max((o.no if best.verdict == "entailed" else o.yes) for o in told)
    return place, 1 / (1 + math.exp(-BIAS - FOR * log_odds(best.sure) - AGAINST * log_odds(against)))
