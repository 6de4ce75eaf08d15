"""Of chat messages, terse and in lower case, nothing is proved that they do not say; what they say is found."""

from __future__ import annotations

import pytest

from goalmem import Memory
from goalmem.language import Analyzer
from tests.metamorphosis.chats import Chat, Reply, chats, replies

SAMPLED = (1, pytest.param(2, marks=pytest.mark.thorough))
"""Chats a kind; `python -m tests.metamorphosis --chats` asks all."""
WRONG, FOUND = 0.05, 0.8
"""Most of the sample that may be proved wrongly, least that must be found where it is said."""


def sample(count: int) -> list[Chat]:
    """The first few of every kind."""
    by_kind: dict[str, list[Chat]] = {}
    for chat in chats():
        by_kind.setdefault(chat.kind, []).append(chat)
    return [chat for of_kind in by_kind.values() for chat in of_kind[:count]]


@pytest.fixture(scope="module", params=SAMPLED)
def replied(analyzer: Analyzer, request: pytest.FixtureRequest) -> list[Reply]:
    return replies(Memory(":memory:", analyzer=analyzer), sample(request.param))


def test_what_chats_do_not_say_is_not_proved(replied: list[Reply]) -> None:
    wrong = [(r.chat.turns, r.chat.question, r.open) for r in replied if r.wrong]
    assert len(wrong) <= WRONG * len(replied), wrong


def test_what_chats_say_is_found(replied: list[Reply]) -> None:
    missed = [(r.chat.stating, r.chat.question, r.stated) for r in replied if not r.found]
    assert len(missed) <= (1 - FOUND) * len(replied), missed
