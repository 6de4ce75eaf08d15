"""The hastened pipeline says what spaCy's own says."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import islice, permutations

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from threadpoolctl import ThreadpoolController

from goalmem.language import Analyzer
from goalmem.language import analyzer as analyzer_module
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


def test_a_pipeline_that_took_in_many_strings_is_loaded_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it says stays the same, also of documents that were read before."""
    monkeypatch.setattr(analyzer_module, "NEW_STRINGS", 150)
    loaded: list[Language] = []

    def load() -> Language:
        loaded.append(analyzer_module._load())
        return loaded[-1]

    analyzer = Analyzer(load)
    names = ["".join(letters).capitalize() for letters in islice(permutations("lemonari", 6), 100)]
    said = [f"My friend {name} told {name.lower()}s about tea." for name in names]
    (first,) = analyzer.docs(said[:1])
    before = annotations(first)
    for sentence in said:
        analyzer.docs([sentence])
        assert len(loaded[-1].vocab.strings) < len(loaded[0].vocab.strings) + 1_000
    assert 1 < len(loaded) < 8
    analyzer._recent.clear()
    (again,) = analyzer.docs(said[:1])
    assert again.vocab is not first.vocab
    assert annotations(again) == annotations(first) == before


def test_only_so_many_names_are_kept_that_the_parser_was_tried_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyzer_module, "PROBED_NAMES", 5)
    analyzer = Analyzer(lambda: analyzer_module._SHARED())
    analyzer.docs(
        [f"My friend {''.join(letters).capitalize()} called." for letters in islice(permutations("lemonari", 6), 30)]
    )
    assert 0 < len(analyzer._strange) <= 5
