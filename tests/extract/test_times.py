"""Expressions of time are found and placed on the calendar."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.extract import find_times
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
        ("in the 90s", "1 January 1990 to 31 December 1999"),
        ("tonight", "17 July 2023"),
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


@given(
    st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1)), st.sampled_from("Monday Tuesday Saturday Sunday".split())
)
def test_last_weekday_lies_in_the_week_before_today(anchor: datetime, weekday: str) -> None:
    (found,) = find_times(f"last {weekday}", anchor)
    days = (anchor.date() - found.interval.start.date()).days
    assert 1 <= days <= 7
    assert f"{found.interval.start:%A}" == weekday
