"""Metadata and conditions: what is accepted, what is refused and how, and that writing conditions is inverse to reading them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from goalmem.errors import InputError
from goalmem.store.metadata import as_object, parse_metadata, parse_where

from .conformance import WHERE


def nested(levels: int) -> dict[str, Any]:
    """A filter so many levels deep."""
    return {"$not": nested(levels - 1)} if levels else {"a": 1}


@given(where=WHERE)
def test_conditions_are_written_as_they_are_read(where: dict[str, Any]) -> None:
    conditions = parse_where(where)
    assert repr(parse_where(as_object(conditions))) == repr(conditions)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"a": {"b": 1}}, "of type dict"),
        ({"a": None}, "of type NoneType"),
        ({"a": [1, [2]]}, "of type list"),
        ({"a": float("nan")}, "nan"),
        ({"a": 2**60}, str(2**60)),
        ({"": 1}, "metadata key ''"),
        ({1: 1}, "metadata key 1"),
        ({"a": "x" * 513}, "513 characters"),
        ({"a" * 65: 1}, "metadata key"),
        ({str(n): 1 for n in range(65)}, "65 keys"),
        ({str(n): "x" * 500 for n in range(40)}, "the limit is 16,384"),
        ({"a": "\x00"}, "cannot be stored"),
        (["a"], "of type list"),
    ],
)
def test_metadata_that_cannot_be_kept_is_refused_with_what_and_why(given_: Any, said: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_metadata(given_, "Message 0")
    assert said in str(refused.value)
    assert refused.value.remedy


@pytest.mark.parametrize(
    "where",
    [
        "project",
        {"project": {}},
        {"project": {"$regex": "x"}},
        {"project": []},
        {"project": {"$gte": 1, "$lt": "x"}},
        {"project": {"$gte": True}},
        {"project": {"$in": ["x"], "$eq": "x"}},
        {"$nor": [{"a": 1}]},
        {"$or": []},
        {"$or": [{"a": 1}, {}]},
        {"$and": "a"},
        {"$not": {}},
        {"$not": [{"a": 1}]},
        {"$or": [{str(n): 1 for n in range(65)}]},
        nested(17),
        {"project": {"$in": list(range(101))}},
        {"project": None},
    ],
)
def test_conditions_that_cannot_be_met_are_refused(where: Any) -> None:
    with pytest.raises(InputError):
        parse_where(where)
