"""Values that are given together: `I went to Rome with Tom and Leo` answers *Who did I go to Rome with?* with both.

So do two clauses of which the second says that it adds something: `I speak Polish, and so does Ana`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from goalmem.logic.terms import Evidence, Goal
from goalmem.proof.document import Node

__all__ = ["told_together"]

COMMA = r"\s*[,;]\s*(?:\w+ )?"
AND = r"[,;]?\s*(?:\band\b|\bplus\b|[&+]|\bas well as\b)\s*(?:\w+ ){0,2}"
"""Between two conjuncts, and before the last one. Words may stand there: *with Tom and then with Leo*, *apples and some pears*."""

ADDITIVE = re.compile(
    r"\b(?:too|also|as well|likewise)\b(?! (?:much|many|little|few))|\b(?:so|neither|nor) (?:do|does|did|am|is|are|was|were|has|have|had|can|could|will|would)\b",
    re.IGNORECASE,
)
"""Words by which a clause adds somebody or something to what was said before."""


def told_together(goal: Goal, best: Node, others: Sequence[Node]) -> tuple[Node, ...]:
    """The best solution of a goal that asks for one thing and those that its own words give beside it, in the order of the words.

    They rest on the same words, differ only in the answer, and their words are conjuncts (Quirk et al. 1985, section 13.39); or the
    words of the later one add it to the others (additive adjuncts: section 8.116).
    """
    name = goal.answer.name if goal.answer is not None else ""
    span = _span(best, name)
    alike = {s: n for n in others if _differs_only_in(name, best, n) and (s := _span(n, name)) not in ("", span)}
    if not span or not alike:
        return _added(name, best, others) or (best,)
    told = {span: best, **alike}
    quotes = {e.quote for n in told.values() for e in _evidence(n)}
    runs = (run for quote in quotes for run in _coordinations(quote, list(told)) if span in run)
    longest = max(runs, key=lambda run: (len(run), run), default=[span])
    return tuple(told[s] for s in longest)


def _added(name: str, best: Node, others: Sequence[Node]) -> tuple[Node, ...]:
    """The solutions of one turn of which all but the first are added to it, in the order of the words; empty if there are none."""
    if not name:
        return ()
    alike = [n for n in (best, *others) if n.score == best.score and _is_like(name, best, n)]
    if not alike:
        return ()
    first, *later = sorted(alike, key=_place)
    told = [n for n in later if any(ADDITIVE.search(e.quote) for e in _evidence(n))]
    values = {n.bindings: n for n in (first, *told)}
    return tuple(values.values()) if best in values.values() and len(values) > 1 else ()


def _is_like(name: str, one: Node, other: Node) -> bool:
    """True if both rest on one turn and give all variables but one the same value, and none is denied."""
    turns = {e.turn for n in (one, other) for e in _evidence(n)}
    return len(turns) == 1 and _others(name, one) == _others(name, other) and _signs(one) == _signs(other)


def _signs(solution: Node) -> int:
    return sum(node.negated for _, node in solution.walk())


def _place(solution: Node) -> tuple[int, int]:
    return min(((e.end, e.start) for e in _evidence(solution)), default=(0, 0))


def _others(name: str, solution: Node) -> dict[str, str]:
    return {b.variable.name: b.value.key for b in solution.bindings if b.variable.name != name}


def _differs_only_in(name: str, one: Node, other: Node) -> bool:
    """True if two solutions rest on the same words and give all variables but one the same value."""
    cited = list(_evidence(one)), list(_evidence(other))
    if len(cited[0]) != len(cited[1]) or not all(map(_is_part, *cited)):
        return False
    return _others(name, one) == _others(name, other)


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
