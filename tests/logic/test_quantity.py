"""Amounts are reckoned with only where they are of one kind, and exactly."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.logic.aggregate import total
from goalmem.logic.quantity import Quantity, difference, quantity_of, quantity_sum, shown
from goalmem.logic.terms import Value

UNITS = ("", "€", "$", "km", "kg", "hour", "CHF")
quantities = st.builds(Quantity, st.integers(0, 10**6).map(Decimal), st.sampled_from(UNITS))


@pytest.mark.parametrize(
    ("text", "number", "expected"),
    [
        ("€281", None, "€281"),
        ("847 euros", None, "€847"),
        ("1,250.50 dollars", None, "$1,250.50"),
        ("$3k", None, "$3,000"),
        ("12 km", None, "12 km"),
        ("two hours", 2.0, "2 hours"),
        ("34", None, "34"),
        ("a dozen", 12.0, "12"),
        ("20 %", None, "20%"),
    ],
)
def test_an_amount_is_read_with_its_unit(text, number, expected):
    found = quantity_of(text, number)
    assert found is not None
    assert shown(found) == expected


@pytest.mark.parametrize("text", ["900 euros a month", "€5 each", "€8 a box", "30 to 40 euros", "3 or 4", "euros"])
def test_rates_and_several_are_no_single_amount(text):
    assert quantity_of(text) is None


@given(quantities, quantities)
def test_only_like_is_reckoned_with_like(a, b):
    both, less = quantity_sum(a, b), difference(a, b)
    assert (both is None) == (less is None) == (a.kind != b.kind)
    if both is not None and less is not None:
        assert difference(both, b) == Quantity(a.number, both.unit)


def test_units_of_one_kind_are_converted():
    metres = difference(Quantity(Decimal(2), "km"), Quantity(Decimal(500), "m"))
    assert metres == Quantity(Decimal(1500), "m")


def test_a_sum_of_two_currencies_is_undecided():
    values = [Value("20 euros", "20", number=20.0), Value("30 dollars", "30", number=30.0)]
    assert total(values).undecided
