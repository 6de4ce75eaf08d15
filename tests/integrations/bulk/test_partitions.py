"""Lines become calls, calls become partitions, and nothing is lost on the way."""

from __future__ import annotations

import io
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import FormatError, StoreError
from goalmem.integrations.bulk.partitions import (
    LineMessages,
    PartitionWriter,
    ReadOptions,
    calls_in,
    partition_file,
    partition_of,
    portions_in,
    stems_of,
)
from goalmem.io import Options, Skipped

from .telling import messages, write

MOST = 10_000


def calls(text: str, *, skipped: list[Skipped] | None = None, space: str = "mine") -> list[LineMessages]:
    options = Options("chat.jsonl", skip_bad=skipped is not None, on_skip=(skipped or []).append)
    if skipped is not None:
        options = Options("chat.jsonl", skip_bad=True, on_skip=skipped.append)
    return list(calls_in(io.BytesIO(text.encode()), ReadOptions(options, "chat", space, MOST)))


def test_a_line_is_a_message_of_its_space_and_session() -> None:
    (call,) = calls(
        '{"space": "maya", "session": "s", "role": "user", "name": "Maya", "content": "Hi", "at": "2024-05-01"}'
    )
    assert (call.space, call.session, call.at, call.line, call.whole) == ("maya", "s", None, 1, "")
    assert call.messages == ({"role": "user", "name": "Maya", "content": "Hi", "at": datetime(2024, 5, 1)},)


def test_what_names_no_space_is_of_the_space_given() -> None:
    assert [c.space for c in calls('{"role": "user", "content": "Hi"}', space="mine")] == ["mine"]


def test_a_line_may_be_a_whole_conversation() -> None:
    text = '{"space": "a", "session": "s", "at": "2024-05-02", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}'
    (call,) = calls(text)
    assert (call.session, call.at, len(call.messages)) == ("s", datetime(2024, 5, 2), 2)


def test_conversations_without_a_name_are_told_apart() -> None:
    line = '{"messages": [{"role": "user", "content": "Hi"}]}\n'
    assert len({call.session for call in calls(line * 3)}) == 3


def test_a_message_that_only_calls_tools_says_nothing() -> None:
    assert calls('{"role": "assistant", "content": null, "tool_calls": [{"id": "1"}]}') == []


BAD = {
    "no JSON": "{oops",
    "no message": '{"what": 1}',
    "a number": "3",
    "empty": '{"role": "user", "content": " "}',
    "another role": '{"role": "king", "content": "Hi"}',
    "another date": '{"role": "user", "content": "Hi", "at": "someday"}',
    "a year too far": '{"role": "user", "content": "Hi", "at": "9000-01-01"}',
    "a space that is none": '{"space": 3, "role": "user", "content": "Hi"}',
    "an empty space": '{"space": "", "role": "user", "content": "Hi"}',
    "a session that is none": '{"session": "\\u0000", "role": "user", "content": "Hi"}',
    "too long": '{"role": "user", "content": "' + "x" * (MOST + 1) + '"}',
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_a_bad_line_is_refused_with_its_number_or_left_out_and_told(bad: str) -> None:
    good = '{"role": "user", "content": "Hi"}\n'
    with pytest.raises(FormatError, match=r"chat\.jsonl, line 2"):
        calls(good + bad + "\n" + good)
    skipped: list[Skipped] = []
    assert len(calls(good + bad + "\n" + good, skipped=skipped)) == 2
    assert [found.line for found in skipped] == [2]


def test_files_of_one_name_name_their_sessions_differently() -> None:
    stems = stems_of([Path("a/chat.jsonl"), Path("b/chat.jsonl"), Path("c.jsonl")])
    assert len(set(stems)) == 3
    assert stems[2] == "c"


said = st.builds(
    lambda space, session, text, whole: (space, session, text, whole),
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from(["s", "t"]),
    st.text(min_size=1, max_size=5).filter(str.strip),
    st.booleans(),
)


@given(st.lists(said, max_size=30), st.integers(1, 5))
def test_every_message_comes_back_once_in_its_session_and_in_order(
    given: list[tuple[str, str, str, bool]], count: int
) -> None:
    with TemporaryDirectory() as name:
        writer = PartitionWriter(Path(name), count)
        for line, (space, session, text, whole) in enumerate(given, 1):
            at = datetime(2024, 5, 1) if whole else None
            writer.write(
                LineMessages(space, session, at, ({"role": "user", "content": text},), line, f"{line}" * whole), 0
            )
        writer.close()
        read = {n: list(portions_in(partition_file(Path(name), n))) for n in writer.messages}
    for number, portions in read.items():
        assert all(partition_of(portion.space, count) == number for portion in portions)
        assert sum(len(portion.messages) for portion in portions) == writer.messages[number]
    back = [
        (line, portion.space, portion.session, message["content"])
        for portions in read.values()
        for portion in portions
        for message, (_, line) in zip(portion.messages, portion.origins, strict=True)
    ]
    assert sorted(back) == [(line, a, b, text) for line, (a, b, text, _) in enumerate(given, 1)]
    for portions in read.values():
        for portion in portions:
            assert list(portion.origins) == sorted(portion.origins)


def test_a_long_session_comes_in_portions_whose_messages_are_told_apart(tmp_path: Path) -> None:
    writer = PartitionWriter(tmp_path, 1)
    for line in range(1, 1202):
        writer.write(LineMessages("a", "s", None, ({"role": "user", "content": "ok"},), line), 0)
    writer.close()
    portions = list(portions_in(partition_file(tmp_path, 0)))
    assert [len(portion.messages) for portion in portions] == [500, 500, 201]
    ids = [message.get("id") for portion in portions for message in portion.messages]
    assert ids[:500] == [None] * 500
    assert len(set(ids[500:])) == 701


def test_a_partition_that_is_gone_or_damaged_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        list(portions_in(tmp_path / "gone"))
    with pytest.raises(StoreError, match="cannot be read"):
        list(portions_in(write(tmp_path / "half", [messages()[0], '{"spa'])))
