"""A change of a turn that is there: its text, its metadata, when it expires. Inside a write transaction."""

from __future__ import annotations

from dataclasses import replace

from goalmem.store.codec import expiry
from goalmem.store.metadata import written
from goalmem.store.protocol import Change
from goalmem.store.quota import require_room
from goalmem.store.readings import still_as_read
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
    numbered = still_as_read(tables, change.reading, {turn.id})
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
