"""Whether a goal asks for all that its question says: a word that is lost on the way asks for something else."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from goalmem.language import Analyzer, find_times
from goalmem.language.terms import terms_of
from goalmem.language.words.modifiers import MEASURING, NAMING_OR_EXACT, ORDERING_WORDS, PRESENT, TOTAL
from goalmem.language.words.pronouns import INTERROGATIVES
from goalmem.logic.evaluate import pair_of
from goalmem.logic.terms import Aggregate, Goal

__all__ = ["lost_words"]

SAYING = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"})
"""Parts of speech that say something (Universal Dependencies)."""
ASKING = INTERROGATIVES | MEASURING
"""What asks, or measures what is asked for."""
ORDERED = frozenset(
    {
        Aggregate.EARLIEST,
        Aggregate.LATEST,
        Aggregate.FIRST_OF,
        Aggregate.LAST_OF,
        Aggregate.COMPARE,
        Aggregate.DURATION,
        Aggregate.AGE,
    }
)
TOTALLED = frozenset({Aggregate.SUM, Aggregate.COUNT})
RECKONED: Mapping[Aggregate, frozenset[str]] = {
    Aggregate.DURATION: frozenset("there pass passed elapse elapsed apart time".split()),
    Aggregate.DIFFERENCE: frozenset(
        "more less fewer expensive cheaper cheap dearer dear pricier pricy difference price cost".split()
    ),
    Aggregate.TOGETHER: TOTAL | frozenset("together put".split()),
}
"""By what is reckoned, the words that ask for it."""
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
    known = ASKING | PRESENT | NAMING_OR_EXACT
    named = pair_of(goal) or () if goal.aggregate is Aggregate.EACH else ()
    wanted = {v for a in goal.atoms for v in a.variables if v.name in named} | ({goal.answer} - {None})
    known |= frozenset(word for v in wanted if v is not None for word in TYPES.get(v.type, ()))
    known |= ORDERING_WORDS if goal.aggregate in ORDERED else frozenset()
    known |= TOTAL if goal.aggregate in TOTALLED else frozenset()
    known |= RECKONED.get(goal.aggregate, frozenset())
    times = [(t.start, t.end) for t in find_times(goal.question, asked.replace(tzinfo=None))] if _timed(goal) else []
    said = " ".join([*(a.read_as()[0] for a in goal.atoms), *(v.type for v in wanted if v is not None), goal.unit])
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
