"""Every layout of chat file that is documented is read as what it says."""

import io
import json
from datetime import UTC, datetime

import pytest

from goalmem.errors import FormatError
from goalmem.io import Conversation, Options, Skipped, read_chat
from goalmem.io.conversation import MESSAGES_AT_ONCE


def read(text: str | bytes, name: str = "chats/chat.json", **options: object) -> list[Conversation]:
    data = text.encode() if isinstance(text, str) else text
    return list(read_chat(io.BytesIO(data), Options(name=name, **options)))


def said(conversations: list[Conversation]) -> list[str]:
    return [message["content"] for c in conversations for message in c.messages]


HI = {"role": "user", "content": "hi"}


def test_a_list_of_messages_is_one_session_named_after_the_file():
    [session] = read(json.dumps([HI, {"role": "assistant", "content": "hello"}]))
    assert session.session == "chat"
    assert said([session]) == ["hi", "hello"]
    assert session.at is None
    assert not session.dated


def test_a_dict_of_messages_may_be_printed_over_several_lines():
    [session] = read(json.dumps({"id": "monday", "date": "2024-05-01", "messages": [HI]}, indent=2))
    assert (session.session, session.at) == ("monday", datetime(2024, 5, 1))


def test_a_list_of_conversations_gives_a_session_each():
    sessions = read(json.dumps([{"messages": [HI]}, {"messages": [HI], "session": "b"}, [HI]]))
    assert [s.session for s in sessions] == ["chat", "b", "chat-2"]


@pytest.mark.parametrize("wrapper", ["conversations", "sessions", "chats"])
def test_conversations_may_stand_in_a_wrapper(wrapper: str):
    assert len(read(json.dumps({wrapper: [{"messages": [HI]}, {"messages": [HI]}]}))) == 2


def test_jsonl_of_messages_is_one_session_unless_they_name_theirs():
    rows = [HI, HI | {"session": "a"}, {"role": "user", "content": "yo"}]
    sessions = read("\n".join(map(json.dumps, rows)))
    assert [(s.session, len(s.messages)) for s in sessions] == [("chat", 2), ("a", 1)]


def test_jsonl_of_conversations_gives_a_session_each_with_its_line():
    row = json.dumps({"messages": [HI]})
    assert [s.line for s in read(f"{row}\n\n{row}\n")] == [1, 3]


def test_content_parts_are_joined_and_picture_captions_kept():
    parts = [
        {"type": "text", "text": "Look"},
        {"type": "image_url", "image_url": {"url": "data:"}, "caption": "a dog"},
        {"type": "text", "text": "cute"},
    ]
    [session] = read(json.dumps([{"role": "user", "content": parts}]))
    assert session.messages[0] == {"role": "user", "content": "Look\ncute", "caption": "a dog"}


def test_name_id_time_and_caption_are_kept():
    message = {"role": "user", "content": "hi", "name": "Ada", "id": "m1", "at": "2024-05-01T14:03:00Z", "caption": "x"}
    [session] = read(json.dumps([message]))
    assert session.messages[0] == message | {"at": datetime(2024, 5, 1, 14, 3, tzinfo=UTC)}
    assert session.dated


def test_a_speaker_called_assistant_is_a_role_and_any_other_a_name():
    [session] = read(json.dumps([{"speaker": "Assistant", "text": "a"}, {"speaker": "Ada", "text": "b"}]))
    assert session.messages == ({"role": "assistant", "content": "a"}, {"role": "user", "name": "Ada", "content": "b"})


def test_messages_that_only_call_tools_are_passed_on():
    [session] = read(json.dumps([HI, {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]}]))
    assert "tool_calls" in session.messages[1]


def test_locomo_layout():
    sample = {
        "sample_id": "conv-1",
        "qa": [{"question": "?"}],
        "conversation": {
            "speaker_a": "Ada",
            "session_2_date_time": "1:14 pm on 25 May, 2023",
            "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "yo", "blip_caption": "a cat"}],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"speaker": "Ada", "dia_id": "D1:1", "text": "hi"}],
            "session_3_date_time": "9:00 am on 1 June, 2023",
        },
    }
    first, second = read(json.dumps([sample]))
    assert (first.session, first.at) == ("conv-1/session_1", datetime(2023, 5, 8, 13, 56))
    assert second.messages == ({"role": "user", "name": "Bo", "content": "yo", "id": "D2:1", "caption": "a cat"},)


def test_longmemeval_official_layout_takes_a_shared_session_once():
    entry = {
        "question_id": "q",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2023/05/30 (Tue) 04:18", "2023/05/31 (Wed) 10:00"],
        "haystack_sessions": [[HI], [HI, HI]],
    }
    sessions = read(json.dumps([entry, entry]))
    assert [(s.session, s.at, len(s.messages)) for s in sessions] == [
        ("s1", datetime(2023, 5, 30, 4, 18), 1),
        ("s2", datetime(2023, 5, 31, 10), 2),
    ]


def test_longmemeval_rows_of_sessions():
    row = {"session_id": "s1", "date": "2023/05/30 (Tue) 04:18", "turns": [HI | {"has_answer": True}]}
    [session] = read(json.dumps(row))
    assert (session.session, session.messages) == ("s1", (HI,))


def test_a_long_session_comes_in_portions_and_reading_again_gives_the_same_ids():
    text = json.dumps([HI] * (MESSAGES_AT_ONCE + 3))
    first, second = read(text)
    assert (len(first.messages), len(second.messages)) == (MESSAGES_AT_ONCE, 3)
    assert "id" not in first.messages[0]
    identities = [message["id"] for message in second.messages]
    assert len(set(identities)) == 3
    assert [message["id"] for message in read(text)[1].messages] == identities


def test_lines_of_many_messages_come_in_portions_with_ids_that_differ():
    text = "\n".join([json.dumps(HI)] * (2 * MESSAGES_AT_ONCE + 1))
    sizes = [len(c.messages) for c in read(text)]
    assert sizes == [MESSAGES_AT_ONCE, MESSAGES_AT_ONCE, 1]
    identities = [m["id"] for c in read(text)[1:] for m in c.messages]
    assert len(set(identities)) == MESSAGES_AT_ONCE + 1


def test_an_export_is_refused_with_the_right_command():
    with pytest.raises(FormatError, match="goalmem import"):
        read('{"goalmem": 1}\n{"space": "a", "session_at": "2024", "speaker": "A", "text": "b"}')


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('{"role": "user", "content": "a"}\n{"role": "user", "con', 2, "half-written"),
        ('{"role": "user", "content": "a"}\n\nnonsense\n{"role": "user", "content": "b"}', 3, "not valid JSON"),
        ('{"x": 1}', 1, "no conversation"),
        ('[{"role": "user", "content": "a"}, 5]', 1, "'5' is not a message"),
        ('[{"messages": []},\n{"messages": [{"role"', 2, "ends in the middle"),
        ('[{"messages": []}', 1, "ends in the middle"),
        ('[{"messages": []}\n{"messages": []}]', 2, "missing"),
        ('[{"messages": []}] {}', 1, "follows the end"),
        ('{\n"messages": [\n{"role": nobody}]}', 3, "not valid JSON"),
        ('[{"role": "user", "content": ""}]', 1, "message 0 .* is empty"),
        ('[{"role": "user", "content": 5}]', 1, "type int"),
        ('[{"role": "user", "content": "a", "at": "someday"}]', 1, "'someday' cannot be read"),
        ("[" * 100_000, 1, "deep"),
        ('{"a":' * 100_000, 1, "deep"),
        ("null", 1, "not a message"),
        ("just words", 1, "not a message"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, line: int, problem: str):
    with pytest.raises(FormatError, match=problem) as caught:
        read(text)
    assert f"line {line}:" in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize("text", ["", "  \n\n", "[]", '{"messages": []}'])
def test_a_file_without_messages_is_refused(text: str):
    with pytest.raises(FormatError, match="no messages"):
        read(text)


def test_skipping_keeps_the_good_and_lists_the_bad():
    skipped: list[Skipped] = []
    text = '{"role":"user","content":"a"}\n{"role":\n{"role":"user","content":""}\n{"role":"user","content":"b"}\n{"ro'
    assert said(read(text, skip_bad=True, on_skip=skipped.append)) == ["a", "b"]
    assert [s.line for s in skipped] == [2, 3, 5]


def test_skipping_keeps_what_comes_before_the_break_in_a_list():
    skipped: list[Skipped] = []
    text = '[{"messages": [{"role": "user", "content": "a"}]}, {"messages": [{"ro'
    assert said(read(text, skip_bad=True, on_skip=skipped.append)) == ["a"]
    assert len(skipped) == 1
