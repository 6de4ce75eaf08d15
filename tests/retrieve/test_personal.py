"""Where people speak of themselves."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.records import Extraction, Turn
from goalmem.retrieve.passages import MOST_PASSAGES, NUMBERS, passages, personal_features, personal_mask
from tests.retrieve.asking import seen
from tests.retrieve.telling import Told

OWN = "I adopted a beagle from the shelter in our town."
OTHER = "Dogs need a long walk every day of the year."


def turn(text: str, role: str = "user") -> Turn:
    return Turn("t", "s", "1", 0, role, role, text, datetime(2024, 5, 1, tzinfo=UTC))


def marked(*texts: str) -> list[list[bool]]:
    """For every turn and each of its passages, whether it is in the first person."""
    found = [np.frombuffer(personal_features(turn(text)), dtype="<u8") for text in texts]
    counts = [len(passages(text)) for text in texts]
    owners = np.repeat(np.arange(len(texts)), [len(own) for own in found])
    starts = np.cumsum([0, *counts])[:-1]
    mask = personal_mask(np.concatenate([*found, np.empty(0, dtype=np.uint64)]), owners, starts, sum(counts))
    return [mask[start : start + count].tolist() for start, count in zip(starts, counts, strict=True)]


@pytest.mark.parametrize(
    "text",
    [
        "I agree.",
        "It is my car.",
        "We left.",
        "They gave it to us.",
        "He saw me.",
        "OUR HOUSE",
        "I’m late.",
        "so i did",
    ],
)
def test_the_first_person_is_known_by_its_words(text):
    assert marked(text) == [[True]]


@pytest.mark.parametrize("text", ["Dogs bark.", "Henry VIII ruled.", "The USB stick", "Miami", ""])
def test_what_speaks_of_others_is_not_in_the_first_person(text):
    assert marked(text) == [[False]]


def test_each_passage_is_marked_for_itself():
    assert marked(f"{OTHER} {OWN} {OTHER}", OTHER, OWN) == [[False, True, False], [False], [True]]


def test_an_assistant_has_no_first_person():
    assert personal_features(turn(OWN, "assistant")) == b""


@given(st.lists(st.lists(st.sampled_from([OWN, OTHER]), min_size=1, max_size=MOST_PASSAGES), min_size=1, max_size=6))
def test_what_is_marked_is_what_was_said(turns):
    assert marked(*(" ".join(own) for own in turns)) == [[text == OWN for text in own] for own in turns]


def test_a_mark_beyond_the_passages_marks_nothing():
    far = np.array([NUMBERS[-1]], dtype=np.uint64)
    assert not personal_mask(far, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64), 2).any()


def test_the_index_keeps_the_marks_apart_from_other_features(opened):
    told = Told(opened(), extract=lambda turns: [Extraction(turn.id) for turn in turns])
    told.say(("user", f"{OTHER} {OWN}"), ("assistant", OWN), ("user", OTHER))
    told.say(("user", OWN), session="2")
    view = seen(told)
    assert view.personal.tolist() == [False, True, False, False, True]
    assert not view.features.segments


def test_what_was_stored_without_features_has_no_marks(told):
    told.say(("user", OWN))
    assert seen(told).personal.tolist() == [False]
