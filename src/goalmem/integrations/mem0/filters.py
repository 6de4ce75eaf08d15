"""mem0's filters: operators on the fields of a memory, joined by AND, OR and NOT.

A field that is missing meets no condition; of a list it is enough that one element does (as in mem0's default store).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Any, TypeAlias

from goalmem.errors import InputError

__all__ = ["Predicate", "field_names", "predicate"]

Fields: TypeAlias = Mapping[str, Any]
Predicate: TypeAlias = Callable[[Fields], bool]
Test: TypeAlias = Callable[[object], bool]

LOGICAL = {"AND": "AND", "OR": "OR", "NOT": "NOT", "$and": "AND", "$or": "OR", "$not": "NOT"}
DEEPEST = 32
"""Levels of AND, OR and NOT: more is no filter that anybody wrote, and would exhaust the stack."""


def predicate(filters: Fields, *, depth: int = 0) -> Predicate:
    """Whether the fields of a memory meet every condition of `filters`. Raises InputError for what is no filter."""
    if depth > DEEPEST:
        raise InputError(f"The filters are nested more than {DEEPEST} levels deep.", "Flatten them.")
    parts = [
        joined(LOGICAL[key], value, depth) if key in LOGICAL else condition(key, value)
        for key, value in filters.items()
    ]
    return lambda fields: all(part(fields) for part in parts)


def field_names(filters: object) -> set[str]:
    """Every field that filters name, at any depth."""
    if isinstance(filters, list):
        return {name for one in filters for name in field_names(one)}
    if not isinstance(filters, Mapping):
        return set()
    return {name for key, value in filters.items() for name in (field_names(value) if key in LOGICAL else {str(key)})}


def joined(operator: str, value: object, depth: int) -> Predicate:
    """A list of filters, joined."""
    if not isinstance(value, list) or (operator != "AND" and not value):
        kind = "list" if operator == "AND" else "non-empty list"
        raise InputError(f"{operator} operator requires a {kind} of conditions.", f"Pass {operator}: [{{…}}, …].")
    for place, one in enumerate(value):
        if not isinstance(one, Mapping):
            raise InputError(
                f"{operator} filter list item at index {place} must be a dict, got {type(one).__name__}.",
                'Pass {"field": value} for each.',
            )
    parts = [predicate(one, depth=depth + 1) for one in value]
    if operator == "AND":
        return lambda fields: all(part(fields) for part in parts)
    if operator == "OR":
        return lambda fields: any(part(fields) for part in parts)
    return lambda fields: not any(part(fields) for part in parts)


def condition(key: object, value: object) -> Predicate:
    """A condition on one field."""
    if not isinstance(key, str):
        raise InputError(f"A filter names a field by {key!r}.", "Use the field's name as a string.")
    if isinstance(value, Mapping):
        tests = [test_of(key, operator, operand) for operator, operand in value.items()]
        if not tests:
            raise InputError(f"The filter on {key!r} has no operator.", f"Use one of: {', '.join(OPERATORS)}.")
    elif isinstance(value, list):
        tests = [test_of(key, "in", value)]
    elif isinstance(value, str) and value == "*":
        tests = [lambda _: True]
    else:
        tests = [test_of(key, "eq", value)]

    def meets(fields: Fields) -> bool:
        held = fields.get(key)
        return held is not None and all(test(held) for test in tests)

    return meets


def test_of(key: str, operator: object, operand: object) -> Test:
    """The test that an operator with its operand stands for."""
    make = OPERATORS.get(operator) if isinstance(operator, str) else None
    if make is None:
        raise InputError(
            f"Unsupported metadata filter operator: {operator} (on {key!r}).", f"Use one of: {', '.join(OPERATORS)}."
        )
    try:
        return make(operand)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"The filter {operator!r} on {key!r} cannot take {operand!r}: {error}.", "Correct it."
        ) from None


def _equals(operand: object) -> Test:
    if not isinstance(operand, str | int | float | bool):
        raise TypeError("a string, a number or a truth value is needed")
    # True is no 1 here, as in JSON.
    wanted = (isinstance(operand, bool), operand)
    return _any_element(lambda held: (isinstance(held, bool), held) == wanted)


def _one_of(operand: object) -> Test:
    if not isinstance(operand, list | tuple | set | frozenset):
        raise TypeError("a list is needed")
    tests = [_equals(one) for one in operand]
    return lambda held: any(test(held) for test in tests)


def _none(make: Callable[[object], Test]) -> Callable[[object], Test]:
    def negated(operand: object) -> Test:
        test = make(operand)
        return lambda held: not test(held)

    return negated


def _contains(operand: object) -> Test:
    if not isinstance(operand, str):
        raise TypeError("a string is needed")
    return _any_element(lambda held: isinstance(held, str) and operand in held)


def _contains_folded(operand: object) -> Test:
    if not isinstance(operand, str):
        raise TypeError("a string is needed")
    folded = operand.casefold()
    return _any_element(lambda held: isinstance(held, str) and folded in held.casefold())


def _compared(compare: Callable[[float, float], bool]) -> Callable[[object], Test]:
    def make(operand: object) -> Test:
        bound = _number(operand)
        moment = _moment(operand) if bound is None else None
        if bound is not None:
            return _any_element(lambda held: (n := _number(held)) is not None and compare(n, bound))
        if moment is None:
            raise TypeError("a number or an ISO 8601 date is needed")
        return _any_element(lambda held: (m := _moment(held)) is not None and compare(m, moment))

    return make


def _any_element(test: Test) -> Test:
    return lambda held: any(test(one) for one in held) if isinstance(held, list | tuple) else test(held)


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _moment(value: object) -> float | None:
    """A date or a time as Unix seconds; without a zone it is taken as UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime):
        return None
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()


OPERATORS: Mapping[str, Callable[[object], Test]] = {
    "eq": _equals,
    "ne": _none(_equals),
    "gt": _compared(lambda held, bound: held > bound),
    "gte": _compared(lambda held, bound: held >= bound),
    "lt": _compared(lambda held, bound: held < bound),
    "lte": _compared(lambda held, bound: held <= bound),
    "in": _one_of,
    "nin": _none(_one_of),
    "contains": _contains,
    "icontains": _contains_folded,
}
