"""What callers note about messages is kept, and narrows what is searched and reasoned about."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.errors import ConflictError, InputError

NOTED = [
    {"role": "user", "name": "Maya", "content": "I adopted a beagle named Rex.", "metadata": {"project": "x", "n": 3}},
    {
        "role": "user",
        "name": "Maya",
        "content": "I adopted a cat named Tom.",
        "metadata": {"project": "y"},
        "tags": ["pets"],
    },
    {"role": "user", "name": "Maya", "content": "I live in Oslo."},
]


@pytest.fixture(scope="module")
def memory() -> Memory:
    memory = Memory()
    memory.add(NOTED)
    memory.add({**NOTED[0], "content": "I adopted a parrot named Kiki."}, space="other")
    return memory


def test_everything_that_reads_is_narrowed_to_turns_that_meet_conditions(memory: Memory) -> None:
    where = {"project": "y"}
    assert [h.turn.text for h in memory.search("pets", where=where)] == [NOTED[1]["content"]]
    assert [h.turn.text for h in memory.recall("What did Maya adopt?", where=where)] == [NOTED[1]["content"]]
    assert [t.text for t in memory.get_all(where={"tags": "pets"}).items] == [NOTED[1]["content"]]
    assert "Rex" not in memory.context("What did Maya adopt?", where=where).text
    assert memory.ask("What did Maya adopt?", where=where).text == "cat"
    assert memory.ask("What did Maya adopt?", where={"n": {"$gte": 3}}).text == "beagle"
    assert not memory.ask("Where does Maya live?", where=where).known
    assert memory.ask("Where does Maya live?").text == "Oslo"


def test_a_proof_says_which_turns_were_asked_and_holds_of_these_alone(memory: Memory) -> None:
    proof = memory.ask("What did Maya adopt?", where={"project": "y"}).proof
    assert proof.where == {"project": "y"}
    assert memory.verify(proof).ok
    assert not memory.verify(proof.model_copy(update={"where": {"project": "x"}}).digested()).ok
    assert not memory.verify(proof.model_copy(update={"where": {"project": "x"}})).ok


def test_a_condition_is_not_met_by_what_equals_it_in_python_alone(memory: Memory) -> None:
    said = {"role": "user", "content": "The light is on.", "metadata": {"on": True}}
    memory.add(said, space="lights")
    assert [len(memory.search("light", space="lights", where={"on": w})) for w in (True, 1, "True")] == [1, 0, 0]


def test_pages_follow_one_another_and_end(memory: Memory) -> None:
    first = memory.get_all(limit=2)
    last = memory.get_all(limit=2, cursor=first.next)
    assert [t.text for t in (*first.items, *last.items)] == [m["content"] for m in NOTED]
    assert last.next is None
    with pytest.raises(InputError):
        memory.get_all(cursor="§")


def test_metadata_survives_export_and_import(memory: Memory, tmp_path: Path) -> None:
    memory.export(tmp_path / "all.jsonl")
    with Memory() as other:
        other.import_(tmp_path / "all.jsonl")
        assert other.get_all().items == memory.get_all().items


def test_other_metadata_for_a_known_message_is_refused(memory: Memory) -> None:
    assert memory.add(NOTED).new == 0
    with pytest.raises(ConflictError):
        memory.add([{**NOTED[0], "metadata": {"project": "z"}}])
    assert memory.get_all(where={"project": "z"}).items == []
