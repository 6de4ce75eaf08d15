"""Metadata of turns, and conditions on it.

Metadata is a JSON object whose values are scalars or lists of scalars. Conditions are written as Chroma and mem0 have them:

    {"project": "x"}                        equal; of a list, one of its items is
    {"project": ["x", "y"]}                 one of several
    {"priority": {"$gte": 2, "$lt": 5}}     within bounds, of numbers or of texts
    {"$or": [{…}, {…}]}                     one of several objects holds; `$and`: all of them do
    {"$not": {…}}                           an object does not hold

All conditions of an object must hold. Integers and floats compare by value; true and false are not numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from goalmem.errors import InputError, shown

Scalar: TypeAlias = str | int | float | bool

TAGS = "tags"
"""The key under which tags are kept."""
MOST_KEYS = 64
LONGEST_KEY = 64
LONGEST_TEXT = 512
"""Characters of a text: with its key, an entry of an index of PostgreSQL holds at most 2,704 bytes."""
LONGEST = 16_384
"""Characters of a whole object as JSON."""
MOST_VALUES = 100
"""Values that a condition may name."""
MOST_CONDITIONS = 64
"""Conditions of a whole filter."""
DEEPEST = 16
"""Levels of `$or`, `$and` and `$not` within one another."""
EXACT = 2**53
"""Whole numbers up to here are exact as a double."""
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""NUL ends strings in C, and lone surrogates have no UTF-8 form. In texts both are replaced by U+FFFD."""
BOUNDS = ("gt", "gte", "lt", "lte")
OPERATORS = ("eq", "in", *BOUNDS)
CONNECTIVES = ("$or", "$and", "$not")

_SCALARS = "a text, a number, true or false"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that at least one value under a key must meet."""

    key: str
    any_of: tuple[Scalar, ...] = ()
    """Equal to one of these; if empty, the bounds apply."""
    bounds: tuple[tuple[str, str | float], ...] = ()
    """`gt`, `gte`, `lt` or `lte` and the bound; all of texts or all of numbers."""

    def holds(self, metadata: Mapping[str, Any]) -> bool:
        """True if metadata meets it."""
        return any(map(self._met, scalars(metadata.get(self.key, ()))))

    def _met(self, value: Scalar) -> bool:
        if not self.bounds:
            return any(_same(value, one) for one in self.any_of)
        return all(_within(value, operator, bound) for operator, bound in self.bounds)

    def written(self) -> dict[str, Any]:
        """As `parse_where` reads it."""
        if self.bounds:
            return {self.key: {f"${operator}": bound for operator, bound in self.bounds}}
        return {self.key: list(self.any_of) if len(self.any_of) > 1 else self.any_of[0]}


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of several filters must hold."""

    filters: tuple[Where, ...]

    def holds(self, metadata: Mapping[str, Any]) -> bool:
        """True if metadata meets it."""
        return any(meets(metadata, where) for where in self.filters)

    def written(self) -> dict[str, Any]:
        """As `parse_where` reads it."""
        return {"$or": [as_object(where) for where in self.filters]}


@dataclass(frozen=True, slots=True)
class NotFilter:
    """A filter must not hold."""

    where: Where

    def holds(self, metadata: Mapping[str, Any]) -> bool:
        """True if metadata meets it."""
        return not meets(metadata, self.where)

    def written(self) -> dict[str, Any]:
        """As `parse_where` reads it."""
        return {"$not": as_object(self.where)}


Where: TypeAlias = tuple["Condition | AnyOf | NotFilter", ...]
"""Conditions that all have to hold."""
EVERYTHING: Where = ()


def meets(metadata: Mapping[str, Any], where: Where) -> bool:
    """True if metadata meets all conditions of a filter."""
    return all(condition.holds(metadata) for condition in where)


def scalars(value: object) -> Sequence[Scalar]:
    """The values under a key: one, or those of a list."""
    return value if isinstance(value, list | tuple) else (value,)


def _same(one: Scalar, other: Scalar) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _within(value: Scalar, operator: str, bound: str | float) -> bool:
    if isinstance(value, bool) or isinstance(value, str) != isinstance(bound, str):
        return False
    left: Any = value
    right: Any = bound
    if operator == "gt":
        return bool(left > right)
    if operator == "gte":
        return bool(left >= right)
    return bool(left < right) if operator == "lt" else bool(left <= right)


def parse_metadata(given: object, what: str) -> dict[str, Any]:
    """Validate metadata. Raises InputError; `what` names its owner in the message."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"{what} has metadata of type {type(given).__name__}.", 'Pass an object: {"project": "x"}.')
    if len(given) > MOST_KEYS:
        raise InputError(f"{what} has {len(given)} keys of metadata; the limit is {MOST_KEYS}.", "Leave some out.")
    kept = {_key(key, what): _value(value, f"{what}, metadata {key!r},") for key, value in given.items()}
    if (length := len(written(kept))) > LONGEST:
        raise InputError(
            f"{what} has {length:,} characters of metadata; the limit is {LONGEST:,}.",
            "Keep long texts in the message itself, or elsewhere.",
        )
    return kept


def parse_tags(given: object, what: str) -> list[str]:
    """Tags, each once. Raises InputError."""
    if isinstance(given, str) or not isinstance(given, list | tuple | set | frozenset):
        raise InputError(f"{what} has tags of type {type(given).__name__}.", 'Pass a list: ["work"].')
    if not all(isinstance(tag, str) and tag.strip() for tag in given):
        raise InputError(f"{what} has a tag that is no text.", 'Pass a list of texts: ["work"].')
    return list(dict.fromkeys(given if isinstance(given, list | tuple) else sorted(given)))


def written(metadata: Mapping[str, Any]) -> str:
    """Metadata as stored; an empty string if there is none."""
    return json.dumps(metadata, ensure_ascii=False, separators=(",", ":"), sort_keys=True) if metadata else ""


def _key(key: object, what: str) -> str:
    if not isinstance(key, str) or not key.strip() or len(key) > LONGEST_KEY or UNSTORABLE.search(key):
        raise InputError(
            f"{what} has the metadata key {key!r}.", f"Use a text of at most {LONGEST_KEY} visible characters."
        )
    return key


def _value(value: object, what: str) -> Scalar | list[Scalar]:
    if isinstance(value, list | tuple):
        return [_scalar(item, what) for item in value]
    return _scalar(value, what)


def _scalar(value: object, what: str) -> Scalar:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT or UNSTORABLE.search(value):
            raise InputError(
                f"{what} is a text of {len(value):,} characters, or holds some that cannot be stored.",
                f"The limit is {LONGEST_TEXT}; keep long texts in the message itself, or elsewhere.",
            )
        return value
    if isinstance(value, int | float) and abs(value) <= EXACT:  # no NaN is
        return value
    if isinstance(value, int | float):
        raise InputError(
            f"{what} is {shown(value)}.", "Numbers are finite and at most 2^53; write longer ones as text."
        )
    raise InputError(
        f"{what} is of type {type(value).__name__}.",
        f"A value is {_SCALARS}, or a list of these; write what is nested under keys of its own, or as text.",
    )


def parse_where(given: object, what: str = "The filter") -> Where:
    """Conditions as callers write them, in a fixed order. Raises InputError."""
    if given is None:
        return EVERYTHING
    where = _filter(given, what, DEEPEST)
    if (count := sum(map(_conditions_in, where))) > MOST_CONDITIONS:
        raise InputError(f"{what} has {count} conditions; the limit is {MOST_CONDITIONS}.", "Leave some out.")
    return where


def as_object(where: Where) -> dict[str, Any]:
    """Conditions as `parse_where` reads them; a second one under the same key goes into `$and`."""
    found: dict[str, Any] = {}
    more: list[dict[str, Any]] = []
    for written in (condition.written() for condition in where):
        if written.keys() & found.keys():
            more.append(written)
        else:
            found |= written
    return found | ({"$and": more} if more else {})


def _filter(given: object, what: str, deepest: int) -> Where:
    if not isinstance(given, Mapping):
        raise InputError(f"{what} is of type {type(given).__name__}.", 'Pass an object: where={"project": "x"}.')
    if not deepest:
        raise InputError(f"{what} is nested more than {DEEPEST} levels deep.", "Write it flatter.")
    conditions = [
        condition
        for key, value in given.items()
        for condition in (
            _connected(key, value, what, deepest - 1)
            if key in CONNECTIVES
            else _conditions(_key(key, what), value, what)
        )
    ]
    return tuple(sorted(conditions, key=repr))


def _connected(connective: object, value: object, what: str, deepest: int) -> Where:
    """Parse `$or`, `$and` or `$not`."""
    inner = f"{what}, {connective},"
    several = value if isinstance(value, list | tuple) and connective != "$not" else (value,)
    filters = tuple(_filter(one, inner, deepest) for one in several)
    if not filters or not all(filters):
        raise InputError(f"{inner} has no condition.", 'Give some: {"$or": [{"project": "x"}, {"project": "y"}]}.')
    if connective == "$not":
        return (NotFilter(filters[0]),)
    return (AnyOf(filters),) if connective == "$or" else tuple(c for where in filters for c in where)


def _conditions_in(condition: Condition | AnyOf | NotFilter) -> int:
    if isinstance(condition, Condition):
        return 1
    filters = condition.filters if isinstance(condition, AnyOf) else (condition.where,)
    return sum(_conditions_in(inner) for where in filters for inner in where)


def _conditions(key: str, value: object, what: str) -> Iterator[Condition]:
    where = f"{what}, {key!r},"
    if key.startswith("$"):
        raise InputError(f"{what} has {key!r}.", f"Beside keys there are: {', '.join(CONNECTIVES)}.")
    if not isinstance(value, Mapping):
        yield Condition(key, _choices(value, where))
        return
    named = {str(name).removeprefix("$"): bound for name, bound in value.items()}
    if not named or not named.keys() <= set(OPERATORS):
        raise InputError(
            f"{where} is {shown(dict(value))}.",
            f"Operators are: {', '.join(f'${operator}' for operator in OPERATORS)}.",
        )
    if {"eq", "in"} <= named.keys():
        raise InputError(f"{where} has both $eq and $in.", "Give one of them.")
    for operator in ("eq", "in"):
        if operator in named:
            yield Condition(key, _choices(named[operator], where))
    bounds = [(operator, _scalar(named[operator], where)) for operator in BOUNDS if operator in named]
    if len({isinstance(bound, str) for _, bound in bounds}) > 1 or any(isinstance(b, bool) for _, b in bounds):
        raise InputError(f"{where} has bounds {[b for _, b in bounds]!r}.", "Bounds are numbers, or all of them texts.")
    if bounds:
        yield Condition(key, (), tuple(bounds))


def _choices(value: object, where: str) -> tuple[Scalar, ...]:
    several = value if isinstance(value, list | tuple | set | frozenset) else (value,)
    if not 0 < len(several) <= MOST_VALUES:
        raise InputError(f"{where} names {len(several)} values.", f"Name at least one and at most {MOST_VALUES}.")
    return tuple(_scalar(one, where) for one in several)
