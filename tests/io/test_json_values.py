"""Elements of a list are handed on one by one, and are what the whole list holds."""

import itertools
import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.io import json_values
from goalmem.io.conversation import Options
from goalmem.io.json_values import array_elements

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


def numbered(text: str) -> Iterator[tuple[int, str]]:
    return iter(list(enumerate(text.split("\n"), start=1)))


@given(st.lists(JSON, max_size=8), st.sampled_from([None, 2]), st.booleans(), st.integers(1, 60))
def test_elements_are_those_of_the_list(values: list[object], indent: int | None, ascii_only: bool, ahead: int):
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_values, "READ_AHEAD", ahead)
        assert [value for _, value in array_elements(numbered(text), Options())] == values


def test_elements_are_named_by_the_line_they_begin_on():
    text = '\n[\n 1,\n {"a":\n 2},\n "x"\n]\n'
    assert [line for line, _ in array_elements(numbered(text), Options())] == [3, 4, 6]


def test_a_long_list_is_not_held_in_memory():
    taken = 0

    def endless() -> Iterator[tuple[int, str]]:
        nonlocal taken
        yield 1, "["
        for number in itertools.count(2):
            taken += 1
            yield number, '{"role": "user", "content": "hello"},'

    elements = array_elements(endless(), Options())
    assert len(list(itertools.islice(elements, 100))) == 100
    assert taken < 10_000
