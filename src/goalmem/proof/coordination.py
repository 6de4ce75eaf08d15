"""Values that one clause gives together: `I went to Rome with Tom and Leo` answers *Who did I go to Rome with?* with both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from goalmem.logic.terms import Evidence, Goal
from goalmem.proof.document import Node

__all__ = ["told_together"]

COMMA = r"\s*[,;]\s*(?:\w+ )?"
AND = r"[,;]?\s*(?:\band\b|\bplus\b|[&+]|\bas well as\b)\s*(?:\w+ ){0,2}"
"""Between two conjuncts, and before the last one. Words may stand there: *with Tom and then with Leo*, *apples and some pears*."""


def told_together(goal: Goal, best: Node, others: Sequence[Node]) -> tuple[Node, ...]:
    """The best solution of a goal that asks for one thing and those that its own words give beside it, in the order of the words.

    They rest on the same words, differ only in the answer, and their words are conjuncts (Quirk et al. 1985, section 13.39).
    """
    name = goal.answer.name if goal.answer is not None else ""
    span = _span(best, name)
    alike = {s: n for n in others if _differs_only_in(name, best, n) and (s := _span(n, name)) not in ("", span)}
    if not span or not alike:
        return (best,)
    told = {span: best, **alike}
    quotes = {e.quote for n in told.values() for e in _evidence(n)}
    runs = (run for quote in quotes for run in _coordinations(quote, list(told)) if span in run)
    longest = max(runs, key=lambda run: (len(run), run), default=[span])
    return tuple(told[s] for s in longest)


def _differs_only_in(name: str, one: Node, other: Node) -> bool:
    """True if two solutions rest on the same words and give all variables but one the same value."""
    cited = list(_evidence(one)), list(_evidence(other))
    if len(cited[0]) != len(cited[1]) or not all(map(_is_part, *cited)):
        return False
    first, second = (
        {b.variable.name: b.value.key for b in n.bindings if b.variable.name != name} for n in (one, other)
    )
    return first == second


def _is_part(one: Evidence, other: Evidence) -> bool:
    """True if one of two quotes of a turn contains the other: `I bought apples` and `I bought apples and pears`."""
    first, second = sorted((one, other), key=lambda e: (e.start, -e.end))
    return one.turn == other.turn and second.end <= first.end


def _evidence(solution: Node) -> Iterator[Evidence]:
    for _, node in solution.walk():
        yield from node.evidence


def _span(solution: Node, name: str) -> str:
    """The words that the answer was read from, or that name it."""
    return next((b.span or b.value.text for b in solution.bindings if b.variable.name == name), "")


def _coordinations(quote: str, spans: Sequence[str]) -> Iterator[list[str]]:
    """Yield the coordinations of at least two of `spans` in a quote, each as its conjuncts in order."""
    one = "|".join(re.escape(s) for s in sorted(spans, key=len, reverse=True))
    pattern = rf"(?<!\w)(?:{one})(?:{COMMA}(?:{one}))*{AND}(?:{one})(?!\w)"
    for found in re.finditer(pattern, quote):
        yield list(dict.fromkeys(re.findall(rf"(?<!\w)(?:{one})(?!\w)", found[0])))
