"""A later and higher number replaces an earlier count only where it counts the same things."""

from __future__ import annotations

import pytest

from goalmem import Memory
from goalmem.sources.passages.over_time import counts_these

SAME = (
    ("marathon", "I've now run 5 marathons.", "5"),
    ("bird species", "I saw a flicker, which brings my total count of bird species to 32.", "32"),
    ("Marvel film", "I saw 12 films, 5 Marvel films among them.", "5"),
    ("hen", "Our flock grew: we have eleven hens now.", "eleven"),
    ("session", "I attended five sessions of it.", "five sessions"),
)
OTHERS = (
    ("marathon", "There were 500 runners at the marathon.", "500"),
    ("marathon", "There were 500 runners at the marathon.", "There were 500"),
    ("Marvel film", "I watched 9 Bond films.", "9"),
    ("student", "The other class has 25 students.", "25"),
    ("book", "I've read fifteen magazines and some books.", "fifteen"),
    ("chapter", "It took me 12 weeks to write the chapters.", "12"),
)


@pytest.mark.parametrize(("noun", "said", "number"), SAME)
def test_a_number_counts_the_things_that_its_sentence_names(noun: str, said: str, number: str) -> None:
    assert counts_these(noun, said, said.index(number), said.index(number) + len(number))


@pytest.mark.parametrize(("noun", "said", "number"), OTHERS)
def test_a_number_does_not_count_what_others_or_other_things_are_beside_it(noun: str, said: str, number: str) -> None:
    assert not counts_these(noun, said, said.index(number), said.index(number) + len(number))


@pytest.mark.parametrize(
    ("told", "later", "question", "wrong"),
    [
        (
            "I ran 3 marathons so far.",
            "There were 500 runners at the marathon.",
            "How many marathons have I run?",
            "500",
        ),
        ("I watched 4 Marvel films.", "I watched 9 Bond films.", "How many Marvel films did I watch?", "9"),
        ("My class has 20 students.", "The other class has 25 students.", "How many students are in my class?", "25"),
    ],
)
def test_what_counts_other_things_does_not_replace_a_count(told: str, later: str, question: str, wrong: str) -> None:
    with Memory() as memory:
        for day, text in enumerate((told, later), 4):
            memory.add({"role": "user", "content": text}, at=f"2026-03-0{day}T10:00:00")
        assert wrong not in memory.ask(question, at="2026-03-20T10:00:00").text
