"""A chat model is not asked for the same twice, and a cache that fails changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import pytest

from goalmem.errors import ChatUnavailableError, StoreBusyError
from goalmem.models.chat import ChatReply, ChatRequest
from goalmem.models.chat_cache import Cached, reply_key
from goalmem.testing import ScriptedChat

REQUEST = ChatRequest("unify", "Bind.", "facts", schema={"type": "object"}, about=("t1", "t2"))
WHOLE = ChatReply("Ünï 🎉 \ud800", 12, 3, 1.5, "stop", model="small", estimated=True, first={"Ünï": 0.75})


class Shelf:
    """A place to keep texts."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.about: list[Sequence[str]] = []

    def put(self, key: str, text: str, turns: Sequence[str]) -> None:
        self.kept[key] = text
        self.about.append(turns)


def test_the_same_is_asked_once():
    shelf, model = Shelf(), ScriptedChat([WHOLE])
    cached = Cached(model, shelf.kept.get, shelf.put)
    assert cached.reply(REQUEST) == WHOLE
    again = cached.reply(REQUEST)
    assert again == replace(WHOLE, cached=True, seconds=0.0)
    assert len(model.requests) == 1
    assert shelf.about == [("t1", "t2")]
    assert cached.name == model.name


def test_what_is_kept_holds_nothing_of_the_request():
    shelf = Shelf()
    Cached(ScriptedChat([WHOLE]), shelf.kept.get, shelf.put).reply(replace(REQUEST, user="a secret question"))
    ((key, text),) = shelf.kept.items()
    assert len(key) == 64
    assert "secret" not in f"{key}{text}"


def test_another_request_or_model_is_asked_anew():
    other: dict[str, object] = {
        "task": "refine",
        "system": "Bind!",
        "user": "facts ",
        "schema": {"type": "array"},
        "schema_name": "bindings",
        "max_tokens": 513,
        "temperature": 0.5,
        "seed": 1,
        "alternatives": 5,
        "images": ("https://example.org/a.png",),
    }
    without = {"about": (), "seconds": 1.0}
    assert {f.name for f in fields(ChatRequest)} == other.keys() | without.keys()
    keys = {reply_key("m", REQUEST), reply_key("n", REQUEST)}
    keys |= {reply_key("m", replace(REQUEST, **{name: value})) for name, value in other.items()}
    assert len(keys) == 2 + len(other)
    assert {reply_key("m", replace(REQUEST, **{name: value})) for name, value in without.items()} == {
        reply_key("m", REQUEST)
    }


@pytest.mark.parametrize("finish", ["length", "refusal", "tool_calls"])
def test_only_whole_replies_are_kept(finish: str):
    shelf, model = Shelf(), ScriptedChat([replace(WHOLE, finish=finish), WHOLE])
    cached = Cached(model, shelf.kept.get, shelf.put)
    assert cached.reply(REQUEST).finish == finish
    assert cached.reply(REQUEST) == WHOLE


def test_an_error_is_not_kept():
    shelf = Shelf()
    cached = Cached(ScriptedChat([ChatUnavailableError("Down.", "Wait."), WHOLE]), shelf.kept.get, shelf.put)
    with pytest.raises(ChatUnavailableError):
        cached.reply(REQUEST)
    assert cached.reply(REQUEST) == WHOLE


def test_a_cache_that_fails_is_none():
    def busy(*_: object) -> None:
        raise StoreBusyError("Busy.", "Wait.")

    cached = Cached(ScriptedChat([WHOLE, WHOLE]), busy, busy)
    assert cached.reply(REQUEST) == cached.reply(REQUEST) == WHOLE


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"text": "a"}', '{"text": 1}', '{"other": 1}'])
def test_what_cannot_be_read_is_asked_again(text: str):
    model = ScriptedChat([WHOLE])
    assert Cached(model, lambda _: text, lambda *_: None).reply(REQUEST) == WHOLE
