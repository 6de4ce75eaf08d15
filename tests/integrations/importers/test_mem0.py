"""mem0's memories: each a message of its user, on its day."""

from pathlib import Path

import pytest

from goalmem.errors import FormatError
from goalmem.integrations.importers import Chat, ImportOptions, Reading, read
from tests.integrations.importers.exports import written

TEA = {"id": "1", "memory": "Likes tea", "user_id": "maya", "created_at": "2024-05-01T23:00:00-07:00", "hash": "h"}
BOAT = {
    "id": "2",
    "memory": "Has a boat",
    "user_id": "tom",
    "created_at": "2024-05-02T10:00:00-07:00",
    "metadata": None,
}


def chats(path: Path, value: object) -> list[Chat]:
    return list(read(written(path / "m.json", value, indent=1)))


@pytest.mark.parametrize(
    "value",
    [
        {"results": [TEA, BOAT], "relations": []},
        {"count": 2, "next": None, "previous": None, "results": [TEA, BOAT]},
        {"memories": [TEA, BOAT]},
        [TEA, BOAT],
        [{"id": r["id"], "payload": {**r, "data": r["memory"], "memory": None}} for r in (TEA, BOAT)],
        {"data": [{"content": r["memory"], **{k: r[k] for k in ("id", "user_id", "created_at")}} for r in (TEA, BOAT)]},
    ],
)
def test_every_form_of_export(tmp_path: Path, value: object):
    found = chats(tmp_path, value)
    assert [(c.user, c.key) for c in found] == [("maya", "mem0/maya/2024-05-01"), ("tom", "mem0/tom/2024-05-02")]
    [message] = found[0].messages
    assert (message["content"], message["name"], message["id"]) == ("Likes tea", "maya", "1")
    assert message["at"].isoformat() == "2024-05-01T23:00:00-07:00"


def test_runs_agents_and_actors(tmp_path: Path):
    of_agent = {"id": "3", "memory": "Answers in Norwegian", "agent_id": "helper", "run_id": "r1"}
    of_actor = {"id": "4", "memory": "Prefers trains", "user_id": "team", "actor_id": "ana", "role": "user"}
    found = chats(tmp_path, [of_agent, of_actor])
    assert [(c.key, c.user) for c in found] == [("r1", "helper"), ("mem0/team", "team")]
    assert [(c.messages[0]["role"], c.messages[0]["name"]) for c in found] == [("assistant", "helper"), ("user", "ana")]


def test_memories_of_a_day_are_one_session(tmp_path: Path):
    [chat] = chats(tmp_path, [TEA, TEA | {"id": "5", "memory": "Likes rye bread"}])
    assert len(chat.messages) == 2


def test_an_empty_memory_is_passed_over(tmp_path: Path):
    reading = Reading()
    path = written(tmp_path / "m.json", [TEA, TEA | {"id": "6", "memory": ""}])
    assert len(list(read(path, reading=reading))) == 1
    assert reading.passed_over == {"empty": 1}


@pytest.mark.parametrize("bad", [{"id": "9"}, "text", TEA | {"created_at": "whenever"}])
def test_what_is_no_memory_is_refused_with_its_line(tmp_path: Path, bad: object):
    with pytest.raises(FormatError, match=r"m\.json, line 9, column 2 \(entry 2\)"):
        chats(tmp_path, [TEA, bad])
    reading = Reading(ImportOptions(skip_bad=True))
    assert len(list(read(tmp_path / "m.json", reading=reading))) == 1
    assert reading.bad == 1
