"""What a question asks for beyond a noun must be told: nobody who bought a red car bought a blue one, and perhaps not a vintage one."""

from __future__ import annotations

import pytest
from tests.asking import asked
from tests.cases import one_in

ANOTHER = [
    ("I bought a red car.", "buy", "red", "blue", "car"),
    ("I adopted a grey parrot.", "adopt", "grey", "green", "parrot"),
    ("I visited a science museum.", "visit", "science", "art", "museum"),
    ("I watched a Korean drama.", "watch", "Korean", "Japanese", "drama"),
    ("I sold a mountain bike.", "sell", "mountain", "city", "bike"),
    ("I knitted a wool scarf.", "knit", "wool", "silk", "scarf"),
    ("I rented a leather sofa.", "rent", "leather", "cotton", "sofa"),
    ("I attended a cooking course.", "attend", "cooking", "pottery", "course"),
    ("I baked a chocolate cake.", "bake", "chocolate", "carrot", "cake"),
    ("I cooked an Italian soup.", "cook", "Italian", "Spanish", "soup"),
    ("I painted a wooden chair.", "paint", "wooden", "metal", "chair"),
    ("I ordered a desk lamp.", "order", "desk", "floor", "lamp"),
]
"""A statement, its verb, what the noun is told to be, what it is not told to be, and the noun."""
UNTOLD = [
    ("I bought a red car.", "buy", "vintage", "car"),
    ("I adopted a grey parrot.", "adopt", "young", "parrot"),
    ("I visited a science museum.", "visit", "famous", "museum"),
    ("I read a novel called Dusk.", "read", "long", "novel"),
    ("I planted a rose.", "plant", "yellow", "rose"),
    ("I rented a flat.", "rent", "furnished", "flat"),
]


@pytest.mark.parametrize(("said", "verb", "told", "other", "noun"), one_in(2, ANOTHER))
def test_another_kind_is_neither_named_nor_counted(said: str, verb: str, told: str, other: str, noun: str) -> None:
    for question in (f"How many {other} {noun}s did I {verb}?", f"Which {other} {noun} did I {verb}?"):
        status, answer = asked(said, question)
        assert status != "proved", (question, answer)
        assert noun not in answer
    assert asked(said, f"How many {told} {noun}s did I {verb}?")[0] == "proved"
    assert asked(said, f"Which {noun} did I {verb}?")[0] != "unknown"


@pytest.mark.parametrize(("said", "verb", "untold", "noun"), one_in(2, UNTOLD))
def test_what_nobody_said_of_a_thing_is_not_proved(said: str, verb: str, untold: str, noun: str) -> None:
    for question in (f"How many {untold} {noun}s did I {verb}?", f"Which {untold} {noun} did I {verb}?"):
        assert asked(said, question)[0] != "proved", question


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("I play the violin.", "What musical instrument do I play?", "violin"),
        ("I adopted a grey parrot.", "Which gray bird did I adopt?", "grey parrot"),
        ("I bought a red car.", "Which new car did I buy?", "red car"),
        ("I bought a crimson car.", "Which red car did I buy?", "crimson car"),
        ("I bought a blue bike and a red car.", "Which red vehicle did I buy?", "red car"),
        ("I watched two Korean dramas.", "How many Korean dramas did I watch?", "2"),
    ],
)
def test_words_and_dictionaries_tell_what_is_asked_for(said: str, question: str, answer: str) -> None:
    assert asked(said, question) == ("proved", answer)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I watched two Korean dramas.", "How many Japanese dramas did I watch?"),
        ("I bought a red car in Leeds.", "Where did I buy the blue car?"),
        ("I teach a yoga class in Hull.", "Where do I teach a pottery class?"),
        ("My daughter lost her blue jacket at school.", "Where did my daughter lose her red jacket?"),
        ("I gave Tom a wool scarf.", "Who did I give the silk scarf?"),
        ("I've already completed some courses on Coursera.", "How many online courses have I completed?"),
    ],
)
def test_nothing_is_read_of_another_thing(said: str, question: str) -> None:
    assert asked(said, question)[0] == "unknown"


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Tom cooked dinner for Ana on Sunday.", "Who cooked lunch for Ana?"),
        ("I study chemistry at Durham.", "Where do I study physics?"),
        ("I drink tea with Mia.", "Who do I drink coffee with?"),
        ("The paint in the kitchen is white.", "What colour is the paint in the bathroom?"),
        ("Our dentist is Dr Blum.", "Who is our doctor?"),
    ],
)
def test_nothing_is_read_of_another_thing_of_the_kind(said: str, question: str) -> None:
    assert asked(said, question)[0] == "unknown"
