"""The calls of a chat model for one question, their estimated cost, and the replies that are kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from goalmem.answer import Estimate
from goalmem.errors import GoalmemError
from goalmem.models.chat import ChatLimits, ChatModel, ChatReply, ChatRequest, GuardedChat, Metered
from goalmem.models.connect import prices_of
from goalmem.models.tracing import TracedChat
from goalmem.questions.chat import longest_call

if TYPE_CHECKING:
    from goalmem.settings import Settings
    from goalmem.sources.chat.judgement_log import ReplyStore


USUAL = ("decompose", "unify", "read", "refine", "unify", "answer")
"""The calls of a question that one refinement solves."""
A_FACT = 160
"""Average characters of a fact in a prompt, for messages between people."""


def limited_model(model: ChatModel, settings: Settings, replies: ReplyStore | None, space: str) -> Metered:
    """Wrap a chat model for one question: protocol checks, tracing, stored replies if `replies` is given, counts and limits."""
    traced: ChatModel = TracedChat(GuardedChat(model))
    if replies is not None:
        get = partial(replies.cached_reply, space)
        traced = Cached(traced, get, partial(replies.keep_reply, space, most=settings.chat_kept))
    limits = ChatLimits(settings.ask_calls, settings.ask_tokens, settings.chat_seconds)
    return Metered(traced, limits=limits, prices=prices_of(settings))


def estimate(question: str, settings: Settings, *, by_chat: bool = True, goals: bool = True) -> Estimate:
    """Estimate the cost of a question from the prompts and the settings alone."""
    prices = prices_of(settings)
    tasks = _tasks(settings, goals=goals)
    prompts = replies = 0
    for task in tasks if by_chat else ():
        shown_facts = {"decompose": 0, "answer": 3, "refine": 3}.get(task, settings.chat_facts)
        asked, answered = longest_call(task, len(question) + shown_facts * A_FACT)
        prompts, replies = prompts + asked, replies + answered
    calls = min(settings.ask_calls, len(tasks)) if by_chat else 0
    most_calls = (settings.ask_calls if goals else 2) if by_chat else 0
    tokens, most = prompts + replies, settings.ask_tokens if by_chat else 0
    money = prices.of(prompts, replies) if prices is not None else None
    dearest = max(prices.of(most, 0), prices.of(0, most)) if prices is not None else None
    return Estimate(calls, min(tokens, most), most_calls, most, money, dearest)


def _tasks(settings: Settings, *, goals: bool) -> tuple[str, ...]:
    """The calls that a question usually takes."""
    if not settings.chat_reads:
        return ("decompose",) if goals else ()
    return tuple(t for t in USUAL if t != "answer" or settings.chat_wording) if goals else ("read",)


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
