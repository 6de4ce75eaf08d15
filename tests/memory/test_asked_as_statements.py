"""A question put as a statement, with or without a tag, is answered as the question in plain order is."""

from __future__ import annotations

from itertools import product

import pytest

from goalmem.language import Analyzer
from goalmem.questions.declared import asked_in_order
from tests.asking import asked
from tests.cases import one_in

SAID = [
    ("The rehearsal is in the church.", "The rehearsal is in the church", ", isn't it?"),
    ("Carla teaches chemistry.", "Carla teaches chemistry", ", doesn't she?"),
    ("Omar was born in Cairo.", "Omar was born in Cairo", ", wasn't he?"),
    ("My sister is a nurse.", "my sister is a nurse", ", isn't she?"),
    ("We met Tom in Rome.", "we met Tom in Rome", ", didn't we?"),
]
TAGS = [", right?", "?", ", correct?", ", is that right?"]


@pytest.mark.parametrize(
    ("said", "question"),
    one_in(2, [(said, f"{words}{tag}") for (said, words, own), other in product(SAID, TAGS) for tag in (own, other)]),
)
def test_what_was_said_is_confirmed(said: str, question: str) -> None:
    assert asked(said, question) == ("proved", "Yes")


@pytest.mark.parametrize(
    ("said", "question", "status"),
    [
        ("I don't have any siblings.", "I don't have siblings, do I?", "disproved"),
        ("Ana can swim.", "Ana can't swim, can she?", "proved"),
        ("Carla teaches chemistry.", "Carla doesn't teach physics, does she?", "unknown"),
        ("Carla teaches chemistry.", "Omar teaches chemistry, doesn't he?", "unknown"),
        ("My sister is a nurse.", "My brother is a nurse, isn't he?", "unknown"),
    ],
)
def test_a_tag_changes_nothing(said: str, question: str, status: str) -> None:
    assert asked(said, question)[0] == status


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("On Monday we met Tom, didn't we?", "Did we meet Tom On Monday?"),
        ("I've been to Japan, haven't I?", "Have I been to Japan?"),
        ("she's moved to Oslo, hasn't she?", "Has she moved to Oslo?"),
        ("I think Tom's going to Rome, right?", "Is Tom going to Rome?"),
        ("the date of the trial?", "the date of the trial?"),
        ("You don't know where Ann lives?", "You don't know where Ann lives?"),
        ("And Tom?", "And Tom?"),
    ],
)
def test_only_statements_are_put_in_order(analyzer: Analyzer, question: str, plain: str) -> None:
    assert asked_in_order(question, lambda text: analyzer.docs([text])[0]) == plain
