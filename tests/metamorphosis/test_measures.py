"""A quantity answers only what it measures: what is said of a thing is asked for as every other kind of quantity, and proves none."""

from __future__ import annotations

import pytest

from goalmem import Memory
from tests.cases import one_in

TOLD = {
    "amount": "40 euros",
    "weight": "3 kilos",
    "age": "nine years old",
    "length": "12 metres long",
    "share": "40%",
    "temperature": "20 degrees",
    "size": "size 12",
    "number": "number 12",
    "colour": "blue",
    "owner": "Leo's",
}
ASKED = {
    "amount": "How much is the van?",
    "age": "How old is the van?",
    "distance": "How far is the van?",
    "size": "What size is the van?",
    "number": "What number is the van?",
    "owner": "Whose is the van?",
    "name": "What is the van called?",
    "duration": "How long is the van?",
}
FITTING = {("length", "size"), ("length", "duration")}


@pytest.mark.parametrize("kind", one_in(2, TOLD))
def test_a_quantity_of_one_kind_proves_none_of_another(kind):
    with Memory() as memory:
        memory.add({"role": "user", "content": f"The van is {TOLD[kind]}."}, at="2026-05-04T10:00:00")
        for asked, question in ASKED.items():
            if asked != kind and (kind, asked) not in FITTING:
                assert memory.ask(question, at="2026-06-01").status not in ("proved", "disproved"), question


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("The van is 40 euros.", "How much is the van?", "40 euros"),
        ("The van is nine years old.", "How old is the van?", "nine years old"),
        ("The van is size 12.", "What size is the van?", "size 12"),
        ("The van is number 12.", "What number is the van?", "number 12"),
        ("The van belongs to Leo.", "Whose is the van?", "Leo"),
        ("The lake is 5 miles away.", "How far is the lake?", "5 miles"),
        ("The lake is 20 minutes away.", "How far is the lake?", "20 minutes"),
    ],
)
def test_a_quantity_answers_what_it_measures(said, question, answer):
    with Memory() as memory:
        memory.add({"role": "user", "content": said}, at="2026-05-04T10:00:00")
        assert answer in memory.ask(question, at="2026-06-01").text
