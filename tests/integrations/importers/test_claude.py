"""Claude's export: what both said, with files named, and placeholders and tools left out."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from goalmem.errors import FormatError
from goalmem.integrations.importers import ImportOptions, Reading, read
from tests.integrations.importers.exports import claude, claude_message, written, zipped


def test_both_sides_are_read_with_their_times(tmp_path: Path):
    path = written(
        tmp_path / "conversations.json",
        [claude(claude_message("m1", "human", "I moved to Bergen."), claude_message("m2", "assistant", "Welcome!"))],
    )
    [chat] = read(path, options=ImportOptions(name="Maya"))
    assert (chat.key, chat.title, chat.at) == ("k1", "Moving", datetime(2024, 5, 1, 12, tzinfo=UTC))
    assert [(m["role"], m.get("name"), m["content"], m["id"]) for m in chat.messages] == [
        ("user", "Maya", "I moved to Bergen.", "m1"),
        ("assistant", None, "Welcome!", "m2"),
    ]


def test_blocks_count_before_the_text_with_its_placeholders(tmp_path: Path):
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "One."},
        {"type": "tool_use", "name": "search", "input": {"q": "boats"}},
        {"type": "tool_result", "content": [{"type": "text", "text": "a boat"}]},
        {"type": "text", "text": "Two."},
    ]
    only_tools = claude_message("m2", "assistant", "This block is not supported.", content=blocks[2:4])
    path = written(tmp_path / "c.json", [claude(claude_message("m1", "assistant", "x", content=blocks), only_tools)])
    reading = Reading()
    [chat] = read(path, reading=reading)
    assert [m["content"] for m in chat.messages] == ["One.\nTwo."]
    assert reading.passed_over == {"tool": 1}
    [chat] = read(path, options=ImportOptions(tools=True))
    assert "boats" in chat.messages[1]["content"]


def test_older_exports_have_only_text(tmp_path: Path):
    message = claude_message("m1", "human", "I sail.")
    del message["content"]
    [chat] = read(written(tmp_path / "c.json", [claude(message)]))
    assert chat.messages[0]["content"] == "I sail."


def test_files_are_named_and_their_text_is_read_on_request(tmp_path: Path):
    files = {
        "attachments": [{"file_name": "lease.pdf", "extracted_content": "Rent 9000."}],
        "files": [{"file_name": "a.png"}],
    }
    path = written(tmp_path / "c.json", [claude(claude_message("m1", "human", "See this.", **files))])
    reading = Reading()
    [chat] = read(path, reading=reading)
    assert [m["content"] for m in chat.messages] == ["See this.\n[attached: lease.pdf]\n[attached: a.png]"]
    assert reading.passed_over == {"attached text": 1}
    [chat] = read(path, options=ImportOptions(attachments=True))
    assert [m["content"] for m in chat.messages][1:] == ["Rent 9000."]
    assert chat.messages[1]["id"] == "m1/1"


def test_where_the_export_tells_branches_the_last_is_shown(tmp_path: Path):
    def reply(uuid: str, text: str, second: int):
        at = f"2024-05-01T12:00:0{second}Z"
        return claude_message(uuid, "assistant", text, parent_message_uuid="m1", created_at=at)

    first = claude_message("m1", "human", "Hello.", parent_message_uuid="00000000-0000-4000-8000-000000000000")
    conversation = claude(first, reply("m2", "Regenerated away.", 2), reply("m3", "Shown.", 3))
    path = written(tmp_path / "c.json", [conversation])
    [chat] = read(path)
    assert [m["content"] for m in chat.messages] == ["Hello.", "Shown."]
    chats = list(read(path, options=ImportOptions(branches=True)))
    assert [m["content"] for m in chats[1].messages] == ["Regenerated away."]


def test_the_archive_is_read(tmp_path: Path):
    import json

    path = zipped(
        tmp_path / "data.zip",
        {"conversations.json": json.dumps([claude(claude_message("m1", "human", "Hi."))]), "users.json": "[]"},
    )
    [chat] = read(path)
    assert str(chat.place) == f"{path}/conversations.json, line 1, column 2 (entry 1)"


@pytest.mark.parametrize("bad", [{"uuid": "k2"}, "text", claude({"uuid": "m", "text": "who?"}), claude(claude_message("m", "human", "x", created_at="soon"))])  # fmt: skip
def test_what_cannot_be_read_is_refused_with_its_place(tmp_path: Path, bad: object):
    path = written(tmp_path / "c.json", [claude(claude_message("m1", "human", "Hi.")), bad], indent=1)
    with pytest.raises(FormatError, match=r"c\.json, line \d\d, column 2 \(entry 2\)"):
        list(read(path, "claude"))
    assert len(list(read(path, "claude", options=ImportOptions(skip_bad=True)))) in (1, 2)
