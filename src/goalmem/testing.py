"""Chat models for tests: one that answers from a script, and one that fails on purpose.

Neither contacts anything. `ScriptedChat` stands where a chat model is asked for; `FaultyChat` wraps one and spoils some
of its replies, so that a test can show what a program does then.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

from goalmem.errors import ChatError, ChatRefusedError, ChatReplyError, ChatUnavailableError, InputError
from goalmem.models.chat import ChatModel, ChatReply, ChatRequest, tokens_in

__all__ = ["Fault", "FaultyChat", "Line", "ScriptedChat"]

Line: TypeAlias = str | Mapping[str, object] | ChatReply | ChatError
"""A scripted reply: a text, a mapping that is encoded as JSON, a whole reply, or an error to raise."""

Fault = Literal[
    "unavailable", "refused", "empty", "refusal", "cut off", "not json", "other json", "fenced", "null", "numbers"
]
"""Kinds of faults in a reply.

`unavailable`, `refused` and `empty` raise what a client raises then. `refusal` is a polite one, `cut off` ends after
half of the text. `not json` and `other json` are text and JSON that have nothing to do with the schema, `fenced` is the
right reply in a Markdown fence after a sentence; `null` and `numbers` are the right JSON whose every string is null, or a number.
"""

_REFUSAL = "I'm sorry, but I can't help with that."


class ScriptedChat:
    """A chat model whose replies are given beforehand; `requests` holds what it was asked, in order.

    The script is one of:

    - a function from a request to a line, or to None when it has nothing to say;
    - a mapping from `ChatRequest.task` to a line, to lines to give one after another, or to such a function;
    - lines to give one after another, whatever the task.

    When the script has nothing to say, or no more, the reply is ChatReplyError; so a test never waits.
    """

    takes_images = True

    def __init__(
        self,
        script: Callable[[ChatRequest], Line | None]
        | Mapping[str, Line | Iterable[Line] | Callable[[ChatRequest], Line | None]]
        | Iterable[Line],
        *,
        name: str = "scripted",
    ) -> None:
        self.name = name
        self.requests: list[ChatRequest] = []
        self._lock = threading.Lock()
        self._all: Callable[[ChatRequest], Line | None] | None = None
        self._by_task: dict[str, Callable[[ChatRequest], Line | None]] = {}
        if isinstance(script, Mapping):
            self._by_task = {task: _speaker(lines) for task, lines in script.items()}
        else:
            self._all = _speaker(script)

    def reply(self, request: ChatRequest) -> ChatReply:
        """The next line of the script for this request."""
        with self._lock:
            self.requests.append(request)
            speaker = self._all or self._by_task.get(request.task)
            line = speaker(request) if speaker else None
        if line is None:
            raise ChatReplyError(
                f"The script has nothing to say to the task {request.task!r} (request {len(self.requests)}).",
                "Give it a line for it.",
            )
        if isinstance(line, ChatError):
            raise line
        if isinstance(line, ChatReply):
            return line
        text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
        prompt = tokens_in(request.system) + tokens_in(request.user)
        return ChatReply(text, prompt, tokens_in(text), 0.0, "stop", model=self.name)

    @property
    def asked(self) -> Counter[str]:
        """Number of requests by task."""
        with self._lock:
            return Counter(request.task for request in self.requests)


def _speaker(
    lines: Line | Iterable[Line] | Callable[[ChatRequest], Line | None],
) -> Callable[[ChatRequest], Line | None]:
    """Normalise a script to a function. A single reply answers every request."""
    if isinstance(lines, (str, Mapping, ChatReply, ChatError)):
        return lambda _: lines
    if callable(lines):
        return lines
    rest = iter(lines)
    return lambda _: next(rest, None)


class FaultyChat:
    """A chat model of which a share of the calls goes wrong. Which ones, and how, follows from the seed and the request.

    The same request fails in the same way each time it is asked, in any order and from any thread; one asked again with
    other words may not. `faults` counts what was done.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        share: float = 1.0,
        faults: Iterable[Fault] = get_args(Fault),
        seed: int = 0,
    ) -> None:
        """`share` of the calls, 0 to 1, gets one of `faults`. Raises InputError for an unknown fault."""
        self._model = model
        self._share = share
        self._kinds = tuple(faults)
        self._seed = seed
        self._lock = threading.Lock()
        self.faults: Counter[str] = Counter()
        if unknown := set(self._kinds) - set(get_args(Fault)):
            raise InputError(
                f"There is no fault {', '.join(sorted(unknown))}.", f"Choose of: {', '.join(get_args(Fault))}."
            )

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._model.name

    def reply(self, request: ChatRequest) -> ChatReply:
        """The model's reply, possibly spoiled."""
        fault = self._fault(request)
        if fault is None:
            return self._model.reply(request)
        with self._lock:
            self.faults[fault] += 1
        if fault == "unavailable":
            raise ChatUnavailableError(
                "The chat model could not be reached (a fault made for a test).", "None is needed."
            )
        if fault == "refused":
            raise ChatRefusedError("The chat model refused the key (a fault made for a test).", "None is needed.")
        if fault == "empty":
            raise ChatReplyError("The chat model's reply is empty (a fault made for a test).", "None is needed.")
        return _spoiled(self._model.reply(request), fault)

    def _fault(self, request: ChatRequest) -> Fault | None:
        digest = hashlib.sha256(
            f"{self._seed}\0{request.task}\0{request.system}\0{request.user}".encode(errors="replace")
        )
        drawn = int.from_bytes(digest.digest()[:8], "big") / 2**64
        if not self._kinds or drawn >= self._share:
            return None
        return self._kinds[digest.digest()[8] % len(self._kinds)]


def _spoiled(reply: ChatReply, fault: Fault) -> ChatReply:
    """Apply a fault to a good reply."""
    if fault == "refusal":
        return replace(reply, text=_REFUSAL, finish="refusal")
    if fault == "cut off":
        return replace(reply, text=reply.text[: len(reply.text) // 2], finish="length")
    if fault == "not json":
        return replace(reply, text="Sure! Let me think about that step by step.")
    if fault == "other json":
        return replace(reply, text='{"result": ["ok"], "status": {"code": 200}}')
    if fault == "fenced":
        return replace(reply, text=f"Here is the JSON:\n```json\n{reply.text}\n```\n")
    try:
        value = json.loads(reply.text)
    except ValueError:
        return replace(reply, text="null")
    return replace(reply, text=json.dumps(_strings_as(value, None if fault == "null" else 7)))


def _strings_as(value: object, other: object) -> object:
    """A JSON value with `other` in place of every string."""
    if isinstance(value, str):
        return other
    if isinstance(value, dict):
        return {key: _strings_as(inner, other) for key, inner in value.items()}
    if isinstance(value, list):
        return [_strings_as(inner, other) for inner in value]
    return value
