"""The times that a question names, and how near to them turns were said."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.retrieve.temporal import (
    QuestionTimes,
    Window,
    nearness,
    order_scores,
    read_question_times,
)

SATURDAY = datetime(2023, 7, 1, 9, 0)


def read(text: str, anchor: datetime = SATURDAY) -> QuestionTimes:
    return read_question_times(text, anchor)


def seconds(*moments: datetime) -> np.ndarray:
    return np.array([moment.replace(tzinfo=UTC).timestamp() for moment in moments])


def near(times: QuestionTimes, *moments: datetime, events: bool = False) -> list[float]:
    """Nearness of some moments in a memory of a thousand other days, long before."""
    others = [datetime(2015, 1, 1) + timedelta(days=n) for n in range(1_000)]
    scores = nearness(times, seconds(*moments, *others), days_after=2.0, days_before=1.0, events=events)
    return scores[: len(moments)].tolist()


def test_a_count_of_weeks_is_a_window_with_a_point_in_it():
    (window,) = read("What did I do two weeks ago?").windows
    assert window.point == datetime(2023, 6, 17, 9, 0)
    assert window.start <= datetime(2023, 6, 14)
    assert window.end > datetime(2023, 6, 20, 12)
    assert not window.precise


def test_a_day_is_precise_and_a_month_is_not():
    (day,) = read("Whom did I meet last Friday?").windows
    (month,) = read("Whom did I meet in May?").windows
    assert day.precise
    assert not month.precise
    assert (month.start, month.end) == (datetime(2023, 5, 1), datetime(2023, 6, 1))


@pytest.mark.parametrize(
    "text", ["How many days ago did I run?", "How long has it been since I ran?", "Which day of the week do I run?"]
)
def test_what_a_question_asks_for_is_no_time_that_it_names(text: str):
    assert read(text) == QuestionTimes()


@pytest.mark.parametrize(
    ("text", "after", "before"),
    [
        ("What did I buy since June?", datetime(2023, 6, 1), None),
        ("What did I buy after May?", datetime(2023, 6, 1), None),
        ("What did I buy before March?", None, datetime(2023, 3, 1)),
        ("What had I bought before today?", None, datetime(2023, 7, 1)),
        ("What did I buy after January and before March?", datetime(2023, 2, 1), datetime(2023, 3, 1)),
    ],
)
def test_open_ended_times_are_limits_and_no_windows(text: str, after: datetime | None, before: datetime | None):
    times = read(text)
    assert (times.windows, times.after, times.before) == ((), after, before)


def test_so_far_ends_with_the_day_of_asking():
    before = read("How many books have I read so far?").before
    assert before is not None
    assert before.date() == SATURDAY.date()


@pytest.mark.parametrize(
    ("text", "ordering"),
    [
        ("Which did I buy first, the lamp or the desk?", "order"),
        ("What is the order of the trips I took?", "order"),
        ("List my flights from earliest to latest.", "order"),
        ("Did I visit Rome before Paris?", "order"),
        ("When did I first meet Anna?", "first"),
        ("Where was I the first time I swam?", "first"),
        ("When did Anna last call me?", "last"),
        ("What is my most recent job?", "last"),
        ("What did I do last Friday?", None),
        ("What did I earn in the last four months?", None),
        ("What is my last name?", None),
        ("Who was my first client?", None),
    ],
)
def test_words_of_order_are_told_from_times_and_names(text: str, ordering: str | None):
    assert read(text).ordering == ordering


ANY_TEXT = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from("two weeks ago before after since the Friday last May 3rd so far first".split())).map(
        " ".join
    ),
)


@given(ANY_TEXT, st.datetimes())
def test_any_question_at_any_time_is_read(text: str, anchor: datetime):
    times = read_question_times(text, anchor)
    for window in times.windows:
        assert window.start < window.end
    scores = nearness(times, np.array([0.0, 1e9, -1e9]), days_after=2.0, days_before=1.0)
    assert ((scores >= 0) & (scores <= 1)).all()


def test_inside_counts_most_and_soon_after_more_than_soon_before():
    inside, after, before, far = near(
        read("What did I do on 10 June?"),
        datetime(2023, 6, 10, 12),
        datetime(2023, 6, 12),
        datetime(2023, 6, 9),
        datetime(2023, 3, 1),
    )
    assert inside > after > before > far
    assert far == 0


def test_the_point_of_a_window_counts_more_than_its_edge():
    point, edge, outside = near(
        read("What did I do two weeks ago?"),
        datetime(2023, 6, 17, 20),
        datetime(2023, 6, 13),
        datetime(2023, 6, 5),
    )
    assert point > edge > outside


def test_a_time_that_holds_most_of_a_memory_says_little():
    year = QuestionTimes((Window(datetime(2015, 1, 1), datetime(2020, 1, 1)),))
    day = QuestionTimes((Window(datetime(2015, 1, 1), datetime(2015, 1, 2)),))
    at = datetime(2015, 1, 1, 12)
    assert near(year, at)[0] < 0.01 < near(day, at)[0]


def test_a_limit_excludes_and_gives_nothing_by_itself():
    said = (datetime(2023, 5, 31, 12), datetime(2023, 6, 20))
    assert near(read("What did I buy since June?"), *said) == [0, 0]
    window = Window(datetime(2023, 5, 1), datetime(2023, 7, 1))
    inside = near(QuestionTimes((window,), after=datetime(2023, 6, 1)), *said)
    assert inside[0] == 0 < inside[1]
    inside = near(QuestionTimes((window,), before=datetime(2023, 6, 1)), *said)
    assert inside[0] > 0 == inside[1]


def test_what_lies_ahead_is_a_time_of_events_and_not_of_what_was_said():
    times = read("What can I watch tonight?")
    assert near(times, SATURDAY) == [0]
    assert near(times, SATURDAY, events=True)[0] > 0
    assert near(read("What did I eat today?"), SATURDAY)[0] > 0


@given(st.integers(0, 400), st.integers(0, 400))
def test_farther_from_a_window_is_never_nearer(one: int, other: int):
    times = QuestionTimes((Window(datetime(2022, 6, 1), datetime(2022, 7, 1)),))
    far, close = max(one, other), min(one, other)
    for side in (
        (datetime(2022, 5, 31) - timedelta(days=far), datetime(2022, 5, 31) - timedelta(days=close)),
        (
            datetime(2022, 7, 1) + timedelta(days=far),
            datetime(2022, 7, 1) + timedelta(days=close),
        ),
    ):
        farther, closer = near(times, *side)
        assert farther <= closer


def test_rows_far_apart_in_a_large_memory_score_like_alone():
    times = read("What did I do on 10 June?")
    at = np.full(100_000, seconds(datetime(2020, 1, 1))[0])
    at[[0, 40_000, 99_999]] = seconds(datetime(2023, 6, 10, 12))[0]
    scores = nearness(times, at, days_after=2.0, days_before=1.0)
    assert scores.dtype == np.float32
    assert np.flatnonzero(scores).tolist() == [0, 40_000, 99_999]
    assert len(set(scores[[0, 40_000, 99_999]].tolist())) == 1


def test_an_empty_memory_has_no_nearness():
    assert nearness(read("last Friday"), np.zeros(0), days_after=2.0, days_before=1.0).shape == (0,)


TOPICAL = np.array([1.0, 0.9, 0.95, 0.1], dtype=np.float32)
AT = np.array([30.0, 10.0, 20.0, 0.0])


def test_the_first_and_the_last_are_those_of_what_is_on_the_topic():
    assert int(order_scores("first", AT, TOPICAL).argmax()) == 1
    assert int(order_scores("last", AT, TOPICAL).argmax()) == 0
    assert order_scores("last", AT, TOPICAL)[3] == 0


@pytest.mark.parametrize("ordering", ["order", None])
def test_a_comparison_prefers_no_end(ordering):
    assert not order_scores(ordering, AT, TOPICAL).any()


@given(st.lists(st.tuples(st.floats(0, 1, width=32), st.integers(0, 5)), max_size=20))
def test_order_scores_lie_between_0_and_1(rows):
    topical = np.array([score for score, _ in rows], dtype=np.float32)
    scores = order_scores("last", np.array([float(at) for _, at in rows]), topical)
    assert scores.shape == topical.shape
    assert ((scores >= 0) & (scores <= 1)).all()
