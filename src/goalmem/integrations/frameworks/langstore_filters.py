"""Which values and which namespaces a LangGraph store is asked for."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langgraph.store.base import MatchCondition

from goalmem.errors import InputError

__all__ = ["is_listed", "matches"]

ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
OPERATORS = ("$eq", "$ne", *ORDERS)
ANY = "*"
"""Stands for any one label of a namespace."""


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether a value has every field as wanted. Raises InputError for an unknown operator."""
    return all(_agrees(value.get(name), condition) for name, condition in (wanted or {}).items())


def _agrees(held: Any, wanted: Any) -> bool:
    """Whether what is held is what is wanted: equal; by operators; or, of dicts and lists, in every part named."""
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compares(held, name, other) for name, other in wanted.items())
        return isinstance(held, Mapping) and all(_agrees(held.get(name), other) for name, other in wanted.items())
    if isinstance(wanted, list | tuple):
        if not isinstance(held, list | tuple) or len(held) != len(wanted):
            return False
        return all(_agrees(own, other) for own, other in zip(held, wanted, strict=True))
    return bool(held == wanted)


def _compares(held: Any, name: str, other: Any) -> bool:
    if name not in OPERATORS:
        raise InputError(f"There is no operator {name!r} in filters.", f"Use one of: {', '.join(OPERATORS)}.")
    if name in ORDERS:
        pair = _comparable(held, other)
        return pair is not None and ORDERS[name](*pair)
    return (held == other) is (name == "$eq")


def _comparable(held: Any, other: Any) -> tuple[Any, Any] | None:
    """Two things as numbers, or else as texts; None where neither is possible: then no order holds."""
    try:
        return float(held), float(other)
    except (TypeError, ValueError):
        return (held, other) if isinstance(held, str) and isinstance(other, str) else None


def is_listed(namespace: Sequence[str], conditions: Sequence[MatchCondition] | None) -> bool:
    """Whether a namespace begins or ends as every condition says. Raises InputError for another kind of condition."""
    return all(_begins_or_ends(namespace, condition) for condition in conditions or ())


def _begins_or_ends(namespace: Sequence[str], condition: MatchCondition) -> bool:
    if condition.match_type not in ("prefix", "suffix"):
        raise InputError(f"Namespaces cannot be matched by {condition.match_type!r}.", "Use prefix or suffix.")
    count = len(condition.path)
    if count > len(namespace):
        return False
    labels = namespace[:count] if condition.match_type == "prefix" else namespace[len(namespace) - count :]
    return all(asked in (ANY, label) for asked, label in zip(condition.path, labels, strict=True))
