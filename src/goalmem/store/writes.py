"""Writes: a batch of turns with all that is derived from them, and forgetting. All of it inside a write transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from goalmem.errors import InputError
from goalmem.records import TurnVersion
from goalmem.store import graphs_import, rule_rows
from goalmem.store.codec import attribute_rows, edge_row, entity_key, expiry, fact_row, mention_row, microseconds
from goalmem.store.conditions import restrict
from goalmem.store.metadata import EVERYTHING, Where, written
from goalmem.store.protocol import (
    NOTHING_READ,
    Batch,
    Forgotten,
    NewTurn,
    OutdatedReadingError,
    ReadingContext,
    Reanalysis,
    TurnChange,
)
from goalmem.store.reads import aliases, facts, mentions, require_room
from goalmem.store.replies import drop_replies
from goalmem.store.rows import derived_checksum, turn_checksum
from goalmem.store.tables import Query, Row, TableColumns, Tables, drop_if_empty, renew_epoch
from goalmem.store.versions import add_versions, state_row

_HASH_BYTES = 8
_HALF_FLOAT = 2
TURN = TableColumns(
    "turn",
    (
        "seq", "session", "position", "call_position", "id", "content_hash", "external_id", "at", "zone", "role",
        "speaker", "caption", "text", "metadata", "expires", "checksum", "derived",
        "terms", "features",
    ),
    "bigint uuid integer integer text text text bigint bigint text text text text text bigint bigint bigint bytea bytea",
)  # fmt: skip
_SESSION = TableColumns("session", ("name", "at", "zone"), "text bigint bigint")
_FACT: tuple[tuple[str, ...], str] = (
    ("id", "start", "stop", "text", "statement", "kind", "predicate", "slot", "args", "polarity", "modality", "speaker",
     "said", "zone", "occurs", "occurs_text"),
    "text integer integer text text text text text text smallint text text bigint bigint text text",
)  # fmt: skip
_NAMES: Sequence[tuple[str, tuple[str, ...], str, Callable[[NewTurn], Iterable[Row]]]] = (
    (
        "mention",
        ("start", "stop", "text", "entity", "entity_key", "type"),
        "integer integer text text bigint text",
        lambda new: map(mention_row, new.extraction.mentions),
    ),
    (
        "edge",
        ("fact", "subject", "subject_key", "relation", "object", "object_key"),
        "text text bigint text text bigint",
        lambda new: map(edge_row, new.extraction.edges),
    ),
    (
        "alias",
        ("alias", "name"),
        "text text",
        lambda new: ((alias.lower(), name) for alias, name in new.extraction.aliases),
    ),
)
"""Names in the rows of a turn: table, columns, column of the types, and the rows."""
_PLACE = "bigint integer "

Numbered = Sequence[tuple[int, NewTurn]]


def check_batch(batch: Batch, dimension: int) -> None:
    """Refuse a batch that contradicts itself, before anything is written.

    Raises:
        InputError: names the turn and what is wrong with it.
    """
    for new in batch.turns:
        turn = new.turn
        if (turn.space, turn.session) != (batch.space, batch.session):
            raise _refused(new, "belongs to another space or session than its batch")
        if not new.vector or len(new.vector) % (dimension * _HALF_FLOAT):
            raise _refused(new, f"has vectors of {len(new.vector)} bytes, not whole ones of {dimension * _HALF_FLOAT}")
        if len(new.terms) % _HASH_BYTES:
            raise _refused(new, f"has terms of {len(new.terms)} bytes, not whole 64-bit hashes")
        if len(new.features) % _HASH_BYTES:
            raise _refused(new, f"has features of {len(new.features)} bytes, not whole 64-bit hashes")
        derived = (new.extraction.facts, new.extraction.mentions, new.extraction.edges)
        if new.extraction.turn != turn.id or any(
            (d.space, d.turn) != (batch.space, turn.id) for of in derived for d in of
        ):
            raise _refused(new, "comes with an extraction of another turn")


def _refused(new: NewTurn, why: str) -> InputError:
    return InputError(f"The turn {new.turn.id!r} {why}.", "Nothing was stored; build the batch from one extraction.")


def insert(tables: Tables, batch: Batch, *, placed: bool = False) -> list[str]:
    """Insert the turns of a batch that are not there yet; returns their ids.

    Those that are `placed` keep their positions, which were given in another store.
    """
    tables.make()
    if batch.known is not None:
        require_known(tables, batch.known)
    fresh = _unknown(tables, batch)
    if not fresh:
        # Nothing was changed but, at most, a space made: that must not stay behind.
        drop_if_empty(tables)
        return []
    texts = (
        (t.text, t.caption, written(t.metadata), *map(_text_of, new.versions)) for new in fresh for t in (new.turn,)
    )
    require_room(tables, batch.quota, texts, turns=len(fresh))
    tables.add(_SESSION, [(batch.session, *microseconds(batch.session_at))], fresh=True)
    session = tables.session(batch.session)
    end = Query(tables, "SELECT coalesce(max(t.position) + 1, 0) FROM turn AS t", "t")
    end.where("t.session = :session", session=session)
    first = end.rows()[0][0]
    if not placed:
        fresh = [replace(new, turn=replace(new.turn, position=place)) for place, new in enumerate(fresh, start=first)]
    numbered = list(enumerate(fresh, start=tables.next_turn()))
    rows = [
        (
            seq, session, turn.position, new.call_position, turn.id, new.content_hash,
            turn.external_id, *microseconds(turn.at), turn.role, turn.speaker, turn.caption, turn.text,
            written(turn.metadata), expiry(turn.expires_at), turn_checksum(turn), derived_checksum(new.extraction),
            new.terms, new.features,
        )
        for seq, new in numbered
        for turn in (new.turn,)
    ]  # fmt: skip
    tables.add_turns(numbered, rows)
    add_attributes(tables, [(seq, new.turn.metadata) for seq, new in numbered])
    add_versions(tables, [(seq, 0, new.versions) for seq, new in numbered])
    insert_derived(tables, numbered)
    tables.run(
        f"UPDATE space SET last_seq = :last{tables.dialect.counted} WHERE {tables.dialect.space} = :space",
        last=numbered[-1][0],
        turns=len(fresh),
    )
    return [new.turn.id for new in fresh]


def _text_of(version: TurnVersion) -> str:
    return version.text + written(version.metadata)


def _unknown(tables: Tables, batch: Batch) -> list[NewTurn]:
    first: dict[str, NewTurn] = {}
    for new in batch.turns:
        first.setdefault(new.turn.id, new)
    rows = tables.rows("SELECT id FROM turn WHERE space = :space AND id IN :ids", ids=list(first))
    known = {id_ for (id_,) in rows}
    return [new for id_, new in first.items() if id_ not in known]


def insert_derived(tables: Tables, numbered: Numbered) -> None:
    """Insert the rows derived from existing turns, by turn number."""
    if not numbered:
        return
    dialect = tables.dialect
    tables.add_signals(numbered)
    found = [(seq, n, fact) for seq, new in numbered for n, fact in enumerate(new.extraction.facts)]
    places = tables.places([(seq, n) for seq, n, _ in found])
    columns, types = _FACT
    tables.add(
        TableColumns("fact", (*dialect.fact, *columns), _PLACE + types),
        [(*place, *fact_row(fact)) for place, (_, _, fact) in zip(places, found, strict=True)],
    )
    named = {
        (entity_key(a.entity), *place[: len(dialect.fact_entity)])
        for place, (_, _, fact) in zip(places, found, strict=True)
        for a in fact.args
        if a.entity
    }
    tables.add(TableColumns("fact_entity", ("entity", *dialect.fact_entity), "bigint bigint integer"), sorted(named))
    for name, columns, types, rows_of in _NAMES:
        rows = [(*(seq, n)[: len(dialect.place)], *row) for seq, new in numbered for n, row in enumerate(rows_of(new))]
        tables.add(TableColumns(name, (*dialect.place, *columns), _PLACE + types), rows)


def replace_derived(tables: Tables, numbered: Numbered) -> None:
    """Replace the rows derived from turns."""
    if not numbered:
        return
    tables.remove_derived(numbered)
    insert_derived(tables, numbered)
    for seq, new in numbered:
        noted = "UPDATE turn SET derived = :derived WHERE space = :space AND seq = :seq"
        tables.run(noted, derived=derived_checksum(new.extraction), seq=seq)


def add_attributes(tables: Tables, of_turns: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
    """Let turns be found by their metadata."""
    table = TableColumns("attribute", ("key", "text", "number", tables.dialect.place[0]), "text text float8 bigint")
    tables.add(table, [(*row, seq) for seq, metadata in of_turns for row in attribute_rows(metadata)])


def forget(
    tables: Tables,
    turn: str | None,
    session: str | None,
    where: Where = EVERYTHING,
    *,
    dry_run: bool = False,
    gone: Collection[str] | None = None,
    reading: Reanalysis = NOTHING_READ,
    most: int | None = None,
) -> Forgotten:
    """Delete turns, or the whole space, with everything that depends on them; with `dry_run`, only count. See
    `Store.forget`.
    """
    if not (dry_run or tables.hold()):
        return Forgotten()
    whole = turn is None and session is None and not where
    chosen = _chosen(tables, turn, session, where, most)
    if dry_run:
        return _counted(tables, chosen, whole=whole)
    more = most is not None and len(chosen) >= most
    whole = whole and not more
    rules = rule_rows.drop_all(tables) if whole else 0
    triples = graphs_import.drop_all(tables) if whole else None
    if not chosen and not rules and triples is None:
        return Forgotten()
    facts, sessions = _remove(tables, chosen, gone, reading, whole=whole, more=more)
    return Forgotten(len(chosen), facts, sessions, rules, triples or 0)


def purge(
    tables: Tables,
    now: int,
    gone: Collection[str] | None = None,
    reading: Reanalysis = NOTHING_READ,
    most: int | None = None,
) -> Forgotten:
    """Delete the turns that expired by `now` (microseconds), and note of each that it did. See `Store.purge`."""
    if not tables.hold():
        return Forgotten()
    query = Query(tables, "SELECT t.seq, t.session, t.id, t.expires FROM turn AS t", "t")
    query.where("t.expires <> 0")
    query.where("t.expires <= :now", now=now)
    rows = query.rows() if most is None else query.rows("ORDER BY t.seq DESC LIMIT :most", most=most)
    if not rows:
        return Forgotten()
    facts, sessions = _remove(
        tables, [row[:3] for row in rows], gone, reading, more=most is not None and len(rows) >= most
    )
    tables.make()
    tables.add(TableColumns("expired", ("id", "at"), "text bigint"), [row[2:] for row in rows], fresh=True)
    return Forgotten(len(rows), facts, sessions)


def _remove(
    tables: Tables,
    chosen: Sequence[Row],
    gone: Collection[str] | None,
    reading: Reanalysis,
    *,
    whole: bool = False,
    more: bool = False,
) -> tuple[int, int]:
    """Delete turns with everything that depends on them and store the new readings; returns the numbers of deleted
    facts and sessions.
    """
    numbers, ids = [seq for seq, *_ in chosen], {id_ for *_, id_ in chosen}
    anew = still_as_read(tables, reading, ids)
    if anew is None or (gone is not None and ids != {*gone}):
        raise OutdatedReadingError
    replace_derived(tables, anew)
    drop_replies(tables, numbers)
    if whole:
        tables.run("DELETE FROM expired WHERE space = :space")
    else:
        tables.run("DELETE FROM expired WHERE space = :space AND id IN :ids", ids=list(ids))
    facts = tables.remove_turns(numbers, every=whole)
    dialect = tables.dialect
    sessions = tables.run(
        f"DELETE FROM session WHERE {dialect.unused}space = :space AND id IN :sessions AND NOT EXISTS"
        f" (SELECT 1 FROM turn AS t WHERE t.session = session.id AND {dialect.unused}t.space = session.space)",
        sessions=list({of for _, of, _ in chosen}),
    )
    tables.run(
        f"UPDATE space SET epoch = :epoch{dialect.counted} WHERE {dialect.space} = :space",
        epoch=tables.next_change(),
        turns=-len(chosen),
    )
    tables.text_removed(more=more)
    drop_if_empty(tables)
    return facts, sessions


def _counted(tables: Tables, chosen: Sequence[Row], *, whole: bool) -> Forgotten:
    """Counts of what deleting these turns would remove."""
    of_fact = f"SELECT count(*) FROM fact AS f WHERE f.space = :space AND f.{tables.dialect.place[0]} IN :numbers"
    facts = tables.rows(of_fact, numbers=[seq for seq, *_ in chosen])[0][0]
    going = Counter(of for _, of, _ in chosen)
    grouped = f"{tables.dialect.unused}space = :space AND session IN :sessions GROUP BY session"
    held: dict[Any, int] = dict(
        tables.rows(f"SELECT session, count(*) FROM turn WHERE {grouped}", sessions=list(going)) if going else ()
    )
    sessions = sum(held[of] == count for of, count in going.items())
    count = "SELECT (SELECT count(*) FROM rule WHERE space = :space), (SELECT coalesce(sum(triples), 0) FROM graph WHERE space = :space)"
    rules, triples = tables.rows(count)[0] if whole else (0, 0)
    return Forgotten(len(chosen), facts, sessions, rules, int(triples))


def _chosen(tables: Tables, turn: str | None, session: str | None, where: Where, most: int | None) -> list[Row]:
    """Number, session and id of the turns to forget, with `most` of those stored last."""
    query = Query(tables, "SELECT t.seq, t.session, t.id FROM turn AS t", "t")
    query.where("t.id = :turn", "t.space = :space", turn=turn)
    query.where("t.session = :session", session=None if session is None else tables.session(session))
    restrict(query, where, "t.seq", tables.dialect)
    return query.rows() if most is None else query.rows("ORDER BY t.seq DESC LIMIT :most", most=most)


# -- a change of a turn that is there --------------------------------------------------------------------------------


def change_turn(tables: Tables, change: TurnChange) -> bool:
    """Store the old state of a turn as a version and the new state with the new readings of it and of its dependents.

    Returns False without a change if one of them has changed since it was read.
    """
    if not tables.hold():
        return False
    turn, unused, place = change.turn, tables.dialect.unused, tables.dialect.place[0]
    said = (turn.position, *microseconds(turn.at), turn.role, turn.speaker, turn.caption, turn.external_id)
    columns = "position, at, zone, role, speaker, caption, external_id, text, metadata, expires, content_hash"
    query = Query(tables, f"SELECT t.seq, {', '.join(f't.{name}' for name in columns.split(', '))} FROM turn AS t", "t")
    query.where("t.id = :turn", "t.space = :space", turn=turn.id)
    rows = query.rows()
    # One that was forgotten and added again since it was read may have another place.
    if not rows or rows[0][1:] != (*said, *state_row(change.before, change.before.content_hash)):
        return False
    seq = rows[0][0]
    numbered = still_as_read(tables, change.reading, {turn.id})
    if numbered is None:
        return False
    require_room(tables, change.quota, [(turn.text, "", written(turn.metadata))], turns=0)
    count = f"SELECT count(*) FROM version WHERE {unused}space = :space AND {place} = :seq"
    add_versions(tables, [(seq, tables.rows(count, seq=seq)[0][0], [replace(change.before, until=change.at)])])
    drop_replies(tables, [seq])
    if turn.text != change.before.text:
        tables.change_text(seq, turn)
    tables.run(
        "UPDATE turn SET metadata = :metadata, expires = :expires, content_hash = :hash, checksum = :checksum"
        " WHERE space = :space AND seq = :seq",
        metadata=written(turn.metadata),
        expires=expiry(turn.expires_at),
        hash=change.content_hash,
        checksum=turn_checksum(turn),
        seq=seq,
    )
    tables.run(f"DELETE FROM attribute WHERE {unused}space = :space AND {place} = :seq", seq=seq)
    add_attributes(tables, [(seq, turn.metadata)])
    replace_derived(tables, numbered)
    renew_epoch(tables)
    return True


# -- whether what turns were read by still stands when they are stored; turns are read outside of transactions -------


def require_known(tables: Tables, known: ReadingContext) -> None:
    """Raise OutdatedReadingError if another writer changed or removed what new turns depend on."""
    rows = tables.rows(f"SELECT epoch FROM space WHERE {tables.dialect.space} = :space")
    if rows and rows[0][0] == known.epoch:
        return
    query = Query(tables, "SELECT t.id, t.text FROM turn AS t", "t")
    query.among("t", list(known.previous))
    there: dict[str, str] = dict(query.rows()) if known.previous else {}
    if there != known.previous or aliases(tables) != known.aliases:
        raise OutdatedReadingError


def still_as_read(tables: Tables, reading: Reanalysis, changed: Collection[str]) -> list[tuple[int, NewTurn]] | None:
    """The turns that were analysed again, with their numbers; None if one of them changed meanwhile, or if others
    depend on the change, too. `changed`: the turns whose change made this necessary.
    """
    query = Query(tables, "SELECT t.id, t.seq, t.text FROM turn AS t", "t")
    query.among("t", [new.turn.id for new in reading.derived])
    there = {id_: (seq, text) for id_, seq, text in query.rows()} if reading.derived else {}
    for new in reading.derived:
        held = there.get(new.turn.id)
        if held is None or (new.turn.id not in changed and held[1] != new.turn.text):
            return None
    if _resting(tables, reading) - there.keys() - {*changed}:
        return None
    return [(there[new.turn.id][0], new) for new in reading.derived]


def _resting(tables: Tables, reading: Reanalysis) -> set[str]:
    """Ids of the turns after the changed ones in their sessions, or that mention an entity that these name."""
    found: set[str] = set()
    for name in reading.names:
        found |= {f.turn for f in facts(tables, entity=name)}
        found |= {m.turn for m in mentions(tables, entity=name)}
    for session, first, last in reading.behind:
        query = Query(tables, "SELECT t.id FROM turn AS t", "t")
        query.where("t.session = :session", session=tables.session(session))
        query.where("t.position BETWEEN :first AND :last", first=first, last=last)
        found |= {id_ for (id_,) in query.rows()}
    return found
