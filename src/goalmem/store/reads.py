"""Reads: every query names its space, goes through an index, and is the same for both databases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter

from goalmem.errors import StoreFullError
from goalmem.records import Edge, Fact, Mention, Turn, TurnVersion
from goalmem.store import codec
from goalmem.store.conditions import restrict
from goalmem.store.failures import DamagedRowError, require_later
from goalmem.store.metadata import EVERYTHING, Where
from goalmem.store.protocol import NO_OTHERS, IndexRow, Quota, Stated, Stats
from goalmem.store.tables import Dialect, Query, Row, Rows, Tables
from goalmem.store.versions import known_before, versions

_TERM = 8
"""Bytes of a term."""


def known(tables: Tables, session: str) -> Mapping[str, str]:
    """Identity key -> turn id of every turn of a session, to recognise stored turns.

    Keys: `id:<external id>`, `at:<content hash>:<stored position>` and `at:<content hash>:<call position>`. Where two turns share one,
    the stored position decides.
    """
    select = "SELECT t.id, t.content_hash, t.position, t.call_position, t.external_id FROM turn AS t"
    rows = _of_session(tables, select, session).rows("ORDER BY t.position DESC")
    before = known_before(tables, session)
    keys = {f"at:{content}:{place}": id_ for id_, content, *places in before for place in places}
    keys |= {f"at:{content}:{call}": id_ for id_, content, _, call, _ in rows}
    keys |= {f"at:{content}:{position}": id_ for id_, content, position, _, _ in rows}
    return keys | {f"id:{external}": id_ for id_, _, _, _, external in rows if external}


def turns(tables: Tables, ids: Iterable[str]) -> dict[str, Turn]:
    """The turns with these ids, in their order; unknown ids are left out."""
    query = Query(tables, f"SELECT {codec.TURN} FROM {tables.dialect.turns}", "t")
    query.among("t", ids)
    found = {row[0]: codec.turn_of(tables.name, row) for row in query.rows()}
    return {id_: found[id_] for id_ in ids if id_ in found}


def session_turns(tables: Tables, session: str, *, first: int = 0, last: int | None = None) -> list[Turn]:
    """A session's turns in order, positions `first` to `last`, both included.

    A negative `first` counts from the end: -1 is the last position.
    """
    if first < 0:
        end = _of_session(tables, "SELECT max(t.position) + 1 FROM turn AS t", session)
        first += end.rows()[0][0] or 0
    query = _of_session(tables, f"SELECT {codec.TURN} FROM {tables.dialect.turns}", session)
    query.where("t.position >= :first", first=first)
    query.where("t.position <= :last", last=last)
    return [codec.turn_of(tables.name, row) for row in query.rows("ORDER BY t.position")]


def whole_session(
    tables: Tables, session: str
) -> tuple[list[Turn], Mapping[str, str], Mapping[str, list[TurnVersion]]]:
    """A session's turns in order, what they are `known` by, and their versions: all of one moment."""
    held = session_turns(tables, session)
    return held, known(tables, session), versions(tables, [turn.id for turn in held])


def _of_session(tables: Tables, select: str, session: str) -> Query:
    query = Query(tables, select, "t")
    query.where("t.session = :session", session=tables.session(session))
    return query


def sessions(tables: Tables) -> list[tuple[str, datetime, int]]:
    """Every session: id, time, number of turns; in order of time, then id."""
    rows = tables.rows(
        "SELECT s.name, s.at, s.zone, (SELECT count(*) FROM turn AS t WHERE t.space = s.space AND t.session = s.id)"
        " FROM session AS s WHERE s.space = :space"
    )
    rows.sort(key=itemgetter(1, 0))
    return [(name, codec.moment(at, zone), count) for name, at, zone, count in rows]


def turns_after(tables: Tables, after: int, limit: int) -> list[tuple[int, Turn]]:
    """The next `limit` turns stored after number `after`, with their numbers."""
    query = f"{tables.dialect.numbered_turns} AND t.seq > :after ORDER BY t.seq LIMIT :limit"
    rows = tables.rows(query, after=after, limit=limit)
    require_later(rows, after)
    return _numbered(tables, rows)


def _numbered(tables: Tables, rows: Rows) -> list[tuple[int, Turn]]:
    return [(row[0], codec.turn_of(tables.name, row[1:])) for row in rows]


def listed(
    tables: Tables, where: Where = EVERYTHING, session: str | None = None, *, after: int = 0, limit: int
) -> list[tuple[int, Turn]]:
    """The next `limit` turns above number `after` that meet the conditions, of one session or of all, with their numbers."""
    query = _listed(tables, where, session)
    query.where("t.seq > :after", after=after)
    return _numbered(tables, query.rows("ORDER BY t.seq LIMIT :limit", limit=limit))


def last(tables: Tables, where: Where = EVERYTHING, session: str | None = None, *, limit: int) -> list[Turn]:
    """The turns stored last that meet the conditions, of one session or of all; the last first."""
    rows = _listed(tables, where, session).rows("ORDER BY t.seq DESC LIMIT :limit", limit=limit)
    return [turn for _, turn in _numbered(tables, rows)]


def _listed(tables: Tables, where: Where, session: str | None) -> Query:
    dialect = tables.dialect
    query = Query(tables, f"SELECT t.seq, {codec.TURN} FROM {dialect.turns}", "t")
    query.where("t.session = :session", session=None if session is None else tables.session(session))
    restrict(query, where, "t.seq", dialect)
    return query


def numbered_turns(tables: Tables, numbers: Sequence[int]) -> list[tuple[int, Turn]]:
    """The turns with these numbers, with their numbers, in order."""
    query = f"{tables.dialect.numbered_turns} AND t.seq IN :numbers ORDER BY t.seq"
    return _numbered(tables, tables.rows(query, numbers=list(numbers)))


def index_rows(tables: Tables, after: int, limit: int) -> list[IndexRow]:
    """The next `limit` index rows after number `after`."""
    query = f"{index_row(tables.dialect)} WHERE t.space = :space AND t.seq > :after ORDER BY t.seq LIMIT :limit"
    rows = tables.rows(query, after=after, limit=limit)
    require_later(rows, after)
    return found_index_rows(tables, rows)


def index_row(dialect: Dialect) -> str:
    """A SELECT of index rows, for `found_index_rows`."""
    columns = "t.seq, t.id, s.name, t.position, t.speaker, t.role, t.at"
    return f"SELECT {columns}, {dialect.signal} FROM {dialect.turns} {dialect.signals}"


def found_index_rows(tables: Tables, rows: Rows) -> list[IndexRow]:
    """Index rows from the result of `index_row`. Raises DamagedRowError for an invalid row."""
    return [_index_row(*row) for row in tables.with_vectors(rows, 7)]


def _index_row(
    seq: int,
    id_: str,
    session: str,
    position: int,
    speaker: str,
    role: str,
    at: int,
    vector: bytes,
    terms: bytes,
    features: bytes,
) -> IndexRow:
    if not codec.FIRST <= at <= codec.LAST:
        raise DamagedRowError(f"the turn {id_} has a time outside of the calendar")
    if len(terms) % _TERM or len(features) % _TERM:
        raise DamagedRowError(f"the turn {id_} has terms of another length")
    own = required_vector(vector, id_)
    return IndexRow(seq, id_, session, position, speaker, role, at / 1e6, own, terms, features)


def required_vector(vector: bytes, turn: str) -> bytes:
    """The vectors of a turn. Raises DamagedRowError where they are lost."""
    if not vector:
        raise DamagedRowError(f"the turn {turn} has no vector")
    return vector


def facts(
    tables: Tables,
    *,
    ids: Iterable[str] | None = None,
    turns: Iterable[str] | None = None,
    entity: str | None = None,
    predicate: str | None = None,
    slot: str | None = None,
    newest: int | None = None,
) -> list[Fact]:
    """Facts that satisfy every condition given.

    Ordered by when they were said, then turn position, then place in the turn. `entity` matches any argument's entity, case-insensitively.
    With `newest`, of the facts of an entity only so many: those said last; with a predicate those stored last.
    """
    if newest is not None and entity is not None:
        # A frequent entity may have a hundred thousand facts: only the last ones are read in full.
        last = _last_of_entity(tables, entity, predicate, newest)
        ids, entity, predicate = (last if ids is None else [i for i in ids if i in {*last}]), None, None
    dialect, order = tables.dialect, tables.dialect.order.format("f")
    query = Query(tables, f"SELECT {codec.FACT}, t.position, {order} FROM fact AS f {dialect.of_turn.format('f')}", "f")
    query.among("f", ids)
    if ids is None:
        query.among("t", turns)
    query.where(dialect.facts_of_entity, entity=_key(entity))
    query.named("f", "slot", slot)
    query.named("f", "predicate", predicate)
    rows = query.rows()
    if ids is not None and turns is not None:
        of_turns = set(turns)
        rows = [row for row in rows if row[1] in of_turns]
    # time said, position of the turn, start in it, extraction order
    rows.sort(key=lambda row: (row[12], row[17], row[3], row[18:]))
    return [codec.fact_of(tables.name, row[:17]) for row in rows]


def _last_of_entity(tables: Tables, entity: str, predicate: str | None, most: int) -> list[str]:
    """Ids of the last facts of an entity: with a predicate the last stored, otherwise the last said."""
    dialect = tables.dialect
    named = "e.space = :space AND e.entity = :entity"
    latest = ", ".join(f"{column} DESC" for column in dialect.order.format("f").split(", "))
    if predicate is not None:
        # The index of predicates is read from its end.
        query = Query(tables, "SELECT f.id FROM fact AS f", "f")
        query.named("f", "predicate", predicate)
        exists = f"EXISTS (SELECT 1 FROM fact_entity AS e WHERE {named} AND {dialect.same_fact})"
        query.where(exists, entity=_key(entity))
    else:
        query = Query(tables, f"SELECT f.id FROM fact_entity AS e JOIN fact AS f ON {dialect.same_fact}", "f")
        query.where(named, entity=_key(entity))
        latest = f"f.said DESC, {latest}"
    return [id_ for (id_,) in query.rows(f"ORDER BY {latest} LIMIT :most", most=most)]


def mentions(tables: Tables, *, turns: Iterable[str] | None = None, entity: str | None = None) -> list[Mention]:
    """Mentions that satisfy every condition given, in the order stored."""
    query = _derived(tables, codec.MENTION, "mention", "m")
    query.among("t", turns)
    query.where("m.entity_key = :entity", "m.space = :space", entity=_key(entity))
    return [codec.mention_of(tables.name, row) for row in _in_order(query, 6)]


def edges(tables: Tables, *, subject: str | None = None, object: str | None = None) -> list[Edge]:
    """Edges that satisfy every condition given (case-insensitive), in the order stored."""
    query = _derived(tables, codec.EDGE, "edge", "e")
    query.where("e.subject_key = :subject", "e.space = :space", subject=_key(subject))
    query.where("e.object_key = :object", "e.space = :space", object=_key(object))
    return [codec.edge_of(tables.name, row) for row in _in_order(query, 5)]


def _derived(tables: Tables, columns: str, table: str, short: str) -> Query:
    dialect = tables.dialect
    select = f"SELECT {columns}, {dialect.order.format(short)} FROM {table} AS {short}"
    return Query(tables, f"{select} {dialect.of_turn.format(short)}", short)


def _in_order(query: Query, columns: int) -> list[Row]:
    """The first columns of the rows found, in the order of the others."""
    return [row[:columns] for row in sorted(query.rows(), key=lambda row: row[columns:])]


def _key(name: str | None) -> int | None:
    return None if name is None else codec.entity_key(name)


def entities(tables: Tables, where: Where = EVERYTHING) -> dict[str, tuple[str, int]]:
    """Canonical entity name -> (the type that most mentions have, number of mentions), in turns that meet the conditions."""
    query = Query(tables, "SELECT m.entity, m.type, count(*) FROM mention AS m", "m")
    restrict(query, where, f"m.{tables.dialect.place[0]}", tables.dialect)
    rows = query.rows("GROUP BY m.entity, m.type")
    found: dict[str, tuple[str, int]] = {}
    # Untyped first, most frequent last: the last one written is the best known type.
    for entity, type_, count in sorted(rows, key=lambda row: (row[0], row[1] != "", row[2], row[1])):
        found[entity] = (type_, found.get(entity, ("", 0))[1] + count)
    return found


def aliases(
    tables: Tables, where: Where = EVERYTHING, *, before: str | None = None, instead: Stated = NO_OTHERS
) -> dict[str, str]:
    """Lower-case alias -> canonical entity name, from turns that meet the conditions; the latest wins.

    With `before`, a turn's id, only of turns stored before it. `instead`: as if turns, by id, stated these aliases (alias, name).
    """
    dialect = tables.dialect
    select = f"SELECT t.at, t.seq, t.id, a.alias, a.name FROM alias AS a {dialect.of_turn.format('a')}"
    query = Query(tables, select, "a")
    earlier = "t.seq < (SELECT b.seq FROM turn AS b WHERE b.space = :space AND b.id = :before)"
    if before is not None:
        query.where("a.space = :space")
        query.where(earlier, before=before)
    restrict(query, where, "t.seq", dialect)
    rows = [row for row in query.rows(f"ORDER BY t.at, t.seq, {dialect.order.format('a')}") if row[2] not in instead]
    if instead:
        stating = Query(tables, "SELECT t.at, t.seq, t.id FROM turn AS t", "t")
        stating.among("t", list(instead))
        stating.where(earlier, before=before)
        rows += [(*row, alias.lower(), name) for row in stating.rows() for alias, name in instead[row[2]]]
        rows.sort(key=itemgetter(0, 1))
    return {alias: name for *_, alias, name in rows}


def stated(tables: Tables, turns: Iterable[str]) -> set[tuple[str, str, str]]:
    """Turn id, alias and name of every alias that these turns state."""
    chosen = list(turns)
    query = Query(tables, f"SELECT t.id, a.alias, a.name FROM alias AS a {tables.dialect.of_turn.format('a')}", "t")
    query.among("t", chosen)
    return {(id_, alias, name) for id_, alias, name in query.rows()} if chosen else set()


def next_expiry(tables: Tables) -> datetime | None:
    """Time at which the next turn of a space expires; None if none does. Cheap."""
    first = tables.rows("SELECT min(expires) FROM turn WHERE space = :space AND expires <> 0")[0][0]
    return codec.moment(first, 0) if first else None


def expired(tables: Tables, now: int, limit: int) -> list[str]:
    """Ids of the turns that expired by `now` (microseconds); of those stored last, the last first."""
    query = Query(tables, "SELECT t.id FROM turn AS t", "t")
    query.where("t.expires <> 0")
    query.where("t.expires <= :now", now=now)
    return [id_ for (id_,) in query.rows("ORDER BY t.seq DESC LIMIT :limit", limit=limit)]


def space_stats(tables: Tables) -> Stats:
    """Counts of a space, and the size of the whole store."""

    def count(what: str, table: str) -> int:
        return int(tables.rows(f"SELECT {what} FROM {table} AS x WHERE x.space = :space")[0][0])

    modalities = "SELECT modality, count(*) FROM fact WHERE space = :space GROUP BY modality ORDER BY modality"
    facts_by_modality: dict[str, int] = dict(tables.rows(modalities))
    return Stats(
        sessions=count("count(*)", "session"),
        turns=count("count(*)", "turn"),
        facts=sum(facts_by_modality.values()),
        entities=count("count(DISTINCT x.entity)", "mention"),
        first=_extreme(tables, "ASC"),
        last=_extreme(tables, "DESC"),
        bytes=tables.database_bytes(),
        text_bytes=held_bytes(tables),
        facts_by_modality=facts_by_modality,
        rules=count("count(*)", "rule"),
        triples=count("coalesce(sum(x.triples), 0)", "graph"),
    )


def _extreme(tables: Tables, direction: str) -> datetime | None:
    query = f"SELECT at, zone FROM turn WHERE space = :space ORDER BY at {direction}, seq LIMIT 1"
    rows = tables.rows(query)
    return codec.moment(*rows[0]) if rows else None


def require_room(tables: Tables, quota: Quota, texts: Iterable[tuple[str, ...]], *, turns: int) -> None:
    """Raise StoreFullError if these texts and turns would exceed the quota of the locked space."""
    if quota.turns and turns:
        count = int(tables.rows("SELECT count(*) FROM turn WHERE space = :space")[0][0]) + turns
        _require(tables.name, count, quota.turns, "turns", "GOALMEM_SPACE_TURNS")
    if quota.bytes:
        size = sum(len(text.encode("utf-8", "surrogatepass")) for of_turn in texts for text in of_turn)
        _require(tables.name, held_bytes(tables) + size, quota.bytes, "bytes", "GOALMEM_SPACE_BYTES")


def _require(space: str, wanted: int, most: int, what: str, setting: str) -> None:
    if wanted > most:
        raise StoreFullError(
            f"The space {space!r} would hold {wanted:,} {what}; it may hold {most:,}.",
            f"Nothing was stored. Forget something of it, or raise {setting}.",
        )


def held_bytes(tables: Tables) -> int:
    """Bytes of the text, captions and metadata of a space's turns, and of their earlier versions."""
    size = tables.dialect.size.format
    found = tables.rows(
        f"SELECT (SELECT coalesce(sum({size('text')} + {size('caption')} + {size('metadata')}), 0)"
        " FROM turn WHERE space = :space)"
        f" + (SELECT coalesce(sum({size('text')} + {size('metadata')}), 0) FROM version WHERE space = :space)"
    )
    return int(found[0][0])
