"""Idioms and exaggerations are not meant as their words say, unless the question is put in the same words."""

from __future__ import annotations

import pytest
from tests.asking import replied


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("I'm dying to see Ana.", "Am I dying?"),
        ("I'm dying of boredom.", "Am I dying?"),
        ("I'm in hot water.", "Am I in water?"),
        ("We're in the same boat.", "Am I in a boat?"),
        ("I'm on cloud nine.", "Am I on a cloud?"),
        ("I'm on thin ice.", "Where am I?"),
        ("I'm in the doghouse.", "Where am I?"),
        ("My head is in the clouds.", "Where is my head?"),
        ("I have a frog in my throat.", "How many frogs do I have?"),
        ("I have a bone to pick with Tom.", "Do I have a bone?"),
        ("I have a lot on my plate.", "Do I have a plate?"),
        ("I have a sweet tooth.", "How many teeth do I have?"),
        ("I broke the ice at the party.", "Did I break ice?"),
        ("It's raining cats and dogs.", "Is it raining dogs?"),
    ],
)
def test_an_idiom_proves_nothing_by_its_words(text: str, question: str) -> None:
    assert replied([text], question)[0] not in ("proved", "disproved")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("I'm in hot water.", "Am I in hot water?", "Yes"),
        ("I have a sweet tooth.", "Do I have a sweet tooth?", "Yes"),
        ("My grandmother is dying.", "Is my grandmother dying?", "Yes"),
        ("I'm in a boat.", "Am I in a boat?", "Yes"),
        ("I have a frog.", "How many frogs do I have?", "1"),
        ("I broke my leg in May.", "Did I break my leg?", "Yes"),
        ("My cat is on the fence.", "Where is my cat?", "fence"),
        ("I missed the boat to Oslo.", "Did I miss the boat?", "Yes"),
    ],
)
def test_plain_words_do(text: str, question: str, answer: str) -> None:
    status, found = replied([text], question)
    assert status == "proved"
    assert answer in found
