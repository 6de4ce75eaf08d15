import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.language.terms import (
    MAX_WORD_LENGTH,
    STOP_WORDS,
    decode_terms,
    encode_terms,
    hash_term,
    terms_of,
    words_of,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("adopted dogs", "adopting a dog"),
        ("MAYA", "maya"),
        ("Maya's", "maya"),
        ("Maya’s", "maya"),
        ("café", "cafe\u0301"),
        ("ﬁne", "fine"),
        ("１２", "12"),
        ("1,200", "1200"),
        ("STRASSE", "straße"),
    ],
)
def test_forms_of_a_word_meet(one, other):
    assert terms_of(one) == terms_of(other)


@pytest.mark.parametrize(("one", "other"), [("3.5", "35"), ("15", "16"), ("will", ""), ("US", "")])
def test_what_differs_stays_apart(one, other):
    assert terms_of(one) != terms_of(other)


def test_stop_words_are_no_terms():
    assert terms_of("What did you do, and why don't they?") == []
    assert "will" not in STOP_WORDS


def test_words_of_unspaced_scripts_are_found_in_longer_runs():
    assert set(terms_of("東京")) <= set(terms_of("私は東京に住んでいます"))


def test_a_word_without_end_is_cut():
    assert [len(word) for word in words_of("a" * 10_000)] == [MAX_WORD_LENGTH]


def test_an_encoding_keeps_terms_in_order():
    assert decode_terms(encode_terms("big dog bites big cat")).tolist() == [
        hash_term(term) for term in ("big", "dog", "bite", "big", "cat")
    ]


@given(st.text())
def test_any_text_is_encoded_term_by_term(text):
    terms = terms_of(text)
    assert decode_terms(encode_terms(text)).tolist() == [hash_term(term) for term in terms]
    assert decode_terms(encode_terms(text)).dtype == np.dtype("<u8")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_case_does_not_matter_to_words(text):
    assert words_of(text.casefold()) == words_of(text)
