"""Dates as people write them in chats: found whole, placed where weekday, number and tense agree, and never made up."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalmem.language import times_said
from goalmem.language.times import find_times
from goalmem.logic.interval import Grain

MONDAY = datetime(2025, 4, 28, 9, 30)
JANUARY = datetime(2025, 1, 14, 20, 5)
SUNDAY = datetime(2025, 10, 5, 18, 0)


def said(text: str, at: datetime = MONDAY) -> list[str]:
    """The times of a text as they print."""
    return [str(m.interval) for m in times_said(text, at)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A weekday and a number agree.
        ("the boiler was done on friday 25th", "25 April 2025"),
        ("finished Fri 25", "25 April 2025"),
        ("dentist Fri the 2nd", "2 May 2025"),
        ("Sat 3.5. at the lake", "3 May 2025"),
        ("the fair is Sat 3 May", "3 May 2025"),
        ("let's say Sat, 3 May", "3 May 2025"),
        ("we fly thurs 12 june", "12 June 2025"),
        ("viewing on Tue 6/5", "6 May 2025"),
        ("viewing on Mon 5/5", "5 May 2025"),
        ("she is in from monday 19th", "19 May 2025"),
        ("photos weds 14th, needs to be tidy by then", "14 May 2025"),
        ("Thursday the 24th was a washout", "24 April 2025"),
        ("we married on Saturday 12 June", "12 June 2021"),
        ("Sunday, May 4 works for me", "4 May 2025"),
        ("see you Sunday May 4th", "4 May 2025"),
        ("thurs 12 june 19:00", "12 June 2025, 19:00"),
        ("I have Wed 7 May 10:00", "7 May 2025, 10:00"),
        ("mon apr 14 was the deadline", "14 April 2025"),
        ("Wednesday 30/4 then", "30 April 2025"),
        ("his talk is on Monday 12.5.", "12 May 2025"),
        # Numbers alone.
        ("rent is due by the 25th", "25 May 2025"),
        ("signed on the 22nd", "22 April 2025"),
        ("the plumber will come on the 14th", "14 May 2025"),
        ("sent on 14th by post", "14 April 2025"),
        ("now arriving 27th 4.30 am", "27 May 2025, 04:30"),
        ("on 5/6 we have the inspection", "6 May 2025"),
        ("the first of May is a holiday here", "1 May 2025"),
        ("rent went up on the first of April", "1 April 2025"),
        ("the twenty-third of June, mum's birthday", "23 June 2025"),
        ("13/5/2025 it is", "13 May 2025"),
        ("invoice of 3.4.2025", "3 April 2025"),
        # Tense.
        ("moved to Thursday", "1 May 2025"),
        ("they moved it to Thursday", "1 May 2025"),
        ("booked for the 14th", "14 May 2025"),
        ("table is booked for saturday", "3 May 2025"),
        ("the appointment is on Friday", "2 May 2025"),
        ("the parcel arrived on Thursday", "24 April 2025"),
        ("she called on Sunday", "27 April 2025"),
        ("he moves back on Saturday", "3 May 2025"),
        ("we'll paint the hall at the weekend", "3 May 2025 to 4 May 2025"),
        ("poured the slab saturday", "26 April 2025"),
        ("booster done friday, a week late", "25 April 2025"),
        ("fitted wednesday. me and Nige", "23 April 2025"),
        ("the pipe burst on good friday", "18 April 2025"),
        ("we went to Crete at Easter", "20 April 2025"),
        ("no school on Easter Monday, we stayed in", "21 April 2025"),
        ("plumber comes on monday", "5 May 2025"),
        ("the deadline is 15 june", "15 June 2025"),
        ("he left on 2 February", "2 February 2025"),
        ("my exam is in September", "September 2025"),
        ("we met in September", "September 2024"),
        ("she stayed in Perth till the 20th of April", "20 April 2025 to 20 April 2025"),
        ("it was on the Saturday before last", "19 April 2025"),
        ("on Tuesday I put the bowl on the shelf and it broke", "22 April 2025"),
        ("had the scan on wed", "23 April 2025"),
        ("report came weds", "23 April 2025"),
        ("went for a drink thurs", "24 April 2025"),
        ("landlord came fri", "25 April 2025"),
        ("made it aboard on wed evening", "23 April 2025"),
        ("see you tues", "29 April 2025"),
        ("the tests have been green since weds", "23 April 2025 to 28 April 2025"),
        ("the results of 26 april are fine", "26 April 2025"),
        ("the log of 1 april has gaps", "1 April 2025"),
        ("it is fine on the 28th", "28 April 2025"),
        ("I'll start in March", "March 2026"),
        ("I had the appointment through: op on 11 June", "11 June 2025"),
        ("felt it go on wednesday", "23 April 2025"),
        ("lupe had the baby!!! saturday, 3.6 kilos", "26 April 2025"),
        ("takings were good: fri 1,240", "25 April 2025"),
        # Words.
        ("done the day before yesterday", "26 April 2025"),
        ("it starts the day after tomorrow", "30 April 2025"),
        ("tea tmrw 4pm", "29 April 2025, 16:00"),
        ("dinner tonight", "28 April 2025"),
        ("slept badly last night", "27 April 2025"),
        ("this coming Sunday", "4 May 2025"),
        ("in three weeks' time", "the week of 19 May 2025"),
        ("the week after next", "the week of 12 May 2025"),
        ("a fortnight ago", "the week of 14 April 2025"),
        ("in a fortnight", "the week of 12 May 2025"),
        ("in a month's time", "May 2025"),
        ("they pay within 5 working days, so in 5 working days", "5 May 2025"),
        ("two business days ago", "24 April 2025"),
        ("over the weekend we slept a lot", "26 April 2025 to 27 April 2025"),
        ("the shop closes end of June", "22 June 2025 to 30 June 2025"),
        ("mid June maybe", "10 June 2025 to 21 June 2025"),
        ("starts early June", "1 June 2025 to 9 June 2025"),
        ("open until the end of May", "28 April 2025 to 31 May 2025"),
        ("we fly on Christmas Eve", "24 December 2025"),
        ("are you here for New Year's?", "1 January 2026"),
        ("see you on Boxing Day", "26 December 2025"),
        ("the kids sang on Easter Saturday", "19 April 2025"),
        ("Whit Monday is free", "9 June 2025"),
        # Ranges.
        ("away from 3 to 7 June", "3 June 2025 to 7 June 2025"),
        ("camp 3-7 June", "3 June 2025 to 7 June 2025"),
        ("camp June 3-7", "3 June 2025 to 7 June 2025"),
        ("between 15 and 30 September", "15 September 2025 to 30 September 2025"),
        ("the 12th to the 15th we are in Rome", "12 May 2025 to 15 May 2025"),
        ("I am off mon-wed", "28 April 2025 to 30 April 2025"),
        ("3 May - 5 June", "3 May 2025 to 5 June 2025"),
        ("28 June to 3 July", "28 June 2025 to 3 July 2025"),
        ("july to september", "1 July 2025 to 30 September 2025"),
        ("I stay till the 30th", "28 April 2025 to 30 April 2025"),
        # Time of day beside a day.
        ("dinner on friday at half six", "2 May 2025, 18:30"),
        ("friday at quarter to 8", "2 May 2025, 19:45"),
        ("friday quarter past nine", "2 May 2025, 09:15"),
        ("friday 14h30", "2 May 2025, 14:30"),
        ("meet on friday 7pm sharp", "2 May 2025, 19:00"),
        ("saturday at noon", "3 May 2025, 12:00"),
        ("tomorrow at 19:00", "29 April 2025, 19:00"),
        ("tomorrow 4.30 pm", "29 April 2025, 16:30"),
        ("tomorrow at 5", "29 April 2025, 17:00"),
    ],
)
def test_a_date_in_a_chat_is_placed(text: str, expected: str) -> None:
    assert said(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A place from 1 March", "1 March 2025"),
        ("they close end of june", "22 June 2025 to 30 June 2025"),
        ("31 march", "31 March 2025"),
        ("we met on 31 march", "31 March 2024"),
        ("the concert was on 2 November", "2 November 2024"),
        ("Sunday 2 November", "2 November 2025"),
        ("fri 31 jan, at the bakery", "31 January 2025"),
        ("bloods 4 dec: all fine", "4 December 2024"),
        ("the show opens 12 sept", "12 September 2025"),
        ("dress rehearsal in march", "March 2025"),
        ("we moved in in march", "March 2024"),
        ("I started in November", "November 2024"),
        ("starts in November", "November 2025"),
        ("next exam 20 may", "20 May 2025"),
        ("he was born on Tuesday 2 April", "2 April 2024"),
        ("merry christmas everyone, that was christmas", "25 December 2024"),
    ],
)
def test_tense_and_weekday_choose_the_year(text: str, expected: str) -> None:
    assert expected in said(text, JANUARY)
    assert set(said(text, JANUARY)) == {expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dress rehearsals: Wed 21 and Thu 22", ["21 May 2025", "22 May 2025"]),
        ("free on Sat 10 and Sun 11 May", ["10 May 2025", "11 May 2025"]),
        ("17 and 14 June", ["17 June 2025", "14 June 2025"]),
        ("3, 4 and 5 June", ["3 June 2025", "4 June 2025", "5 June 2025"]),
        ("the attacks were on the 15th and 16th", ["15 April 2025", "16 April 2025"]),
        ("not on Wednesday, on Thursday", ["30 April 2025", "1 May 2025"]),
        ("the menu moved from the 22nd to the 29th", ["22 April 2025", "29 April 2025"]),
        ("May 3 and 4 are booked", ["3 May 2025", "4 May 2025"]),
        ("out on 2 May, back on 9 May", ["2 May 2025", "9 May 2025"]),
    ],
)
def test_several_dates_in_a_row_are_each_placed(text: str, expected: list[str]) -> None:
    found = said(text)
    assert [f for f in found if f in expected] == expected
    assert len(found) == len(expected)


@pytest.mark.parametrize(
    "text",
    [
        "Tuesdays and Fridays",
        "we train on Tuesdays and Fridays at 7",
        "every other Sunday",
        "every Tuesday and Friday",
        "each Monday and Thursday",
        "the first Monday of the month",
        "the last Friday of every month",
        "the bins go out every second Wednesday",
        "every mon and thu",
        "Mondays",
        "training tues + thurs",
        "mon wed me, tue thu jeroen",
        "she comes Mon, Wed, Fri",
        "every 2nd sunday",
        "the first friday of the month",
        "MAY YOU",
        "May I ask what it was",
        "the score of 1 may be mugwort",
        "thursdays at 2",
        "upgrade to version 3.5.1",
        "python 3.11.10 broke it",
        "it runs on 3.5.",
        "v2.10.24 is out",
        "it cost 12.50",
        "that is €4.20 each",
        "5/6 stars",
        "I ate 3/4 of the cake",
        "we won 3-2",
        "score was 21/18",
        "call 0171 555 0123",
        "room 12",
        "he lives on floor 3",
        "you may 5 times out of ten be right",
        "they march 20 miles",
        "the 5 may be wrong",
        "march on, we said",
        "the sun was out",
        "we sat down",
        "the cat sat on the mat",
        "sun cream and a hat",
        "my mon ami",
        "they wed and left",
        "wait a second",
        "a second coat of paint",
        "I fall every time",
        "he came 3rd",
        "she finished 25th of 80",
        "the 4th floor",
        "my 2nd child",
        "5th Avenue",
        "for a month",
        "a couple of weeks would do",
        "it took an hour and a half",
        "page 12-15",
        "add 3 to 5 eggs",
        "chapters 3 and 4",
        "at half six",
        "19:00",
        "7pm sharp",
        "noon works",
        "quarter to 8",
        "jan said hello",
        "dec is my brother",
        "mar is her name",
        "ratio 1:30",
        "size 42",
        "gate B-118",
        "3.24 kg, 51 cm",
        "12 kg of flour",
    ],
)
def test_what_is_no_single_date_is_not_placed(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rehearsal Thurs 12 June 19:00 at ours", "Thurs 12 June 19:00"),
        ("the Sat 3 May train", "Sat 3 May"),
        ("done on friday 25th", "friday 25th"),
        ("moved to wed 7th same time", "wed 7th"),
        ("from 3 to 7 June we are away", "from 3 to 7 June"),
        ("it is on Sunday, May 4 2025", "Sunday, May 4 2025"),
    ],
)
def test_a_date_is_found_with_its_weekday_and_hour(text: str, words: str) -> None:
    assert [m.text for m in times_said(text, MONDAY)] == [words]


DAYS = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1))
LAYOUTS = (
    "{d} {month} {y}",
    "{month} {d}, {y}",
    "{d}.{m}.{y}",
    "{y}-{m:02}-{d:02}",
    "{day} {d} {month} {y}",
    "{day}, {month} {d}, {y}",
    "{short} {d}. {mon} {y}",
    "the {nth} of {month} {y}",
    "{short} {d} {mon} {y}",
    "{day} the {nth} of {month} {y}",
)


def layout(pattern: str, at: datetime) -> str:
    """A date as one layout writes it."""
    ends = {1: "st", 2: "nd", 3: "rd"}
    nth = f"{at.day}{'th' if at.day in (11, 12, 13) else ends.get(at.day % 10, 'th')}"
    words = {"month": f"{at:%B}", "mon": f"{at:%b}", "day": f"{at:%A}", "short": f"{at:%a}", "nth": nth}
    return pattern.format(d=at.day, m=at.month, y=at.year, **words)


@settings(deadline=None)
@given(DAYS, st.sampled_from(LAYOUTS), st.sampled_from(["We met on {}.", "The fair is on {}!", "{}", "till then: {}"]))
def test_a_date_is_read_as_it_was_written(at: datetime, pattern: str, frame: str) -> None:
    written = layout(pattern, at)
    (found,) = times_said(frame.format(written), MONDAY)
    assert found.interval.grain is Grain.DAY
    assert found.interval.start.date() == at.date()
    assert found.text == written


@settings(deadline=None)
@given(
    DAYS,
    st.integers(-300, 300),
    st.sampled_from(["{day} {d} {month}", "{short}, {month} {d}", "{short} the {nth} of {mon}"]),
)
def test_the_year_is_one_in_which_weekday_and_date_agree(now: datetime, days: int, pattern: str) -> None:
    at = now + timedelta(days=days)
    (found,) = times_said(layout(pattern, at), now)
    assert f"{found.interval.start:%A %d %B}" == f"{at:%A %d %B}"


@settings(deadline=None)
@given(DAYS, st.integers(-27, 27), st.sampled_from(["{day} the {nth}", "{short} {nth}", "{short} {d}"]))
def test_the_month_is_one_in_which_weekday_and_number_agree(now: datetime, days: int, pattern: str) -> None:
    at = now + timedelta(days=days)
    (found,) = times_said(f"on {layout(pattern, at)}", now)
    assert found.interval.start.day == at.day
    assert f"{found.interval.start:%A}" == f"{at:%A}"


@settings(deadline=None)
@given(
    DAYS, st.integers(0, 20), st.integers(1, 20), st.sampled_from(["{}-{}", "from {} to {}", "{} till {}", "{} – {}"])
)
def test_a_range_covers_both_ends(now: datetime, first: int, more: int, frame: str) -> None:
    start = (now + timedelta(days=first)).replace(hour=0, minute=0, second=0, microsecond=0)
    end = start + timedelta(days=more)
    text = frame.format(f"{start.day} {start:%B %Y}", f"{end.day} {end:%B %Y}")
    (found,) = times_said(text, now)
    assert (found.interval.start, found.interval.end) == (start, end + timedelta(days=1))


@settings(deadline=None)
@given(DAYS, st.sampled_from("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()))
def test_the_tense_of_the_verb_says_on_which_side_a_weekday_lies(now: datetime, weekday: str) -> None:
    (gone,) = times_said(f"The parcel arrived on {weekday}.", now)
    (to_come,) = times_said(f"The parcel will arrive on {weekday}.", now)
    assert gone.interval.start <= now < to_come.interval.start
    assert to_come.interval.start - gone.interval.start in (timedelta(weeks=1), timedelta(weeks=2))


@given(st.text(max_size=80), DAYS)
@settings(max_examples=30, deadline=None)
def test_any_text_is_read_without_an_error(text: str, at: datetime) -> None:
    for found in times_said(text, at):
        assert text[found.start : found.end] == found.text


@pytest.mark.parametrize(
    ("text", "future", "day"),
    [
        ("They offer 27 June or money back. We take the 27th", True, "27 June 2026"),
        ("It is on 3 May. I come on the 2nd", True, "2 May 2026"),
        ("We fly on 28 June and come back on the 2nd", True, "2 July 2026"),
        ("We land on 5 March 2027. So on the 5th we sleep", True, "5 March 2027"),
        ("On 3 December we met, on the 14th we married", False, "14 December 2025"),
        ("Born on 3 May 1990. See you on the 14th", True, "14 January 2026"),
        ("I am free on 12 February. The bill came on the 4th", False, "4 January 2026"),
    ],
)
def test_a_day_by_its_number_alone_is_of_the_month_named_before_it(text, future, day):
    *_, last = find_times(text, datetime(2026, 1, 10, 9), future)
    assert str(last.interval) == day
