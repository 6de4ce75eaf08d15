"""Contracted verbs are the same with and without their apostrophe, and what is said of two together is not taken apart."""

from __future__ import annotations

import pytest

from goalmem import Memory
from goalmem.language import Analyzer

PAIRS = [
    ("I'm stuck.", "im stuck."),
    ("I've run two marathons.", "ive run two marathons."),
    ("I'm learning Spanish.", "im learning Spanish."),
    ("I'm not afraid of dogs.", "im not afraid of dogs."),
    ("I've got a canoe.", "ive got a canoe."),
]


def told(analyzer: Analyzer, text: str) -> list[tuple[str, str, bool]]:
    """Predicate, statement and polarity of each fact of a turn of Nadia's."""
    with Memory(analyzer=analyzer) as memory:
        memory.add([{"role": "user", "name": "Nadia", "content": text}])
        return [(f.predicate, f.statement, f.polarity) for f in memory._parts.store.facts("default")]


@pytest.mark.parametrize(("written", "typed"), PAIRS)
def test_a_contraction_needs_no_apostrophe(analyzer: Analyzer, written: str, typed: str) -> None:
    assert told(analyzer, typed) == told(analyzer, written) != []


@pytest.mark.parametrize(
    ("text", "statement"), [("hes nice and shes tall.", "He is nice"), ("theyre late.", "They are late")]
)
def test_third_persons_too(analyzer: Analyzer, text: str, statement: str) -> None:
    assert statement in [said for _, said, _ in told(analyzer, text)]


@pytest.mark.parametrize("text", ["My id card is blue.", "The bus is late.", "Its roof is red.", "I know a dr well."])
def test_other_words_stay_as_they_are(analyzer: Analyzer, text: str) -> None:
    words = {w for _, said, _ in told(analyzer, text) for w in said.lower().strip(".").split()}
    assert words - {"nadia", "nadia's", "has", "a", "an"} <= set(text.lower().strip(".").split()) | {"knows"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Samir and Lea are brother and sister.", {"Samir is brother and sister", "Lea is brother and sister"}),
        ("Tom and Eva are married.", {"Tom is married", "Eva is married"}),
        ("I lost a glove between the hut and the lake.", {"Nadia lost a glove between the hut and the lake"}),
    ],
)
def test_what_is_said_of_two_together_is_not_taken_apart(analyzer: Analyzer, text: str, said: set[str]) -> None:
    assert {statement for _, statement, _ in told(analyzer, text)} == said
