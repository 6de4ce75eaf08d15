"""Whatever a chat model does, a reply or a ChatError comes of it, and a question that was asked with it is answered."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem import ChatError, ChatReplyError, ChatUnavailableError, Memory
from goalmem.language import Analyzer
from goalmem.models.chat import ChatReply, ChatRequest, GuardedChat

REQUEST = ChatRequest("answer", "Reply.", "What?")
GOOD = ChatReply("tea", 3, 1, 0.1, "stop")


class Own:
    """A user's own model."""

    name = "own"

    def __init__(self, does: Any) -> None:
        self.does = does

    def reply(self, request: ChatRequest) -> Any:
        del request
        if isinstance(self.does, BaseException):
            raise self.does
        return self.does


def test_a_reply_and_a_chat_error_pass_through() -> None:
    assert GuardedChat(Own(GOOD)).reply(REQUEST) is GOOD
    gone = ChatUnavailableError("Gone.", "Start it.")
    with pytest.raises(ChatUnavailableError) as caught:
        GuardedChat(Own(gone)).reply(REQUEST)
    assert caught.value is gone


@pytest.mark.parametrize("error", [KeyError("choices"), RuntimeError("sk-secret"), TimeoutError(), AssertionError()])
def test_any_other_error_is_a_chat_error_that_repeats_nothing_of_it(error: Exception) -> None:
    with pytest.raises(ChatReplyError) as caught:
        GuardedChat(Own(error)).reply(REQUEST)
    assert type(error).__name__ in caught.value.problem
    assert "sk-secret" not in str(caught.value)


@given(st.none() | st.text() | st.integers() | st.dictionaries(st.text(), st.text()))
def test_what_is_no_reply_is_an_error(said: object) -> None:
    with pytest.raises(ChatError):
        GuardedChat(Own(said)).reply(REQUEST)
    with pytest.raises(ChatError):
        GuardedChat(Own(ChatReply(said, 3, None, 0.1, "stop"))).reply(REQUEST)  # type: ignore[arg-type]


def test_a_model_without_a_name_has_its_types() -> None:
    class Nameless:
        def reply(self, request: ChatRequest) -> ChatReply:
            del request
            return GOOD

    assert GuardedChat(Nameless()).name == "Nameless"  # type: ignore[arg-type]


def test_to_stop_the_program_is_not_an_error_of_the_model() -> None:
    with pytest.raises(KeyboardInterrupt):
        GuardedChat(Own(KeyboardInterrupt())).reply(REQUEST)


@pytest.mark.parametrize("does", [ValueError("no"), "just a text", None])
def test_a_question_is_answered_without_a_model_that_breaks(analyzer: Analyzer, does: object) -> None:
    with Memory(analyzer=analyzer, chat=Own(does)) as memory:
        memory.add("I live in Oslo.", at="2024-05-01")
        answer = memory.ask("Where do I live?")
        assert answer.text == "Oslo"
        assert memory.verify(answer).ok
        assert memory.verify(memory.ask("Where do I live?", goals=False)).ok
        assert memory.recall("Where do I live?")
