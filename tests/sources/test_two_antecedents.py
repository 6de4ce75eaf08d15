"""A pronoun that may mean another, too, proves nothing."""

from __future__ import annotations

import pytest
from tests.asking import replied


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Tom lent Leo his bike. It was his birthday.", "Was it Leo's birthday?"),
        ("Tom lent Leo his bike. It was his birthday.", "Was it Tom's birthday?"),
        ("It is her birthday.", "Is it Mia's birthday?"),
        ("His car is red.", "Is Tom's car red?"),
        ("We visited my uncle and his neighbour. He is 90.", "How old is my uncle?"),
        ("My aunt and her doctor argued. She moved to Rome.", "Where does my aunt live?"),
        ("My uncle has a neighbour. He is 90.", "How old is my uncle?"),
        ("My brother met Tom. He is 90.", "How old is my brother?"),
        ("Ana called her mother. She is in hospital.", "Is Ana's mother in hospital?"),
        ("Ana called her mother. She is in hospital.", "Is Ana in hospital?"),
    ],
)
def test_it_is_not_proved_of_either(text: str, question: str) -> None:
    assert replied([text], question)[0] not in ("proved", "disproved")


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("My uncle is here. He is 90.", "How old is my uncle?", "90"),
        ("We visited my uncle and his wife. He is 90.", "How old is my uncle?", "90"),
        ("Tom and his aunt came. She lives in Rome.", "Where does Tom's aunt live?", "Rome"),
        ("My mother is a nurse. She lives in Rome.", "Where does my mother live?", "Rome"),
        ("My mother works as a nurse. She lives in Rome.", "Where does my mother live?", "Rome"),
        ("Tom lost his dog. His dog is black.", "Is Tom's dog black?", "Yes"),
    ],
)
def test_one_antecedent_is_enough(text: str, question: str, answer: str) -> None:
    assert replied([text], question) == ("proved", answer)
