"""What happened at another time than the one asked about answers nothing: not from facts, and not read."""

from __future__ import annotations

from datetime import datetime

import pytest
from tests.asking import asked

from goalmem.sources.passages.other_times import is_at_another_time

SAID = datetime(2026, 3, 4, 10)
"""A Wednesday."""


@pytest.mark.parametrize(
    ("question", "sentence", "another"),
    [
        ("What did we watch on Saturday?", "We watched Dune on Friday.", True),
        ("What did we watch on Friday?", "We watched Dune on Friday.", False),
        ("What did Tom say on Wednesday?", "We leave on Friday.", False),
        ("What do I eat every evening?", "I eat oats every morning.", True),
        ("What did I buy in June?", "I bought a car in May.", True),
        ("What may I eat in June?", "I may eat nuts.", False),
        ("What did I buy after May?", "I bought a car in May.", True),
        ("What did I buy after May?", "I bought a car in July.", False),
        ("Where did I move after 2022?", "I moved to Oslo in 2021.", True),
        ("Where did I move before 2022?", "I moved to Oslo in 2021.", False),
        ("When did we watch Dune, on Friday or Saturday?", "We watched Dune on Sunday.", False),
        ("Where is the party on Friday?", "The party moved from Friday to Saturday.", False),
        ("Where did we go last summer?", "We went to Oslo last winter.", True),
    ],
)
def test_sentences_about_another_time(question: str, sentence: str, another: bool) -> None:
    assert is_at_another_time(question, sentence, SAID) == another


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What did I buy after April 2025?", ("proved", "red car")),
        ("What did I buy before June?", ("proved", "red car")),
        ("What did I buy after May?", None),
        ("What did I buy before May?", None),
        ("What did I buy in June?", None),
        ("How many cars did I buy before 2026?", ("proved", "1")),
        ("How many cars did I buy after 2025?", None),
    ],
)
def test_a_date_may_be_a_bound(question: str, answer: tuple[str, str] | None) -> None:
    found = asked("I bought a red car in May.", question)
    assert found == answer if answer is not None else found[0] == "unknown"


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("I lent my bike to Leo.", "What did I sell to Leo?", ""),
        ("I sold my laptop to Petra.", "Who did I lend my laptop to?", ""),
        ("I sold my laptop to Petra.", "Who did I sell my laptop to?", "Petra"),
        ("I lent my bike to Leo.", "Who received my bike?", "Leo"),
        ("I gave my lamp to Tom.", "Who did I hand my lamp to?", "Tom"),
        ("I gave my lamp to Tom.", "What did I sell to Tom?", ""),
    ],
)
def test_what_is_sold_or_lent_is_not_given(said: str, question: str, answer: str) -> None:
    status, text = asked(said, question)
    assert (status, text) == ("proved", answer) if answer else status != "proved"
