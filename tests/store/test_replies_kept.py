"""Kept replies are bounded; what proofs rest on stays."""

from __future__ import annotations

from pathlib import Path

from goalmem import Memory, Settings
from goalmem.language import Analyzer
from goalmem.models.minilm import MiniLM
from goalmem.store import open_store
from goalmem.testing import ScriptedChat

from .samples import DIMENSION, MODEL, batch, ids

READING: dict[str, object] = {
    "alternatives": [{"subgoals": ["(x:person) bought a canoe"], "answer": "x", "kind": "one", "order": ""}]
}


def test_the_oldest_replies_go_first(tmp_path: Path) -> None:
    store = open_store(tmp_path / "memory.db", model=MODEL, dimension=DIMENSION)
    made = batch(["My brother Joris bought a canoe."])
    store.add(made)
    for number in range(5):
        assert store.keep_reply("ana", f"k{number}", "a reply", ids(made), most=3)
    assert [store.cached_reply("ana", f"k{n}") for n in range(5)] == [None, None, *["a reply"] * 3]
    assert store.keep_reply("ana", "k2", "again", ids(made), most=3)
    assert store.keep_reply("ana", "k9", "new", ids(made), most=3)
    assert store.cached_reply("ana", "k2") == "again"
    assert store.cached_reply("ana", "k3") is None
    store.close()


def test_a_proof_holds_when_the_replies_that_made_it_are_gone(tmp_path: Path, analyzer: Analyzer) -> None:
    row = {"subgoal": 1, "fact": 1, "says": "yes", "values": [{"variable": "x", "value": "Joris"}]}
    replies: dict[str, dict[str, object]] = {
        "decompose": READING,
        "unify": {"bindings": [row], "conflicts": [], "unresolved": []},
        "answer": {"short": "Joris", "full": ""},
    }
    chat = ScriptedChat(lambda request: replies[request.task])
    place = tmp_path / "memory.goalmem"
    with Memory(place, analyzer=analyzer, settings=Settings(chat_kept=3), chat=chat) as memory:
        memory.add([{"role": "user", "name": "Petra", "content": "My brother Joris bought a canoe."}])
        answer = memory.ask("Who bought a canoe?")
        assert answer.text == "Joris"
        store = open_store(place, model=MiniLM().name, dimension=MiniLM().dimension)
        for number in range(4):
            assert store.keep_reply("default", f"k{number}", "a reply", answer.citations, most=3)
        store.close()
        asked = len(chat.requests)
        assert memory.verify(answer).ok
        assert memory.ask("Who bought a canoe?").text == "Joris"
        assert len(chat.requests) > asked
