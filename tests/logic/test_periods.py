"""How the time of something lies to a period that a question names."""

from __future__ import annotations

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from goalmem.logic.evaluate import covers, holds
from goalmem.logic.interval import Grain, Interval
from goalmem.logic.terms import Constraint, Value

FIRST = datetime(2025, 1, 1)


def span(first: int, days: int) -> Interval:
    return Interval(FIRST + timedelta(first), FIRST + timedelta(first + days), Grain.SPAN)


SPANS = st.builds(span, st.integers(0, 20), st.integers(1, 20))


def lies(told: Interval, op: str, asked: Interval) -> bool | None:
    return holds(Constraint("t", op, asked), {"t": Value("", "", "time", told)})


@given(SPANS, SPANS)
def test_what_lasted_throughout_a_period_covers_it(told: Interval, asked: Interval) -> None:
    assert lies(told, "throughout", asked) == (told.start <= asked.start and asked.end <= told.end)


@given(SPANS, SPANS)
def test_what_lasted_since_a_day_began_no_later(told: Interval, asked: Interval) -> None:
    if lies(told, "since", asked):
        assert told.start <= asked.start < told.end


@given(st.integers(0, 20), SPANS)
def test_what_happened_since_a_day_happened_in_the_period(day: int, asked: Interval) -> None:
    told = Interval(FIRST + timedelta(day), FIRST + timedelta(day + 1))
    assert lies(told, "since", asked) == told.within(asked)


@given(SPANS, SPANS)
def test_a_denial_covers_the_period_that_it_denies(told: Interval, asked: Interval) -> None:
    solution = {"t": Value("", "", "time", told)}
    assert covers(Constraint("t", "overlaps", asked), solution) == asked.within(told)
    assert covers(Constraint("t", "before", asked), solution)
