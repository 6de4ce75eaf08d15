"""How much is read and judged for a goal: more for a list or the latest of several values than for one answer."""

from __future__ import annotations

from dataclasses import dataclass

from goalmem.logic.evaluate import RECKONED, needs_all
from goalmem.logic.terms import Aggregate, Goal
from goalmem.sources.certainty.answer_ranking import EARLIER, LATEST

FOUND = 24
"""Turns found for a question."""
CHANGES_READ = 4
"""Turns read because they change what others offer, beside those that rank highest."""
READ_OF_SUBGOAL = 12
"""Turns read for a subgoal."""
OF_ORDER = frozenset({Aggregate.FIRST_OF, Aggregate.LAST_OF, Aggregate.COMPARE})
"""Which of two events was first: right even where a time is not exactly so."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How many passages are read for a question, best first, and how many of the likeliest readings are judged."""

    read: int
    judged: int


FOR_ONE = Effort(read=12, judged=6)
"""For one answer: on the lives held out, twice as many of both answer no more questions rightly (docs/reasoning.md)."""
FOR_SEVERAL = Effort(read=FOUND, judged=10)
"""For a list or a count, of which every part is wanted, and for the latest or an earlier one of several values."""


def effort_for(goal: Goal) -> Effort:
    """How much is read for a goal."""
    of_several = needs_all(goal) or any(kind.search(goal.question) for kind in (LATEST, EARLIER))
    return FOR_SEVERAL if of_several else FOR_ONE


def in_steps(goal: Goal) -> bool:
    """True if a goal asks passages for its answer by way of another answer."""
    return goal.answer is not None and len(goal.atoms) > 1


def is_of_two(goal: Goal) -> bool:
    """True if a goal asks passages for two answers: one by way of the other, the order of two events, or two amounts to reckon with."""
    return in_steps(goal) or (len(goal.atoms) > 1 and goal.aggregate in (*OF_ORDER, *RECKONED))
