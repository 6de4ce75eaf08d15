"""Whether a goal asks for all that its question says: a word that is lost on the way asks for something else."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from goalmem.language import Analyzer, find_times
from goalmem.language.terms import terms_of
from goalmem.logic.terms import Aggregate, Goal

__all__ = ["lost_words"]

SAYING = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"})
"""Parts of speech that say something (Universal Dependencies)."""
ASKING = frozenset("where when who whom whose what which why how many much long ago old".split())
"""What asks, or measures what is asked for."""
PRESENT = frozenset("now still ever currently presently nowadays today already yet anymore".split())
"""What a question in the present says beside its tense: what holds now is what is proved."""
ORDER = frozenset("first last earliest latest earlier later before after since recently most recent late early".split())
"""What says which of several is asked for."""
ORDERED = frozenset(
    {
        Aggregate.EARLIEST,
        Aggregate.LATEST,
        Aggregate.FIRST_OF,
        Aggregate.LAST_OF,
        Aggregate.COMPARE,
        Aggregate.DURATION,
    }
)
TOTAL = frozenset("total altogether sum all together overall".split())
TOTALLED = frozenset({Aggregate.SUM, Aggregate.COUNT})
NAMING = frozenset(
    "name call kind type sort be do have exactly precisely actually really roughly approximately".split()
)
"""What says only that something is to be named or how precisely, and verbs that help others."""
TYPES: Mapping[str, frozenset[str]] = {
    "time": frozenset("date day days weekday week month year time hour".split()),
    "distance": frozenset({"far"}),
    "frequency": frozenset({"often"}),
    "amount": frozenset({"money", "price", "cost"}),
    "occupation": frozenset({"living", "work", "job", "occupation", "profession", "trade"}),
    "duration": frozenset({"time"}),
}
"""By type of what is asked for, the words that ask for it: on which day, how far, what does she do for a living."""


def lost_words(goal: Goal, asked: datetime, analyzer: Analyzer) -> list[str]:
    """The words of a question that its goal has lost, in lower case; none of an honest reading.

    The goal keeps a word in its atoms, in the type of what is asked for, as its unit, its aggregate or a fixed time.
    """
    known = ASKING | PRESENT | NAMING
    known |= TYPES.get(goal.answer.type, frozenset()) if goal.answer is not None else frozenset()
    known |= ORDER if goal.aggregate in ORDERED else frozenset()
    known |= TOTAL if goal.aggregate in TOTALLED else frozenset()
    times = [(t.start, t.end) for t in find_times(goal.question, asked.replace(tzinfo=None))] if _timed(goal) else []
    said = " ".join([*(a.read_as()[0] for a in goal.atoms), goal.answer.type if goal.answer else "", goal.unit])
    question, held = analyzer.docs([goal.question, said])
    kept = {form for t in held for form in (t.lower_, t.lemma_.lower(), *terms_of(t.text))}
    lost = []
    for t in question:
        forms = {t.lower_, t.lemma_.lower(), *terms_of(t.text)}
        inside = any(start <= t.idx < end for start, end in times)
        if t.pos_ in SAYING and not inside and not forms & (kept | known):
            lost.append(t.lower_)
    return lost


def _timed(goal: Goal) -> bool:
    """Whether a fixed time of the question stands in the goal's constraints."""
    return any(not isinstance(c.right, str) for c in goal.constraints)
