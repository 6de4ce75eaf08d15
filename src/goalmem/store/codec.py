"""Records to rows and back, exactly."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from goalmem.errors import InputError
from goalmem.logic.interval import Grain, Interval
from goalmem.records import Argument, Edge, Fact, Mention, Modality, Turn
from goalmem.store.failures import decodes
from goalmem.store.metadata import Scalar, scalars

Row = tuple[Any, ...]

TURN = (
    "t.id, s.name, t.position, t.speaker, t.role, t.text, t.at, t.zone, t.caption, t.external_id, t.metadata, t.expires"
)
"""Columns `turn_of` reads, of `turn AS t` and `session AS s`."""
FACT = (
    "f.id, t.id, f.text, f.start, f.stop, f.statement, f.kind, f.predicate, f.args, f.polarity, f.modality, "
    "f.speaker, f.said, f.zone, f.occurs, f.occurs_text, f.slot"
)
"""Columns `fact_of` reads, of `fact AS f` and `turn AS t`."""
MENTION = "t.id, m.start, m.stop, m.text, m.entity, m.type"
"""Columns `mention_of` reads, of `mention AS m` and `turn AS t`."""
EDGE = "e.subject, e.relation, e.object, e.fact, t.id"
"""Columns `edge_of` reads, of `edge AS e` and `turn AS t`."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LOCAL_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def microseconds(at: datetime) -> tuple[int, int]:
    """The instant in microseconds since 1970 UTC, and the zone's offset in microseconds.

    Raises:
        InputError: `at` is naive.
    """
    offset = at.utcoffset()
    if offset is None:
        raise InputError(f"The time {at.isoformat()} has no zone.", "Pass an aware datetime; UTC when in doubt.")
    return (at - _EPOCH) // _MICROSECOND, offset // _MICROSECOND


FIRST, LAST = (microseconds(datetime(*edge, tzinfo=UTC))[0] for edge in ((1, 1, 1), (9999, 12, 31)))
"""The calendar's first and last moments, in microseconds since 1970 UTC."""


@lru_cache(maxsize=4096)
@decodes
def moment(at: int, zone: int) -> datetime:
    """Inverse of `microseconds`; a named zone comes back as its offset."""
    # Counted in local time, so that the first and last days of the calendar never leave its range.
    return (_LOCAL_EPOCH + timedelta(microseconds=at + zone)).replace(tzinfo=_zone(zone))


@lru_cache(maxsize=256)
def _zone(offset: int) -> timezone:
    return timezone(timedelta(microseconds=offset)) if offset else UTC


@lru_cache(maxsize=4096)
def entity_key(name: str) -> int:
    """A signed 64-bit key of a name, the same for every case of its letters."""
    return number_of(name.casefold())


def number_of(name: str) -> int:
    """64 bits, signed, that an index holds for a name. Two names may share one, so the name is compared, too."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big", signed=True)


def turn_of(space: str, row: Row) -> Turn:
    """A turn from the columns `TURN`."""
    id_, session, position, speaker, role, text, at, zone, caption, external_id, metadata, expires = row
    return Turn(
        id_, space, session, position, speaker, role, text, moment(at, zone), caption, external_id,
        metadata=metadata_of(metadata), expires_at=moment(expires, 0) if expires else None,
    )  # fmt: skip


@decodes
def metadata_of(written: str) -> dict[str, Any]:
    """Metadata as it was noted."""
    found = json.loads(written) if written else {}
    if not isinstance(found, dict):
        raise ValueError("metadata is not an object")
    return found


def expiry(at: datetime | None) -> int:
    """Microseconds since 1970 UTC; 0 for never."""
    return 0 if at is None else microseconds(at)[0]


def attribute_rows(metadata: Mapping[str, Any]) -> Iterator[Row]:
    """The columns `key`, `text` and `number` of the values in metadata, each once."""
    for key, value in metadata.items():
        for found in dict.fromkeys(map(attribute, scalars(value))):
            yield key, *found


def attribute(value: Scalar) -> tuple[str, float]:
    """The lookup key of a value: `#` and the number, `=` and the text, or `?` and the boolean."""
    if isinstance(value, bool):
        return f"?{int(value)}", 0.0
    return (f"={value}", 0.0) if isinstance(value, str) else ("#", float(value))


def fact_row(fact: Fact) -> Row:
    """A fact's columns from `id` to `occurs_text`, in the order of the schema."""
    args = [(a.role, a.text, a.start, a.end, a.head, a.entity, a.type, a.resolved, a.modifiers) for a in fact.args]
    return (
        fact.id,
        fact.start,
        fact.end,
        fact.text,
        fact.statement,
        fact.kind,
        fact.predicate,
        fact.slot,
        _compact(args),
        int(fact.polarity),
        fact.modality.value,
        fact.speaker,
        *microseconds(fact.said),
        _interval_text(fact.when),
        fact.when_text,
    )


@lru_cache(maxsize=4096)  # a question reads the same facts again and again
@decodes
def fact_of(space: str, row: Row) -> Fact:
    """A fact from the columns `FACT`."""
    (
        id_, turn, text, start, stop, statement, kind, predicate, args, polarity, modality,
        speaker, said, zone, occurs, occurs_text, slot,
    ) = row  # fmt: skip
    return Fact(
        id=id_,
        space=space,
        turn=turn,
        text=text,
        start=start,
        end=stop,
        statement=statement,
        kind=kind,
        predicate=_named(predicate),
        args=tuple(_argument(a) for a in json.loads(args)),
        polarity=bool(polarity),
        modality=Modality(modality),
        speaker=speaker,
        said=moment(said, zone),
        when=_interval(occurs),
        when_text=occurs_text,
        slot=slot,
    )


def _named(predicate: str) -> str:
    if not predicate:
        raise ValueError("a fact says nothing")
    return predicate


def _argument(fields: list[Any]) -> Argument:
    role, text, start, end, head, entity, type_, resolved, modifiers = fields
    return Argument(role, text, start, end, head, entity, type_, resolved, tuple(modifiers))


def _interval_text(interval: Interval | None) -> str | None:
    """`start/end/grain`, the interval notation of ISO 8601 with the grain behind it."""
    if interval is None:
        return None
    return f"{interval.start.isoformat()}/{interval.end.isoformat()}/{interval.grain.value}"


@lru_cache(maxsize=4096)
def _interval(text: str | None) -> Interval | None:
    if text is None:
        return None
    start, end, grain = text.split("/")
    return Interval(datetime.fromisoformat(start), datetime.fromisoformat(end), Grain(grain))


def mention_row(mention: Mention) -> Row:
    """A mention's columns from `start` to `type`, in the order of the schema."""
    return mention.start, mention.end, mention.text, mention.entity, entity_key(mention.entity), mention.type


def mention_of(space: str, row: Row) -> Mention:
    """A mention from the columns `MENTION`."""
    turn, start, stop, text, entity, type_ = row
    return Mention(space, turn, start, stop, text, entity, type_)


def edge_row(edge: Edge) -> Row:
    """An edge's columns from `fact` to `object_key`, in the order of the schema."""
    subject, object_ = edge.subject, edge.object
    return edge.fact, subject, entity_key(subject), edge.relation, object_, entity_key(object_)


def edge_of(space: str, row: Row) -> Edge:
    """An edge from the columns `EDGE`."""
    subject, relation, object_, fact, turn = row
    return Edge(space, subject, relation, object_, fact, turn)
