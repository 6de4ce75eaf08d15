"""A period that is asked for must be covered by the one that was told; a denial only denies the time that it names."""

from __future__ import annotations

import pytest
from tests.asking import asked
from tests.cases import one_in

WORK = "I've been working at Brandt since February."
COURSE = "The course runs from April to June."
LEEDS = "I lived in Leeds from 2010 to 2015."
THEA = "I haven't seen Thea since Christmas."
OPEN = (
    (WORK, "Have I been working at Brandt since January?"),
    (COURSE, "Does the course run from April to July?"),
    (COURSE, "Does the course run from March to June?"),
    (LEEDS, "Did I live in Leeds from 2010 to 2018?"),
    (LEEDS, "Have I lived in Leeds since 2009?"),
    ("My visa is valid until the end of June.", "Is my visa valid until the end of July?"),
    ("The shop was closed in February 2026.", "Was the shop closed from January to February 2026?"),
    (THEA, "Have I seen Thea since Easter?"),
    ("I didn't smoke in March 2025.", "Did I smoke in 2025?"),
    ("I wasn't in Rome in May 2025.", "Was I in Rome between April and June 2025?"),
)
COVERED = (
    (WORK, "Have I been working at Brandt since February?", "Yes"),
    (COURSE, "Does the course run from April to May?", "Yes"),
    (COURSE, "Does the course run in May?", "Yes"),
    (LEEDS, "Did I live in Leeds in 2012?", "Yes"),
    (LEEDS, "Did I live in Leeds between 2009 and 2016?", "Yes"),
    ("I saw Thea on 10 January.", "Have I seen Thea since Christmas?", "Yes"),
    (THEA, "Have I seen Thea since Christmas?", "No"),
    (THEA, "Have I seen Thea since January?", "No"),
)


@pytest.mark.parametrize(("said", "question"), one_in(2, OPEN))
def test_a_longer_period_than_was_told_stays_open(said: str, question: str) -> None:
    assert asked(said, question) == ("unknown", "I don't know")


@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, COVERED))
def test_a_period_within_the_one_that_was_told_is_known(said: str, question: str, answer: str) -> None:
    assert asked(said, question)[1] == answer


def test_the_day_of_something_is_not_until_when_it_lasts() -> None:
    assert (
        "February"
        not in asked("The rehearsal on Friday lasted until eleven.", "Until when did the rehearsal on Friday last?")[1]
    )
