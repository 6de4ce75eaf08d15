"""An amount told of several at once is the amount of none of them; the number of one sort is not that of a kind."""

from __future__ import annotations

import pytest
from tests.asking import asked

from goalmem import Memory, Settings
from goalmem.sources.passages.partial import is_of_part


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I paid 165 euros for the tent and the stove.", "How much did I pay for the tent?"),
        ("I paid 165 euros for the tent and the stove.", "How much did I pay for the stove?"),
        ("We spent 5 days in Rome and Paris.", "How many days did we spend in Rome?"),
        ("I bought two tickets for Tom and Ana.", "How many tickets did I buy for Ana?"),
        ("The lamp and the rug cost 90 euros.", "How much did the lamp cost?"),
        ("Max and Ida paid 20 euros for the parking.", "How much did Max pay for the parking?"),
    ],
)
def test_what_several_share_is_no_ones(said: str, question: str) -> None:
    assert asked([said], question)[0] == "unknown"


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("I paid 45 euros for the stove. The tent was 20.", "How much did I pay for the stove?", "45 euros"),
        ("I have a dog and two cats.", "How many cats do I have?", "2"),
    ],
)
def test_what_is_told_apart_is_proved(said: str, question: str, answer: str) -> None:
    assert asked([said], question)[:2] == ("proved", answer)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I have a dog and two cats.", "How many animals do I have?"),
        ("I own four guitars.", "How many instruments do I own?"),
        ("There are five women in my team.", "How many people are there in my team?"),
    ],
)
def test_the_number_of_a_sort_is_not_that_of_its_kind(said: str, question: str) -> None:
    assert asked([said], question)[0] != "proved"


@pytest.mark.parametrize(
    ("question", "kind", "said", "of_part"),
    [
        ("How many animals do I have?", "animal", "I have a dog and two cats.", True),
        ("How many pets do I have?", "pet", "I have a dog and two cats.", True),
        ("How many children does she have?", "child", "She has three sons and a daughter.", True),
        ("How many animals do I have?", "animal", "I have six animals, a dog and five cats.", False),
        ("How many flowers did I plant?", "flower", "I planted six roses.", False),
    ],
)
def test_a_sentence_with_several_sorts(question: str, kind: str, said: str, of_part: bool) -> None:
    assert is_of_part(question, f"number of {kind}", said, said) == of_part


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many days did we spend in Japan and Chicago?", "8 days"),
        ("How many days did we spend in Japan and Chicago in total?", "8 days"),
        ("What did the tent and the stove cost?", "€165"),
        ("How much did the tent and the stove cost?", "€165"),
        ("How much did I spend on the lamp and the rug?", "80 euros"),
    ],
)
def test_both_are_told_of_together_or_added(question: str, answer: str) -> None:
    said = [
        "The tent was 120 euros.",
        "The new stove was 45 euros, a bargain.",
        "We spent 5 days in Japan.",
        "In Chicago we stayed for 3 days.",
        "I spent 80 euros on the lamp and the rug.",
    ]
    with Memory(settings=Settings(answer_threshold=0.1)) as memory:
        for day, text in enumerate(said, 1):
            memory.add({"role": "user", "content": text}, session=f"{day}", at=f"2026-03-0{day}T10:00:00")
        found = memory.ask(question, at="2026-03-10T10:00:00")
        assert found.text == answer
        assert memory.verify(found).ok
