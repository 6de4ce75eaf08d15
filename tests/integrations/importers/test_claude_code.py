"""Claude Code's transcripts: what both said to each other, once, and nothing that the program wrote itself."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem import FormatError, Memory
from goalmem.integrations.importers import ImportOptions, Reading, import_history, read
from goalmem.language import Analyzer
from tests.integrations.importers.exports import claude_code_line, transcript

SAID = (
    claude_code_line("u1", "user", "My sister Ilse lives in Ghent."),
    claude_code_line(
        "u2",
        "assistant",
        [
            {"type": "thinking", "thinking": "Nice."},
            {"type": "text", "text": "Good to know."},
            {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}},
        ],
    ),
    claude_code_line("u3", "user", [{"type": "tool_result", "tool_use_id": "t", "content": "README.md"}]),
)
PROGRAM = [
    claude_code_line("n1", "user", "Caveat: the messages below were generated.", isMeta=True),
    claude_code_line("n2", "user", "This session is being continued.", isCompactSummary=True),
    claude_code_line("n3", "user", "Look into it.", isSidechain=True),
    claude_code_line("n4", "user", "<command-name>/clear</command-name>\n<command-args></command-args>"),
    claude_code_line("n5", "user", "<local-command-stdout>done</local-command-stdout>"),
    claude_code_line("n6", "user", [{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
    claude_code_line("n7", "user", "<bash-input>ls</bash-input>"),
    claude_code_line("n8", "user", [{"type": "text", "text": "<system-reminder>\nBe good.\n</system-reminder>"}]),
    {
        "type": "system",
        "subtype": "turn_duration",
        "content": "3 s",
        "uuid": "n9",
        "parentUuid": None,
        "sessionId": "s",
    },
    {"type": "file-history-snapshot", "messageId": "n10", "snapshot": {}},
    {"type": "summary", "summary": "Family", "leafUuid": "u2"},
]


def test_both_sides_are_read_with_their_times(tmp_path: Path):
    (chat,) = read(transcript(tmp_path / "x.jsonl", *SAID), options=ImportOptions(name="Maya"))
    assert (chat.key, chat.title) == ("5d1f2a33-0c1b", "harbour")
    at = datetime(2024, 5, 1, 12, tzinfo=UTC)
    assert chat.messages == (
        {"role": "user", "content": "My sister Ilse lives in Ghent.", "name": "Maya", "id": "u1", "at": at},
        {"role": "assistant", "content": "Good to know.", "id": "u2", "at": at},
    )


@pytest.mark.parametrize("line", PROGRAM, ids=lambda line: line.get("uuid", line["type"]))
def test_what_the_program_wrote_is_passed_over(tmp_path: Path, line: dict):
    reading = Reading()
    (chat,) = read(transcript(tmp_path / "x.jsonl", SAID[0], line), "claude-code", reading=reading)
    assert [message["id"] for message in chat.messages] == ["u1"]
    assert reading.passed_over.total() == 1


def test_what_a_person_typed_stays_beside_a_reminder(tmp_path: Path):
    line = claude_code_line("u1", "user", "<system-reminder>x</system-reminder>\nI moved to Bergen. Is 1 < 2?")
    (chat,) = read(transcript(tmp_path / "x.jsonl", line))
    assert chat.messages[0]["content"] == "I moved to Bergen. Is 1 < 2?"


def test_tools_are_read_on_request(tmp_path: Path):
    (chat,) = read(transcript(tmp_path / "x.jsonl", *SAID), options=ImportOptions(tools=True))
    assert "[Bash] {'command': 'ls'}" in chat.messages[1]["content"]
    assert chat.messages[2]["content"] == "README.md"


def test_a_folder_holds_sessions_of_projects(tmp_path: Path):
    for project in ("a", "b"):
        (tmp_path / project).mkdir()
        line = claude_code_line("u1", "user", "Hi.", sessionId=f"session-{project}", cwd=f"C:\\work\\{project}")
        transcript(tmp_path / project / "x.jsonl", line)
    (tmp_path / "a" / "notes.txt").write_text("none")
    assert [(chat.key, chat.title) for chat in read(tmp_path)] == [("session-a", "a"), ("session-b", "b")]


@given(cuts=st.lists(st.integers(0, 3), max_size=4))
def test_a_transcript_that_grows_is_added_once(cuts: list[int]):
    """Whatever of it was imported before, also while its last line was being written."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder, Memory(analyzer=None) as memory:
        path = Path(folder) / "x.jsonl"
        options = ImportOptions(skip_bad=True)
        for cut in [*sorted(cuts), 3]:
            lines = [*SAID, claude_code_line("u4", "user", "Fine.", cwd="/elsewhere")]
            transcript(path, *lines[: cut + 1], more='{"type": "user", "mess')
            import_history(memory, path, "claude-code", options=options)
        assert [(name, turns) for name, _, turns in memory.sessions()] == [("harbour (5d1f2a33-0c1b)", 3)]


def test_a_session_that_was_copied_into_another_transcript_is_added_once(tmp_path: Path, analyzer: Analyzer):
    other = claude_code_line("v1", "user", "I sold my bike.", sessionId="other")
    with Memory(analyzer=analyzer) as memory:
        import_history(memory, transcript(tmp_path / "a.jsonl", *SAID))
        report = import_history(memory, transcript(tmp_path / "b.jsonl", *SAID, other))
        assert (report.new, report.known) == (1, 2)


def test_a_broken_line_is_named(tmp_path: Path):
    path = transcript(tmp_path / "x.jsonl", SAID[0], claude_code_line("u2", "user", 3))
    with pytest.raises(FormatError, match=r"x\.jsonl, line 2: the line of type 'user' holds no message"):
        list(read(path))
