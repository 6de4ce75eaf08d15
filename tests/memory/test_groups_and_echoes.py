"""What is said of all or none of a group, of another in the same way, or without a subject, is known of whom it is said."""

from __future__ import annotations

from itertools import product

import pytest

from tests.asking import asked, replied
from tests.cases import one_in

YES, NO, OPEN = ("proved", "Yes"), ("disproved", "No"), ("unknown", "I don't know")
ECHOES = [
    ("Max can swim and so can {}.", "Can {} swim?", YES),
    ("I like jazz and so does {}.", "Does {} like jazz?", YES),
    ("I don't like heights, nor does {}.", "Does {} like heights?", NO),
    ("I don't like heights, and neither does {}.", "Does {} like heights?", NO),
]
PEOPLE = ("Leo", "my wife", "Ana")


@pytest.mark.parametrize(
    ("said", "asks", "answer"),
    one_in(2, [(said.format(who), asks.format(who), a) for (said, asks, a), who in product(ECHOES, PEOPLE)]),
)
def test_another_does_the_same(said: str, asks: str, answer: tuple[str, str]) -> None:
    assert asked(said, asks) == answer


@pytest.mark.parametrize(
    ("said", "asks", "answer"),
    [
        ("None of us got the flu.", "Did we get the flu?", NO),
        ("Neither of my parents speaks English.", "Do my parents speak English?", NO),
        ("None of the shops were open.", "Were any shops open?", NO),
        ("None of my friends smoke.", "Do any of my friends smoke?", NO),
        ("My friends smoke.", "Do any of my friends smoke?", YES),
        ("Most of my friends smoke.", "Do all of my friends smoke?", OPEN),
        ("Not all of my friends smoke.", "Do my friends smoke?", OPEN),
        ("None of my friends came to the party.", "Did my friends come to the wedding?", OPEN),
        ("Neither of my parents speaks English.", "Does my brother speak English?", OPEN),
        ("I don't like heights, and my wife doesn't either.", "Does my wife like heights?", NO),
        ("I don't like heights, and my wife doesn't either.", "Does my wife like cats?", OPEN),
    ],
)
def test_what_is_said_of_none_is_denied_of_the_group(said: str, asks: str, answer: tuple[str, str]) -> None:
    assert asked(said, asks) == answer


@pytest.mark.parametrize(
    ("said", "asks", "answer"),
    [
        ("it was Greta who fixed the printer, not me", "Who fixed the printer?", ("proved", "Greta")),
        ("It wasn't Lisa who called.", "Did Lisa call?", NO),
        ("it was Imke who won, not Rolf", "Did Imke win?", YES),
        ("I speak a bit of Polish.", "Which languages do I speak?", ("proved", "bit of Polish")),
        ("I bought a lot of junk.", "Which books did I buy?", OPEN),
        ("can't stand wasps", "Do I hate wasps?", YES),
        ("paid 12 for lunch and 8 for coffee", "How much did I pay for coffee?", ("proved", "8")),
        ("paid 12 for lunch and 8 for coffee", "How much did I pay in total?", ("proved", "20")),
        (
            "I paid 20 euros for the book. Plus 5 euros for shipping.",
            "How much did I pay for shipping?",
            ("proved", "5 euros"),
        ),
        ("My son Elliot is six. His teacher is Ms Hart.", "Who is my son's teacher?", ("proved", "Ms Hart")),
        ("My son is Elliot. Elliot's teacher came by.", "Who is my son's teacher?", OPEN),
        ("Tom is, however, not a doctor.", "Is Tom a doctor?", OPEN),
        ("gave up coffee in January, the headaches were awful", "Did I give up coffee?", YES),
        ("I quit coffee.", "Do I still drink coffee?", NO),
        ("I gave up meat.", "Do I eat meat?", NO),
        ("I gave up coffee for Lent.", "Do I drink coffee?", OPEN),
        ("I want to give up coffee.", "Do I drink coffee?", OPEN),
        ("I gave up the red wine.", "Do I drink wine?", OPEN),
        ("Not a fan of jazz", "Do I like jazz?", NO),
        ("big fan of jazz here", "Do I like jazz?", YES),
    ],
)
def test_what_is_left_out_and_what_is_contrasted(said: str, asks: str, answer: tuple[str, str]) -> None:
    assert asked(said, asks) == answer


def test_a_further_amount_is_added_to_the_one_before() -> None:
    assert replied(["spent 30 on petrol", "another 12 on parking"], "How much did I spend in total?") == (
        "proved",
        "42",
    )


def test_what_is_only_wanted_is_not_continued() -> None:
    said = ["I want to spend 30 on petrol", "another 12 on parking"]
    assert replied(said, "How much did I spend on parking?")[0] == "unknown"


def test_a_thing_with_a_long_name_is_not_called_by_half_of_it() -> None:
    said = ["I've got an old Fiat Panda", "sold it!"]
    assert replied(said, "Do I still have the Fiat Panda?")[0] != "proved"
