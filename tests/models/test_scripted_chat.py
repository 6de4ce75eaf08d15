"""The chat models for tests do what a test needs of them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import get_args

import pytest

from goalmem.errors import ChatError, ChatRefusedError, ChatReplyError, ChatUnavailableError, InputError
from goalmem.models.chat import ChatReply, ChatRequest
from goalmem.testing import Fault, FaultyChat, ScriptedChat


def asks(task: str = "unify", user: str = "facts") -> ChatRequest:
    return ChatRequest(task, "Bind.", user)


def test_lines_are_said_in_order_and_then_no_more():
    chat = ScriptedChat(["one", {"two": 2}, ChatReply("three", 1, 1, 0.0, "length")])
    assert [chat.reply(asks()).text for _ in range(3)] == ["one", '{"two": 2}', "three"]
    with pytest.raises(ChatReplyError, match="unify"):
        chat.reply(asks())
    assert len(chat.requests) == 4


def test_a_script_may_be_by_task():
    down = ChatRefusedError("No.", "Stop.")
    chat = ScriptedChat(
        {"answer": "Paris", "unify": ["a", "b"], "refine": lambda request: request.user.upper(), "judge": down}
    )
    assert [chat.reply(asks(task)).text for task in ("answer", "unify", "answer", "unify", "refine")] == [
        "Paris", "a", "Paris", "b", "FACTS",
    ]  # fmt: skip
    with pytest.raises(ChatRefusedError):
        chat.reply(asks("judge"))
    for task in ("unify", "unknown"):
        with pytest.raises(ChatReplyError, match=task):
            chat.reply(asks(task))
    assert chat.asked == {"answer": 2, "unify": 3, "refine": 1, "judge": 1, "unknown": 1}


def test_a_script_may_be_a_function():
    chat = ScriptedChat(lambda request: None if request.user == "?" else {"said": request.user})
    assert chat.reply(asks(user="hello")).text == '{"said": "hello"}'
    with pytest.raises(ChatReplyError):
        chat.reply(asks(user="?"))


def test_replies_are_counted_like_those_of_a_model():
    reply = ScriptedChat(["four"], name="mine").reply(ChatRequest("answer", "x" * 40, "y" * 8))
    assert (reply.prompt_tokens, reply.completion_tokens, reply.finish, reply.model) == (12, 1, "stop", "mine")


def spoil(fault: Fault, text: str = '{"a": ["b", 3]}') -> ChatReply:
    return FaultyChat(ScriptedChat([text]), faults=[fault]).reply(asks())


def test_every_fault_spoils_in_its_own_way():
    assert spoil("refusal").finish == "refusal"
    assert (spoil("cut off").text, spoil("cut off").finish) == ('{"a": [', "length")
    assert json.loads(spoil("other json").text).keys() == {"result", "status"}
    assert spoil("null").text == '{"a": [null, 3]}'
    assert spoil("numbers").text == '{"a": [7, 3]}'
    assert spoil("null", "no json").text == "null"
    assert '{"a": ["b", 3]}' in spoil("fenced").text
    for fault in ("not json", "fenced"):
        with pytest.raises(ValueError, match="Expecting value"):
            json.loads(spoil(fault).text)
    for fault, error in (
        ("unavailable", ChatUnavailableError),
        ("refused", ChatRefusedError),
        ("empty", ChatReplyError),
    ):
        with pytest.raises(error):
            spoil(fault)


def outcome(chat: FaultyChat, number: int) -> str:
    try:
        return chat.reply(asks(user=str(number))).text
    except ChatError as error:
        return str(error)


def test_faults_follow_from_the_seed_and_the_request():
    def faulty(seed: int) -> FaultyChat:
        return FaultyChat(ScriptedChat(lambda _: {"a": "b"}), share=0.5, seed=seed)

    first, second, third = faulty(1), faulty(1), faulty(2)
    in_order = [outcome(first, number) for number in range(200)]
    with ThreadPoolExecutor(4) as pool:
        backwards = list(pool.map(lambda number: outcome(second, number), reversed(range(200))))
    assert in_order == backwards[::-1]
    assert in_order != [outcome(third, number) for number in range(200)]
    assert 70 < first.faults.total() < 130
    assert first.faults == second.faults
    assert first.faults.keys() == set(get_args(Fault))


def test_no_share_is_no_fault():
    chat = FaultyChat(ScriptedChat(lambda _: "ok"), share=0.0)
    assert {outcome(chat, number) for number in range(20)} == {"ok"}
    assert chat.name == "scripted"


def test_an_unknown_fault_is_named():
    with pytest.raises(InputError, match="gremlins"):
        FaultyChat(ScriptedChat([]), faults=["gremlins"])
