"""A key of a message that nobody reads is refused, where it may be a misspelt one; what chat clients send is taken."""

from __future__ import annotations

import io
from typing import Any

import pytest

from goalmem import Memory
from goalmem.errors import FormatError, InputError
from goalmem.io.conversation import Options
from goalmem.io.files import read_chat

SAID = {"role": "user", "content": "I like tea."}


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("expire_at", "expires_at"),
        ("expiresAt", "expires_at"),
        ("tag", "tags"),
        ("metdata", "metadata"),
        ("contents", "content"),
    ],
)
def test_a_misspelt_key_is_refused_with_the_one_that_is_meant(key: str, meant: str) -> None:
    with Memory() as memory:
        for given in (SAID | {key: "x"}, [SAID, SAID | {key: "x"}]):
            with pytest.raises(InputError, match=rf"unknown key '{key}'. Did you mean '{meant}'\?"):
                memory.add(given)
        assert memory.get_all().items == []


def test_an_unknown_key_is_refused_with_those_that_are_known() -> None:
    with (
        Memory() as memory,
        pytest.raises(InputError, match=r"The message has the unknown key 'importance'\. Use role, content"),
    ):
        memory.add(SAID | {"importance": 3})


def test_keys_that_chat_clients_send_are_taken() -> None:
    openai: dict[str, Any] = {
        "refusal": None,
        "annotations": [],
        "audio": None,
        "tool_calls": [],
        "function_call": None,
    }
    with Memory() as memory:
        receipt = memory.add(
            [
                {"role": "assistant", "content": "You like tea."}
                | openai
                | {"reasoning_content": "…", "a_later_field": None},
                {"role": "tool", "content": "Sunny.", "tool_call_id": "c1", "name": "weather"},
            ]
        )
        assert receipt.new == 2


@pytest.mark.parametrize("key", ["expire_at", "tag", "metdata", "expiresAt"])
def test_a_file_with_a_misspelt_key_is_refused(key: str) -> None:
    line = f'{{"role": "user", "content": "I like tea.", "{key}": "x"}}\n'
    with pytest.raises(FormatError, match=f"'{key}' is no key of a message"):
        list(read_chat(io.BytesIO(line.encode()), Options("typo.jsonl")))


def test_a_file_of_another_program_may_have_keys_of_its_own() -> None:
    line = '{"role": "user", "content": "I like tea.", "has_answer": true, "img_url": [], "likes": 3, "title": "a"}\n'
    (conversation,) = read_chat(io.BytesIO(line.encode()), Options("chat.jsonl"))
    assert conversation.messages == ({"role": "user", "content": "I like tea."},)


def test_a_message_that_only_calls_tools_is_left_out_alone_or_among_others() -> None:
    calls: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}
    with Memory() as memory:
        assert memory.add(calls).turns == ()
        assert memory.add([SAID, calls]).new == 1
