"""Chat models: the protocol, requests and replies, and the costs of a question's calls."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from typing import Any, Protocol

from goalmem.errors import (
    ChatBudgetError,
    ChatError,
    ChatRefusedError,
    ChatReplyError,
    ChatUnavailableError,
    InputError,
)

FINAL = (ChatUnavailableError, ChatRefusedError, ChatBudgetError)
"""After one of these errors, further calls for the question would fail, too."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request to a chat model: instructions and material."""

    task: str
    """Purpose of the call, such as `decompose` or `unify`; used in counts, caches and events, never sent."""
    system: str
    """The instructions."""
    user: str
    """The material. Contents of memory appear here, quoted as data, and never in `system`."""
    schema: Mapping[str, Any] | None = None
    """JSON schema of the reply wanted; None asks for free text. A hope, not a promise: the caller validates."""
    schema_name: str = "reply"
    """Letters, digits, `_` and `-`. What an endpoint was found to take is remembered under it."""
    max_tokens: int = 512
    """Longest reply, in the model's tokens."""
    temperature: float = 0.0
    seed: int = 0
    alternatives: int = 0
    """Number of candidates for the reply's first token to return with probabilities (`ChatReply.first`)."""
    about: tuple[str, ...] = ()
    """Ids of the turns whose text it holds: a kept reply is forgotten with any of them. Never sent."""
    seconds: float | None = None
    """Timeout of the call, if lower than the model's own. Never sent."""
    images: tuple[str, ...] = ()
    """Addresses of pictures (`https:` or `data:`) that are shown behind the material; for models whose `takes_images` is true."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A reply of a chat model, and its cost."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    """Wall-clock time of the call, retries and waiting included."""
    finish: str
    """Finish reason: `stop`, `length` (cut off at `max_tokens`), `refusal`, or another value of the endpoint."""
    cached: bool = False
    """True when no model was asked: the reply was kept from an earlier call."""
    model: str = ""
    """The model that answered, as the endpoint names it."""
    estimated: bool = False
    """True when the endpoint did not count tokens, and the counts are estimates from the length of the texts."""
    first: Mapping[str, float] = field(default_factory=dict)
    """Candidates of the first token with probabilities in [0, 1]; empty unless requested and supported."""


class ChatModel(Protocol):
    """Answers requests. Safe to call from several threads."""

    @property
    def name(self) -> str:
        """Identifies the model and who serves it; part of the key under which replies are kept. Holds no secret."""

    def reply(self, request: ChatRequest) -> ChatReply:
        """The model's reply.

        A truncated or refused reply is returned, with `finish` set; the caller decides what to do with it.

        Raises:
            ChatError: one of its subclasses; nothing else leaves a chat model.
        """


@dataclass(frozen=True, slots=True)
class Usage:
    """Total cost of the calls of a chat model."""

    calls: int = 0
    """Calls that asked the model, those that failed included."""
    cached: int = 0
    """Replies from the cache; they cost nothing and are counted nowhere else."""
    failed: int = 0
    """Calls that raised a ChatError."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    """The calls' times added up: more than the clock shows where they ran side by side."""
    money: float | None = None
    """None when no price is set."""
    estimated: bool = False
    """True when some tokens are estimates."""
    by_task: Mapping[str, Usage] = field(default_factory=dict)
    """The same by `ChatRequest.task`."""

    @property
    def tokens(self) -> int:
        """Prompt and reply tokens."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        """Both together, without their tasks."""
        return Usage(
            self.calls + other.calls,
            self.cached + other.cached,
            self.failed + other.failed,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
            _sum(self.money, other.money),
            self.estimated or other.estimated,
        )

    def as_dict(self) -> dict[str, Any]:
        """The counts as JSON takes them."""
        counts = asdict(self)
        for part in counts["by_task"].values():
            del part["by_task"]
        return counts


@dataclass(frozen=True, slots=True)
class ChatLimits:
    """Limits for all calls of a question; None means unlimited."""

    calls: int | None = None
    tokens: int | None = None
    """Prompt and reply tokens."""
    seconds: float | None = None
    """By the clock, from when the `Metered` was made."""
    money: float | None = None
    """Needs prices."""


class Metered:
    """A chat model whose calls are counted, and refused once their limits are spent. Make one for each question.

    A call starts only if no limit is exhausted, including reserves for running calls. So the number of calls is never
    exceeded, and tokens and money by no more than one call.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        limits: ChatLimits | None = None,
        prices: Prices | None = None,
    ) -> None:
        """Raises InputError where money is limited and no price is given."""
        self._limits = limits or ChatLimits()
        if self._limits.money is not None and prices is None:
            raise InputError(
                "Money is limited, and no price of the chat model is set.",
                "Set GOALMEM_CHAT_PRICE_IN and GOALMEM_CHAT_PRICE_OUT, or limit calls or tokens.",
            )
        self._model = model
        self._prices = prices
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._by_task: dict[str, Usage] = {}
        self._tickets = count()
        self._under_way: dict[int, ChatRequest] = {}

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._model.name

    @property
    def usage(self) -> Usage:
        """Cost of the finished calls."""
        with self._lock:
            return self._total()

    def reply(self, request: ChatRequest) -> ChatReply:
        """The model's reply, counted. Raises ChatBudgetError, without a call, when a limit is spent."""
        began = time.monotonic()
        ticket, admitted = self._admit(request)
        used: Usage | None = None
        try:
            reply = self._model.reply(admitted)
            used = self._usage_of(reply)
        except ChatError:
            used = Usage(1, failed=1, seconds=time.monotonic() - began, money=self._nothing)
            raise
        finally:
            with self._lock:
                del self._under_way[ticket]
                if used is not None:  # else it was broken off
                    self._by_task[request.task] = self._by_task.get(request.task, Usage()) + used
        return reply

    def _admit(self, request: ChatRequest) -> tuple[int, ChatRequest]:
        """Put the call down as under way; gives the request the time that is left."""
        with self._lock:
            spent, allowed = self._spent(), self._limits
            for what, used, limit in (
                ("calls", spent.calls, allowed.calls),
                ("tokens", spent.tokens, allowed.tokens),
                ("seconds", time.monotonic() - self._began, allowed.seconds),
                ("money", spent.money or 0.0, allowed.money),
            ):
                if limit is not None and used >= limit:
                    raise ChatBudgetError(
                        f"The chat model's limit of {limit:g} {what} for this question is spent; {request.task!r} was not asked.",
                        f"Allow more {what}, or do without that call.",
                    )
            ticket = next(self._tickets)
            self._under_way[ticket] = request
        if allowed.seconds is None:
            return ticket, request
        left = self._began + allowed.seconds - time.monotonic()
        return ticket, replace(request, seconds=left if request.seconds is None else min(left, request.seconds))

    def _usage_of(self, reply: ChatReply) -> Usage:
        """Cost of one call."""
        if reply.cached:
            return Usage(cached=1, money=self._nothing)
        asked, answered = reply.prompt_tokens, reply.completion_tokens
        money = None if self._prices is None else self._prices.of(asked, answered)
        return Usage(1, 0, 0, asked, answered, reply.seconds, money, reply.estimated)

    @property
    def _nothing(self) -> float | None:
        """No money; None where it is not counted."""
        return None if self._prices is None else 0.0

    def _total(self) -> Usage:
        total = sum(self._by_task.values(), Usage(money=self._nothing))
        return replace(total, by_task=dict(self._by_task))

    def _spent(self) -> Usage:
        """Cost of the finished calls plus an upper bound for the running ones."""
        asked = sum(tokens_in(r.system) + tokens_in(r.user) for r in self._under_way.values())
        answered = sum(r.max_tokens for r in self._under_way.values())
        money = None if self._prices is None else self._prices.of(asked, answered)
        return self._total() + Usage(len(self._under_way), prompt_tokens=asked, completion_tokens=answered, money=money)


def _sum(one: float | None, other: float | None) -> float | None:
    """The sum of the known values."""
    return one if other is None else other + (one or 0.0)


ALTERNATIVES = 20
"""Candidates of the first token: the most that OpenAI gives."""
LONGEST = 4
"""Tokens of a reply that is one word, where an endpoint gives no probabilities."""
LEAST_SHARE = 0.5
"""Minimum total probability of all choices as the first token; below it, the reply is something else."""
AROUND = " \t\r\n\"'`*[]().:"
"""Characters that models put around a word."""


@dataclass(frozen=True, slots=True)
class ChoiceShares:
    """The choice of a model."""

    shares: tuple[float, ...]
    """Probability of each choice; they sum to 1. If not measured, 1 for the chosen one."""
    measured: bool
    """True if the shares are probabilities from the model, not only its choice."""


def chosen(model: ChatModel, request: ChatRequest, choices: Sequence[Sequence[str]]) -> ChoiceShares | None:
    """The model's choice, in a request that asks for one of some words. Each choice: the ways in which it may be spelled.

    None when it says none of them. Raises ChatError.
    """
    reply = model.reply(replace(request, schema=None, max_tokens=LONGEST, alternatives=ALTERNATIVES))
    if reply.first:
        shares = _shares(reply.first, choices)
        return ChoiceShares(shares, True) if shares else None
    said = reply.text.strip(AROUND).casefold()
    place = next((n for n, words in enumerate(choices) if any(said.startswith(word) for word in words)), None)
    return None if place is None else ChoiceShares(tuple(float(n == place) for n in range(len(choices))), False)


def _shares(first: Mapping[str, float], choices: Sequence[Sequence[str]]) -> tuple[float, ...] | None:
    """The softmax over the choices' log-probabilities; a token counts for the one choice of which it begins a word."""
    found = [0.0] * len(choices)
    for token, probability in first.items():
        begun = token.strip(AROUND).casefold()
        meant = [n for n, words in enumerate(choices) if begun and any(word.startswith(begun) for word in words)]
        if len(meant) == 1:
            found[meant[0]] += probability
    total = sum(found)
    return tuple(share / total for share in found) if total >= LEAST_SHARE else None


REMEDY = "A chat model gives a ChatReply or raises a ChatError (goalmem.models.chat)."


class GuardedChat:
    """A chat model held to its protocol. What it breaks with is named by its type: its text may hold a key or a turn."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """Name of the model, or its type if it has no name."""
        try:
            return str(self._model.name)
        except Exception:  # noqa: BLE001 - whatever it is, it is not the caller's
            return type(self._model).__name__

    def reply(self, request: ChatRequest) -> ChatReply:
        """See `ChatModel.reply`."""
        try:
            reply = self._model.reply(request)
        except ChatError:
            raise
        except Exception as error:  # noqa: BLE001 - the same
            broken = type(error).__name__
        else:
            if _whole(reply):
                return reply
            broken = f"a reply that is none ({type(reply).__name__})"
        raise ChatReplyError(f"The chat model {self.name} broke with {broken}.", REMEDY)


def _whole(reply: object) -> bool:
    """True if it is a reply, with a text and counts that can be added up."""
    if not isinstance(reply, ChatReply):
        return False
    text: object = reply.text
    counts: tuple[object, ...] = (reply.prompt_tokens, reply.completion_tokens, reply.seconds)
    return isinstance(text, str) and all(isinstance(n, int | float) and n >= 0 for n in counts)


_BYTES_PER_TOKEN = 4
"""Approximate, for English text with common tokenizers. Bytes rather than characters, since other scripts need more
tokens.
"""
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Money for a million tokens, in any one currency."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Cost of these tokens."""
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / _MILLION


def tokens_in(text: str) -> int:
    """About how many tokens a text is, without its model's tokenizer; for English within a third or so."""
    return math.ceil(len(text.encode(errors="replace")) / _BYTES_PER_TOKEN)


def object_in(text: str) -> str:
    """The outermost object of a reply that may have words or a fence around it."""
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text
