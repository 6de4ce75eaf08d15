"""Plain transcripts."""

import io
from datetime import datetime

import pytest

from goalmem.errors import FormatError
from goalmem.io import Conversation, Options, read_chat
from goalmem.io.conversation import MESSAGES_AT_ONCE


def read(text: str, **options: object) -> list[Conversation]:
    return list(read_chat(io.BytesIO(text.encode()), Options(name="notes.txt", **options)))


def told(sessions: list[Conversation]) -> list[tuple[str, str]]:
    return [(m.get("name", m["role"]), m["content"]) for s in sessions for m in s.messages]


def test_names_and_what_they_say():
    [session] = read("Maya: Hi!\nTom O'Neil: hello\nAssistant: How can I help?")
    assert session.session == "notes"
    assert told([session]) == [("Maya", "Hi!"), ("Tom O'Neil", "hello"), ("assistant", "How can I help?")]


def test_lines_without_a_name_go_on_with_the_message():
    text = (
        "Maya: Three things:\n- milk\nhere's the thing: I forgot\n  Bread: the dark one\nsee https://x.org: it's good\n"
    )
    [session] = read(text)
    assert len(session.messages) == 1
    assert session.messages[0]["content"].endswith("Bread: the dark one\nsee https://x.org: it's good")


@pytest.mark.parametrize(
    "heading", ["2024-05-01", "# 1 May 2024", "--- Wednesday, May 1, 2024 ---", "Date: 2024-05-01", "[May 1, 2024]"]
)
def test_a_date_on_its_own_line_begins_a_session(heading: str):
    first, second = read(f"{heading}\nMaya: hi\n\n2024-05-07\nTom: yo\n")
    assert (first.session, first.at) == ("notes/2024-05-01", datetime(2024, 5, 1))
    assert (second.session, second.at, second.line) == ("notes/2024-05-07", datetime(2024, 5, 7), 4)


def test_two_sessions_on_one_day_have_different_names():
    names = [s.session for s in read("2024-05-01\nMaya: hi\n2024-05-01\nTom: yo\n")]
    assert names == ["notes/2024-05-01", "notes/2024-05-01-2"]


def test_times_in_front_of_each_line():
    [session] = read("[2024-05-01 14:03] Maya: hi\nnot: a name\n[2024-05-01 14:05] Tom: yo")
    assert [m["at"] for m in session.messages] == [datetime(2024, 5, 1, 14, 3), datetime(2024, 5, 1, 14, 5)]
    assert session.messages[0]["content"] == "hi\nnot: a name"


def test_clock_times_take_the_day_of_the_heading():
    [session] = read("# 1 May 2024\n[2:03 pm] Maya: hi\n[15:10] Tom: yo")
    assert [m["at"] for m in session.messages] == [datetime(2024, 5, 1, 14, 3), datetime(2024, 5, 1, 15, 10)]


def test_messenger_export_with_notices():
    text = (
        "5/1/24, 2:01 PM - Messages are encrypted\n5/1/24, 2:03 PM - Maya: So,\nhow are you?\n"
        "5/1/24, 2:04 PM - Tom left\n5/1/24, 2:05 PM - Maya: oh\n"
    )
    assert told(read(text)) == [("Maya", "So,\nhow are you?"), ("Maya", "oh")]
    assert read(text, day_first=True)[0].at == datetime(2024, 1, 5, 14, 3)


def test_a_night_without_messages_begins_a_session():
    text = "[2024-05-01 22:00] Maya: night\n[2024-05-02 00:30] Tom: still up\n[2024-05-02 08:00] Maya: morning"
    assert [(s.session, len(s.messages)) for s in read(text)] == [("notes/2024-05-01", 2), ("notes/2024-05-02", 1)]


def test_naive_and_zoned_times_may_be_mixed():
    [session] = read("[2024-05-01 14:03] Maya: a\n[2024-05-01T14:05:00+00:00] Tom: b\n[2024-05-01 14:06] Maya: c")
    assert len(session.messages) == 3


def test_a_picture_at_the_end_is_its_caption():
    [session] = read("Maya: look! [picture: a brown dog]\nTom: <image: a cat>")
    assert session.messages[0] == {"role": "user", "name": "Maya", "content": "look!", "caption": "a brown dog"}
    assert session.messages[1]["caption"] == "a cat"


def test_a_long_transcript_comes_in_portions():
    sessions = read("".join(f"Maya: number {n}\n" for n in range(MESSAGES_AT_ONCE * 2 + 1)))
    assert [len(s.messages) for s in sessions] == [MESSAGES_AT_ONCE, MESSAGES_AT_ONCE, 1]
    assert {s.session for s in sessions} == {"notes"}


def test_text_before_the_first_message_is_refused():
    with pytest.raises(FormatError, match="line 2"):
        read("2024-05-01\nonce upon a time\nMaya: hi")
