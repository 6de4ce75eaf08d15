"""The calls of a chat model for one question, and their estimated cost."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from goalmem.answer import Estimate
from goalmem.models.chat import ChatLimits, ChatModel, GuardedChat, Metered
from goalmem.models.chat_cache import Cached
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
