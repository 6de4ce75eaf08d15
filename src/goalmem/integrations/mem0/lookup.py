"""Memories found: listed by filters, or searched for."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice
from typing import Any

from goalmem.errors import InputError
from goalmem.integrations.mem0.catalogue import Catalogue
from goalmem.integrations.mem0.filters import Predicate, field_names, predicate
from goalmem.integrations.mem0.payload import checked_count, checked_threshold
from goalmem.integrations.mem0.rows import Record, item
from goalmem.integrations.mem0.scope import ENTITIES, Scope, entity_id
from goalmem.io.chat_messages import UNSTORABLE
from goalmem.memory import Memory
from goalmem.records import Hit
from goalmem.retrieve.weights import Weights

__all__ = ["Finder", "Wanted", "wanted"]

FIRST_LOOK, MORE = 4, 4
"""Times `top_k` turns that are searched for at first, and times more each time that too few of them may be shown."""
LEAST_LOOK = 60
"""Turns that are searched for at least (mem0's own)."""
ANY = "*"
WEIGHTS = Weights()
"""What each signal counts in a search."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which memories filters let through."""

    ids: Mapping[str, str]
    """Whose they are, by mem0's names; `*` for anybody's."""
    meets: Predicate
    by_text: bool
    """Whether the filters ask of the text."""
    narrow: bool
    """Whether they ask for more than a user: then most of what is found may have to be left out."""

    @property
    def space(self) -> str | None:
        """The one space that they can be in; None where that may be any."""
        user = self.ids.get("user_id", ANY)
        return Scope(user).space if user != ANY else None


def wanted(filters: object) -> Wanted:
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
    return Wanted(ids, predicate({**told, **ids}), "data" in field_names(told), narrow)


class Finder:
    """Finds memories of a catalogue."""

    def __init__(self, memory: Memory, catalogue: Catalogue) -> None:
        self._memory = memory
        self._catalogue = catalogue

    def item(self, record: Record) -> dict[str, Any] | None:
        """A memory as mem0's `get` returns it; None where it was forgotten meanwhile."""
        text = self._catalogue.texts([record]).get(record.turn)
        return {**item(record, text), "score": None} if text is not None else None

    def owned(self, scope: Scope) -> list[Record]:
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
        self, query: str, space: str, whose: Wanted, count: int, at: datetime | None, expired: bool
    ) -> list[tuple[Record, Hit]]:
        """The best turns of a space that filters let through, `count` where there are so many."""
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

    def _spaces(self, whose: Wanted) -> list[str]:
        return [whose.space] if whose.space is not None else self._catalogue.spaces()

    def _let_through(self, space: str, whose: Wanted, expired: bool) -> Iterator[Record]:
        """The memories of a space that filters let through, in the order added."""
        records = self._catalogue.records(space)
        return filter(self._test(whose, expired, records), records)

    def _test(self, whose: Wanted, expired: bool, records: Collection[Record]) -> Callable[[Record], bool]:
        """Whether filters let a memory through, of some."""
        texts = self._catalogue.texts(records) if whose.by_text else {}
        today = datetime.now(UTC).date()
        return lambda record: (
            (expired or not is_past(record.payload, today)) and whose.meets(record.fields(texts.get(record.turn)))
        )


def _counted(extra: Mapping[str, Any], method: str, top_k: object) -> object:
    """How many are wanted: `limit` is mem0 1's name for it. Raises InputError for ids that belong into the filters."""
    if misplaced := sorted(set(ENTITIES) & extra.keys()):
        raise InputError(
            f"Top-level entity parameters {misplaced} are not supported in {method}().",
            f"Use filters={{{misplaced[0]!r}: '...'}} instead.",
        )
    limit = extra.get("limit")
    return top_k if limit is None else limit


def is_past(payload: Mapping[str, Any], today: date) -> bool:
    """Whether a memory has expired: its day is before today (UTC)."""
    expires = payload.get("expiration_date")
    try:
        return bool(expires) and date.fromisoformat(str(expires)) < today
    except ValueError:
        return False


def score_of(hit: Hit) -> float:
    """A fused score, which has no upper end, brought to [0, 1) in the same order: 1 - exp(-score)."""
    return round(-math.expm1(-max(hit.score, 0.0)), 6)


def details_of(hit: Hit, score: float, threshold: float) -> dict[str, Any]:
    """What a score is made of: mem0's names, and each of goalmem's signals with its weight in it."""
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
