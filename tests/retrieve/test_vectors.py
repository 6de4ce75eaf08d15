"""Vectors in 8 bits say what the vectors say."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.retrieve import vectors
from goalmem.retrieve.vectors import VectorColumn, best_of_each

DIMENSION = 32


def unit(rows, seed=0):
    drawn = np.random.default_rng(seed).standard_normal((rows, DIMENSION), dtype=np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def column_of(wide, sizes=()):
    column, start = VectorColumn(DIMENSION), 0
    for size in [*sizes, len(wide)]:
        column.append(wide[start : start + size].astype("<f2").tobytes())
        start += size
    return column


@given(st.integers(0, 300), st.lists(st.integers(0, 90), max_size=5), st.integers(0, 9))
def test_dots_are_near_however_vectors_came_in(rows, sizes, seed):
    wide, query = unit(rows, seed), unit(1, seed + 1)[0]
    held = column_of(wide, sizes).view()
    assert len(held) == rows
    assert held.dots(query) == pytest.approx(wide @ query, abs=0.01)
    assert held.dots_of(np.arange(rows), np.eye(wide.shape[1], dtype=np.float32)) == pytest.approx(wide, abs=0.005)


def test_a_long_vector_is_held_as_well_as_a_short_one():
    wide, query = unit(40), unit(1, 1)[0]
    sizes = np.geomspace(1e-3, 1e3, 40).astype(np.float32)
    held = column_of(wide * sizes[:, None]).view()
    assert held.dots(query) / sizes == pytest.approx(wide @ query, abs=0.01)


def test_zeros_are_near_nothing():
    held = column_of(np.zeros((3, DIMENSION), dtype=np.float32)).view()
    assert held.dots(unit(1)[0]).tolist() == [0, 0, 0]
    assert column_of(unit(2)).view().dots(np.zeros(DIMENSION, dtype=np.float32)).tolist() == [0, 0]


def test_the_nearest_comes_first():
    wide = unit(5_000)
    held = column_of(wide).view()
    assert all(held.dots(wide[row]).argmax() == row for row in range(0, 5_000, 500))


def test_many_blocks_are_scanned_as_one(monkeypatch):
    wide, query = unit(1_000), unit(1, 1)[0]
    whole = column_of(wide).view()
    products, cosines = whole.dots(query).tolist(), whole.estimates(query).tolist()
    monkeypatch.setattr(vectors, "BLOCK_ROWS", 64)
    held = column_of(wide, (63, 2, 200)).view()
    assert len(held.blocks) == 16
    assert held.dots(query).tolist() == products
    assert held.estimates(query).tolist() == cosines
    assert held.dots_of(np.array([999, 0, 64, 63]), np.eye(wide.shape[1], dtype=np.float32)) == pytest.approx(
        wide[[999, 0, 64, 63]], abs=0.005
    )


@given(st.floats(-1, 1), st.integers(0, 99))
def test_signs_estimate_a_cosine(cosine, seed):
    drawn = np.random.default_rng(seed).standard_normal((2, 2_048), dtype=np.float32)
    query = drawn[0] / np.linalg.norm(drawn[0])
    across = drawn[1] - (drawn[1] @ query) * query
    vector = cosine * query + np.sqrt(1 - cosine**2) * across / np.linalg.norm(across)
    column = VectorColumn(2_048)
    column.append(vector.astype("<f2").tobytes())
    assert column.view().estimates(query) == pytest.approx([cosine], abs=0.16)


def test_an_old_view_does_not_change(monkeypatch):
    monkeypatch.setattr(vectors, "BLOCK_ROWS", 256)
    wide, query = unit(900), unit(1, 1)[0]
    column = column_of(wide[:70])
    old = column.view()
    before = old.dots(query).tolist()
    column.append(wide[70:].astype("<f2").tobytes())
    assert old.dots(query).tolist() == before
    assert len(column.view()) == 900


def test_half_a_vector_is_refused():
    with pytest.raises(ValueError, match="reshape"):
        VectorColumn(DIMENSION).append(b"\0" * 66)


def test_scanning_keeps_no_reference_and_drops_none():
    """A scan must not wear out what it touches: before Python 3.12 even None is counted."""
    held, query = column_of(unit(100)).view(), unit(1)[0]
    held.dots(query)
    before = sys.getrefcount(None)
    for _ in range(500):
        held.dots(query)
    assert abs(sys.getrefcount(None) - before) < 250


@given(st.lists(st.integers(1, 20), max_size=60), st.integers(1, 7))
def test_the_best_of_each_is_found(sizes, together):
    values = np.random.default_rng(len(sizes)).standard_normal(sum(sizes)).astype(np.float32)
    starts = np.cumsum([0, *sizes[:-1]]) if sizes else np.empty(0, dtype=np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "COMPARED_OWNERS", together)
        found = best_of_each(values, starts)
    assert found.tolist() == [max(own) for own in np.split(values.tolist(), starts[1:])] if sizes else not len(found)
