"""Memories found: listed by filters, or searched for.

A field that is missing meets no condition; of a list it is enough that one element does (as in mem0's default store).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice
from typing import Any, TypeAlias

from goalmem.errors import InputError
from goalmem.integrations.mem0.catalogue import Catalogue
from goalmem.integrations.mem0.payload import checked_count, checked_threshold
from goalmem.integrations.mem0.rows import MemoryRecord, item
from goalmem.integrations.mem0.scope import ENTITIES, MemoryScope, entity_id
from goalmem.memory import Memory
from goalmem.records import Hit, aware
from goalmem.retrieve.settings import Weights
from goalmem.store.metadata import UNSTORABLE

FIRST_LOOK, MORE = 4, 4
"""Times `top_k` turns that are searched for at first, and times more each time that too few of them may be shown."""
LEAST_LOOK = 60
"""Turns that are searched for at least (mem0's own)."""
ANY = "*"
WEIGHTS = Weights()
"""Weight of each signal in a search."""


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """A filter of memories."""

    ids: Mapping[str, str]
    """Owners by mem0's names; `*` for any."""
    meets: Predicate
    by_text: bool
    """True if the filters ask of the text."""
    narrow: bool
    """True if the filter is narrower than a user: then most results may have to be dropped."""

    @property
    def space(self) -> str | None:
        """The one space that they can be in; None where that may be any."""
        user = self.ids.get("user_id", ANY)
        return MemoryScope(user).space if user != ANY else None


def wanted(filters: object) -> MemoryFilter:
    """Filters, checked. Raises InputError where they do not say whose memories, or are no filters."""
    if filters is not None and not isinstance(filters, Mapping):
        raise InputError(f"The filters are a {type(filters).__name__}.", "Pass a dict, e.g. filters={'user_id': 'u1'}.")
    told = dict(filters or {})
    ids = {name: given for name in ENTITIES if (given := entity_id(told.pop(name, None), name)) is not None}
    if not ids:
        raise InputError(
            "filters must contain at least one of: user_id, agent_id, run_id.", "Example: filters={'user_id': 'u1'}"
        )
    narrow = bool(told) or ids.keys() != {"user_id"}
    return MemoryFilter(ids, predicate({**told, **ids}), "data" in field_names(told), narrow)


class MemoryFinder:
    """Finds memories of a catalogue."""

    def __init__(self, memory: Memory, catalogue: Catalogue) -> None:
        self._memory = memory
        self._catalogue = catalogue

    def item(self, record: MemoryRecord) -> dict[str, Any] | None:
        """A memory in the format of mem0's `get`; None if it was forgotten meanwhile."""
        text = self._catalogue.texts([record]).get(record.turn)
        return {**item(record, text), "score": None} if text is not None else None

    def owned(self, scope: MemoryScope) -> list[MemoryRecord]:
        """Every memory that has all ids of a scope."""
        whose = wanted(scope.ids)
        return [record for space in self._spaces(whose) for record in self._let_through(space, whose, expired=True)]

    def all(
        self, filters: object, top_k: object, *, show_expired: bool, extra: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        """See `Memory.get_all`."""
        count = checked_count(_counted(extra, "get_all", top_k))
        whose = wanted(filters)
        rows = (record for space in self._spaces(whose) for record in self._let_through(space, whose, show_expired))
        found = list(islice(rows, count))
        texts = self._catalogue.texts(found)
        return [item(record, texts[record.turn]) for record in found if record.turn in texts]

    def search(
        self,
        query: object,
        filters: object,
        top_k: object,
        threshold: object,
        *,
        at: datetime | None,
        explain: bool,
        show_expired: bool,
        extra: Mapping[str, Any],
    ) -> list[dict[str, Any]]:
        """See `Memory.search`."""
        count = checked_count(_counted(extra, "search", top_k))
        least = checked_threshold(threshold)
        if not isinstance(query, str) or not query.strip():
            raise InputError("Invalid query: cannot be empty or whitespace-only.", "Pass some text.")
        text = UNSTORABLE.sub("\ufffd", query.strip())
        whose = wanted(filters)
        found: list[dict[str, Any]] = []
        for space in self._spaces(whose) if count else ():
            for record, hit in self._hits(text, space, whose, count, at, show_expired):
                score = score_of(hit)
                if score >= least:
                    details = {"score_details": details_of(hit, score, least)} if explain else {}
                    found.append({**item(record, hit.turn.text), "score": score, **details})
        return sorted(found, key=lambda one: -float(one["score"]))[:count]

    def _hits(
        self, query: str, space: str, whose: MemoryFilter, count: int, at: datetime | None, expired: bool
    ) -> list[tuple[MemoryRecord, Hit]]:
        """The best turns of a space that pass the filter, up to `count`."""
        sessions = None
        if whose.narrow:
            sessions = sorted({record.session for record in self._let_through(space, whose, expired)})
            if not sessions:
                return []
        k = max(FIRST_LOOK * count, LEAST_LOOK)
        while True:
            hits = self._memory.search(query, space=space, k=k, at=at, sessions=sessions)
            records = self._catalogue.of_turns(space, (hit.turn.id for hit in hits))
            let_through = self._test(whose, expired, records.values())
            shown = [(r, hit) for hit in hits if (r := records.get(hit.turn.id)) is not None and let_through(r)]
            if len(shown) >= count or len(hits) < k:
                return shown[:count]
            k *= MORE

    def _spaces(self, whose: MemoryFilter) -> list[str]:
        return [whose.space] if whose.space is not None else self._catalogue.spaces()

    def _let_through(self, space: str, whose: MemoryFilter, expired: bool) -> Iterator[MemoryRecord]:
        """The memories of a space that pass the filter, in the order added."""
        records = self._catalogue.records(space)
        return filter(self._test(whose, expired, records), records)

    def _test(
        self, whose: MemoryFilter, expired: bool, records: Collection[MemoryRecord]
    ) -> Callable[[MemoryRecord], bool]:
        """True if a memory passes the filter."""
        texts = self._catalogue.texts(records) if whose.by_text else {}
        today = datetime.now(UTC).date()
        return lambda record: (
            (expired or not is_past(record.payload, today)) and whose.meets(record.fields(texts.get(record.turn)))
        )


def _counted(extra: Mapping[str, Any], method: str, top_k: object) -> object:
    """Validate the number of results: `limit` is mem0 1's name for it. Raises InputError for ids that belong in the
    filters.
    """
    if misplaced := sorted(set(ENTITIES) & extra.keys()):
        raise InputError(
            f"Top-level entity parameters {misplaced} are not supported in {method}().",
            f"Use filters={{{misplaced[0]!r}: '...'}} instead.",
        )
    limit = extra.get("limit")
    return top_k if limit is None else limit


def is_past(payload: Mapping[str, Any], today: date) -> bool:
    """True if a memory has expired: its day is before today (UTC)."""
    expires = payload.get("expiration_date")
    try:
        return bool(expires) and date.fromisoformat(str(expires)) < today
    except ValueError:
        return False


def score_of(hit: Hit) -> float:
    """A fused score, which has no upper end, brought to [0, 1) in the same order: 1 - exp(-score)."""
    return round(-math.expm1(-max(hit.score, 0.0)), 6)


def details_of(hit: Hit, score: float, threshold: float) -> dict[str, Any]:
    """Components of a score: mem0's names, and goalmem's signals with their weights."""
    return {
        "semantic_score": hit.signals.get("dense", 0.0) / WEIGHTS.dense,
        "bm25_score": hit.signals.get("lexical", 0.0) / WEIGHTS.lexical,
        "entity_boost": hit.signals.get("person", 0.0) + hit.signals.get("speaker", 0.0),
        "raw_score": hit.score,
        "max_possible_score": 1.0,
        "final_score": score,
        "threshold": threshold,
        "signals": dict(hit.signals),
    }


Fields: TypeAlias = Mapping[str, Any]
Predicate: TypeAlias = Callable[[Fields], bool]
Test: TypeAlias = Callable[[object], bool]

LOGICAL = {"AND": "AND", "OR": "OR", "NOT": "NOT", "$and": "AND", "$or": "OR", "$not": "NOT"}
DEEPEST = 32
"""Levels of AND, OR and NOT: more is no filter that anybody wrote, and would exhaust the stack."""


def predicate(filters: Fields, *, depth: int = 0) -> Predicate:
    """Compile `filters` to a predicate on a memory's fields. Raises InputError if they are invalid."""
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
    """The test for an operator and its operand."""
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
    return aware(value).timestamp()


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
