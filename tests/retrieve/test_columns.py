"""Growing arrays: what a reader was given stays as it was."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.retrieve.index import Codes, Column, TextColumn

ANY_TEXT = st.text(st.characters(), max_size=8)  # lone surrogates too: ids come from anywhere
BATCHES = st.lists(st.lists(ANY_TEXT, max_size=9), max_size=12)


@given(BATCHES)
def test_texts_are_a_list_of_strings(batches):
    column, said = TextColumn(), []
    for batch in batches:
        column.append(batch)
        said += batch
    texts = column.view()
    assert list(texts) == said
    assert len(texts) == len(column) == len(said)
    assert texts[1:-1] == said[1:-1]
    assert [texts[-n - 1] for n in range(len(said))] == said[::-1]


def test_there_is_no_text_beyond_the_last():
    column = TextColumn()
    column.append(["a", "b"])
    for place in (2, -3):
        with pytest.raises(IndexError):
            column.view()[place]


@given(BATCHES, st.integers(0, 12))
def test_an_old_view_of_texts_does_not_change(batches, seen):
    column, old, before = TextColumn(), None, []
    for number, batch in enumerate([*batches, ["the last"] * 200]):
        if number == min(seen, len(batches)):
            old, before = column.view(), list(column.view())
        column.append(batch)
    assert list(old) == before


@given(st.lists(st.lists(st.integers(0, 99), max_size=90), max_size=6))
def test_an_old_view_of_a_column_does_not_change(batches):
    column, views, values = Column(np.int32), [], []
    for batch in batches:
        column.append(batch)
        values += batch
        views.append((column.view(), list(values)))
    assert all(view.tolist() == before for view, before in views)
    assert column.nbytes >= 4 * len(values)


@given(st.lists(ANY_TEXT))
def test_equal_names_share_a_number(names):
    codes = Codes()
    numbers = [codes.code(name) for name in names]
    assert [codes.names[number] for number in numbers] == names
    assert codes.known([*names, "x" * 9]) == numbers
    assert len(codes.names) == len(set(names))
