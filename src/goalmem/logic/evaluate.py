"""The answer to a goal from its solutions: the aggregate, the values it is taken over, and the conditions on them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from goalmem.logic.aggregate import (
    AggregateResult,
    count,
    earliest,
    first_of,
    join_texts,
    last_of,
    latest,
    listing,
    preferred,
    total,
)
from goalmem.logic.interval import Grain, Interval, age_at, duration_between, years_after
from goalmem.logic.quantity import difference, quantity_of, quantity_sum, shown
from goalmem.logic.terms import Aggregate, Atom, Constraint, Goal, Value

OPERATORS = ("before", "after", "within", "overlaps", "since", "throughout", "minus", "plus", "beside")
"""Relations of two times, and operations on two amounts or answers, in a constraint."""
PAIRED = frozenset(
    {
        *(Aggregate.DURATION, Aggregate.FIRST_OF, Aggregate.LAST_OF, Aggregate.COMPARE),
        *(Aggregate.DIFFERENCE, Aggregate.TOGETHER, Aggregate.AGE, Aggregate.EACH),
        *(Aggregate.MOST_OF, Aggregate.LEAST_OF, Aggregate.BIRTHDAY),
    }
)
"""Aggregates over two variables that a constraint names."""
OF_AMOUNTS = (Aggregate.DIFFERENCE, Aggregate.TOGETHER)
"""Aggregates of two amounts, of which each is one value."""
RECKONED = PAIRED - {Aggregate.DURATION, Aggregate.FIRST_OF, Aggregate.LAST_OF, Aggregate.COMPARE, Aggregate.EACH}
"""Aggregates whose result must be the same in every solution."""
TIME = "time"
"""The type of variables for the time of an event."""
AROUND = " ?“”"
"""Characters stripped from the name of one of two things, when a question is quoted."""
Solution = Mapping[str, Value]
"""The value of every variable of a goal, by name."""
ALL_SOLUTIONS = frozenset({Aggregate.COUNT, Aggregate.LIST, Aggregate.EARLIEST, Aggregate.LATEST, Aggregate.SUM})
"""Aggregates over every solution, not only the best."""


def evaluate(goal: Goal, solutions: Sequence[Solution], asked: datetime) -> AggregateResult:
    """The answer to `goal` from its solutions. `asked` is when the question was asked (wall-clock, for durations).

    Of several solutions of a goal that asks for one thing all are told, in their order: the caller sees to it that they belong together.
    """
    if not solutions:
        return AggregateResult(undecided="There is no solution.")
    asked = asked.replace(tzinfo=None)
    match goal.aggregate:
        case Aggregate.WHETHER:
            return AggregateResult("Yes", (Value("Yes", "yes"),))
        case Aggregate.DURATION | Aggregate.AGE:
            return _duration(goal, solutions, asked)
        case Aggregate.DIFFERENCE | Aggregate.TOGETHER:
            return _reckoned(goal, solutions)
        case Aggregate.MOST_OF | Aggregate.LEAST_OF:
            return _more_of_pair(goal, solutions)
        case Aggregate.BIRTHDAY:
            return _birthday(goal, solutions)
        case Aggregate.EACH:
            return _beside(goal, solutions)
        case Aggregate.COMPARE:
            return _compared(goal, solutions)
        case Aggregate.FIRST_OF | Aggregate.LAST_OF if pair_of(goal) is not None:
            return _which_of_pair(goal, solutions)
    if goal.answer is None:
        return AggregateResult(undecided="The goal names no answer variable.")
    return _over_answers(goal, goal.answer.name, solutions)


def needs_all(goal: Goal) -> bool:
    """True if the answer depends on every solution, not only on the best."""
    if goal.aggregate in RECKONED:
        return True
    both = goal.aggregate in (Aggregate.FIRST_OF, Aggregate.LAST_OF) and pair_of(goal) is None
    return both or goal.aggregate in ALL_SOLUTIONS


def answer_key(goal: Goal, solution: Solution) -> str:
    """Solutions with the same key are the same answer to `goal`."""
    pair = pair_of(goal)
    names = [goal.answer.name] if goal.answer is not None else []
    if pair is not None:
        names = [n for n in pair if n]
    return "\x1f".join(solution[n].key if n in solution else "" for n in names)


def pair_of(goal: Goal) -> tuple[str, str] | None:
    """The two time variables of a duration or a comparison; the second is empty for "since".

    They are the sides of the first constraint between two variables (it names the pair and is no condition); without one, a duration takes
    the time variables of the atoms: the answer variable first, then by name.
    """
    if goal.aggregate not in PAIRED:
        return None
    for c in goal.constraints:
        if isinstance(c.right, str):
            return c.left, c.right
    if goal.aggregate not in (Aggregate.DURATION, Aggregate.AGE, Aggregate.BIRTHDAY):
        return None
    variables = {v for a in goal.atoms for v in a.variables}
    if goal.answer in variables and goal.answer is not None:
        return goal.answer.name, ""
    timed = sorted(v.name for v in variables if v.type == TIME) or sorted(v.name for v in variables)
    return (timed[0], timed[1] if len(timed) > 1 else "") if timed else None


def holds(constraint: Constraint, solution: Solution) -> bool | None:
    """Return if a constraint holds; None while a side is unbound. A side that is no time satisfies nothing."""
    left = solution.get(constraint.left)
    right = constraint.right if isinstance(constraint.right, Interval) else solution.get(constraint.right)
    if left is None or right is None:
        return None
    a, b = left.interval, right if isinstance(right, Interval) else right.interval
    if a is None or b is None:
        return False
    match constraint.op:
        case "before":
            return a.before(b)
        case "after":
            return a.after(b)
        case "within":
            return a.within(b)
        case "overlaps":
            # A time of the question must hold what happened; two events only touch.
            return a.touches(b) if isinstance(constraint.right, Interval) else a.overlaps(b)
        case "since":
            return a.start <= b.start < a.end if a.grain is Grain.SPAN else a.within(b)
        case "throughout":
            return b.within(a)
    return False


def covers(constraint: Constraint, solution: Solution) -> bool:
    """True if what did not happen at the time of a solution did not happen at all in the interval of a constraint."""
    value = solution.get(constraint.left)
    told = value.interval if value is not None else None
    if told is None or not isinstance(constraint.right, Interval) or constraint.op in ("before", "after"):
        return True
    if constraint.op == "since":
        return told.start <= constraint.right.start
    return constraint.right.within(told) or constraint.op == "throughout"


def conditions(goal: Goal) -> tuple[Constraint, ...]:
    """The constraints that every solution must satisfy: all except the one that only names the pair to compare."""
    pair = pair_of(goal)
    named = next((c for c in goal.constraints if pair is not None and (c.left, c.right) == pair), None)
    return tuple(c for c in goal.constraints if c is not named)


def _compared(goal: Goal, solutions: Sequence[Solution]) -> AggregateResult:
    """Yes if the named constraint holds in all solutions, no if its opposite does."""
    pair = pair_of(goal)
    asked = next((c for c in goal.constraints if pair is not None and (c.left, c.right) == pair), None)
    if asked is None:
        return AggregateResult(undecided="The goal names no times to compare.")
    opposite = {"before": "after", "after": "before"}.get(asked.op, "")
    said = {
        "Yes" if holds(asked, s) else "No" if holds(Constraint(asked.left, opposite, asked.right), s) else ""
        for s in solutions
    }
    if len(said) != 1 or "" in said:
        return AggregateResult(undecided="The times overlap or disagree, so that their order stays open.")
    (text,) = said
    return AggregateResult(text, (Value(text, text.casefold()),))


def _over_answers(goal: Goal, name: str, solutions: Sequence[Solution]) -> AggregateResult:
    bound = [s for s in solutions if name in s]
    if len(bound) < len(solutions):
        return AggregateResult(undecided=f"A solution leaves {name} open.")
    values = [s[name] for s in bound]
    timed = [(s[name], _time_of(s, name)) for s in bound]
    match goal.aggregate:
        case Aggregate.COUNT:
            return count(values)
        case Aggregate.SUM:
            return total(_separate(bound, name), goal.unit)
        case Aggregate.LIST:
            return listing(values)
        case Aggregate.EARLIEST:
            return earliest(timed)
        case Aggregate.LATEST:
            return latest(timed)
        case Aggregate.FIRST_OF:
            return first_of(timed)
        case Aggregate.LAST_OF:
            return last_of(timed)
    kept = tuple({v.key: v for v in values}.values())
    return AggregateResult(join_texts([v.text for v in kept]), kept)


def _separate(solutions: Sequence[Solution], name: str) -> list[Value]:
    """The values of `name` in solutions that differ in any variable: equal amounts of two events are two amounts."""
    kept: dict[tuple[tuple[str, str], ...], Value] = {}
    for s in sorted(solutions, key=lambda s: preferred(s[name])):
        kept.setdefault(tuple(sorted((n, v.key) for n, v in s.items())), s[name])
    return list(kept.values())


def _time_of(solution: Solution, name: str) -> Interval | None:
    """The time of a solution: the answer's own time, or the only other time bound in it."""
    if solution[name].interval is not None:
        return solution[name].interval
    others = {v.interval for n, v in solution.items() if n != name and v.interval is not None}
    return others.pop() if len(others) == 1 else None


def _duration(goal: Goal, solutions: Sequence[Solution], asked: datetime) -> AggregateResult:
    pair = pair_of(goal)
    if pair is None:
        return AggregateResult(undecided="The goal names no times to measure between.")
    now = Interval(asked, asked + timedelta(minutes=1), Grain.MINUTE)
    found: dict[str, AggregateResult] = {}
    for s in solutions:
        since = s[pair[0]].interval if pair[0] in s else None
        until = (s[pair[1]].interval if pair[1] in s else None) if pair[1] else now
        if since is None or until is None:
            return AggregateResult(undecided="A time to measure from or to is not known.")
        if _lasts(goal, pair) and since.grain is Grain.SPAN and until.within(since):
            since = replace(since, end=since.start + timedelta(days=1))
        measured = (
            age_at(since, until) if goal.aggregate is Aggregate.AGE else duration_between(since, until, goal.unit)
        )
        if measured is None:
            return AggregateResult(undecided=f"The times overlap, or are too vague: {since} and {until}.")
        text, number = measured
        found[text] = AggregateResult(text, (Value(text, text.casefold(), "duration", number=number),))
    return _agreed(found)


def _agreed(found: Mapping[str, AggregateResult]) -> AggregateResult:
    """The one result of all solutions, by its text."""
    if len(found) > 1:
        return AggregateResult(undecided=f"The solutions disagree: {join_texts(sorted(found))}.")
    return next(iter(found.values()))


def _lasts(goal: Goal, pair: tuple[str, str]) -> bool:
    """True if it is asked how long something had lasted when, or before, something else happened."""
    return any((c.left, c.right) == pair and c.op in ("overlaps", "before") for c in goal.constraints)


_ABOUT = re.compile(r"(?:about|around|roughly|approximately|circa|ca|some|almost|nearly)\b", re.IGNORECASE)
_BOUND = re.compile(r"(?:over|under|up to|more than|less than|fewer than|at least|at most|between)\b", re.IGNORECASE)


def _reckoned(goal: Goal, solutions: Sequence[Solution]) -> AggregateResult:
    """The sum or difference of the two amounts; all solutions must agree."""
    pair = pair_of(goal)
    if pair is None:
        return AggregateResult(undecided="The goal names no amounts to reckon with.")
    aged = all(v.type == "age" for t in goal.atoms for v in t.variables if v.name in pair)
    found: dict[str, AggregateResult] = {}
    for s in solutions:
        if any(name not in s for name in pair):
            return AggregateResult(undecided="An amount to reckon with is not known.")
        a, b = (quantity_of(s[name].text, s[name].number) for name in pair)
        if a is None or b is None:
            return AggregateResult(undecided=f"{s[pair[0]].text!r} or {s[pair[1]].text!r} is no single amount.")
        if aged:
            a, b = (replace(q, unit=q.unit or "year") for q in (a, b))
        more = goal.aggregate is Aggregate.DIFFERENCE
        q = difference(a, b) if more else quantity_sum(a, b)
        if q is None:
            return AggregateResult(undecided=f"{shown(a)} and {shown(b)} are of different kinds.")
        if more and q.number <= 0:
            return AggregateResult(undecided=f"{shown(a)} is not more than {shown(b)}.")
        about = any(_ABOUT.match(s[name].text) for name in pair)
        if any(_BOUND.match(s[name].text) for name in pair):
            return AggregateResult(undecided=f"{s[pair[0]].text!r} or {s[pair[1]].text!r} is no exact amount.")
        text = f"about {shown(q)}" if about else shown(q)
        found[text] = AggregateResult(
            text, (Value(text, f"{q.number.normalize():f} {q.unit}".rstrip(), "number", number=float(q.number)),)
        )
    return _agreed(found)


def _more_of_pair(goal: Goal, solutions: Sequence[Solution]) -> AggregateResult:
    """The one of two things with the larger (smaller) amount; all solutions must agree."""
    pair = pair_of(goal)
    if pair is None:
        return AggregateResult(undecided="The goal names no amounts to compare.")
    found = set[bool]()
    for s in solutions:
        a, b = (quantity_of(s[name].text, s[name].number) if name in s else None for name in pair)
        more = difference(a, b) if a is not None and b is not None else None
        if more is None or not more.number:
            return AggregateResult(undecided="The two amounts are alike, of different kinds, or not known.")
        found.add((more.number > 0) == (goal.aggregate is Aggregate.MOST_OF))
    if len(found) > 1:
        return AggregateResult(undecided="The solutions disagree.")
    label = _labels(goal, *pair)[0 if found.pop() else 1]
    return AggregateResult(label, (Value(label, label.casefold()),))


def _birthday(goal: Goal, solutions: Sequence[Solution]) -> AggregateResult:
    """The day on which somebody reaches an age, from the day of birth."""
    pair, years = pair_of(goal), goal.unit.removesuffix(" years")
    if not (years.isdecimal() and len(years) <= 3):
        return AggregateResult(undecided="The goal names no age.")
    born = {s[pair[0]].interval for s in solutions if pair is not None and pair[0] in s} - {None}
    if len(born) != 1:
        return AggregateResult(undecided="When the birth was is not known, or told of two times.")
    (when,) = born
    then = years_after(when, int(years)) if when is not None else None
    if then is None:
        return AggregateResult(undecided=f"{when} does not come again {years} years later.")
    return AggregateResult(str(then), (Value(str(then), then.start.date().isoformat(), "time", interval=then),))


def _beside(goal: Goal, solutions: Sequence[Solution]) -> AggregateResult:
    """Both answers; all solutions must agree."""
    pair = pair_of(goal)
    if pair is None or any(name not in s for s in solutions for name in pair):
        return AggregateResult(undecided="One of the two things that are asked is not known.")
    found = {tuple(s[name].key for name in pair): tuple(s[name] for name in pair) for s in solutions}
    if len(found) > 1:
        return AggregateResult(undecided="The solutions disagree.")
    (values,) = found.values()
    return AggregateResult("; ".join(v.text for v in values), values)


def _which_of_pair(goal: Goal, solutions: Sequence[Solution]) -> AggregateResult:
    pair = pair_of(goal)
    if pair is None:
        return AggregateResult(undecided="The goal names no times to compare.")
    left, right = pair
    labels = _labels(goal, left, right)
    values = []
    for s in solutions:
        if left not in s or right not in s:
            return AggregateResult(undecided="A time to compare is not known.")
        values += [(Value(labels[i], labels[i].casefold()), s[n].interval) for i, n in enumerate(pair)]
    return (first_of if goal.aggregate is Aggregate.FIRST_OF else last_of)(values)


def _labels(goal: Goal, left: str, right: str) -> tuple[str, str]:
    """Names for the two things compared: the words in which the atoms of their times differ."""
    a, b = (_words_around(goal.atoms, n) for n in (left, right))
    head = _shared(a, b)
    tail = _shared(a[head:][::-1], b[head:][::-1])
    left_words, right_words = (" ".join(w[head : len(w) - tail] or w) for w in (a, b))
    return left_words.strip(AROUND), right_words.strip(AROUND)


def _shared(a: Sequence[str], b: Sequence[str]) -> int:
    """The number of words that two phrases have in common at the start."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _words_around(atoms: Sequence[Atom], name: str) -> list[str]:
    """The words of the first atom that contains a variable, without the variable."""
    atom = next((a for a in atoms if any(v.name == name for v in a.variables)), Atom((name,)))
    return atom.read_as({name: ""})[0].split()
