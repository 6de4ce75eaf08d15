"""Calls are counted, priced, reported, and refused once their limits are spent."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import ChatBudgetError, ChatError, ChatUnavailableError, InputError
from goalmem.models.chat import (
    ChatLimits,
    ChatReply,
    ChatRequest,
    Metered,
    Prices,
    Usage,
    tokens_in,
)
from goalmem.testing import ScriptedChat

PRICES = Prices(prompt=2.0, completion=10.0)
DOWN = ChatUnavailableError("The model is down.", "Start it.")


def asks(task: str = "unify", user: str = "x" * 40, **more: object) -> ChatRequest:
    return ChatRequest(task, "", user, **more)


def answer(text: str = "ok", prompt: int = 100, completion: int = 20, **more: object) -> ChatReply:
    return ChatReply(text, prompt, completion, 0.5, "stop", **more)


def test_calls_are_counted_by_task():
    script = {
        "decompose": answer(),
        "unify": [answer(), DOWN, answer(cached=True), answer(estimated=True)],
    }
    metered = Metered(ScriptedChat(script), prices=PRICES)
    for task in ("decompose", "unify", "unify", "unify", "unify"):
        with suppress(ChatError):
            metered.reply(asks(task))
    usage = metered.usage
    assert (usage.calls, usage.cached, usage.failed, usage.tokens) == (4, 1, 1, 360)
    assert usage.money == pytest.approx(3 * (100 * 2 + 20 * 10) / 1e6)
    assert usage.estimated
    assert usage.seconds >= 1.5
    assert {task: part.calls for task, part in usage.by_task.items()} == {"decompose": 1, "unify": 3}
    assert json.loads(json.dumps(usage.as_dict()))["by_task"]["decompose"]["prompt_tokens"] == 100


def test_without_prices_money_is_unknown():
    metered = Metered(ScriptedChat([answer(), answer(cached=True)]))
    assert metered.usage == Usage()
    metered.reply(asks())
    metered.reply(asks())
    assert metered.usage.money is None
    with pytest.raises(InputError, match="GOALMEM_CHAT_PRICE_IN"):
        Metered(ScriptedChat([]), limits=ChatLimits(money=1.0))


@pytest.mark.parametrize(
    ("limits", "spent", "made"),
    [
        (ChatLimits(calls=3), "calls", 3),
        (ChatLimits(calls=0), "calls", 0),
        (ChatLimits(tokens=300), "tokens", 3),
        (ChatLimits(money=0.0004), "money", 1),
        (ChatLimits(seconds=0.0), "seconds", 0),
    ],
)
def test_a_spent_limit_refuses_and_asks_nobody(limits: ChatLimits, spent: str, made: int):
    model = ScriptedChat(lambda _: answer())
    metered = Metered(model, limits=limits, prices=PRICES)
    for _ in range(made):
        metered.reply(asks())
    for _ in range(2):
        with pytest.raises(ChatBudgetError, match=f"limit of .* {spent} .* is spent"):
            metered.reply(asks())
    assert len(model.requests) == made == metered.usage.calls


def test_what_is_kept_costs_nothing():
    metered = Metered(ScriptedChat(lambda _: answer(cached=True)), limits=ChatLimits(calls=1, tokens=1))
    for _ in range(5):
        metered.reply(asks())
    assert (metered.usage.calls, metered.usage.cached, metered.usage.tokens) == (0, 5, 0)


def test_a_call_has_the_time_that_is_left():
    model = ScriptedChat(lambda _: answer())
    metered = Metered(model, limits=ChatLimits(seconds=60.0))
    metered.reply(asks())
    metered.reply(asks(seconds=5.0))
    metered.reply(asks(seconds=500.0))
    first, second, third = (request.seconds for request in model.requests)
    assert 50 < first <= 60
    assert second == 5.0
    assert 50 < third <= first


def test_calls_side_by_side_never_exceed_their_number():
    together = threading.Barrier(4, timeout=10)

    def slow(_: ChatRequest) -> ChatReply:
        together.wait()
        return answer()

    model = SideBySide(slow)
    metered = Metered(model, limits=ChatLimits(calls=4))

    def ask(_: int) -> bool:
        try:
            metered.reply(asks())
        except ChatBudgetError:
            return False
        return True

    with ThreadPoolExecutor(12) as pool:
        assert sum(pool.map(ask, range(12))) == 4
    assert model.calls == metered.usage.calls == 4


def test_tokens_of_calls_under_way_are_set_aside():
    began = threading.Event()
    go_on = threading.Event()

    def slow(_: ChatRequest) -> ChatReply:
        began.set()
        assert go_on.wait(10)
        return answer(prompt=10, completion=5)

    metered = Metered(SideBySide(slow), limits=ChatLimits(tokens=100))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(metered.reply, asks(max_tokens=512))
        assert began.wait(10)
        with pytest.raises(ChatBudgetError):
            metered.reply(asks())
        go_on.set()
        first.result(10)
    metered.reply(asks())
    assert metered.usage.tokens == 30


def test_a_call_that_is_broken_off_is_no_longer_under_way():
    def interrupted(_: ChatRequest) -> ChatReply:
        raise KeyboardInterrupt

    metered = Metered(SideBySide(interrupted), limits=ChatLimits(calls=1))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            metered.reply(asks())
    assert metered.usage.calls == 0


class SideBySide:
    """A chat model that several threads ask at once; a `ScriptedChat` answers one after another."""

    name = "side by side"

    def __init__(self, answer_: object) -> None:
        self._answer = answer_
        self._lock = threading.Lock()
        self.calls = 0

    def reply(self, request: ChatRequest) -> ChatReply:
        with self._lock:
            self.calls += 1
        return self._answer(request)


# what calls may cost


@given(st.text(), st.text())
def test_tokens_grow_with_the_text(one: str, other: str):
    assert tokens_in(one) <= tokens_in(one + other) <= tokens_in(one) + tokens_in(other)
    assert (tokens_in(one) == 0) == (one == "")


def test_the_clock_of_a_question_starts_with_it():
    metered = Metered(ScriptedChat(lambda _: answer()), limits=ChatLimits(seconds=0.05))
    metered.reply(asks())
    time.sleep(0.06)
    with pytest.raises(ChatBudgetError, match="seconds"):
        metered.reply(asks())
