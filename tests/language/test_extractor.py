"""Reading is deterministic, robust, and the same in pieces as at once."""

import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalmem.language import Analyzer, Extractor, TurnContext
from goalmem.language.pipeline import CHARACTERS
from goalmem.records import Turn
from tests.language.conftest import MONDAY, turns_of

TALK = (
    "Maya: My sister Ines adopted a beagle last Friday. She named him Biscuit!",
    "Tom: Cute! Did you go with her?",
    "Maya: Yes, on Saturday. I love the dog.",
    "Tom: What color is he?",
    "Maya: Brown and white. | a photo of a beagle in a garden",
    "Tom: I'd love to meet him, mel. My brother has two cats.",
)


def turn(text: str, caption: str = "") -> Turn:
    return Turn("t", "space", "session", 0, "Maya", "user", text, MONDAY, caption)


def test_importing_it_does_not_import_spacy() -> None:
    code = "import sys, goalmem.language; sys.exit('spacy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "text",
    [
        'beans in today, "Cobra", 2 rows.',
        'beans in this morning, "Cobra", 3 rows',
        'keep it. leeks in today, "Musselburgh", 2 rows. early but the forecast is mild',
    ],
)
def test_words_are_never_attached_in_a_circle(extractor: Extractor, text: str) -> None:
    for word in Analyzer().docs([text])[0]:
        assert any(above.head.i == above.i for above in (word, *word.ancestors))
    assert extractor.extract([turn(text)], TurnContext())


def test_the_same_turns_give_the_same_facts(extractor: Extractor) -> None:
    assert extractor.extract(turns_of(TALK), TurnContext()) == Extractor(Analyzer()).extract(
        turns_of(TALK), TurnContext()
    )


def test_turns_added_one_by_one_give_the_same_facts(extractor: Extractor) -> None:
    turns, aliases = turns_of(TALK), {}
    at_once = extractor.extract(turns, TurnContext(speakers=("Maya", "Tom")))
    for i, expected in enumerate(at_once):
        context = TurnContext(previous=turns[:i], aliases=dict(aliases), speakers=("Maya", "Tom"))
        (alone,) = extractor.extract([turns[i]], context)
        assert alone == expected
        aliases |= {alias.lower(): name for alias, name in alone.aliases}


def test_facts_have_ids_of_their_own(extractor: Extractor) -> None:
    ids = [f.id for read in extractor.extract(turns_of(TALK), TurnContext()) for f in read.facts]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\n",
        "\0",
        "a\0b",
        "\ud800 I ran",
        "😀😀 I moved to Rome 😀",
        "?!?!",
        '"""',
        "'s",
        "(((",
        "> ",
        "@@@ 👍🏽",
        "I" * 9000,
    ],
)
def test_any_text_is_read(extractor: Extractor, text: str) -> None:
    (read,) = extractor.extract([turn(text, text)], TurnContext())
    for fact in read.facts:
        assert turn(text, text).content[fact.start : fact.end] == fact.text


@settings(max_examples=60)
@given(st.text(max_size=120), st.text(max_size=30))
def test_arguments_are_where_they_say(text: str, caption: str) -> None:
    shared = Extractor(ANALYZER)
    said = turn(text, caption)
    (read,) = shared.extract([said], TurnContext())
    shared.read(text)
    for fact in read.facts:
        for argument in fact.args:
            assert argument.start < 0 or said.content[argument.start : argument.end] == argument.text


ANALYZER = Analyzer()


def test_a_huge_text_is_analysed_up_to_a_sentence_end(extractor: Extractor) -> None:
    text = "I sold a car to Anna. " * 50_000
    (read,) = extractor.extract([turn(text)], TurnContext())
    assert read.facts
    assert max(f.end for f in read.facts) <= CHARACTERS


def test_threads_share_an_analyzer() -> None:
    shared, seen = Analyzer(), []
    threads = [
        threading.Thread(target=lambda: seen.append(len(shared.docs(["I ran.", "You swam."])))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [2, 2, 2, 2]


def test_no_texts_need_no_model() -> None:
    assert Analyzer(loader=lambda: pytest.fail("loaded")).docs([]) == []


@pytest.mark.parametrize(
    "text", ["For them, always.", "To him.", "In between them.", "- For it", "Out of it.", "With her!"]
)
def test_a_preposition_without_a_verb_ends(extractor: Extractor, text: str) -> None:
    """Such a fragment's root is the preposition: what climbs to the verb has to stop there."""
    assert len(extractor.extract([turn(f"We saw Ines and the dog. {text}")])) == 1
