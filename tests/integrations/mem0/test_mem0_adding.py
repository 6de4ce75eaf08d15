"""`add` keeps what is said, as mem0's `infer=False` does, and with `infer=True` nothing twice."""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from goalmem import GoalmemError, InputError
from goalmem.integrations.mem0 import Memory, ValidationError

from .conftest import MAYA, TOLD, added, texts


def test_messages_become_memories_without_those_of_the_system(memory: Memory):
    result = memory.add(TOLD, infer=False, **MAYA)
    assert [row["memory"] for row in result["results"]] == [m["content"] for m in TOLD[1:]]
    assert result["results"][0] == {
        "id": result["results"][0]["id"],
        "memory": "I adopted a beagle last Friday.",
        "event": "ADD",
        "actor_id": "Nadia",
        "role": "user",
    }
    assert all(uuid.UUID(row["id"]) for row in result["results"])
    assert result["results"][1]["actor_id"] is None


def test_with_inference_a_result_has_id_memory_and_event(memory: Memory):
    result = memory.add(TOLD, **MAYA)
    assert [set(row) for row in result["results"]] == [{"id", "memory", "event"}] * 3


def test_text_and_a_single_dict_are_messages_too(memory: Memory):
    memory.add("I like tea.", **MAYA)
    memory.add({"role": "user", "content": "I like rain."}, **MAYA)
    assert texts(memory.get_all(filters=MAYA)) == ["I like tea.", "I like rain."]


def test_a_memory_reads_back_with_all_its_fields(memory: Memory):
    before = datetime.now(UTC)
    first = memory.add(TOLD, metadata={"topic": "pets"}, infer=False, user_id="maya", run_id="r1")["results"][0]["id"]
    kept = memory.get(first)
    assert kept is not None
    assert before <= datetime.fromisoformat(kept.pop("created_at")) <= datetime.now(UTC)
    kept.pop("updated_at")
    assert kept == {
        "id": first,
        "memory": "I adopted a beagle last Friday.",
        "hash": hashlib.md5(b"I adopted a beagle last Friday.", usedforsecurity=False).hexdigest(),
        "metadata": {"topic": "pets"},
        "score": None,
        "user_id": "maya",
        "run_id": "r1",
        "actor_id": "Nadia",
        "role": "user",
    }


def test_with_inference_the_same_words_are_kept_once(memory: Memory):
    memory.add(TOLD, **MAYA)
    assert memory.add(TOLD, **MAYA) == {"results": []}
    grown = [*TOLD, {"role": "user", "name": "Nadia", "content": "He loves the rain."}]
    assert texts(memory.add(grown[1:], **MAYA)) == ["He loves the rain."]
    assert len(memory.get_all(filters=MAYA)["results"]) == 4
    assert len(memory.add(TOLD, user_id="ruben")["results"]) == 3, "another user said it, too"


def test_a_window_of_a_conversation_adds_what_is_new(memory: Memory):
    memory.add(TOLD, **MAYA)
    assert texts(memory.add([*TOLD[2:], {"role": "assistant", "content": "Lovely."}], **MAYA)) == ["Lovely."]


def test_yes_to_another_question_is_another_answer(memory: Memory):
    def asked(question: str) -> list[dict[str, str]]:
        return [{"role": "assistant", "content": question}, {"role": "user", "content": "Yes."}]

    memory.add(asked("Do you like tea?"), **MAYA)
    assert texts(memory.add(asked("Do you like rain?"), **MAYA)) == ["Do you like rain?", "Yes."]
    assert memory.add(asked("Do you like rain?"), **MAYA) == {"results": []}


def test_without_inference_everything_is_kept_again(memory: Memory):
    first, second = (added(memory, "I like tea.", infer=False) for _ in range(2))
    assert first != second
    assert texts(memory.get_all(filters=MAYA)) == ["I like tea."] * 2


def test_what_says_nothing_is_left_out(memory: Memory):
    silent: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "user"},
        {"content": "Who says this?"},
        {"role": "user", "content": "  "},
        {"role": "user", "content": {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]},
    ]
    assert memory.add(silent, **MAYA) == memory.add([], **MAYA) == memory.add("", **MAYA) == {"results": []}


def test_the_text_parts_of_a_message_are_joined(memory: Memory):
    parts = [
        {"type": "text", "text": "I like"},
        {"type": "image_url", "image_url": {}},
        {"type": "text", "text": "tea."},
    ]
    assert texts(memory.add([{"role": "user", "content": parts}], **MAYA)) == ["I like tea."]


def test_any_role_is_taken_as_it_is(memory: Memory):
    memory.add(
        [{"role": "narrator", "content": "It was a dark night."}, {"role": "tool", "content": "12 degrees"}], **MAYA
    )
    assert [row["role"] for row in memory.get_all(filters=MAYA)["results"]] == ["narrator", "tool"]


def test_metadata_cannot_tell_whose_a_memory_is(memory: Memory, caplog: pytest.LogCaptureFixture):
    kept = memory.get(added(memory, "I like tea.", metadata={"user_id": "ruben", "actor_id": "x", "hash": "y", "a": 1}))
    assert kept is not None
    assert (kept["user_id"], kept["metadata"], kept.get("actor_id")) == ("maya", {"a": 1}, None)
    assert kept["hash"] != "y"
    assert "user_id" in caplog.text
    assert memory.get_all(filters={"user_id": "ruben"}) == {"results": []}


def test_metadata_is_kept_as_json_keeps_it(memory: Memory):
    odd = {"n": None, "deep": {"list": [1, 2.5, True, "\x00\ud800"]}, "": "empty"}
    kept = memory.get(added(memory, "I like tea.", metadata=odd))
    assert kept is not None
    assert kept["metadata"] == odd
    kept["metadata"]["deep"]["list"].append("changed by the caller")
    again = memory.get(kept["id"])
    assert again is not None
    assert again["metadata"] == odd


def test_a_timestamp_is_when_it_was_said(memory: Memory):
    memory.add("I adopted a beagle last Friday.", timestamp=1_704_700_800, **MAYA)
    (kept,) = memory.get_all(filters=MAYA)["results"]
    assert kept["created_at"] == "2024-01-08T08:00:00+00:00"
    assert memory.ask("When did I adopt a beagle?", user_id="maya").text == "5 January 2024"


def test_created_at_in_metadata_is_kept(memory: Memory):
    kept = memory.get(added(memory, "I like tea.", metadata={"created_at": "2024-01-08T08:00:00-07:00"}))
    assert kept is not None
    assert kept["created_at"] == kept["updated_at"] == "2024-01-08T08:00:00-07:00"


def test_what_has_expired_is_hidden(memory: Memory):
    today = datetime.now(UTC).date()
    gone = added(memory, "The shop is closed today.", expiration_date=today - timedelta(days=1))
    added(memory, "The shop is closed this week.", expiration_date=today.isoformat())
    assert texts(memory.get_all(filters=MAYA)) == ["The shop is closed this week."]
    assert texts(memory.search("Is the shop closed?", filters=MAYA)) == ["The shop is closed this week."]
    assert len(memory.get_all(filters=MAYA, show_expired=True)["results"]) == 2
    assert len(memory.search("Is the shop closed?", filters=MAYA, show_expired=True)["results"]) == 2
    kept = memory.get(gone)
    assert kept is not None
    assert kept["expiration_date"] == (today - timedelta(days=1)).isoformat()


def test_a_procedure_is_one_memory_of_the_agent(memory: Memory):
    (row,) = memory.add(TOLD, agent_id="guide", memory_type="procedural_memory")["results"]
    assert row["memory"].splitlines()[1] == "assistant: Congratulations! What is his name?"
    kept = memory.get(row["id"])
    assert kept is not None
    assert kept["metadata"] == {"memory_type": "procedural_memory"}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"user_id": ""},
        {"user_id": " "},
        {"user_id": "two words"},
        {"user_id": "a\x00b"},
        {"user_id": "x" * 600},
        {"user_id": "maya", "memory_type": "semantic"},
        {"user_id": "maya", "expiration_date": "soon"},
        {"user_id": "maya", "expiration_date": 5},
        {"user_id": "maya", "timestamp": "soon"},
        {"user_id": "maya", "timestamp": float("nan")},
        {"user_id": "maya", "timestamp": [1]},
        {"user_id": "maya", "metadata": ["a"]},
        {"user_id": "maya", "metadata": {1: "a"}},
        {"user_id": "maya", "metadata": {"a": object()}},
        {"user_id": "maya", "metadata": {"created_at": 5}},
    ],
)
def test_what_cannot_be_used_is_refused_whole(memory: Memory, options: dict[str, Any]):
    with pytest.raises(ValueError, match=r"\w") as refused:
        memory.add("I like tea.", **options)
    assert isinstance(refused.value, InputError)
    assert memory.goalmem.spaces() == []


@pytest.mark.parametrize(
    "messages",
    [
        None,
        5,
        b"bytes",
        ("a", "b"),
        ["a"],
        [None],
        [{"role": "user", "content": "I like tea."}, 5],
        [{"role": "user", "content": "I like tea."}, {"role": "user", "content": 5}],
        [{"role": "user", "content": "I like tea."}, {"role": 5, "content": "x"}],
        [{"role": "user", "content": "I like tea."}, {"role": "user", "content": "x", "name": 5}],
        [{"role": "user", "content": "I like tea."}, {"role": "user", "content": "x", "name": "n" * 600}],
    ],
)
def test_what_is_no_message_is_refused_whole(memory: Memory, messages: Any):
    with pytest.raises(ValueError, match=r"\w") as refused:
        memory.add(messages, **MAYA)
    assert isinstance(refused.value, GoalmemError)
    assert memory.goalmem.spaces() == []


def test_errors_have_the_attributes_of_mem0s(memory: Memory):
    with pytest.raises(ValidationError) as refused:
        memory.add("I like tea.")
    assert refused.value.error_code == "VALIDATION_001"
    assert "user_id" in refused.value.message
    assert refused.value.suggestion
    assert refused.value.details["provided_ids"] == {"user_id": None, "agent_id": None, "run_id": None}


def test_numbers_are_ids_and_space_around_ids_is_none(memory: Memory):
    seven: Any = 7
    memory.add("I like tea.", user_id=seven)
    assert texts(memory.get_all(filters={"user_id": " 7 "})) == ["I like tea."]


def test_what_cannot_be_stored_is_replaced(memory: Memory):
    (row,) = memory.add("tea\x00 and \ud800rain", **MAYA)["results"]
    assert row["memory"] == "tea\ufffd and \ufffdrain"
    kept = memory.get(row["id"])
    assert kept is not None
    assert kept["memory"] == row["memory"]


def test_text_that_is_too_long_is_refused(memory: Memory):
    with pytest.raises(InputError, match="characters"):
        memory.add("a" * 10_000_001, **MAYA)
    assert memory.get_all(filters=MAYA) == {"results": []}


def test_an_expiration_may_be_a_date(memory: Memory):
    kept = memory.get(added(memory, "I like tea.", expiration_date=date(2999, 1, 2)))
    assert kept is not None
    assert kept["expiration_date"] == "2999-01-02"
