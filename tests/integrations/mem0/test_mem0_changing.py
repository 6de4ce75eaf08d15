"""`update`, `delete`, `delete_all`, `reset` and the `history` they leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from goalmem import GoalmemError, InputError
from goalmem.integrations.mem0 import Memory, MemoryNotFoundError

from .conftest import MAYA, Opened, added, texts

FIELDS = {
    "id",
    "memory_id",
    "old_memory",
    "new_memory",
    "event",
    "created_at",
    "updated_at",
    "is_deleted",
    "actor_id",
    "role",
}


def told(memory: Memory, id_: str) -> list[tuple[str, str | None, str | None]]:
    return [(row["event"], row["old_memory"], row["new_memory"]) for row in memory.history(id_)]


def test_an_update_changes_words_facts_and_what_is_found(memory: Memory):
    id_ = added(memory, "I adopted a beagle.", metadata={"topic": "pets"})
    before = memory.get(id_)
    assert memory.update(id_, text="I adopted a poodle.") == {"message": "Memory updated successfully!"}
    kept = memory.get(id_)
    assert before is not None
    assert kept is not None
    assert kept["memory"] == "I adopted a poodle."
    assert kept["hash"] != before["hash"]
    assert kept["created_at"] == before["created_at"] < kept["updated_at"]
    assert kept["metadata"] == {"topic": "pets"}
    assert texts(memory.get_all(filters=MAYA)) == ["I adopted a poodle."]
    assert texts(memory.search("poodle", filters=MAYA)) == ["I adopted a poodle."]
    assert memory.ask("What did I adopt?", user_id="maya").text == "poodle"
    assert not memory.goalmem.search("beagle", space="maya")[0].signals.get("lexical")


def test_metadata_is_merged_and_proofs_still_hold(memory: Memory):
    id_ = added(memory, "I adopted a beagle.", metadata={"topic": "pets", "stars": 1})
    answer = memory.ask("What did I adopt?", user_id="maya")
    memory.update(id_, metadata={"stars": 2, "user_id": "ruben"}, expiration_date="2999-01-01")
    kept = memory.get(id_)
    assert kept is not None
    assert (kept["metadata"], kept["user_id"]) == ({"topic": "pets", "stars": 2}, "maya")
    assert kept["expiration_date"] == "2999-01-01"
    assert memory.goalmem.verify(answer.proof).ok
    assert texts(memory.get_all(filters={"user_id": "maya", "stars": 2})) == ["I adopted a beagle."]
    assert memory.get_all(filters={"user_id": "maya", "stars": 1}) == {"results": []}
    memory.update(id_, expiration_date=None)
    again = memory.get(id_)
    assert again is not None
    assert again["expiration_date"] is None
    assert again["metadata"] == {"topic": "pets", "stars": 2}


def test_metadata_survives_new_words_and_new_words_survive_metadata(memory: Memory):
    id_ = added(memory, "I like tea.", metadata={"a": 1})
    memory.update(id_, metadata={"b": 2})
    memory.update(id_, text="I like coffee.")
    memory.update(id_, metadata={"c": 3})
    kept = memory.get(id_)
    assert kept is not None
    assert (kept["memory"], kept["metadata"]) == ("I like coffee.", {"a": 1, "b": 2, "c": 3})
    assert told(memory, id_) == [
        ("ADD", None, "I like tea."),
        ("UPDATE", "I like tea.", "I like tea."),
        ("UPDATE", "I like tea.", "I like coffee."),
        ("UPDATE", "I like coffee.", "I like coffee."),
    ]


def test_data_is_an_older_name_of_text(memory: Memory):
    id_ = added(memory, "I like tea.")
    memory.update(id_, data="I like coffee.")
    assert texts(memory.get_all(filters=MAYA)) == ["I like coffee."]


def test_history_tells_every_event(memory: Memory):
    (row,) = memory.add([{"role": "user", "name": "Nadia", "content": "I like tea."}], infer=False, **MAYA)["results"]
    id_ = row["id"]
    memory.update(id_, text="I like coffee.")
    memory.update(id_, text="I like water.")
    rows = memory.history(id_)
    assert all(set(row) == FIELDS for row in rows)
    assert told(memory, id_) == [
        ("ADD", None, "I like tea."),
        ("UPDATE", "I like tea.", "I like coffee."),
        ("UPDATE", "I like coffee.", "I like water."),
    ]
    assert {row["memory_id"] for row in rows} == {id_}
    assert {(row["actor_id"], row["role"], row["is_deleted"]) for row in rows} == {("Nadia", "user", False)}
    assert len({row["created_at"] for row in rows}) == 1
    assert [row["updated_at"] for row in rows] == sorted(row["updated_at"] for row in rows)
    assert len({row["id"] for row in rows}) == 3
    assert memory.history(id_) == rows


def test_a_deleted_memory_is_gone_and_its_history_has_no_words(memory: Memory):
    id_ = added(memory, "I like tea.")
    memory.update(id_, text="I like coffee.")
    before = memory.history(id_)
    assert memory.delete(id_) == {"message": "Memory deleted successfully!"}
    assert memory.get(id_) is None
    assert memory.get_all(filters=MAYA) == {"results": []}
    assert memory.search("tea or coffee", filters=MAYA) == {"results": []}
    rows = memory.history(id_)
    assert told(memory, id_) == [("ADD", None, None), ("UPDATE", None, None), ("DELETE", None, None)]
    assert [row["id"] for row in rows[:2]] == [row["id"] for row in before]
    assert [row["is_deleted"] for row in rows] == [False, False, True]


def test_what_is_deleted_is_in_no_file_any_more(opened: Opened, tmp_path: Path):
    memory = opened(tmp_path / "life.db")
    secrets = ["Quetzalcoatlus", "Pachycephalosaurus", "Micropachycephalo", "Therizinosaurus"]
    id_ = added(memory, f"I like the {secrets[0]}.", metadata={"note": secrets[2]})
    other = added(memory, "I like tea.", metadata={"note": "kept"})
    memory.update(id_, text=f"I like the {secrets[1]}.")
    memory.update(id_, metadata={"more": secrets[3]})
    memory.delete(id_)
    memory.close()
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not [secret for secret in secrets if secret.encode() in files]
    assert memory.get(other) is not None


@pytest.mark.parametrize("id_", ["", "nonsense", "3f2c9a54-6d1b-4c8e-9a70-5b1de2f0c417", "\x00", "x" * 10_000])
def test_an_id_that_is_not_there(memory: Memory, id_: str):
    added(memory, "I like tea.")
    assert memory.get(id_) is None
    assert memory.history(id_) == []
    for call in (lambda: memory.update(id_, text="x"), lambda: memory.delete(id_)):
        with pytest.raises(ValueError, match="not found") as missing:
            call()
        assert isinstance(missing.value, MemoryNotFoundError)


@pytest.mark.parametrize("id_", [None, 5, b"x", ["x"]])
def test_what_is_no_id_is_refused(memory: Memory, id_: Any):
    for call in (memory.get, memory.history, memory.delete, lambda i: memory.update(i, text="x")):
        with pytest.raises(InputError, match="id"):
            call(id_)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"text": ""},
        {"text": 5},
        {"metadata": "x"},
        {"metadata": {"a": object()}},
        {"expiration_date": "soon"},
        {"text": "a" * 10_000_001},
    ],
)
def test_an_update_that_cannot_be_is_refused_whole(memory: Memory, options: dict[str, Any]):
    id_ = added(memory, "I like tea.", metadata={"a": 1})
    before = memory.get(id_)
    with pytest.raises(ValueError, match=r"\w") as refused:
        memory.update(id_, **options)
    assert isinstance(refused.value, GoalmemError)
    assert memory.get(id_) == before
    assert told(memory, id_) == [("ADD", None, "I like tea.")]


def test_delete_all_forgets_those_of_the_ids_given(memory: Memory):
    ours = [added(memory, f"I like number {n}.", run_id="r1") for n in range(3)]
    memory.update(ours[0], text="I like all numbers.")
    memory.add("I like tea.", **MAYA)
    memory.add("I like rain.", user_id="ruben", run_id="r1")
    assert memory.delete_all(run_id="r1", user_id="maya") == {"message": "Memories deleted successfully!"}
    assert texts(memory.get_all(filters=MAYA)) == ["I like tea."]
    assert texts(memory.get_all(filters={"user_id": "ruben"})) == ["I like rain."]
    assert [len(memory.history(id_)) for id_ in ours] == [3, 2, 2]
    memory.delete_all(run_id="r1")
    assert memory.get_all(filters={"user_id": "ruben"}) == {"results": []}
    memory.delete_all(user_id="nobody")
    assert texts(memory.get_all(filters=MAYA)) == ["I like tea."]


def test_delete_all_needs_an_id(memory: Memory):
    added(memory, "I like tea.")
    for ids in ({}, {"user_id": None}, {"user_id": ""}):
        with pytest.raises(ValueError, match=r"\w"):
            memory.delete_all(**ids)
    assert len(memory.get_all(filters=MAYA)["results"]) == 1


def test_delete_all_keeps_the_rules_of_a_space(memory: Memory):
    memory.goalmem.add_rules("Big people are rough.", space="maya")
    added(memory, "I like tea.")
    memory.delete_all(user_id="maya")
    assert memory.goalmem.rules(space="maya")


def test_reset_forgets_everything(memory: Memory):
    id_ = added(memory, "I like tea.")
    memory.update(id_, text="I like coffee.")
    memory.add("I like rain.", agent_id="guide")
    memory.reset()
    assert memory.goalmem.spaces() == []
    assert (memory.get(id_), memory.history(id_)) == (None, [])
    assert memory.get_all(filters={"agent_id": "guide"}) == {"results": []}
    added(memory, "I like tea again.")
    assert texts(memory.get_all(filters=MAYA)) == ["I like tea again."]
