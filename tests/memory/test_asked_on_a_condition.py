"""What holds on a condition answers a question with the same condition, and no other."""

from __future__ import annotations

import pytest

from tests.asking import asked


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("If I get the grant I'm buying a new kiln.", "What will I buy if I get the grant?", "kiln"),
        ("If the bus is late I take the tram.", "What do I take if the bus is late?", "tram"),
        ("If it rains, we go to the cinema.", "Where do we go if it rains?", "cinema"),
        ("If it rains, we go to the cinema.", "If it rains, where do we go?", "cinema"),
        ("If it rains we'll move the party indoors.", "What happens if it rains?", "we'll move the party indoors"),
        ("If it rains we'll move the party indoors.", "What will we do if it rains?", "move the party indoors"),
        ("Ana stays home if the kids are sick.", "What does Ana do if the kids are sick?", "stays home"),
        ("Ana doesn't come if it rains.", "Does Ana come if it rains?", "No"),
    ],
)
def test_the_same_condition_is_answered(said: str, question: str, answer: str) -> None:
    status, text = asked(said, question)
    assert status != "unknown"
    assert answer in text


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("If the bus is late I take the tram.", "What do I take?"),
        ("If the bus is late I take the tram.", "Do I take the tram?"),
        ("If the bus is late I take the tram.", "What do I take if the bus is not late?"),
        ("If the bus isn't late I take it.", "What do I take if the bus is late?"),
        ("If Tom pays I'm buying a kiln.", "What will I buy if Ana pays?"),
        ("If it rains, we might go to the cinema.", "Where will we go if it rains?"),
        ("If it rains, Tom goes to the cinema.", "Do we go to the cinema if it rains?"),
        ("If Tom comes, I'll cook.", "What will I do if Tom doesn't come?"),
        ("I doubt that Tom will come if it rains.", "Will Tom come if it rains?"),
        ("Ana stays home if the kids are sick.", "What does Ana do?"),
    ],
)
def test_another_condition_is_open(said: str, question: str) -> None:
    assert asked(said, question)[0] == "unknown"
