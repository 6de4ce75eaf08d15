"""LangChain's messages, in every form in which it writes them."""

import json
from pathlib import Path

import pytest

from goalmem.errors import FormatError
from goalmem.integrations.importers import ImportOptions, Reading, read
from tests.integrations.importers.exports import written

HUMAN = {"type": "human", "data": {"content": "My cat is Miso.", "name": "Maya", "id": "h1", "additional_kwargs": {}}}
AI = {"type": "ai", "data": {"content": [{"type": "text", "text": "Cute!"}, {"type": "image_url"}], "tool_calls": []}}
CALL = {"type": "ai", "data": {"content": "", "tool_calls": [{"name": "f", "args": {}, "id": "1"}]}}
TOOL = {"type": "tool", "data": {"content": "42", "tool_call_id": "1"}}
SYSTEM = {"type": "system", "data": {"content": "Be brief."}}


def said(path: Path, reading: Reading | None = None, **options: object) -> list[tuple[str, str, str]]:
    run = reading or Reading(ImportOptions(**options))
    return [(c.key, m["role"], m["content"]) for c in read(path, reading=run) for m in c.messages]


def test_messages_to_dict(tmp_path: Path):
    reading = Reading()
    path = written(tmp_path / "chat.json", [SYSTEM, HUMAN, CALL, TOOL, AI])
    assert said(path, reading) == [("chat", "user", "My cat is Miso."), ("chat", "assistant", "Cute!")]
    assert reading.passed_over == {"system": 1, "tool": 2, "image_url": 1}
    assert ("chat", "tool", "42") in said(path, tools=True)
    [chat] = read(path)
    assert (chat.messages[0]["name"], chat.messages[0]["id"]) == ("Maya", "h1")


def test_what_langchain_itself_writes(tmp_path: Path):
    messages = pytest.importorskip("langchain_core.messages")
    load = pytest.importorskip("langchain_core.load")
    spoken = [
        messages.HumanMessage("My cat is Miso.", id="h1"),
        messages.AIMessageChunk(content=[{"type": "text", "text": "Cute!"}]),
        messages.ToolMessage("r", tool_call_id="1"),
        messages.ChatMessage("Indeed.", role="assistant"),
        messages.RemoveMessage(id="h1"),
    ]
    expected = [("user", "My cat is Miso."), ("assistant", "Cute!"), ("assistant", "Indeed.")]
    forms = {
        "dict": json.dumps(messages.messages_to_dict(spoken)),
        "dumps": load.dumps(spoken),
        "dump": json.dumps([m.model_dump(mode="json") for m in spoken]),
        "lines": "".join(json.dumps(messages.message_to_dict(m)) + "\n" for m in spoken),
    }
    for form, text in forms.items():
        (tmp_path / f"{form}.json").write_text(text)
        assert [(role, content) for _, role, content in said(tmp_path / f"{form}.json")] == expected, form


@pytest.mark.parametrize(
    ("value", "sessions"),
    [
        ([[HUMAN], [AI]], ["chat", "chat-2"]),
        ({"thread_id": "t1", "messages": [HUMAN, AI]}, ["t1", "t1"]),
        ([{"session_id": "a", "messages": [HUMAN]}, {"session_id": "b", "messages": [AI]}], ["a", "b"]),
        ({"sessions": [{"session_id": "a", "history": [HUMAN]}]}, ["a"]),
        ({"thread_id": "t", "values": {"messages": [HUMAN]}}, ["t"]),
        ([{"session_id": "a", "message": json.dumps(HUMAN)}, {"session_id": "b", "message": AI}], ["a", "b"]),
    ],
)
def test_sessions(tmp_path: Path, value: object, sessions: list[str]):
    assert [key for key, _, _ in said(written(tmp_path / "chat.json", value))] == sessions


def test_a_session_may_have_a_time(tmp_path: Path):
    [chat] = read(written(tmp_path / "c.json", {"created_at": "2024-05-01T12:00:00", "id": "x", "messages": [HUMAN]}))
    assert str(chat.at) == "2024-05-01 12:00:00+00:00"


def test_messages_without_ids_have_those_of_their_place(tmp_path: Path):
    rows = [{"type": "human", "data": {"content": "yes"}}] * 3
    ids = [m["id"] for chat in read(written(tmp_path / "c.json", rows)) for m in chat.messages]
    more = [m["id"] for chat in read(written(tmp_path / "c.json", [*rows, AI])) for m in chat.messages]
    assert len(set(ids)) == 3
    assert more[:3] == ids


@pytest.mark.parametrize("bad", ['{"type": "human"}', '"text"', '{"type": "human", "data": {"content": 3}}', "{"])
def test_a_bad_line_is_refused_or_skipped(tmp_path: Path, bad: str):
    path = tmp_path / "c.jsonl"
    path.write_text(f"{json.dumps(HUMAN)}\n{bad}\n{json.dumps(AI)}\n")
    with pytest.raises(FormatError, match=r"c\.jsonl, line 2"):
        said(path)
    reading = Reading(ImportOptions(skip_bad=True))
    assert (len(said(path, reading)), reading.bad) == (2, 1)
