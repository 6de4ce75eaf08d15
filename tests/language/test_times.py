"""Expressions of time are found and placed on the calendar."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.language import find_times
from goalmem.logic.interval import Grain

MONDAY = datetime(2023, 7, 17, 14, 31, tzinfo=UTC)


def when(text: str, future: bool | None = None, anchor: datetime = MONDAY) -> str:
    """The only time in a text, as an interval prints."""
    (found,) = find_times(text, anchor, future)
    return str(found.interval)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I ran yesterday", "16 July 2023"),
        ("we met last Friday", "14 July 2023"),
        ("the Friday before last", "7 July 2023"),
        ("two weeks ago", "the week of 3 July 2023"),
        ("a couple of weeks ago", "the week of 3 July 2023"),
        ("3 days ago", "14 July 2023"),
        ("a few days ago", "12 July 2023 to 15 July 2023"),
        ("10 years ago", "2013"),
        ("in March", "March 2023"),
        ("in October", "October 2022"),
        ("next month", "August 2023"),
        ("this past weekend", "15 July 2023 to 16 July 2023"),
        ("two weekends ago", "8 July 2023 to 9 July 2023"),
        ("the week before last", "the week of 3 July 2023"),
        ("on 8 May 2023", "8 May 2023"),
        ("on 8 May 2030", "8 May 2030"),
        ("8 May 2100, all in", "8 May 2100"),
        ("8 May 2100 all in", "8 May 2023"),
        ("8 May, 2050 euros for the hall", "8 May 2023"),
        ("on May 8th", "8 May 2023"),
        ("on the 15th of last month", "15 June 2023"),
        ("2023-05-08", "8 May 2023"),
        ("12/25/2022", "25 December 2022"),
        ("25/12/2022", "25 December 2022"),
        ("back in 2019", "2019"),
        ("last summer", "summer 2022"),
        ("the summer of 2020", "summer 2020"),
        ("last Christmas", "25 December 2022"),
        ("Thanksgiving last year", "24 November 2022"),
        ("3 pm tomorrow", "18 July 2023, 15:00"),
        ("Friday at noon", "14 July 2023, 12:00"),
        ("since 2016", "1 January 2016 to 17 July 2023"),
        ("for the past three years", "17 July 2020 to 17 July 2023"),
        ("between 2010 and 2015", "1 January 2010 to 31 December 2015"),
        ("from May to July", "1 May 2023 to 31 July 2023"),
        ("early June", "1 June 2023 to 9 June 2023"),
        ("in two weeks", "the week of 31 July 2023"),
        ("on Wednesday in two weeks", "2 August 2023"),
        ("in two weeks on Wednesday", "2 August 2023"),
        ("two weeks from Wednesday", "2 August 2023"),
        ("next week on Friday", "28 July 2023"),
        ("last week, on Friday evening", "14 July 2023"),
        ("in the 90s", "1 January 1990 to 31 December 1999"),
        ("tonight", "17 July 2023"),
        ("the Wednesday two months ago", "17 May 2023"),
        ("on a Friday three weeks ago", "23 June 2023"),
        ("two weeks ago, on a Tuesday", "4 July 2023"),
        ("two weeks from tomorrow", "the week of 31 July 2023"),
        ("the month of May", "May 2023"),
        ("in the month of February", "February 2023"),
        ("the week of 5 May", "the week of 1 May 2023"),
        ("the night of the 5th", "5 July 2023"),
        ("the day before Christmas", "24 December 2022"),
        ("two days before Christmas", "23 December 2022"),
        ("the Friday before Easter", "7 April 2023"),
        ("the weekend after Thanksgiving", "26 November 2022 to 27 November 2022"),
        ("the week before last Friday", "7 July 2023 to 13 July 2023"),
        ("the first Friday of May", "5 May 2023"),
        ("the last weekend of last month", "24 June 2023 to 25 June 2023"),
        ("a month and a half ago", "the week of 29 May 2023"),
        ("half a year ago", "January 2023"),
        ("Tuesday the 4th", "4 July 2023"),
        ("Good Friday", "7 April 2023"),
        ("the Ash Wednesday service", "22 February 2023"),
        ("on St. Patrick's Day", "17 March 2023"),
        ("last Sunday mass was long", "16 July 2023"),
        ("I met Rachel Friday night", "14 July 2023"),
        ("I'm busy Friday because of it", "14 July 2023"),
    ],
)
def test_an_expression_is_placed_on_the_calendar(text: str, expected: str) -> None:
    assert when(text) == expected


@pytest.mark.parametrize(
    ("text", "past", "future"),
    [
        ("on Friday", "14 July 2023", "21 July 2023"),
        ("in March", "March 2023", "March 2024"),
        ("on May 8", "8 May 2023", "8 May 2024"),
        ("at Christmas", "25 December 2022", "25 December 2023"),
    ],
)
def test_the_tense_says_on_which_side_it_lies(text: str, past: str, future: str) -> None:
    assert (when(text, False), when(text, True)) == (past, future)


@pytest.mark.parametrize(
    "text",
    [
        "every Friday",
        "on Fridays",
        "you may go",
        "we march on",
        "2000 followers",
        "call me at 5",
        "31 Feb 2020",
        "0000-00-00",
        "how many days ago did I go?",
        "how many more weeks from now",
        "how long ago was it?",
        "the Sunday mass at the church",
        "I love Taco Tuesday",
        "my Monday meeting",
        "every other Friday",
        "the 27th parameter",
        "the fifth Monday of February",
        "the week after the party",
    ],
)
def test_what_is_no_time_is_not_taken_for_one(text: str) -> None:
    assert find_times(text, MONDAY) == []


@pytest.mark.parametrize("text", ["in year 0", "99999-99-99", "9999 years ago", "in 9999 centuries", "on 12/31/0000"])
@pytest.mark.parametrize("anchor", [datetime.min, datetime.max, MONDAY])
def test_absurd_dates_never_raise(text: str, anchor: datetime) -> None:
    find_times(text, anchor)


EXPRESSIONS = st.sampled_from(
    "yesterday|last Friday|next week|in March|two weeks ago|since 2016|early 2020|this weekend|May 8|last night".split(
        "|"
    )
)


@given(EXPRESSIONS, st.datetimes(datetime(2021, 1, 1), datetime(2100, 1, 1)), st.sampled_from([None, True, False]))
def test_an_expression_is_found_in_any_surroundings(words: str, anchor: datetime, future: bool | None) -> None:
    (found,) = find_times(f"Well, {words}, you know!", anchor, future)
    assert found.text in words


@given(st.text(max_size=200), st.datetimes())
def test_any_text_at_any_time_is_read_without_an_error(text: str, anchor: datetime) -> None:
    for found in find_times(text, anchor):
        assert text[found.start : found.end] == found.text
        assert found.interval.start < found.interval.end


@given(st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)), st.integers(1, 300))
def test_days_ago_count_back_from_the_day_itself(anchor: datetime, n: int) -> None:
    (found,) = find_times(f"{n} days ago", anchor)
    assert found.interval.grain is Grain.DAY
    assert found.interval.start.date() == (anchor - timedelta(days=n)).date()


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("before March", "before"),
        ("prior to the 5th", "before"),
        ("after June 2021", "after"),
        ("since June", "since"),
        ("until Friday", "until"),
        ("in March", None),
        ("right after Christmas", None),
        ("the day before Christmas", None),
    ],
)
def test_an_open_ended_time_says_on_which_side_it_is_bounded(text: str, bound: str | None) -> None:
    (found,) = find_times(text, MONDAY)
    assert found.bound == bound


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("two weeks ago", datetime(2023, 7, 3, 14, 31)),
        ("two months ago", datetime(2023, 5, 17, 14, 31)),
        ("in a year", datetime(2024, 7, 17, 14, 31)),
        ("a week before Christmas", datetime(2022, 12, 18)),
        ("a few weeks ago", None),
        ("last month", None),
    ],
)
def test_what_is_counted_to_is_a_moment_in_the_unit_around_it(text: str, point: datetime | None) -> None:
    (found,) = find_times(text, MONDAY)
    assert found.point == point
    assert point is None or found.interval.start <= point < found.interval.end


ANCHORS = st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1))
WEEKDAYS = st.sampled_from("Monday Tuesday Saturday Sunday".split())


@given(ANCHORS, WEEKDAYS, st.integers(1, 50))
def test_a_weekday_some_weeks_ago_is_the_nearest_to_that_day(anchor: datetime, weekday: str, weeks: int) -> None:
    (found,) = find_times(f"the {weekday} {weeks} weeks ago", anchor)
    assert f"{found.interval.start:%A}" == weekday
    assert abs((found.interval.start.date() - (anchor - timedelta(weeks=weeks)).date()).days) <= 3


@given(ANCHORS, st.integers(1, 9), st.sampled_from(["day", "week", "month", "Friday", "weekend"]))
def test_before_and_after_a_day_lie_on_their_sides(anchor: datetime, n: int, unit: str) -> None:
    (day,) = find_times("8 May 2020", anchor)
    (before,) = find_times(f"{n} {unit}s before 8 May 2020", anchor)
    (after,) = find_times(f"{n} {unit}s after 8 May 2020", anchor)
    assert before.interval.before(day.interval)
    assert after.interval.after(day.interval)


@given(
    st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)), st.sampled_from("Monday Tuesday Saturday Sunday".split())
)
def test_last_weekday_lies_in_the_week_before_today(anchor: datetime, weekday: str) -> None:
    (found,) = find_times(f"last {weekday}", anchor)
    days = (anchor.date() - found.interval.start.date()).days
    assert 1 <= days <= 7
    assert f"{found.interval.start:%A}" == weekday
