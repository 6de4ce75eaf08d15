"""Replies kept, so that a chat model is not asked for the same again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict

from goalmem.errors import GoalmemError
from goalmem.models.chat import ChatModel, ChatReply, ChatRequest

_NOT_IN_KEY = ("about", "seconds")
"""Fields of a request that its reply does not depend on."""
_KEPT = ("text", "prompt_tokens", "completion_tokens", "finish", "model", "estimated", "first")
_WHOLE = "stop"
"""Only complete replies are cached: a truncated or refused one may be complete the next time."""

Get = Callable[[str], str | None]
Put = Callable[[str, str, Sequence[str]], object]


class Cached:
    """A chat model whose whole replies are kept. A reply from the cache has `cached` set and took no time.

    The caller provides the storage: `get` returns the text under a key, or None; `put` stores a text under a key, with
    the ids of the turns it is about (`ChatRequest.about`). If the cache fails, the model is called.
    """

    def __init__(self, model: ChatModel, get: Get, put: Put) -> None:
        self._model = model
        self._get = get
        self._put = put

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._model.name

    def reply(self, request: ChatRequest) -> ChatReply:
        """The kept reply, else the model's, which is kept when it came whole."""
        key = reply_key(self._model.name, request)
        if (kept := self._kept(key)) is not None:
            return kept
        reply = self._model.reply(request)
        # A truncated reply is complete if only its first token was requested.
        if (reply.finish == _WHOLE or request.alternatives) and not reply.cached:
            self._keep(key, reply, request.about)
        return reply

    def _kept(self, key: str) -> ChatReply | None:
        try:
            text = self._get(key)
        except GoalmemError:
            return None
        return None if text is None else _read(text)

    def _keep(self, key: str, reply: ChatReply, about: Sequence[str]) -> None:
        values = asdict(reply)
        try:
            self._put(key, json.dumps({name: values[name] for name in _KEPT}), about)
        except GoalmemError:
            return  # as a store that is read-only or busy: the reply is there all the same


def reply_key(model: str, request: ChatRequest) -> str:
    """The key of a request to a model: a SHA-256 over all that its reply depends on, as 64 hexadecimal digits."""
    fields = {name: value for name, value in asdict(request).items() if name not in _NOT_IN_KEY}
    if not request.images:
        del fields["images"]  # as keys were before requests could show pictures
    content = json.dumps([model, fields], sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()


def _read(text: str) -> ChatReply | None:
    """The cached reply in `text`; None if it has another format, as of a later version."""
    try:
        values = json.loads(text)
        return ChatReply(**values, seconds=0.0, cached=True) if isinstance(values.get("text"), str) else None
    except (AttributeError, TypeError, ValueError):
        return None
