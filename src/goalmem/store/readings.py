"""Whether what turns were read by still stands when they are stored: turns are read outside of transactions. Inside one."""

from __future__ import annotations

from collections.abc import Collection

from goalmem.store.protocol import Known, NewTurn, OutdatedReadingError, Reading
from goalmem.store.reads import aliases, facts, mentions
from goalmem.store.tables import Query, Tables

__all__ = ["require_known", "still_as_read"]


def require_known(tables: Tables, known: Known) -> None:
    """Raises OutdatedReadingError where another writer changed or removed what new turns were read by."""
    rows = tables.rows(f"SELECT epoch FROM space WHERE {tables.dialect.space} = :space")
    if rows and rows[0][0] == known.epoch:
        return
    query = Query(tables, "SELECT t.id, t.text FROM turn AS t", "t")
    query.among("t", list(known.previous))
    there: dict[str, str] = dict(query.rows()) if known.previous else {}
    if there != known.previous or aliases(tables) != known.aliases:
        raise OutdatedReadingError


def still_as_read(tables: Tables, reading: Reading, changed: Collection[str]) -> list[tuple[int, NewTurn]] | None:
    """The turns that were read again, with their numbers; None where one of them is no longer what it was, or others would have
    to be read, too. `changed`: those whose change let them be read again.
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


def _resting(tables: Tables, reading: Reading) -> set[str]:
    """Ids of the turns that stand behind the changed ones, or name somebody whom these name."""
    found: set[str] = set()
    for name in reading.names:
        found |= {f.turn for f in facts(tables, None, None, name, None, None)}
        found |= {m.turn for m in mentions(tables, None, name)}
    for session, first, last in reading.behind:
        query = Query(tables, "SELECT t.id FROM turn AS t", "t")
        query.where("t.session = :session", session=tables.session(session))
        query.where("t.position BETWEEN :first AND :last", first=first, last=last)
        found |= {id_ for (id_,) in query.rows()}
    return found
