"""Words come out folded, and always the same."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.store.phrases import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The QUICK, brown-fox!", ["the", "quick", "brown", "fox"]),
        ("Café e\u0301tude ŵ Straße ﬁne", ["cafe", "etude", "w", "strasse", "fine"]),
        ("H₂O costs 3.50€", ["h2o", "costs", "3", "50"]),
        ("love❤️you👩‍👩‍👧now🫠", ["love", "you", "now"]),
        ("北京 カフェ", ["北", "京", "カ", "フ", "ェ"]),
        ("한국어 हिन्दी", ["한국어", "हिन्दी"]),
        ("\x00 \ud800 \U0010ffff \n", ["\U0010ffff"]),
        ("", []),
    ],
)
def test_examples(text: str, expected: list[str]) -> None:
    assert [unicodedata.normalize("NFC", w) for w in words(text)] == [unicodedata.normalize("NFC", w) for w in expected]


def test_a_very_long_word_keeps_its_identity_in_few_characters() -> None:
    a, b = "x" * 100_000, "x" * 99_999 + "y"
    assert words(a) == words(a.upper()) != words(b)
    assert len(words(a)[0]) <= 64


@given(st.text())
def test_words_are_plain_and_fold_to_themselves(text: str) -> None:
    found = words(text)
    assert all(word and not set(word) & set(' "·*:^+-(){}') for word in found)
    assert words(" ".join(found)) == found


@given(st.text(), st.text())
def test_the_words_of_two_texts_are_those_of_each(a: str, b: str) -> None:
    assert words(f"{a} {b}") == words(a) + words(b)
