"""Codes in a text."""

from __future__ import annotations

import pytest

from goalmem.language.codes import codes


def found(text: str) -> list[str]:
    """The codes of a text, as they are written in it."""
    return [text[start:end] for start, end, _ in codes(text)]


@pytest.mark.parametrize(
    "text",
    [
        "I work from 9-5, and 9AM-5PM on Fridays.",
        "We were 3-4 people with a 12-year-old.",
        "It is 2024-05-01, 14:30.",
        "We split it 50/50.",
        "I have 3 5-litre cans.",
        "I had COVID-19 from 10-12 May, in Q1-2024.",
        "A4 paper, bus 38, an X-ray and a T-shirt.",
        "The order is 3 A4 pads.",
        "My phone number has 10 digits.",
        "My PIN is 4-6 digits long.",
        "The code is 6-digit, and my order was mid-2024.",
        "Our account has 12 000 euros.",
        "My wifi is 50 Mbps 24/7.",
        "My passport number was new on 2024-05-01.",
        "My PIN is 1234 I think.",
        "I called Ida at 9 30.",
        "The score was 3-1, then 6-4 6-3.",
        "We met in 2019 (300 people).",
        "- 12 eggs\n-12 eggs",
        "I scored 5 -3.",
        'I read "K7" and the C1-C2 books.',
    ],
)
def test_ordinary_text_has_none(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("I booked K7-99 for Friday.", "K7-99"),
        ("The order #A-2231 arrived.", "#A-2231"),
        ("Ring Ida on (030) 555-1234 or so.", "(030) 555-1234"),
        ("Ring Ida on 555 0134 today.", "555 0134"),
        ("My flight number is LH 400 and I sit in row 3.", "LH 400"),
        ("PIN = 12 34", "12 34"),
        ("wifi: Kx-77", "Kx-77"),
        ("My pin is now 12 34 again", "12 34"),
        ("My password is blue-77-fish, not fish.", "blue-77-fish"),
        ("It was -3.5 degrees.", "-3.5"),
        ("Is it (-3)?", "-3"),
    ],
)
def test_codes_are_found_by_their_form_or_by_the_word_before_them(text: str, code: str) -> None:
    assert found(text) == [code]


def test_a_long_text_takes_time_in_proportion() -> None:
    assert codes("number " * 20_000) == codes("(" * 100_000) == codes("12-" * 50_000) == []
