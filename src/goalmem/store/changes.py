"""A change of a turn that is there: its text, its metadata, when it expires. Inside a write transaction."""

from __future__ import annotations

from dataclasses import replace

from goalmem.store.codec import expiry
from goalmem.store.metadata import written
from goalmem.store.protocol import Change, NewTurn
from goalmem.store.quota import require_room
from goalmem.store.replies import drop_replies
from goalmem.store.tables import Query, Tables, renew_epoch
from goalmem.store.versions import add_versions, state_row
from goalmem.store.writes import add_attributes, insert_derived

__all__ = ["change_turn"]


def change_turn(tables: Tables, change: Change) -> bool:
    """Keep what a turn was as a version and make it what it is to be, with what was read out of it and of those behind it.

    False, and nothing is done, where one of them is no longer what it was when it was read.
    """
    if not tables.hold():
        return False
    turn, unused, place = change.turn, tables.dialect.unused, tables.dialect.place[0]
    query = Query(tables, "SELECT t.seq, t.text, t.metadata, t.expires, t.content_hash FROM turn AS t", "t")
    query.where("t.id = :turn", "t.space = :space", turn=turn.id)
    rows = query.rows()
    if not rows or rows[0][1:] != state_row(change.before, change.before.content_hash):
        return False
    seq = rows[0][0]
    numbered = _still_there(tables, change)
    if numbered is None:
        return False
    require_room(tables, change.quota, [(turn.text, "", written(turn.metadata))], turns=0)
    count = f"SELECT count(*) FROM version WHERE {unused}space = :space AND {place} = :seq"
    add_versions(tables, [(seq, tables.rows(count, seq=seq)[0][0], [replace(change.before, until=change.at)])])
    drop_replies(tables, [seq])
    if turn.text != change.before.text:
        tables.change_text(seq, turn)
    tables.remove_derived(numbered)
    insert_derived(tables, numbered)
    tables.run(
        "UPDATE turn SET metadata = :metadata, expires = :expires, content_hash = :hash"
        " WHERE space = :space AND seq = :seq",
        metadata=written(turn.metadata),
        expires=expiry(turn.expires_at),
        hash=change.content_hash,
        seq=seq,
    )
    tables.run(f"DELETE FROM attribute WHERE {unused}space = :space AND {place} = :seq", seq=seq)
    add_attributes(tables, [(seq, turn.metadata)])
    renew_epoch(tables)
    return True


def _still_there(tables: Tables, change: Change) -> list[tuple[int, NewTurn]] | None:
    """The turns that were read again, with their numbers; None where one of them was changed or forgotten meanwhile."""
    query = Query(tables, "SELECT t.id, t.seq, t.text FROM turn AS t", "t")
    query.among("t", [new.turn.id for new in change.derived])
    there = {id_: (seq, text) for id_, seq, text in query.rows()} if change.derived else {}
    for new in change.derived:
        held = there.get(new.turn.id)
        if held is None or (new.turn.id != change.turn.id and held[1] != new.turn.text):
            return None
    return [(there[new.turn.id][0], new) for new in change.derived]
