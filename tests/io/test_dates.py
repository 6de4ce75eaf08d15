"""Dates as chat files write them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.io.dates import read_moment

MOMENT = datetime(2024, 5, 1, 14, 3)


@pytest.mark.parametrize(
    "text",
    [
        "2024-05-01T14:03:00",
        "2024-05-01 14:03",
        "20240501T140300",
        "2024/05/01 (Wed) 14:03",
        "2:03 pm on 1 May, 2024",
        "May 1, 2024 2:03 PM",
        "Wednesday, 1 May 2024, 14:03",
        "5/1/24, 2:03 PM",
        "1.5.2024 14:03",
        "01.05.2024, 14:03",
        " 2024-05-01 14:03 ",
    ],
)
def test_ways_to_write_a_moment(text: str):
    assert read_moment(text) == MOMENT


@pytest.mark.parametrize(
    ("value", "zone"),
    [
        ("2024-05-01T14:03:00Z", UTC),
        ("2024-05-01T14:03:00+02:00", timezone(timedelta(hours=2))),
        ("Wed, 01 May 2024 14:03:00 +0200", timezone(timedelta(hours=2))),
    ],
)
def test_zones_are_kept(value: str, zone: timezone):
    moment = read_moment(value)
    assert moment == MOMENT.replace(tzinfo=zone)
    assert moment.utcoffset() == zone.utcoffset(None)


@pytest.mark.parametrize("value", [1714572180, 1714572180.0, "1714572180", 1714572180000, "1714572180000"])
def test_unix_time_in_seconds_or_milliseconds(value: object):
    assert read_moment(value) == MOMENT.replace(tzinfo=UTC)


def test_the_order_of_day_and_month_can_be_chosen():
    assert read_moment("03/04/2024") == datetime(2024, 3, 4)
    assert read_moment("03/04/2024", day_first=True) == datetime(2024, 4, 3)
    assert read_moment("25/04/2024") == datetime(2024, 4, 25)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "someday",
        "Monday",
        "May 2024",
        "10",
        "14:03",
        "2024-13-45",
        "99999-01-01",
        "2024-05-01 14:03 XYZ",
        float("nan"),
        float("inf"),
        1e300,
        True,
        None,
        [],
        "x" * 1000,
    ],
)
def test_what_is_no_complete_date_is_none(value: object):
    assert read_moment(value) is None


@given(st.datetimes(min_value=datetime(1000, 1, 1)))
def test_iso_is_read_back(moment: datetime):
    assert read_moment(moment.isoformat()) == moment


@given(st.text(max_size=70) | st.text("0123456789/:. -APM", max_size=20))
def test_any_text_is_a_moment_or_none(text: str):
    assert read_moment(text) is None or isinstance(read_moment(text), datetime)
