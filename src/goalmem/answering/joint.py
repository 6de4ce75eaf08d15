"""Values that are the answer to a question for one thing together.

What the same words give is told together: `I went to Rome with Tom and Leo` answers *Who did I go to Rome with?* with both. So are values of
several clauses or turns if they hold together: `I'm allergic to cats` and, later, `I'm allergic to hay`. A question for what or whom asks for
all of it (Groenendijk and Stokhof 1984, exhaustiveness), unless a later value replaces the one before (`multiplicity`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from goalmem.answering.multiplicity import Multiplicity, multiplicity
from goalmem.engine.outcome import Solution
from goalmem.engine.search import WIDTH_ALONE
from goalmem.logic.terms import Evidence, Goal
from goalmem.proof.status import PASSAGES, PROVED_FIT

__all__ = ["joint_solutions"]

COMMA = r"\s*[,;]\s*(?:\w+ )?"
AND = r"[,;]?\s*(?:\band\b|\bplus\b|[&+]|\bas well as\b)\s*(?:\w+ ){0,2}"
"""Between two conjuncts, and before the last one. Words may stand there: *with Tom and then with Leo*, *apples and some pears*."""

ADDITIVE = re.compile(
    r"\b(?:too|also|as well|likewise)\b(?! (?:much|many|little|few))|\b(?:so|neither|nor) (?:do|does|did|am|is|are|was|were|has|have|had|can|could|will|would)\b",
    re.IGNORECASE,
)
"""Words by which a clause adds somebody or something to what was said before (additive adjuncts: Quirk et al. 1985, section 8.116)."""


def joint_solutions(goal: Goal, best: Solution, solutions: Sequence[Solution]) -> tuple[Solution, ...]:
    """The best solution of a goal that asks for one thing and those that hold together with it, in the order in which they were said.

    All of them give every variable but the answer the same value. What only a reader found is joined to nothing but its own words; so is
    one of more values than are looked for, since not all of them would be told.
    """
    if goal.answer is None or best.against:
        return (best,)
    name = goal.answer.name
    same = _others(goal, best)
    alike = [s for s in solutions if not s.against and _others(goal, s) == same and _signs(s) == _signs(best)]
    equal = [s for s in alike if s.score == best.score]
    groups = [_told_with(name, best, alike)]
    if is_stated(best) and len(solutions) < WIDTH_ALONE and multiplicity(goal) is Multiplicity.SEVERAL:
        for other in filter(is_stated, equal):
            if not any(_same_words(other, s) for s in chain(*groups)):
                groups.append(_told_with(name, other, equal))
    elif len(groups[0]) == 1:
        groups = [_added(name, best, equal)]
    joint = {_value(name, s): s for s in sorted(chain(*groups), key=lambda s: _place(name, s))}
    texts = [value.casefold() for value in joint]
    return tuple(s for value, s in joint.items() if not any(_says_less(value.casefold(), t) for t in texts))


def _says_less(value: str, other: str) -> bool:
    """True if another value is the same thing with what describes it before it: `bike` beside `red bike`; or the same without what follows
    it: `pasta with Tom` beside `pasta`.
    """
    return other.endswith(f" {value}") or value.startswith(f"{other} ")


def is_stated(solution: Solution) -> bool:
    """True if every step of a solution is a fact that is certain enough to be proved from."""
    steps = [c.step for node in solution.nodes for c in node.walk()]
    return all(s is not None and s.kind == "fact" and s.source != PASSAGES and s.score >= PROVED_FIT for s in steps)


def _told_with(name: str, best: Solution, others: Iterable[Solution]) -> list[Solution]:
    """A solution and those that its own words give beside it: the words of their values are conjuncts (Quirk et al. 1985, section 13.39)."""
    span = _span(best, name)
    beside = {s: n for n in others if _same_words(best, n) and (s := _span(n, name)) not in ("", span)}
    if not span or not beside:
        return [best]
    told = {span: best, **beside}
    quotes = {e.quote for n in told.values() for e in _evidence(n)}
    runs = (run for quote in quotes for run in _coordinations(quote, list(told)) if span in run)
    return [told[s] for s in max(runs, key=lambda run: (len(run), run), default=[span])]


def _added(name: str, best: Solution, others: Iterable[Solution]) -> list[Solution]:
    """The solutions of one turn of which all but the first are added to it in words; only the best if it is none of them."""
    turns = _turns(best)
    if len(turns) != 1:
        return [best]
    first, *later = sorted(
        (best, *(n for n in others if n is not best and _turns(n) == turns)), key=lambda n: _place(name, n)
    )
    told = [first, *(n for n in later if any(ADDITIVE.search(e.quote) for e in _evidence(n)))]
    return told if best in told else [best]


def _same_words(one: Solution, other: Solution) -> bool:
    """True if two solutions rest on the same words, or one on a part of the other's: `I bought apples` and `I bought apples and pears`."""
    cited = list(_evidence(one)), list(_evidence(other))
    return len(cited[0]) == len(cited[1]) and all(map(_is_part, *cited))


def _is_part(one: Evidence, other: Evidence) -> bool:
    first, second = sorted((one, other), key=lambda e: (e.start, -e.end))
    return one.turn == other.turn and second.end <= first.end


def _evidence(solution: Solution) -> Iterator[Evidence]:
    for node in solution.nodes:
        for closed in node.walk():
            yield from closed.step.evidence if closed.step is not None else ()


def _turns(solution: Solution) -> set[str]:
    return {e.turn for e in _evidence(solution)}


def _others(goal: Goal, solution: Solution) -> dict[str, str]:
    """The values of all variables but the answer."""
    asked = goal.answer.name if goal.answer is not None else ""
    return {n: value.key for n, value in solution.substitution.items() if n in goal.names and n != asked}


def _signs(solution: Solution) -> int:
    return sum(c.step is not None and c.step.negated for node in solution.nodes for c in node.walk())


def _value(name: str, solution: Solution) -> str:
    return solution.substitution[name].text if name in solution.substitution else ""


def _span(solution: Solution, name: str) -> str:
    """The words that the answer was read from, or that name it."""
    return next((b.span or b.value.text for b in solution.substitution.bindings if b.variable.name == name), "")


def _place(name: str, solution: Solution) -> tuple[tuple[str, str, int], int, int]:
    """Sort key: where the value of a variable was said."""
    span = _span(solution, name)
    found = [(e.order, e.end, e.start + max(e.quote.find(span), 0)) for e in _evidence(solution)]
    return max(found, default=(("", "", 0), 0, 0))


def _coordinations(quote: str, spans: Sequence[str]) -> Iterator[list[str]]:
    """Yield the coordinations of at least two of `spans` in a quote, each as its conjuncts in order."""
    one = "|".join(re.escape(s) for s in sorted(spans, key=len, reverse=True))
    pattern = rf"(?<!\w)(?:{one})(?:{COMMA}(?:{one}))*{AND}(?:{one})(?!\w)"
    for found in re.finditer(pattern, quote):
        yield list(dict.fromkeys(re.findall(rf"(?<!\w)(?:{one})(?!\w)", found[0])))
