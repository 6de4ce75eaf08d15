"""Encodings and line endings do not matter; what is no text is refused."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import FormatError, GoalmemError
from goalmem.io import Options, Skipped, read_chat
from goalmem.io.text import lines

CHAT = "Ana: Olá, João!\nJoão: 你好 🎉\n"


def texts(data: bytes) -> list[str]:
    return [m["content"] for c in read_chat(io.BytesIO(data), Options(name="x.txt")) for m in c.messages]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"], ids=lambda e: e
)
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_encodings_and_line_endings(encoding: str, ending: str):
    assert texts(CHAT.replace("\n", ending).encode(encoding)) == ["Olá, João!", "你好 🎉"]


def test_a_byte_that_is_no_utf8_is_named_with_its_line():
    with pytest.raises(FormatError, match="line 2: byte 0xE9") as caught:
        texts(b"Ana: hi\nBo: caf\xe9\n")
    assert "UTF-8" in caught.value.remedy


def test_a_line_that_is_no_utf8_can_be_left_out():
    skipped: list[Skipped] = []
    options = Options(skip_bad=True, on_skip=skipped.append)
    [session] = read_chat(io.BytesIO(b"Ana: hi\nBo: caf\xe9\nAna: bye\n"), options)
    assert [m["content"] for m in session.messages] == ["hi", "bye"]
    assert [s.line for s in skipped] == [2]


def test_half_a_utf16_character_is_refused():
    with pytest.raises(FormatError, match="UTF-16"):
        texts("Ana: hello there".encode("utf-16")[:-1])


@pytest.mark.parametrize(
    ("start", "what"),
    [(b"SQLite format 3\0", "database"), (b"PK\x03\x04", "ZIP"), (b"\x1f\x8b", "compressed"), (b"\x89PNG", "picture")],
)
def test_a_file_that_is_no_text_is_called_by_its_name(start: bytes, what: str):
    with pytest.raises(FormatError, match=what):
        texts(start + b"rest")


def test_the_stream_is_left_open_for_the_caller():
    stream = io.BytesIO(CHAT.encode())
    list(read_chat(stream, Options()))
    assert not stream.closed


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=50), max_size=20))
def test_lines_come_back_as_they_were_written(written: list[str]):
    data = "".join(f"{line}\n" for line in written).encode()
    assert [text for _, text in lines(io.BytesIO(data), Options())] == written


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes):
    for skip_bad in (False, True):
        try:
            list(read_chat(io.BytesIO(data), Options(skip_bad=skip_bad)))
        except GoalmemError as error:
            assert error.problem
            assert error.remedy


PIECES = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"role"',
        '"content"',
        '"messages"',
        ":",
        ",",
        '"user"',
        "\n",
        "Ana: hi",
        "5",
        "null",
        "\\",
        '"',
    ]
)


@given(st.lists(PIECES, max_size=40))
def test_any_jumble_of_json_is_read_or_refused(pieces: list[str]):
    try:
        list(read_chat(io.BytesIO("".join(pieces).encode()), Options()))
    except GoalmemError as error:
        assert error.remedy
