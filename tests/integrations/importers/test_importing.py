"""Into a memory: each conversation a session at its time, once, whatever is imported again, and nothing across users."""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from goalmem import Memory
from goalmem.errors import FormatError, InputError
from goalmem.integrations.importers import ImportOptions, import_history, look_through
from goalmem.language import Analyzer
from tests.integrations.importers.exports import chatgpt, chatgpt_node, written

TEA = {"id": "1", "memory": "Maya likes tea.", "user_id": "maya", "created_at": "2024-05-01T12:00:00Z"}
BOAT = {"id": "2", "memory": "Tom has a boat.", "user_id": "tom", "created_at": "2024-05-02T12:00:00Z"}


@pytest.fixture
def memory(analyzer: Analyzer) -> Iterator[Memory]:
    with Memory(analyzer=analyzer) as memory:
        yield memory


def talk(*texts: str, title: str = "Dog talk", id_: str = "c1") -> dict:
    nodes = [
        chatgpt_node(f"{id_}-{n}", f"{id_}-{n - 1}" if n else "root", "user", text) for n, text in enumerate(texts)
    ]
    return chatgpt(*nodes, title=title, id_=id_)


def test_conversations_become_sessions_at_their_time(memory: Memory, tmp_path: Path):
    path = written(
        tmp_path / "c.json", [talk("I adopted a beagle last Friday.", "Her name is Luna."), talk("I sail.", id_="c2")]
    )
    seen: list[tuple[str, int, int]] = []
    report = import_history(memory, path, options=ImportOptions(name="Maya"), progress=lambda *told: seen.append(told))
    assert (report.format, report.conversations, report.messages, report.new, report.known) == ("chatgpt", 2, 3, 3, 0)
    assert memory.sessions()[0][::2] == ("Dog talk (c1)", 2)
    assert ("storing", 3, 3) in seen
    [hit] = memory.search("a beagle", k=1, speakers=["Maya"])
    assert (hit.turn.session, hit.turn.at.isoformat()) == ("Dog talk (c1)", "2024-05-01T12:00:00+00:00")


def test_importing_again_adds_what_is_new(memory: Memory, tmp_path: Path):
    path = written(tmp_path / "c.json", [talk("I sail.")])
    import_history(memory, path)
    again = import_history(memory, path)
    assert (again.new, again.known) == (0, 1)
    written(path, [talk("I sail.", "I ski, too.", title="Sports"), talk("Hello.", id_="c2")])
    later = import_history(memory, path)
    assert (later.new, later.known) == (2, 1)
    assert [name for name, _, _ in memory.sessions()] == ["Dog talk (c1)", "Dog talk (c2)"]


def test_a_changed_message_stays_as_it_was_and_is_told(memory: Memory, tmp_path: Path):
    path = written(tmp_path / "c.json", [talk("I sail.", "I ski.")])
    import_history(memory, path)
    written(path, [talk("I sail a lot.", "I ski.", "I swim.")])
    report = import_history(memory, path)
    assert (report.new, report.known, report.changed) == (1, 2, 1)
    assert [hit.turn.text for hit in memory.search("sail", k=1)] == ["I sail."]


def test_a_bad_export_is_refused_whole(memory: Memory, tmp_path: Path):
    path = written(tmp_path / "c.json", [talk("I sail."), {"title": "broken"}])
    with pytest.raises(FormatError):
        import_history(memory, path)
    assert memory.spaces() == []
    report = import_history(memory, path, options=ImportOptions(skip_bad=True))
    assert (report.new, report.bad) == (1, 1)


def test_what_cannot_be_stored_is_named_with_its_place(memory: Memory, tmp_path: Path):
    path = written(tmp_path / "c.json", [talk("I sail.")])
    with pytest.raises(FormatError, match=r"c\.json, line 1.* the message 'c1-0': Message 0 has 7 characters"):
        look_through(path, longest=5)


def test_users_are_never_put_together_unasked(memory: Memory, tmp_path: Path):
    path = written(tmp_path / "m.json", {"results": [TEA, BOAT]})
    with pytest.raises(InputError, match="2 users said"):
        import_history(memory, path)
    assert memory.spaces() == []
    import_history(memory, path, space="of {user}")
    assert sorted(memory.spaces()) == ["of maya", "of tom"]
    import_history(memory, path, space="team")
    assert len(memory.sessions(space="team")) == 2


def test_one_user_needs_no_space(memory: Memory, tmp_path: Path):
    import_history(memory, written(tmp_path / "m.json", [TEA]))
    assert memory.spaces() == ["default"]


def test_where_nobody_is_named_there_is_no_space_of_users(memory: Memory, tmp_path: Path):
    with pytest.raises(InputError, match="whose it is"):
        import_history(memory, written(tmp_path / "c.json", [talk("I sail.")]), space="{user}")


def test_a_space_for_each_conversation(memory: Memory, tmp_path: Path):
    path = written(tmp_path / "c.json", [talk("I sail."), talk("Hi.", title="Work", id_="c2")])
    import_history(memory, path, space="chat/{conversation}")
    assert sorted(memory.spaces()) == ["chat/Dog talk", "chat/Work"]


def test_filters(tmp_path: Path):
    rows = [TEA, BOAT, TEA | {"id": "3", "created_at": "2024-06-01T12:00:00Z"}]
    path = written(tmp_path / "m.json", rows)

    def ids(**options: object) -> int:
        return look_through(path, options=ImportOptions(**options)).messages

    assert ids(since=datetime(2024, 5, 2)) == 2
    assert ids(until=datetime(2024, 5, 2, 12)) == 1
    assert ids(only="TOM") == 1
    with pytest.raises(FormatError, match="holds no messages"):
        ids(only="nobody")


def test_what_an_export_holds(tmp_path: Path):
    report = look_through(written(tmp_path / "m.json", [TEA, BOAT]))
    assert (report.first and report.first.day, report.last and report.last.day) == (1, 2)
    assert report.users == report.speakers == {"maya": 1, "tom": 1}


def test_messages_without_a_date_are_counted_and_may_be_given_one(memory: Memory, tmp_path: Path):
    path = written(tmp_path / "chat.json", [{"type": "human", "data": {"content": "I sail."}}])
    assert look_through(path).undated == 1
    import_history(memory, path, options=ImportOptions(at=datetime(2024, 5, 1)))
    assert memory.sessions()[0][1].isoformat() == "2024-05-01T00:00:00+00:00"


def test_a_long_conversation_is_stored_in_portions_once(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from goalmem.integrations.importers import portions

    monkeypatch.setattr(portions, "MESSAGES_AT_ONCE", 3)
    rows = [{"type": "human", "data": {"content": "yes"}} for _ in range(8)]
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"thread_id": "t", "messages": rows}))
    assert import_history(memory, path).new == 8
    assert import_history(memory, path).known == 8
    assert memory.sessions()[0][::2] == ("t", 8)
