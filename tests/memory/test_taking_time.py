"""How long something took, and how long ago it was, from when its beginning and end were told in passing."""

from __future__ import annotations

import pytest

from tests.asking import asked
from tests.cases import one_in

JUST = {
    "I just launched my website.": "How many days ago did I launch my website?",
    "I've just downloaded Signal.": "How many days ago did I download Signal?",
    "I just finished reading Dune. What should I read next?": "How many days ago did I finish reading Dune?",
    "I just got back from a pottery workshop, it was fun.": "How many days ago did I attend a pottery workshop?",
}
NOT_JUST_DONE = {
    "I launched my website.": "How many days ago did I launch my website?",
    "I just wanted a new bike.": "How many days ago did I want a new bike?",
    "I was just about to launch my website.": "How many days ago did I launch my website?",
    "I just didn't launch my website.": "How many days ago did I launch my website?",
    "My sister just launched her website.": "How many days ago did I launch my website?",
    "I just need to launch my website.": "How many days ago did I launch my website?",
    "I had just launched my website when the crash happened.": "How many days ago did I launch my website?",
    "When I just launched my website, nobody came.": "How many days ago did I launch my website?",
    "I remember when I'd just launched my website.": "How many days ago did I launch my website?",
    "I almost just launched my website.": "How many days ago did I launch my website?",
}
"""What is told without a time may have been long ago, or never."""
TOOK = [
    (("I just started Dune today.", "I just finished Dune today."), "How long did it take me to finish Dune?"),
    (("I started reading Dune today.", "I finished reading Dune today."), "How many days did it take me to read Dune?"),
    (
        ("I bought a lamp today.", "The lamp arrived today."),
        "How many days did it take for the lamp to arrive after I bought it?",
    ),
    (
        ("I moved to Leeds today.", "I found a flat today."),
        "How long did it take me to find a flat after I moved to Leeds?",
    ),
    (
        ("Tom started knitting the scarf today.", "Tom finished knitting the scarf today."),
        "How long did it take Tom to knit the scarf?",
    ),
]
NOT_TOLD = [
    (("I just started Dune today.", "I just finished Emma today."), "How long did it take me to finish Dune?"),
    (("I started reading Dune today.", "I'm still reading Dune today."), "How many days did it take me to read Dune?"),
    (
        ("I bought a lamp today.", "The chair arrived today."),
        "How many days did it take for the lamp to arrive after I bought it?",
    ),
    (
        ("My sister moved to Leeds today.", "I found a flat today."),
        "How long did it take me to find a flat after I moved to Leeds?",
    ),
    (
        ("I started knitting the scarf today.", "Tom finished knitting the scarf today."),
        "How long did it take Tom to knit the scarf?",
    ),
    (("I finished Dune today.", "I started Dune today."), "How long did it take me to finish Dune?"),
]


@pytest.mark.parametrize(("said", "question"), one_in(2, JUST.items()))
def test_what_was_just_done_was_done_about_then_and_is_likely(said, question):
    assert asked(said, question) == ("likely", "6 days")


@pytest.mark.parametrize(("said", "question"), one_in(2, NOT_JUST_DONE.items()))
def test_what_is_told_without_a_time_is_not_measured(said, question):
    assert asked(said, question)[0] == "unknown"


@pytest.mark.parametrize(("said", "question"), one_in(2, TOOK))
def test_how_long_it_took_lies_between_beginning_and_end(said, question):
    status, text = asked([said[0], "The weather is nice.", said[1]], question)
    assert (status != "unknown", text) == (True, "2 days")


def test_how_long_it_took_is_read_where_it_is_told():
    status, text = asked("It took me three weeks to finish Dune.", "How long did it take me to finish Dune?")
    assert status != "unknown"
    assert "three weeks" in text


@pytest.mark.parametrize(("said", "question"), one_in(2, NOT_TOLD))
def test_without_its_beginning_or_end_it_is_not_known_how_long_it_took(said, question):
    assert asked([said[0], "The weather is nice.", said[1]], question)[0] == "unknown"


def test_what_was_done_is_told_without_words_that_held_then():
    assert asked("I just took a ukulele lesson with Rachel today.", "What did I do with Rachel?") == (
        "proved",
        "took a ukulele lesson with Rachel",
    )


COUNTED = [("a", 1), ("two", 2), ("five", 5)]
PER_UNIT = {"week": 7, "month": 30.4, "year": 365.2}


@pytest.mark.parametrize(
    ("unit", "said", "count"), one_in(3, [(u, *c) for u in PER_UNIT for c in COUNTED if u != "week" or c[1] > 1])
)
def test_what_is_counted_back_is_counted_back_from_the_day_of_saying(unit, said, count):
    units = f"{unit}s" if count > 1 else unit
    status, text = asked(f"I moved to Leeds {said} {units} ago.", "How many days ago did I move to Leeds?")
    days = int("".join(filter(str.isdigit, text)))
    assert status == "proved"
    assert abs(days - 6 - count * PER_UNIT[unit]) < 3  # asked six days later; months differ


def test_from_last_year_nobody_knows_how_many_months_ago_it_was():
    assert asked("I moved to Leeds last year.", "How many months ago did I move to Leeds?")[0] == "unknown"
