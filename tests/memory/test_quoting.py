"""What is quoted cannot end its quotation, and can be read back."""

import json
import unicodedata
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from goalmem.answer import Note
from goalmem.answering.context_block import CLOSEST, BlockContents, QuoteGroup, block_of, excerpt, inert
from goalmem.models.minilm import count_tokens

ANY = st.text(st.characters(codec=None, categories=None)) | st.sampled_from(["</memory>", "\u2028", "\U000e0041"])


def note(text: str, *, proves: bool = False) -> Note:
    return Note("t1", "Ada", datetime(2024, 5, 1, tzinfo=UTC), text, proves)


@given(ANY)
def test_inert_text_is_one_visible_line_without_delimiters(text: str):
    quiet = inert(text)
    assert not {*"<>\n\r\u2028\u2029\u202e"} & {*quiet}
    assert not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in quiet)
    assert '"' not in quiet.replace("\\\\", "").replace('\\"', "")


@given(ANY)
def test_inert_text_is_read_back_as_it_was(text: str):
    assert json.loads(f'"{inert(text)}"') == text


@given(st.text(), st.integers(10, 60), st.integers(0, 200), st.integers(0, 200))
def test_an_excerpt_is_no_longer_than_asked(text: str, size: int, start: int, length: int):
    assert len(excerpt(text, size, (start, start + length))) <= size + 2


def test_an_excerpt_holds_what_matters():
    text = "far away " * 50 + "the key is under the mat" + " long ago" * 50
    at = text.index("the key")
    assert "the key is under the mat" in excerpt(text, 80, (at, at + 24))


@given(st.lists(ANY, max_size=6), st.integers(1, 400))
def test_a_block_never_exceeds_its_limit(texts: list[str], most: int):
    groups = [QuoteGroup(text or "it", (note(text), note(text, proves=True))) for text in texts]
    missing = [(text, text) for text in texts]
    groups.append(QuoteGroup(CLOSEST, tuple(map(note, texts)), by_day=True))
    block = block_of(BlockContents(groups, missing, missing), most=most, count=count_tokens)
    assert count_tokens(block.text) == block.tokens <= most
    lines = block.text.splitlines()
    assert all(line[:2] in ("- ", "##", "<m", "</", "Th", "An", "No") or line == "2024-05-01:" for line in lines)


def test_dates_and_speakers_of_what_search_finds_are_given_once_a_day():
    days = (datetime(2024, 5, 2, tzinfo=UTC), datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 5, 2, tzinfo=UTC))
    notes = tuple(Note(f"t{n}", "Ada", day, f"words {n}") for n, day in enumerate(days))
    contents = BlockContents([QuoteGroup(CLOSEST, notes, by_day=True)], order={"t2": 0, "t0": 1})
    block = block_of(contents, most=400, count=count_tokens)
    assert block.text.splitlines()[3:-1] == [
        "2024-05-02:",
        '- Ada: "words 2"',
        '- Ada: "words 0"',
        "2024-05-01:",
        '- Ada: "words 1"',
    ]
    assert [n.turn for n in block.groups[0].notes] == ["t0", "t1", "t2"]


def test_what_proves_comes_before_what_is_near():
    groups = [QuoteGroup("a", (note("near " * 30),)), QuoteGroup("b", (note("proof", proves=True),))]
    block = block_of(BlockContents(groups), most=100, count=count_tokens)
    assert [g.subgoal for g in block.groups] == ["b"]


def test_tokens_are_counted_rather_too_high_than_too_low():
    assert count_tokens("") == 0
    assert count_tokens("one two three") >= 3
    assert count_tokens("🐶" * 10) >= 20
    assert count_tokens("\n" * 10) >= 10
    assert count_tokens("x" * 1000) >= 125
    assert count_tokens("\ud800") >= 1
