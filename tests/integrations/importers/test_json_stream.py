"""Elements of JSON of any size come one at a time, and say where they stand."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.errors import FormatError
from goalmem.integrations.importers import ImportOptions, Reading, json_stream
from goalmem.integrations.importers.json_stream import elements

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


class Dripping(io.BytesIO):
    """Gives a few bytes at a time, as a slow source may."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(size or 7, 7))


def read(text: str | bytes, under: tuple[str, ...] = (), **options: bool):
    data = text.encode() if isinstance(text, str) else text
    reading = Reading(ImportOptions(**options))
    return list(elements(io.BytesIO(data), "f.json", reading, under)), reading


def values(text: str | bytes, under: tuple[str, ...] = (), **options: bool) -> list:
    return [value for _, value in read(text, under, **options)[0]]


@given(st.lists(VALUES, max_size=6), st.sampled_from([None, 1]), st.booleans())
def test_the_elements_are_those_of_the_list(expected: list, indent: int | None, ascii_only: bool):
    data = json.dumps(expected, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    if b"\xed" not in data:
        assert [v for _, v in elements(Dripping(data), "f", Reading())] == expected


@given(st.lists(VALUES.filter(lambda v: v not in ([], "")), min_size=1, max_size=5))
def test_lines_of_json_are_elements(expected: list):
    lines = "".join(json.dumps({"v": value}) + "\n" for value in expected)
    assert values(lines, under=("rows",)) == [{"v": value} for value in expected]


def test_a_list_may_stand_in_an_object():
    assert values('{"n": 2, "results": [1, 2], "more": null}', under=("results",)) == [1, 2]


def test_an_object_without_such_a_list_is_the_element():
    assert values('{"n": 2, "results": "none"}', under=("results",)) == [{"n": 2, "results": "none"}]


def test_elements_say_where_they_stand():
    places = [place for place, _ in read('[\n  {"a": 1},\n  {"a": 2}, {"a": 3}\n]')[0]]
    assert [(p.line, p.column, p.entry) for p in places] == [(2, 3, 1), (3, 3, 2), (3, 13, 3)]
    assert str(places[2]) == "f.json, line 3, column 13 (entry 3)"


def test_a_value_longer_than_a_block_comes_whole(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(json_stream, "BLOCK", 16)
    expected = ["x" * 500, 12345678901234567890, {"é": "\N{GRINNING FACE}" * 40}]
    assert values(json.dumps(expected)) == values(json.dumps(expected, ensure_ascii=False)) == expected


def test_utf16_is_read():
    assert values(json.dumps(["é"], ensure_ascii=False).encode("utf-16")) == ["é"]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('[\n{"a": 1},\n{"a" 2}\n]', "line 3, column 6"),
        ('[{"a": 1}, {"a": ', "line 1, column 18"),
        ('[{"a": 1} {"a": 2}]', "line 1, column 11"),
        ('[{"a": 1},', "line 1, column 11"),
        ('{"results": [1, 2', "line 1"),
        ('{"results" 1}', "line 1, column 12"),
        ("[" * 100_000, "line 1"),
        ("[1" + "0" * 5000 + "]", "line 1"),
        ("nonsense", "line 1"),
        (b'["a", "\xff"]', "line 1"),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str | bytes, where: str):
    with pytest.raises(FormatError) as refused:
        read(text, under=("results",))
    assert f"f.json, {where}" in str(refused.value)
    assert "--skip-bad" in refused.value.remedy


def test_what_came_before_the_break_is_kept_on_request():
    found, reading = read('[{"a": 1}, {"a": 2}, {"a": ', skip_bad=True)
    assert [value for _, value in found] == [{"a": 1}, {"a": 2}]
    assert reading.bad == 1
    assert "nothing after it was read" in reading.skipped[0].problem


@pytest.mark.parametrize("text", ['{"a": 1}\n{"a": \n{"a": 3}\n', '[\n{"a": 1},\n{"a": },\n{"a": 3}\n]'])
def test_a_bad_line_among_lines_is_left_out_on_request(text: str):
    found, reading = read(text, skip_bad=True)
    assert [value for _, value in found] == [{"a": 1}, {"a": 3}]
    assert reading.bad == 1


def test_a_bad_first_line_is_left_out_on_request():
    found, reading = read('{"a":\n{"a": 2}\n{"a": 3}\n', under=("rows",), skip_bad=True)
    assert [value for _, value in found] == [{"a": 2}, {"a": 3}]
    assert reading.bad == 1


def test_a_page_of_results_may_stand_on_each_line():
    assert values('{"rows": [1, 2]}\n{"rows": [3]}\n', under=("rows",)) == [1, 2, 3]


def test_a_wrong_byte_is_replaced_on_request():
    found, reading = read(b'["a", "\xff\xfe"]', skip_bad=True)
    assert [value for _, value in found] == ["a", "\ufffd\ufffd"]
    assert "0xFF" in reading.skipped[0].problem


def test_an_endless_value_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(json_stream, "LONGEST_VALUE", 1_000_000)
    with pytest.raises(FormatError, match="longer than"):
        read('["' + "x" * 3_000_000)


@given(st.binary(max_size=200))
def test_any_bytes_give_elements_or_a_clear_error(data: bytes):
    with_errors = Reading(ImportOptions(skip_bad=True))
    list(elements(io.BytesIO(data), "f", with_errors, ("results",)))
    try:
        list(elements(io.BytesIO(data), "f", Reading(), ("results",)))
    except FormatError:
        assert with_errors.bad
    else:
        assert not with_errors.bad
