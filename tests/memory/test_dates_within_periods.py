"""A date is read within the week, month or year that the sentence before it set; times on no calendar give no day."""

import pytest

from tests.asking import asked

MONDAY = "2026-05-04T10:00:00"


def _asked(said: str, question: str) -> tuple[str, str]:
    return asked(said, question, told=MONDAY, at="2026-05-04T12:00:00")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("My parents are visiting next week. They arrive on Thursday.", "When do my parents arrive?", "14 May 2026"),
        ("Our trip starts next week. We leave on Wednesday.", "When do we leave?", "13 May 2026"),
        ("I'm going to Rome in July. My flight is on the 12th.", "When is my flight?", "12 July 2026"),
        ("The conference is next week. My talk is on Tuesday.", "When is my talk?", "12 May 2026"),
        (
            "The conference is next week. My talk is on Tuesday at 3 pm.",
            "When is my talk?",
            "12 May 2026, 15:00",
        ),
        ("Ida's wedding is in August. The hen party is on the 8th.", "When is the hen party?", "8 August 2026"),
        ("We were in Spain in March. Ole broke his arm on the 14th.", "When did Ole break his arm?", "14 March 2026"),
        ("In 2019 I moved to Bonn. I met Ida in May.", "When did I meet Ida?", "May 2019"),
        ("We move next year. The wedding is in June.", "When is the wedding?", "June 2027"),
    ],
)
def test_a_date_is_likely_within_the_period_that_a_sentence_before_set(said, question, answer):
    assert _asked(said, question) == ("likely", answer)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        (
            "My parents are visiting next week. I have a dentist appointment on Thursday.",
            "When is my dentist appointment?",
        ),
        ("I'm going to Rome in July. My flight is on Friday.", "When is my flight?"),
    ],
)
def test_a_date_that_may_lie_in_the_period_or_not_proves_no_day(said, question):
    status, text = _asked(said, question)
    assert status != "proved"
    assert "May" not in text


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("I'm off this week. My sister comes on Friday.", "When does my sister come?", "8 May 2026"),
        ("The conference is in June. My talk is on 2 July.", "When is my talk?", "2 July 2026"),
        ("I was ill last week. My exam is on Thursday.", "When is my exam?", "7 May 2026"),
        ("My exam is on Thursday.", "When is my exam?", "7 May 2026"),
        ("We don't meet next week. The exam is on Thursday.", "When is the exam?", "7 May 2026"),
    ],
)
def test_a_date_of_its_own_stays_sure(said, question, answer):
    assert _asked(said, question) == ("proved", answer)


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("My exam is next week on Friday.", "When is my exam?", "15 May 2026"),
        ("I have a meeting on Wednesday in two weeks.", "When do I have a meeting?", "20 May 2026"),
        ("I'm flying to Oslo two weeks from Wednesday.", "When am I flying to Oslo?", "20 May 2026"),
        (
            "The choir meets on the first Sunday of every month.",
            "When does the choir meet?",
            "the first Sunday of every month",
        ),
        ("I call my mother every Sunday.", "When do I call my mother?", "every Sunday"),
    ],
)
def test_a_time_is_read_whole(said, question, answer):
    assert _asked(said, question) == ("proved", answer)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I'm flying to Oslo on Friday in three weeks.", "When am I flying to Oslo?"),
        ("After work I'm going to the gym.", "When am I going to the gym?"),
        ("I was tired, and after lunch I fell asleep.", "When did I fall asleep?"),
        ("Ida left some time ago and came back the next day.", "When did Ida come back?"),
        ("I met Ida at the age of 20.", "When did I meet Ida?"),
        ("During the lecture Ole fell asleep.", "When did Ole fall asleep?"),
        ("I met Ida when I lived in Bonn.", "When did I meet Ida?"),
        ("We got married in 2010. Our first child was born two years later.", "When was our first child born?"),
    ],
)
def test_what_has_a_time_on_no_calendar_was_not_on_the_day_of_telling(said, question):
    status, text = _asked(said, question)
    assert status != "proved" or text in said.casefold() or text in said
    assert "May" not in text or status == "unknown"


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I bought a bike.", "When did I buy a bike?"),
        ("I looked after Ida's cat.", "When did I look after Ida's cat?"),
        ("I bought a bike, after that I went home.", "When did I buy a bike?"),
        ("I never slept before the move. I bought a bike.", "When did I buy a bike?"),
    ],
)
def test_what_is_told_without_a_time_is_likely_of_the_day_of_telling(said, question):
    assert _asked(said, question) == ("likely", "4 May 2026")
