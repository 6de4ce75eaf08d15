"""Kept replies are bounded; what proofs rest on stays."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goalmem import Memory, Settings
from goalmem.language import Analyzer
from goalmem.testing import ScriptedChat

READING: dict[str, object] = {
    "alternatives": [{"subgoals": ["(x:person) bought a canoe"], "answer": "x", "kind": "one", "order": ""}]
}


@pytest.fixture
def memory(analyzer: Analyzer) -> Iterator[Memory]:
    """A memory that keeps three replies."""
    with Memory(analyzer=analyzer, settings=Settings(chat_kept=3)) as opened:
        opened.add([{"role": "user", "name": "Petra", "content": "My brother Joris bought a canoe."}])
        yield opened


def test_the_oldest_replies_go_first(memory: Memory) -> None:
    store, (turn, *_) = memory._store, memory.search("canoe")
    for number in range(5):
        assert store.keep_reply("default", f"k{number}", "a reply", [turn.turn.id], most=3)
    assert [store.cached_reply("default", f"k{n}") for n in range(5)] == [None, None, *["a reply"] * 3]
    assert store.keep_reply("default", "k2", "again", [turn.turn.id], most=3)
    assert store.keep_reply("default", "k9", "new", [turn.turn.id], most=3)
    assert store.cached_reply("default", "k2") == "again"
    assert store.cached_reply("default", "k3") is None


def test_a_proof_holds_when_the_replies_that_made_it_are_gone(memory: Memory) -> None:
    row = {"subgoal": 1, "fact": 1, "says": "yes", "values": [{"variable": "x", "value": "Joris"}]}
    replies: dict[str, dict[str, object]] = {
        "decompose": READING,
        "unify": {"bindings": [row], "conflicts": [], "unresolved": []},
        "answer": {"short": "Joris", "full": ""},
    }
    chat = ScriptedChat(lambda request: replies[request.task])
    memory._given_chat = chat
    answer = memory.ask("Who bought a canoe?")
    assert answer.text == "Joris"
    turn = answer.citations[0]
    for number in range(4):
        memory._store.keep_reply("default", f"k{number}", "a reply", [turn], most=3)
    asked = len(chat.requests)
    assert memory.verify(answer).ok
    assert memory.ask("Who bought a canoe?").text == "Joris"
    assert len(chat.requests) > asked
