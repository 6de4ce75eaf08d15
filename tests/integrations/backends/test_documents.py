"""Passages as turns: ids that stay, speakers, times, and parts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalmem.integrations.backends import Passage
from goalmem.integrations.backends.documents import BLOCK_TURNS, LONGEST, PART, document_of, is_hash, passage_ids
from goalmem.integrations.backends.passages import metadata_of, passage_of, passages_of, speaker_text, stored_passage

AT = datetime(2024, 5, 8, 18, tzinfo=UTC)
WORDS = st.text(max_size=200)
PASSAGES = st.builds(
    Passage,
    WORDS,
    st.none() | WORDS,
    WORDS,
    st.none() | st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    WORDS,
)


@given(PASSAGES)
def test_a_passage_always_gives_the_same_turns(passage: Passage):
    document = document_of(passage, "default")
    assert document == document_of(passage, "default")
    assert document.turns
    assert len({turn.id for turn in document.turns}) == len(document.turns)
    for turn in document.turns:
        assert document.passage in passage_ids(turn.id)
        turn.content.encode()


@settings(max_examples=40)
@given(PASSAGES)
def test_what_is_handed_on_comes_back(passage: Passage):
    kept = stored_passage(speaker_text(passage), "id", metadata_of(passage))
    if kept is not None and kept.text.strip():
        assert kept.at == passage.at
        assert kept.session == passage_of(passage).session


@given(st.lists(st.none() | st.integers() | WORDS | st.dictionaries(WORDS, WORDS) | st.tuples(WORDS, st.floats())))
def test_anything_returned_is_read_or_named(returned: list[object]):
    read = passages_of(returned, 5)
    assert len(read.passages) <= 5
    assert all(passage.text.strip() for passage in read.passages)
    assert read.problem or all(passage_of(item) for item in returned[:5])


def test_a_message_is_one_turn_under_the_id_of_its_passage():
    (turn,) = document_of(Passage("I adopted a beagle.", "row-1", "Maya", AT, "chat"), "default").turns
    assert (turn.id, turn.speaker, turn.at, turn.session, turn.dated) == ("row-1", "Maya", AT, "chat", True)


@pytest.mark.parametrize("speaker", ["Maya", ""])
def test_a_name_in_front_is_the_speaker_and_not_part_of_the_words(speaker: str):
    (turn,) = document_of(Passage("Maya: I adopted a beagle.", "row-1", speaker), "default").turns
    assert (turn.speaker, turn.text) == ("Maya", "I adopted a beagle.")


def test_without_a_name_the_role_speaks():
    (turn,) = document_of(Passage("I adopted a beagle.", role="assistant"), "default").turns
    assert (turn.speaker, turn.role, turn.dated) == ("assistant", "assistant", False)


def test_a_conversation_is_a_turn_a_message():
    text = "Maya: Hi!\nTom: Hello.\n  How are you?\nMaya: Fine."
    turns = document_of(Passage(text, "notes", at=AT), "default").turns
    assert [(turn.id, turn.speaker) for turn in turns] == [("notes#1", "Maya"), ("notes#2", "Tom"), ("notes#3", "Maya")]
    assert turns[1].text == "Hello.\nHow are you?"
    assert {turn.at for turn in turns} == {AT}


def test_prose_is_no_conversation():
    text = "We met on Monday. The plan was this:\nTom buys the boat.\nMaya pays for it."
    (turn,) = document_of(Passage(text, "notes"), "default").turns
    assert turn.text == text


def test_a_long_text_is_cut_between_sentences():
    text = "The weather was fine. " * 400
    turns = document_of(Passage(text, "diary", "Maya"), "default").turns
    assert len(turns) > 1
    assert all(len(turn.text) <= PART and turn.text.endswith(".") for turn in turns)
    assert " ".join(turn.text for turn in turns) == text.strip()


def test_a_text_without_sentences_is_cut_anyway():
    turns = document_of(Passage("x" * (3 * PART), "blob", "Maya"), "default").turns
    assert [len(turn.text) for turn in turns] == [PART, PART, PART]


def test_what_lies_beyond_the_longest_is_not_read():
    document = document_of(Passage("x" * 10_000_000, "blob", "Maya"), "default")
    assert sum(len(turn.text) for turn in document.turns) == LONGEST


def test_runs_are_short():
    text = "\n".join(f"Maya: This is line {n}." for n in range(50))
    assert max(len(block) for block in document_of(Passage(text), "default").blocks) == BLOCK_TURNS


def test_a_picture_is_a_caption():
    passage = Passage("Look!\n[shares a picture: a beagle on a sofa]", "row-1", "Maya")
    (turn,) = document_of(passage, "default").turns
    assert (turn.text, turn.caption, turn.content) == ("Look!", "a beagle on a sofa", passage.text)


def test_a_hash_depends_on_all_that_is_read():
    first = Passage("I adopted a beagle.", None, "Maya", AT)
    others = [Passage("I adopted a beagle!", None, "Maya", AT), Passage("I adopted a beagle.", None, "Tom", AT)]
    ids = {document_of(passage, "default").passage for passage in (first, *others)}
    assert len(ids) == 3
    assert all(map(is_hash, ids))
