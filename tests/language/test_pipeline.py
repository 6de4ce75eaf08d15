"""The hastened pipeline says what spaCy's own says."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from threadpoolctl import ThreadpoolController

from goalmem.language.analyzer import MODEL
from goalmem.language.pipeline import register, replace_slow_parts, single_threaded, unruled_tokenizer

TEXTS = [
    "My sister Ines adopted a beagle last Friday, and she's over the moon!",
    "I'm gonna move to Lisbon in March 2024 with Dr. Smith from Acme Corp.",
    "",
    "   ",
    "Yes.",
    "There were three of us. They're on C'mon street, aren't they? Let's go, y'all ain't late.",
    "a photo of a cat on a red sofa",
    "It cost $25, 50% off at Marks & Spencer.\n\n- eggs\n- milk 🎉 Great",
    "Do you have it? He does. I've got to go; you gotta see what you did.",
    "word " * 300,
]


@pytest.fixture(scope="module")
def own() -> Language:
    language = spacy.load(MODEL)
    register(language)
    return language


@pytest.fixture(scope="module")
def hastened() -> Language:
    language = spacy.load(MODEL, config=unruled_tokenizer())
    register(language)
    replace_slow_parts(language)
    return language


def annotations(doc: Doc) -> list[tuple[object, ...]]:
    return [
        (t.text, t.tag_, t.pos_, str(t.morph), t.lemma_, t.dep_, t.head.i, t.is_sent_start, t.ent_iob_, t.ent_type_)
        for t in doc
    ]


def test_it_says_the_same_of_a_batch(own: Language, hastened: Language) -> None:
    for theirs, ours in zip(own.pipe(TEXTS), hastened.pipe(TEXTS), strict=True):
        assert annotations(ours) == annotations(theirs)


@pytest.mark.parametrize("text", TEXTS)
def test_it_says_the_same_of_one_text(own: Language, hastened: Language, text: str) -> None:
    assert annotations(hastened(text)) == annotations(own(text))


def test_the_tokenizer_has_the_rules_of_the_model(own: Language, hastened: Language) -> None:
    assert hastened.tokenizer.to_bytes() == own.tokenizer.to_bytes()


def test_it_says_the_same_again(hastened: Language) -> None:
    first = [annotations(doc) for doc in hastened.pipe(TEXTS)]
    assert [annotations(doc) for doc in hastened.pipe(reversed(TEXTS), batch_size=3)] == first[::-1]


def threads() -> set[int]:
    """Of NumPy's own library: others may bring one along, and parsing does not use theirs."""
    pools = ThreadpoolController().select(user_api="blas").info()
    return {pool["num_threads"] for pool in pools if "numpy" in pool["filepath"]}


def test_matrix_products_have_one_thread_inside_and_as_many_as_before_outside() -> None:
    before = threads()
    with single_threaded():
        with single_threaded():
            assert threads() <= {1}
        assert threads() <= {1}
    assert threads() == before


def test_many_may_enter_at_once() -> None:
    before = threads()

    def visit(_: int) -> set[int]:
        with single_threaded():
            return threads()

    with ThreadPoolExecutor(4) as pool:
        assert all(seen <= {1} for seen in pool.map(visit, range(40)))
    assert threads() == before


def test_an_error_inside_gives_the_threads_back() -> None:
    before = threads()
    with pytest.raises(RuntimeError), single_threaded():
        raise RuntimeError
    assert threads() == before
