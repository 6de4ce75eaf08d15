"""Times that are counted from the one before, ranges with their ends, and what has lasted since a time."""

from __future__ import annotations

import pytest

from tests.asking import asked
from tests.cases import one_in

TOLD, AT = "2026-05-14T10:00:00", "2026-05-16T10:00:00"

FIRST = ("On 3 May I moved in. ", "I moved in on 3 May. ", "I moved in on 3 May and ")
LATER = [
    ("the next day", "4 May 2026"),
    ("the following day", "4 May 2026"),
    ("the day after", "4 May 2026"),
    ("the day after that", "4 May 2026"),
    ("two days later", "5 May 2026"),
    ("three days after that", "6 May 2026"),
    ("the day before", "2 May 2026"),
    ("two days earlier", "1 May 2026"),
    ("the previous day", "2 May 2026"),
]


def counted() -> list[tuple[str, str]]:
    """What is said, and when the bed was bought."""
    cases = []
    for first in FIRST:
        for words, day in LATER:
            start = "I" if first.endswith(". ") else ""
            cases.append((f"{first}{start} bought a bed {words}.".replace("  ", " "), day))
            if first.endswith(". ") and "before" not in words and not words.endswith("after"):
                cases.append((f"{first}{words.capitalize()} I bought a bed.", day))
    return cases


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("said", "day"), one_in(4, counted()))
def test_a_day_is_counted_from_the_one_before(said: str, day: str) -> None:
    assert asked(said, "When did I buy a bed?", told=TOLD, at=AT) == ("proved", day)


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("I moved to Rome in 2015. Two years later I met Ida.", "When did I meet Ida?", "2017"),
        ("I moved in on 3 May 2024. The next year I bought a boat.", "When did I buy a boat?", "2025"),
        (
            "I started running in March 2024. A month earlier I had joined a gym.",
            "When did I join a gym?",
            "February 2024",
        ),
        ("Ida left on Friday and came back the next day.", "When did Ida come back?", "9 May 2026"),
        ("The exam was on 12 April. The day before I was nervous.", "When was I nervous?", "11 April 2026"),
    ],
)
def test_longer_units_are_counted_too(said: str, question: str, answer: str) -> None:
    assert asked(said, question, told=TOLD, at=AT) == ("proved", answer)


@pytest.mark.parametrize(
    "said",
    [
        "I moved in. The next day I bought a bed.",
        "I moved in some time ago. The next day I bought a bed.",
        "I moved in in April. Two days later I bought a bed.",
        "I moved in on 3 May. A few days later I bought a bed.",
        "I moved in on 3 May. Then I went shopping. The next day I bought a bed.",
        "I didn't move in on 3 May. The next day I bought a bed.",
        "If I had moved in on 3 May, I would have been glad. The next day I bought a bed.",
    ],
)
def test_without_a_known_day_before_it_there_is_none(said: str) -> None:
    status, text = asked(said, "When did I buy a bed?", told=TOLD, at=AT)
    assert status == "unknown" or "2026" not in text


RANGES = [
    ("I work from 9 to 5.", "When do I start work?", "9"),
    ("I work from 9 to 5.", "When do I finish work?", "5"),
    ("The shop is open from 8 to 18.", "Until when is the shop open?", "18"),
    ("The shop is open from 8 to 18.", "When does the shop open?", "8"),
    ("The shop is open from 8 am to 6 pm.", "When does the shop close?", "6 pm"),
    ("The course runs from May to July.", "When does the course end?", "July 2026"),
    ("The festival is from 3 to 7 June.", "When does the festival end?", "7 June 2026"),
    ("The festival is from 3 to 7 June.", "When does the festival start?", "3 June 2026"),
    ("The exhibition ran from 3 April to 10 May.", "When did the exhibition end?", "10 May 2026"),
    ("My shift is from 6 to 14.", "When does my shift end?", "14"),
]


@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, RANGES))
def test_a_range_starts_and_ends(said: str, question: str, answer: str) -> None:
    assert asked(said, question, told=TOLD, at=AT)[1] == answer


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Prices went from 9 to 5 euros.", "When do prices start?"),
        ("The road runs from Rome to Naples.", "When does the road end?"),
        ("The shop is not open from 8 to 18.", "When does the shop close?"),
        ("I might work from 9 to 5.", "When do I start work?"),
        ("Is the shop open from 8 to 18?", "When does the shop close?"),
        ("The score went from 3 to 5.", "When does the score end?"),
    ],
)
def test_other_words_are_no_range_of_times(said: str, question: str) -> None:
    assert asked(said, question, told=TOLD, at=AT)[0] != "proved"


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("I have lived in Rome since 2019.", "How long have I lived in Rome?", "7 years"),
        ("I have lived here since 2019.", "How long have I lived here?", "7 years"),
        ("I have lived in Rome since 2019.", "Did I live in Rome in 2021?", "Yes"),
        ("I have lived in Rome since 2019.", "Since when have I lived in Rome?", "2019"),
    ],
)
def test_what_has_lasted_since_a_time_began_then(said: str, question: str, answer: str) -> None:
    assert answer in asked(said, question, told=TOLD, at=AT)[1]


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I have lived in Rome since 2019.", "Did I live in Rome in 2018?"),
        ("We painted the fence in April.", "Did we paint the fence on 12 April?"),
        ("We painted the fence in April.", "Did we paint on 12 April?"),
        ("We painted the fence in 2025.", "Did we paint the fence in March 2025?"),
    ],
)
def test_a_time_within_the_one_told_is_not_sure(said: str, question: str) -> None:
    status, text = asked(said, question, told=TOLD, at=AT)
    assert (status, text) == ("unknown", "I don't know") or text == "No"


@pytest.mark.parametrize(
    ("said", "question", "status"),
    [
        ("We painted the fence on 12 April.", "Did we paint the fence in April?", "proved"),
        ("The temperature was -7 degrees.", "Was the temperature 7 degrees?", ""),
        ("The temperature was 7 degrees.", "Was the temperature minus 7 degrees?", ""),
    ],
)
def test_what_is_within_proves_the_whole_and_a_sign_counts(said: str, question: str, status: str) -> None:
    found, text = asked(said, question, told=TOLD, at=AT)
    assert found == status if status else text != "Yes"


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("The freezer is set to -18°C.", "What is the freezer set to?", "-18"),
        ("It was -5 degrees this morning.", "How many degrees was it this morning?", "-5"),
        ("The temperature was -7 degrees.", "What was the temperature?", "-7"),
        ("It was minus 5 degrees in Oslo.", "How many degrees was it in Oslo?", "minus 5"),
    ],
)
def test_a_number_below_zero_keeps_its_sign(said: str, question: str, answer: str) -> None:
    assert answer in asked(said, question, told=TOLD, at=AT)[1]
