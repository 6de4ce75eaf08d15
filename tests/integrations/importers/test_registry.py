"""An export is told by its content; what is none, or is made to do harm, gives a clear error."""

import json
import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goalmem.errors import FormatError, GoalmemError, InputError
from goalmem.integrations.importers import FORMATS, ImportOptions, Reading, history_import, look_through, read
from tests.integrations.importers.exports import (
    chatgpt,
    chatgpt_node,
    claude,
    claude_code_line,
    claude_message,
    slack,
    slack_message,
    zipped,
)

CHATGPT = json.dumps([chatgpt(chatgpt_node("u", "root", "user", "Hi."))])
CLAUDE = json.dumps([claude(claude_message("m", "human", "Hi."))])
CLAUDE_CODE = "".join(
    json.dumps(line) + "\n"
    for line in (
        {"type": "summary", "summary": "Greeting", "leafUuid": "u1"},
        {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}},
        {"type": "permission-mode", "sessionId": "s1", "permissionMode": "default"},
        claude_code_line("u1", "user", "Hi."),
    )
)
SLACK = slack({"general/2024-05-01": [slack_message("1714564800.1", "Hi.")]})
WHATSAPP = "13/05/2024, 10:00 - Maya: Hi\n"
IPHONE = "[13.05.24, 10:00:00] Maya: Hi\n"
LANGCHAIN = json.dumps([{"type": "human", "data": {"content": "Hi."}}])
MEM0 = json.dumps({"results": [{"id": "1", "memory": "Likes tea", "user_id": "u"}]})
KEYS = st.sampled_from(
    "mapping message author role content parts content_type create_time current_node parent chat_messages sender text uuid "
    "attachments type data kwargs id lc messages memory user_id created_at metadata results ts user subtype files blocks".split()
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=15,
)
QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


@pytest.mark.parametrize(
    ("name", "content", "format_"),
    [
        ("export", CHATGPT, "chatgpt"),
        ("export", json.dumps(json.loads(CHATGPT)[0]), "chatgpt"),
        ("export", CLAUDE, "claude"),
        ("export", "\n\n " + CLAUDE, "claude"),
        ("x.jsonl", CLAUDE_CODE, "claude-code"),
        ("x.jsonl", json.dumps(claude_code_line("u1", "user", "Hi.")), "claude-code"),
        ("a.zip", {"-home-maya/5d1f.jsonl": CLAUDE_CODE, "-home-maya/memory/MEMORY.md": "# x"}, "claude-code"),
        ("x.jsonl", '{"type": "human", "content": "Hi.", "sessionId": "s"}', "langchain"),
        ("chat", WHATSAPP, "whatsapp"),
        ("chat", "\ufeff" + IPHONE, "whatsapp"),
        ("chat", LANGCHAIN, "langchain"),
        ("m", MEM0, "mem0"),
        ("a.zip", {"conversations.json": CHATGPT, "user.json": "{}"}, "chatgpt"),
        ("a.zip", {"conversations-000.json": CHATGPT, "chat.html": "<p>"}, "chatgpt"),
        ("a.zip", {"x/conversations.json": CLAUDE, "x/users.json": "[]", "x/projects.json": "[]"}, "claude"),
        ("a.zip", SLACK, "slack"),
        ("a.zip", {f"ws/{name}": text for name, text in SLACK.items()}, "slack"),
        ("a.zip", {"_chat.txt": IPHONE, "1-PHOTO.jpg": b"\xff"}, "whatsapp"),
        ("a.zip", {"memories.json": MEM0}, "mem0"),
    ],
)
def test_the_content_tells_the_format(tmp_path: Path, name: str, content: str | dict, format_: str):
    path = tmp_path / name
    if isinstance(content, dict):
        zipped(path, content)
    else:
        path.write_text(content, encoding="utf-8")
    assert (report := look_through(path)).format == format_
    assert report.messages == 1


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", "[1, 2]", "Dear diary", '[{"role": "user", "content": "Hi"}]', "<html>"]
)
def test_what_is_no_export_is_refused(tmp_path: Path, content: str):
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(FormatError, match="is not a known export") as refused:
        list(read(path))
    assert "goalmem add" in refused.value.remedy


def test_there_is_no_such_format_or_file(tmp_path: Path):
    (tmp_path / "x").write_text(CHATGPT)
    with pytest.raises(InputError, match="no format 'telegram'"):
        list(read(tmp_path / "x", "telegram"))
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        list(read(tmp_path / "y"))


@pytest.mark.parametrize("format_", [known.name for known in FORMATS])
@QUIET
@given(data=st.binary(max_size=300) | VALUES.map(lambda v: json.dumps(v).encode()))
def test_any_file_is_read_or_clearly_refused(tmp_path: Path, format_: str, data: bytes):
    path = tmp_path / "export.json"
    path.write_bytes(data)
    for skip in (False, True):
        try:
            look_through(
                path, format_, options=ImportOptions(skip_bad=skip, branches=True, tools=True, attachments=True)
            )
        except GoalmemError as error:
            assert error.problem
            assert error.remedy


@QUIET
@given(days=st.lists(VALUES, max_size=4), users=VALUES, channels=VALUES)
def test_any_workspace_is_read_or_clearly_refused(tmp_path: Path, days: list, users: object, channels: object):
    path = zipped(
        tmp_path / "s.zip",
        {"users.json": json.dumps(users), "channels.json": json.dumps(channels), "g/2024-05-01.json": json.dumps(days)},
    )
    try:
        look_through(path, "slack", options=ImportOptions(skip_bad=True))
    except GoalmemError as error:
        assert error.remedy


@QUIET
@given(data=st.binary(max_size=200), cut=st.integers(0, 400))
def test_a_damaged_archive_is_clearly_refused(tmp_path: Path, data: bytes, cut: int):
    path = zipped(tmp_path / "a.zip", {"conversations.json": CHATGPT * 3})
    whole = path.read_bytes()
    path.write_bytes(whole[:cut] + data + whole[cut + len(data) :])
    try:
        list(read(path))
    except GoalmemError as error:
        assert error.remedy


def test_names_that_lead_out_of_an_archive_write_nothing(tmp_path: Path):
    inside = tmp_path / "inside"
    inside.mkdir()
    path = zipped(
        inside / "a.zip", {"../../evil.txt": "x", "/etc/evil": "x", "conversations.json": CHATGPT, "a\x1b[31m.txt": "x"}
    )
    before = set(tmp_path.rglob("*"))
    assert len(list(read(path))) == 1
    assert set(tmp_path.rglob("*")) == before


def test_an_archive_that_expands_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(history_import, "SMALL", 1 << 16)
    path = zipped(tmp_path / "a.zip", {"conversations.json": "[" + " " * 5_000_000 + "]"})
    with pytest.raises(FormatError, match="expands to"):
        list(read(path, "chatgpt"))


def test_an_encrypted_archive_is_refused(tmp_path: Path):
    path = zipped(tmp_path / "a.zip", {"conversations.json": CHATGPT})
    data = bytearray(path.read_bytes())
    data[data.find(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(FormatError, match="is encrypted"):
        list(read(path, "chatgpt"))


def test_links_in_a_folder_are_not_followed(tmp_path: Path):
    (tmp_path / "secret.json").write_text(CHATGPT)
    (tmp_path / "folder").mkdir()
    os.symlink(tmp_path / "secret.json", tmp_path / "folder" / "conversations.json")
    with pytest.raises(FormatError):
        list(read(tmp_path / "folder"))


def test_an_archive_whose_content_was_altered_is_refused(tmp_path: Path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", CHATGPT)
    data = path.read_bytes().replace(b"Hi.", b"Ho.")
    path.write_bytes(data)
    with pytest.raises(FormatError, match="damaged"):
        list(read(path))


def test_a_file_of_garbage_does_not_fill_the_list(tmp_path: Path):
    (tmp_path / "x.jsonl").write_text(json.dumps({"memory": "Likes tea", "id": 1}) + "\n" + "{\n" * 3_000)
    reading = Reading(ImportOptions(skip_bad=True))
    list(read(tmp_path / "x.jsonl", "mem0", reading=reading))
    assert reading.bad == 3_000
    assert len(reading.skipped) == 1_000
