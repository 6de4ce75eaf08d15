"""Codes, telephone numbers, number plates and numbers below zero are answered whole."""

from __future__ import annotations

import pytest

from tests.asking import asked


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("said", "question", "code"),
    [
        ("My licence plate is B-XY 123.", "What is my licence plate?", "B-XY 123"),
        ("my licence plate is b-xy 123", "what is my licence plate?", "b-xy 123"),
        ("My IBAN is DE12 3456 7890.", "What is my IBAN?", "DE12 3456 7890"),
        ("Ida's IBAN is GB29 NWBK 6016 1331 9268 19 now.", "What is Ida's IBAN?", "GB29 NWBK 6016 1331 9268 19"),
        ("My booking code is X7-QP-22.", "What is my booking code?", "X7-QP-22"),
        ("My booking reference is K7-99.", "What is my booking reference?", "K7-99"),
        ("My customer number is 12-345-6.", "What is my customer number?", "12-345-6"),
        ("Ida's number is (030) 555-1234.", "What is Ida's number?", "(030) 555-1234"),
        ("My tracking number is 1Z 999 AA1 01.", "What is my tracking number?", "1Z 999 AA1 01"),
        ("My order number is #A-2231.", "What is my order number?", "#A-2231"),
        ("The combination is 12-34-56.", "What is the combination?", "12-34-56"),
        ("My bike's frame number is WX 88 Z.", "What is my bike's frame number?", "WX 88 Z"),
        ("My coupon code is SAVE20-MAY.", "What is my coupon code?", "SAVE20-MAY"),
        ("My phone number is 0171-2345678.", "What is my phone number?", "0171-2345678"),
        ("My phone number is (555) 010-4477.", "What is my phone number?", "(555) 010-4477"),
        ("My phone number is +49 171 2345678 now.", "What is my phone number?", "+49 171 2345678"),
        ("My wifi: Kx-77", "What is my wifi?", "Kx-77"),
        ("My PIN = 12 34", "What is my PIN?", "12 34"),
        ("My wifi password is blue-77-fish.", "What is my wifi password?", "blue-77-fish"),
        ("My score is -12.", "What is my score?", "-12"),
        ("My balance is -12 euros.", "What is my balance?", "-12 euros"),
        ("I work at St. Mary's Hospital.", "Where do I work?", "St. Mary's Hospital"),
        ("Ida had surgery at St. Luke's Hospital.", "Where did Ida have surgery?", "St. Luke's Hospital"),
    ],
)
def test_the_answer_is_the_whole_code(said: str, question: str, code: str) -> None:
    assert asked(said, question) == ("proved", code)


def test_a_later_number_with_the_same_area_code_replaces_the_earlier_one() -> None:
    said = ["My phone number is 030 555 1234.", "My phone number is 030 777 9999."]

    assert asked(said, "What is my phone number?") == ("proved", "030 777 9999")


def test_a_code_behind_its_noun_is_a_part_of_the_phrase() -> None:
    said = "Ida gave me the code K7-99 yesterday."

    assert asked(said, "What did Ida give me?") == ("proved", "code K7-99")


def test_whether_a_code_is_this_one() -> None:
    assert asked("My booking code is K7-99.", "Is my booking code K7-99?") == ("proved", "Yes")
    assert asked("My booking code is K7-99.", "Is my booking code K7-98?")[0] != "proved"
