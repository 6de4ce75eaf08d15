from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.logic import aggregate
from goalmem.logic.evaluate import evaluate
from goalmem.logic.interval import Grain, Interval, duration_between
from goalmem.logic.syntax import parse_atom
from goalmem.logic.terms import Aggregate, Constraint, Goal, Value

ASKED = datetime(2023, 9, 1, 12, tzinfo=UTC)


def day(month: int, n: int, year: int = 2023) -> Interval:
    start = datetime(year, month, n)
    return Interval(start, start + timedelta(days=1))


def month(n: int, year: int = 2023) -> Interval:
    return Interval(datetime(year, n, 1), datetime(year + n // 12, n % 12 + 1, 1), Grain.MONTH)


def when(interval: Interval) -> Value:
    return Value(str(interval), str(interval), "time", interval)


def thing(text: str) -> Value:
    return Value(text, text.casefold())


def goal(kind: Aggregate, *atoms: str, answer: str = "x", **more) -> Goal:
    read = tuple(parse_atom(a) for a in atoms or ("Maya did (x:thing) on (t:time)",))
    variables = {v.name: v for a in read for v in a.variables}
    return Goal("?", read, variables.get(answer), kind, **more)


INTERVALS = st.one_of(st.builds(day, st.integers(1, 12), st.integers(1, 28)), st.builds(month, st.integers(1, 11)))
SOLUTIONS = st.lists(
    st.builds(
        lambda text, time, number: {"x": Value(text, text.casefold(), number=number), "t": when(time)},
        st.sampled_from(["Rome", "rome", "Oslo", "Porto"]),
        INTERVALS,
        st.sampled_from([0.1, 0.2, 3.0, 1e6]),
    ),
    min_size=1,
    max_size=6,
)


@given(SOLUTIONS, st.sampled_from(list(Aggregate)), st.sampled_from(["x", "t"]), st.randoms(use_true_random=False))
def test_the_order_of_solutions_never_matters(solutions, kind, answer, random):
    asked = goal(kind, answer=answer)
    expected = evaluate(asked, solutions, ASKED)
    random.shuffle(solutions)
    assert evaluate(asked, solutions, ASKED) == expected
    assert bool(expected.text) != bool(expected.undecided)


@given(INTERVALS, INTERVALS, st.sampled_from(["", "days", "weeks", "months", "years", "hours", "fortnights"]))
def test_a_duration_is_the_same_from_both_ends(a, b, unit):
    assert duration_between(a, b, unit) == duration_between(b, a, unit)


@given(st.lists(st.tuples(st.sampled_from("abc"), INTERVALS), min_size=1, max_size=5))
def test_the_earliest_is_before_or_overlaps_every_other(pairs):
    values = [(Value(n, n, interval=t), t) for n, t in pairs]
    result = aggregate.earliest(values)
    if result.undecided or len({n for n, _ in pairs}) == 1:
        return
    own = [t for n, t in pairs if n == result.values[0].key]
    assert all(any(not t.after(other) for t in own) for _, other in pairs)


def test_distinct_means_distinct_key_not_text():
    values = [Value("Bob", "robert"), Value("Robert", "robert"), thing("Ann")]
    assert aggregate.count(values).text == "2"
    assert aggregate.listing(values).text == "Ann and Robert"


def test_lists_follow_time():
    values = [when(day(5, 9)), when(day(5, 3)), when(month(4))]
    assert aggregate.listing(values).text == "April 2023, 3 May 2023 and 9 May 2023"


def test_sums_are_exact_and_name_their_unit():
    def amounts(*numbers):
        return [Value(str(n), str(n), number=n) for n in numbers]

    assert aggregate.total(amounts(0.1, 0.2), "$").text == "$0.30"
    assert aggregate.total(amounts(0.1, 0.125), "kg").text == "0.225 kg"
    assert aggregate.total(amounts(1200, 35), "euros").text == "1,235 euros"
    assert aggregate.total([*amounts(1), thing("a lot")]).undecided


def test_amounts_of_separate_events_all_count():
    spent = goal(Aggregate.SUM, "Maya spent (x:amount) on (t:time)", unit="dollars")
    twenty = Value("$20", "20", number=20)
    twice = [{"x": twenty, "t": when(day(5, 3))}, {"x": twenty, "t": when(day(5, 9))}]
    assert evaluate(spent, twice, ASKED).text == "40 dollars"
    assert evaluate(spent, [*twice, twice[0]], ASKED).text == "40 dollars"


def test_extremes_and_what_leaves_them_open():
    solutions = [{"x": thing("Rome"), "t": when(day(5, 3))}, {"x": thing("Oslo"), "t": when(month(6))}]
    assert evaluate(goal(Aggregate.EARLIEST), solutions, ASKED).text == "Rome"
    assert evaluate(goal(Aggregate.LATEST), solutions, ASKED).text == "Oslo"
    assert evaluate(goal(Aggregate.FIRST_OF), solutions, ASKED).text == "Rome"
    assert "Only one" in evaluate(goal(Aggregate.FIRST_OF), solutions[:1], ASKED).undecided
    overlapping = [{"x": thing("Rome"), "t": when(day(5, 3))}, {"x": thing("Oslo"), "t": when(month(5))}]
    assert "overlap" in evaluate(goal(Aggregate.EARLIEST), overlapping, ASKED).undecided
    untimed = [*solutions, {"x": thing("Bern")}]
    assert "Bern" in evaluate(goal(Aggregate.LATEST), untimed, ASKED).undecided


def test_one_moment_told_twice_is_told_best_by_the_more_precise():
    told = [{"t": when(month(5))}, {"t": when(day(5, 3))}]
    assert evaluate(goal(Aggregate.EARLIEST, answer="t"), told, ASKED).text == "3 May 2023"


def test_answers_that_belong_together_are_told_in_their_order():
    result = evaluate(goal(Aggregate.ONE), [{"x": thing("Rome")}, {"x": thing("Oslo")}, {"x": thing("Rome")}], ASKED)
    assert result.text == "Rome and Oslo"
    assert len(result.values) == 2


@pytest.mark.parametrize(
    ("a", "b", "unit", "text"),
    [
        (day(5, 3), day(5, 17), "days", "14 days"),
        (day(5, 3), day(5, 17), "weeks", "2 weeks"),
        (day(5, 3), day(5, 20), "weeks", "about 2 weeks"),
        (day(5, 3), day(8, 3), "months", "3 months"),
        (day(5, 3), day(8, 10), "months", "about 3 months"),
        (month(5), month(8), "months", "about 3 months"),
        (month(5), month(8), "", "about 3 months"),
        (day(5, 3, 2020), day(5, 3, 2023), "years", "3 years"),
        (day(5, 3), day(5, 4), "", "1 day"),
        (day(5, 3), day(5, 3), "days", "0 days"),
        (day(5, 3), day(5, 20), "years", "less than a year"),
    ],
)
def test_durations_are_as_precise_as_the_times(a, b, unit, text):
    measured = duration_between(a, b, unit)
    assert measured is not None
    assert measured[0] == text


def test_a_duration_between_overlapping_times_cannot_be_told():
    assert duration_between(month(5), day(5, 3), "days") is None


def test_duration_between_a_pair_and_until_now():
    pair = (Constraint("t", "after", "u"),)
    atoms = ("Maya moved on (t:time)", "Ines moved on (u:time)")
    solution = {"t": when(day(5, 17)), "u": when(day(5, 3))}
    assert evaluate(goal(Aggregate.DURATION, *atoms, constraints=pair), [solution], ASKED).text == "2 weeks"
    since = evaluate(goal(Aggregate.DURATION, atoms[0], unit="months"), [{"t": when(day(6, 1))}], ASKED)
    assert since.text == "3 months"
    assert since.values[0].number == 3


def test_two_events_are_named_by_the_words_that_tell_them_apart():
    pair = (Constraint("t", "before", "u"),)
    asked = goal(
        Aggregate.FIRST_OF, "Maya bought the red bike on (t:time)", "Maya bought the car on (u:time)", constraints=pair
    )
    result = evaluate(asked, [{"t": when(day(5, 9)), "u": when(day(5, 3))}], ASKED)
    assert result.text == "car"
