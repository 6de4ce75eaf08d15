"""A date said on any day, in the past or to come, names the days that the calendar says; a name or a habit names none."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import islice

import pytest

from goalmem.language import times_said
from tests.language.conftest import Talk
from tests.language.date_phrases import Said, sentences

LEAST_RIGHT = 0.98
WEDNESDAY = datetime(2024, 5, 15, 10, 0)


def is_right(said: Said) -> bool:
    """Whether exactly the days are read that the sentence names."""
    found = {
        (m.interval.start.date(), (m.interval.end - timedelta(days=1)).date()) for m in times_said(said.text, said.at)
    }
    clocks = {
        m.interval.start.date()
        for m in times_said(said.text, said.at)
        if m.interval.end - m.interval.start < timedelta(days=1)
    }
    wanted = set() if said.first is None else {(said.first, said.last)}
    return found == wanted or clocks == {said.first}


@pytest.mark.parametrize("count", [150, pytest.param(400, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("seed", [11, 12])
def test_dates_are_read_on_the_side_of_their_tense(seed, count):
    drawn = list(islice(sentences(seed), count))
    wrong = [said for said in drawn if not is_right(said)]
    assert len(wrong) <= (1 - LEAST_RIGHT) * count, wrong


@pytest.mark.parametrize(
    "text",
    [
        "My brothers, Ivo and Jan, live in Ghent.",
        "May called me about the flat.",
        "I met April and June at the station.",
        "Sunday, our cat, is ill.",
        "My sister April has a new job.",
        "I gave the key to June.",
        "June's bike was stolen.",
        "Theresa May resigned.",
        "Dr. March told me to rest.",
        "My dog is called August.",
        "Jan will call.",
        "They march in the parade.",
        "We may go.",
        "I met her on a Friday.",
    ],
)
def test_names_and_indefinite_days_are_no_dates(text):
    assert times_said(text, WEDNESDAY) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("April was cold.", "April 2024"),
        ("I moved the appointment to June.", "June 2024"),
        ("Jan and I went to Bruges in May.", "May 2024"),
        ("Tom told June that the plan changed in March.", "March 2024"),
        ("I'm seeing my mom Sunday.", "19 May 2024"),
        ("We were in Rome Tuesday.", "14 May 2024"),
        ("I quit smoking in March.", "March 2024"),
        ("I quit a year ago today.", "15 May 2023"),
        ("A week on Tuesday we leave.", "28 May 2024"),
        ("The firm closed in the third quarter of 2023.", "1 July 2023 to 30 September 2023"),
        ("We got married on a Friday in June 2019.", "June 2019"),
    ],
)
def test_what_is_a_date_stays_one(text, expected):
    assert [str(m.interval) for m in times_said(text, WEDNESDAY)] == [expected]


def test_a_verb_whose_past_looks_like_its_present_tells_what_is_gone(talk: Talk):
    (said,) = talk("Ana: I quit smoking in March.", at=WEDNESDAY)
    (quit_,) = [f for f in said.facts if f.predicate == "quit"]
    assert (str(quit_.when), quit_.modality.value, quit_.statement) == (
        "March 2024",
        "asserted",
        "Ana quit smoking in March",
    )


def test_somebody_named_like_a_month_is_somebody(talk: Talk):
    (said,) = talk("Ana: My brothers, Ivo and Jan, live in Ghent.", at=WEDNESDAY)
    live = next(f for f in said.facts if f.predicate == "live")
    assert live.when is None
    assert live.modality.value == "asserted"
    assert {f.subject for f in said.facts if f.predicate == "be"} == {"Ivo", "Jan"}
