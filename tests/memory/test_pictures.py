"""What a message shows or plays is captioned or refused, never dropped in silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from goalmem import ChatError, ConflictError, InputError, Memory
from goalmem.settings import Settings
from goalmem.testing import ScriptedChat

SHOWN = [
    {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
    {"type": "image_url", "image_url": "data:image/png;base64,AAAA"},
    {"type": "input_image", "image_url": "https://example.org/a.png"},
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
    {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}},
    {"type": "image", "base64": "AAAA", "mime_type": "image/jpeg"},
]
UNREADABLE = [
    {"type": "input_image", "file_id": "f1"},
    {"type": "image_url", "image_url": {"url": "file:///etc/passwd"}},
    {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
    {"type": "file", "file": {"file_id": "f1"}},
    {"type": "video_url", "video_url": {"url": "https://example.org/a.mp4"}},
    {"type": "something new"},
]


def message(*parts: object, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": "Look at this!"}, *parts]} | more


@pytest.mark.parametrize("part", SHOWN + UNREADABLE)
def test_what_is_no_text_is_refused(memory: Memory, part: dict):
    with pytest.raises(InputError, match="Message 1 has a content part that holds no text") as refused:
        memory.add([{"role": "user", "content": "Hi!"}, message(part)])
    assert "caption" in refused.value.remedy
    assert memory.spaces() == []


@pytest.mark.parametrize("part", SHOWN + UNREADABLE)
def test_a_caption_stands_for_it(memory: Memory, part: dict):
    receipt = memory.add([message(part, caption="a red bicycle"), message(part | {"alt": "a blue boat"})])
    assert [memory.turn(turn).caption for turn in receipt.turns] == ["a red bicycle", "a blue boat"]


def test_calls_of_tools_and_thoughts_are_left_out(memory: Memory):
    parts = [{"type": "tool_use", "id": "1", "name": "f", "input": {}}, {"type": "thinking", "thinking": "Hm."}]
    receipt = memory.add([message(*parts), {"role": "assistant", "content": parts}])
    assert [memory.turn(turn).text for turn in receipt.turns] == ["Look at this!"]


@pytest.fixture
def captioning(open_memory: Callable[..., Memory]) -> Callable[..., Memory]:
    """Opens memories whose chat model captions pictures."""
    return lambda chat, **settings: open_memory(chat=chat, settings=replace(Settings(), captions=True, **settings))


@pytest.mark.parametrize("part", SHOWN)
def test_pictures_are_captioned_where_that_is_asked_for(captioning: Callable[..., Memory], part: dict):
    chat = ScriptedChat({"caption": "A beagle\nwith a red ball."})
    memory = captioning(chat)
    (turn,) = memory.add(message(part)).turns
    assert memory.turn(turn).caption == "A beagle with a red ball."
    (request,) = chat.requests
    assert len(request.images) == 1
    assert request.images[0].startswith(("https://", "data:image/"))


def test_a_captioned_message_is_known_again_whatever_the_model_says_then(captioning: Callable[..., Memory]):
    chat = ScriptedChat({"caption": ["A beagle.", "A dog.", "A cat."]})
    memory = captioning(chat)
    for part in (message(SHOWN[0]), message(SHOWN[0], id="m1")):
        assert [memory.add(part).new for _ in range(2)] == [1, 0]
    assert memory.add(message(SHOWN[1])).new == 1
    assert chat.asked["caption"] == 3
    with pytest.raises(ConflictError):
        memory.add(message(SHOWN[0], id="m1", content=[{"type": "text", "text": "Other."}, SHOWN[0]]))


@pytest.mark.parametrize("part", UNREADABLE)
def test_what_no_picture_is_refused_all_the_same(captioning: Callable[..., Memory], part: dict):
    with pytest.raises(InputError, match="holds no text"):
        captioning(ScriptedChat({"caption": "A beagle."})).add(message(part))


@pytest.mark.parametrize("said", ["", "word " * 200])
def test_a_model_that_gives_no_caption_leaves_nothing(captioning: Callable[..., Memory], said: str):
    memory = captioning(ScriptedChat({"caption": said}))
    with pytest.raises(ChatError, match="no caption"):
        memory.add(message(SHOWN[0]))
    assert memory.spaces() == []


def test_without_a_chat_model_that_takes_pictures_the_error_says_so(captioning: Callable[..., Memory]):
    class Blind:
        name = "blind"

        def reply(self, request: object) -> None: ...

    with pytest.raises(InputError, match="does not accept pictures"):
        captioning(Blind()).add(message(SHOWN[0]))
    with pytest.raises(InputError, match="No chat model"):
        captioning(None).add(message(SHOWN[0]))
