"""What is quoted cannot end its quotation, and can be read back."""

import json
import unicodedata
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from goalmem.answering.context_block import ANSWERED, GUESSED, Group, Note, block_of, excerpt, inert
from goalmem.models.tokens import count_tokens

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
    groups = [Group(text or "it", (note(text), note(text, proves=True))) for text in texts]
    missing = [(text, text) for text in texts]
    block = block_of(groups, missing, missing, most=most, count=count_tokens)
    assert count_tokens(block.text) == block.tokens <= most
    assert all(line[:2] in ("- ", "##", "<m", "</", "Th", "Pr", "No", "Wh") for line in block.text.splitlines())


def test_what_proves_comes_before_what_is_near():
    groups = [Group("a", (note("near " * 30),)), Group("b", (note("proof", proves=True),))]
    block = block_of(groups, (), (), most=100, count=count_tokens)
    assert [g.subgoal for g in block.groups] == ["b"]


def test_tokens_are_counted_rather_too_high_than_too_low():
    assert count_tokens("") == 0
    assert count_tokens("one two three") >= 3
    assert count_tokens("🐶" * 10) >= 20
    assert count_tokens("\n" * 10) >= 10
    assert count_tokens("x" * 1000) >= 125
    assert count_tokens("\ud800") >= 1


def test_what_is_likely_stands_under_a_heading_of_its_own():
    proved, likely = [("Who?", "Ann")], [("Where?", "Porto")]
    text = block_of(
        [Group("a", (note("proof", proves=True),))], proved, (), most=200, count=count_tokens, likely=likely
    ).text
    lines = text.splitlines()
    assert lines.index('- "Who?": Ann') < lines.index(GUESSED) < lines.index('- "Where?": Porto') < lines.index("## a")
    alone = block_of([Group("a", (note("proof"),))], (), (), most=200, count=count_tokens, likely=likely).text
    assert ANSWERED not in alone
    assert GUESSED in alone
