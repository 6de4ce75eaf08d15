"""What `add` promises: idempotent, whole or not at all, any text."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import pytest

from goalmem import ConflictError, InputError, Memory, NotFoundError

HELLO = {"role": "user", "content": "Hello there."}


def test_adding_again_adds_nothing(memory: Memory) -> None:
    first = memory.add([HELLO, {"role": "assistant", "content": "Hi!"}], session="s")
    again = memory.add([HELLO, {"role": "assistant", "content": "Hi!"}], session="s")
    assert (first.new, again.new) == (2, 0)
    assert first.turns == again.turns


def test_a_history_sent_again_with_more_adds_only_what_is_new(memory: Memory) -> None:
    memory.add([HELLO], session="s")
    memory.add([{"role": "assistant", "content": "Hi!"}], session="s")
    receipt = memory.add(
        [HELLO, {"role": "assistant", "content": "Hi!"}, {"role": "user", "content": "Bye."}], session="s"
    )
    assert receipt.new == 1
    assert [t.text for t in map(memory.turn, receipt.turns)] == ["Hello there.", "Hi!", "Bye."]


def test_the_same_words_twice_in_one_call_are_two_turns(memory: Memory) -> None:
    assert memory.add([HELLO, HELLO], session="s").new == 2


def test_the_same_words_at_another_time_are_another_turn(memory: Memory) -> None:
    memory.add([HELLO], session="s", at="2024-05-01")
    assert memory.add([HELLO], session="s", at="2024-05-02").new == 1


def test_an_id_makes_a_message_known_wherever_it_stands(memory: Memory) -> None:
    memory.add([HELLO | {"id": "m1"}], session="s")
    assert memory.add([{"role": "user", "content": "Before."}, HELLO | {"id": "m1"}], session="s").new == 1


def test_an_id_with_other_content_is_refused_and_nothing_stored(memory: Memory) -> None:
    memory.add([HELLO | {"id": "m1"}], session="s")
    with pytest.raises(ConflictError, match="m1"):
        memory.add(
            [{"role": "user", "content": "New."}, {"role": "user", "content": "Other.", "id": "m1"}], session="s"
        )
    assert memory.stats().turns == 1


BAD: list[Any] = [
    [],
    {"role": "user", "content": ""},
    {"role": "user", "content": "   "},
    {"role": "user"},
    {"role": "user", "content": 7},
    {"role": "wizard", "content": "x"},
    {"role": None, "content": "x"},
    {"role": "user", "content": "x", "at": "yesterday-ish"},
    {"role": "user", "content": "x", "at": math.nan},
    {"role": "user", "content": "x", "at": 1e18},
    {"role": "user", "content": "x", "at": "0001-01-01"},
    {"role": "user", "content": "x", "at": True},
    {"role": "user", "content": "x", "name": 5},
    {"role": "user", "content": "x", "id": 1.5},
    {"role": "user", "content": "x", "caption": ["a"]},
    {"role": "user", "content": [3]},
    "nothing of the kind" and b"bytes",
]


@pytest.mark.parametrize("bad", BAD[1:], ids=repr)
def test_bad_input_is_refused_whole(memory: Memory, bad: Any) -> None:
    with pytest.raises(InputError) as caught:
        memory.add([HELLO, bad] if not isinstance(bad, bytes) else bad, session="s")
    assert caught.value.remedy
    assert memory.stats().turns == 0


@pytest.mark.parametrize("name", ["", "  ", "a\x00b", "x" * 600, "\ud800"])
def test_unusable_names_are_refused(memory: Memory, name: str) -> None:
    with pytest.raises(InputError):
        memory.add([HELLO], space=name)
    with pytest.raises(InputError):
        memory.add([HELLO], session=name)


def test_a_huge_message_is_refused_with_the_limit(memory: Memory) -> None:
    with pytest.raises(InputError, match="limit"):
        memory.add([{"role": "user", "content": "x" * (memory.settings.max_message_characters + 1)}])


def test_characters_that_cannot_be_stored_are_replaced_and_said(memory: Memory) -> None:
    receipt = memory.add([{"role": "user", "content": "a\x00b \ud83d c"}])
    assert receipt.repaired == receipt.turns
    assert memory.turn(receipt.turns[0]).text == "a�b � c"


def test_times_with_and_without_zone_mix(memory: Memory) -> None:
    receipt = memory.add(
        [
            HELLO | {"at": "2024-05-01T10:00:00"},
            HELLO | {"at": "2024-05-01T10:00:00+02:00"},
            HELLO | {"at": datetime(2024, 5, 1, 10, tzinfo=UTC)},
            HELLO | {"at": 1714557600},
        ]
    )
    assert all(memory.turn(t).at.tzinfo is not None for t in receipt.turns)


def test_content_parts_and_captions_are_read(memory: Memory) -> None:
    parts = [
        {"type": "text", "text": "Look at"},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "text", "text": "this"},
    ]
    receipt = memory.add([{"role": "user", "content": parts, "caption": "a red bicycle"}])
    assert "a red bicycle" in memory.turn(receipt.turns[0]).content


def test_messages_that_only_call_tools_are_left_out(memory: Memory) -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "f"}}]}
    assert memory.add([HELLO, call]).new == 1


def test_a_closed_memory_says_so(analyzer: Any) -> None:
    from goalmem import StoreClosedError

    memory = Memory(analyzer=analyzer)
    memory.close()
    memory.close()
    with pytest.raises(StoreClosedError):
        memory.add([HELLO])


def test_unknown_turns_are_not_found(memory: Memory) -> None:
    with pytest.raises(NotFoundError):
        memory.turn("t0")
    with pytest.raises(NotFoundError):
        memory.forget(turn="t0")
