"""Aggregates over values: computed, never guessed, and independent of the order of the values.

Distinct means distinct key (entity, event, moment), not distinct text. If the values do not decide the result, it is undecided and says
why.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import pairwise

from goalmem.logic.interval import Interval
from goalmem.logic.quantity import quantity_of
from goalmem.logic.terms import Value

_NEVER = datetime(9999, 12, 31)


@dataclass(frozen=True, slots=True)
class AggregateResult:
    """The result of an aggregate: the answer as text and values, or why it is undecided."""

    text: str = ""
    values: tuple[Value, ...] = ()
    undecided: str = ""


def distinct(values: Iterable[Value]) -> tuple[Value, ...]:
    """One value for each key, in an order that depends only on the values: by time, then by text."""
    kept: dict[str, Value] = {}
    for v in values:
        held = kept.get(v.key)
        if held is None or preferred(v) < preferred(held):
            kept[v.key] = v
    return tuple(sorted(kept.values(), key=_in_order))


def count(values: Iterable[Value]) -> AggregateResult:
    """How many distinct values."""
    n = len(distinct(values))
    return AggregateResult(str(n), (Value(str(n), str(n), "number", number=float(n)),))


def listing(values: Iterable[Value]) -> AggregateResult:
    """The distinct values, as text joined with commas and `and`."""
    kept = distinct(values)
    return AggregateResult(join_texts([v.text for v in kept]), kept)


def total(values: Iterable[Value], unit: str = "") -> AggregateResult:
    """The sum of numbers. Every value counts: the caller decides which are separate amounts."""
    kept = sorted(values, key=_in_order)
    if bare := next((v for v in kept if v.number is None), None):
        return AggregateResult(undecided=f"{bare.text!r} is no amount.")
    units = {q.unit for v in kept if (q := quantity_of(v.text, v.number)) is not None and q.unit}
    if len(units) > 1:
        return AggregateResult(undecided=f"{join_texts([v.text for v in kept])} are of different units.")
    number = sum((Decimal(str(v.number)) for v in kept), Decimal(0))
    symbol = unit if unit and not unit[0].isalnum() else ""
    text = f"{number:,.0f}" if not number % 1 else f"{number:,.2f}" if symbol else f"{number.normalize():,f}"
    shown = f"{symbol}{text}" if symbol else f"{text} {unit}".rstrip()
    return AggregateResult(shown, (Value(shown, f"{number.normalize():f}", "number", number=float(number)),))


def earliest(values: Iterable[tuple[Value, Interval | None]]) -> AggregateResult:
    """The value whose time lies before all others."""
    return _extreme(values, first=True)


def latest(values: Iterable[tuple[Value, Interval | None]]) -> AggregateResult:
    """The value whose time lies after all others."""
    return _extreme(values, first=False)


def first_of(values: Iterable[tuple[Value, Interval | None]]) -> AggregateResult:
    """Of at least two alternatives, the one that came first."""
    return _alternative(list(values), first=True)


def last_of(values: Iterable[tuple[Value, Interval | None]]) -> AggregateResult:
    """Of at least two alternatives, the one that came last."""
    return _alternative(list(values), first=False)


def _extreme(values: Iterable[tuple[Value, Interval | None]], *, first: bool) -> AggregateResult:
    pairs = list(values)
    kinds = distinct(v for v, _ in pairs)
    if len(kinds) == 1:
        return AggregateResult(kinds[0].text, kinds)
    untimed = distinct(v for v, t in pairs if t is None and not any(w.key == v.key and u for w, u in pairs))
    if untimed:
        return AggregateResult(undecided=f"When {untimed[0].text} was is not known.")
    timed = [(v, t) for v, t in pairs if t is not None]
    best = min(t.end for _, t in timed) if first else max(t.start for _, t in timed)
    # Candidates for the extreme: no other lies wholly before (after) them.
    open_ = [(v, t) for v, t in timed if (t.start < best if first else t.end > best)]
    contenders = distinct(v for v, _ in open_)
    if len(contenders) > 1:
        narrow = _narrowest(contenders)
        if narrow is None:
            return AggregateResult(undecided=f"Their times overlap: {join_texts([v.text for v in contenders])}.")
        contenders = (narrow,)
    return AggregateResult(contenders[0].text, contenders)


def _narrowest(values: Sequence[Value]) -> Value | None:
    """If all times lie inside each other (one moment at several precisions), the most precise."""
    timed = [(v.interval.end - v.interval.start, v) for v in values if v.interval is not None]
    if len(timed) < len(values):
        return None
    chain = [v for _, v in sorted(timed, key=lambda p: (p[0], preferred(p[1])))]
    nested = all(a.interval and b.interval and a.interval.within(b.interval) for a, b in pairwise(chain))
    return chain[0] if nested else None


def _alternative(pairs: list[tuple[Value, Interval | None]], *, first: bool) -> AggregateResult:
    if len(distinct(v for v, _ in pairs)) < 2:
        known = join_texts([v.text for v in distinct(v for v, _ in pairs)])
        return AggregateResult(undecided=f"Only one of the alternatives is known: {known}.")
    return _extreme(pairs, first=first)


def preferred(value: Value) -> tuple[object, ...]:
    """Of several texts for one thing, the longest (a full name before a nickname), then alphabetical."""
    span = (_NEVER, _NEVER) if value.interval is None else (value.interval.start, value.interval.end)
    return -len(value.text), value.text, value.type, *span, value.number or 0.0


def _in_order(value: Value) -> tuple[datetime, datetime, str, str]:
    if value.interval is None:
        return _NEVER, _NEVER, value.text.casefold(), value.key
    return value.interval.start, value.interval.end, value.text.casefold(), value.key


def join_texts(texts: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))
