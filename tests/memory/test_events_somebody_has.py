"""When the exam or the appointment is that somebody has: `I have an exam on 9 April`."""

from __future__ import annotations

import pytest

from tests.asking import asked
from tests.cases import one_in

EVENTS = [
    ("I have an exam on 9 April.", "When is my exam?", "9 April 2026"),
    ("I have my driving test on 9 April.", "When is my driving test?", "9 April 2026"),
    ("I have a flight to Rome on 9 April at 7:15.", "When is my flight to Rome?", "9 April 2026, 07:15"),
    ("I have an interview at Selkon on 9 April.", "When is my interview at Selkon?", "9 April 2026"),
    ("My sister has an exam on 9 April.", "When is my sister's exam?", "9 April 2026"),
    ("I had an exam on 2 March.", "When was my exam?", "2 March 2026"),
    ("I have a dentist appointment on 9 April at 10:30.", "What time is my dentist appointment?", "10:30"),
    ("My dentist appointment is on 9 April at 10:30.", "What time is my dentist appointment?", "10:30"),
    ("The deadline for the report is 20 March.", "What is the deadline for the report?", "20 March 2026"),
    ("My exam is on 9 April.", "What is the date of my exam?", "9 April 2026"),
    ("I'm flying to Rome on 9 April.", "Where am I flying to?", "Rome"),
    ("We are staying at the Ritz in August.", "Where are we staying in August?", "Ritz"),
    ("The meeting is at 3 pm on Friday.", "What time is the meeting?", "3 pm"),
]
OTHERS = [
    ("My sister has an exam on 9 April.", "When is my exam?"),
    ("I have Tom's exam on 9 April.", "When is my exam?"),
    ("I have a maths exam on 9 April.", "When is my physics exam?"),
    ("I have exams on 9 April and 12 April.", "When is my exam?"),
    ("I have an interview at Selkon on 9 April.", "When is my interview at Orbit?"),
    ("I don't have an exam on 9 April.", "When is my exam?"),
    ("I'm not flying to Rome.", "Where am I flying to?"),
    ("I might fly to Rome on 9 April.", "Where am I flying to?"),
    ("I'm flying to Rome on 9 April.", "Did I fly to Rome?"),
    ("I may have an exam on 9 April.", "When is my exam?"),
    ("I have an exam on 9 April.", "When is my driving test?"),
]


@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, EVENTS))
def test_the_time_of_what_somebody_has_is_proved(said: str, question: str, answer: str) -> None:
    assert asked(said, question) == ("proved", answer)


@pytest.mark.parametrize(("said", "question"), one_in(2, OTHERS))
def test_the_time_of_another_event_proves_nothing(said: str, question: str) -> None:
    assert asked(said, question)[0] != "proved"


@pytest.mark.parametrize(
    "later", ["I cancelled the flight to Rome.", "My flight to Rome got cancelled.", "I called off my trip to Rome."]
)
def test_a_plan_that_was_called_off_is_not_proved(later: str) -> None:
    assert asked(("I'm flying to Rome on 9 April.", later), "Where am I flying to?")[0] != "proved"
