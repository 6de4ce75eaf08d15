"""Replies of chat models, kept so as not to be asked for again.

A reply may repeat the text of the turns in its prompt. So each records these turns and is deleted with the first of
them that is forgotten. A reply without turns is about a question alone, which may repeat any turn: it is deleted with
any turn of the space.
"""

from __future__ import annotations

from collections.abc import Sequence

from goalmem.store.tables import TableColumns, Tables

RECORD = 1
"""Characters of a record (`sources.chat.judgement_log`): a mark that something was judged."""
_EVERY = 2**63 - 1
"""No limit."""


def kept(tables: Tables, key: str) -> str | None:
    """The reply of a chat model that is kept in the space under `key`, or None."""
    replies, keyed, _ = tables.dialect.reply
    rows = tables.rows(f"SELECT text FROM {replies} WHERE space = :space AND {keyed} = :key", key=tables.key(key))
    return str(rows[0][0]) if rows else None


def keep(tables: Tables, key: str, text: str, turns: Sequence[str], most: int | None = None) -> bool:
    """Keep a text, unless the space or a turn is not there; at most `most`, where given. Runs inside a write transaction.

    If a turn was forgotten while the model answered, the reply is not stored.
    """
    asked = list(dict.fromkeys(turns))
    if not tables.hold():
        return False
    found = tables.rows("SELECT seq FROM turn WHERE space = :space AND id IN :asked", asked=asked)
    if len(found) != len(asked):
        return False
    replies, keyed, order = tables.dialect.reply
    same = f"SELECT id FROM {replies} WHERE space = :space AND {keyed} = :key"
    _drop(tables, same, key=tables.key(key))
    tables.add(TableColumns(replies, ("key", "text"), "text text"), [(key, text)])
    ((id_,),) = tables.rows(same, key=tables.key(key))
    of_reply, numbers = tables.dialect.reply_turns
    tables.add(TableColumns(of_reply, ("reply", numbers), "uuid bigint"), [(id_, seq) for (seq,) in found])
    if most is not None:
        # Records, which proofs rest on, are no replies.
        _drop(
            tables,
            f"SELECT id FROM {replies} WHERE space = :space AND length(text) > :record"
            f" ORDER BY {order} DESC LIMIT :every OFFSET :most",
            record=RECORD,
            every=_EVERY,
            most=most,
        )
    return True


def drop_replies(tables: Tables, turns: Sequence[int]) -> None:
    """Delete every reply about a turn with one of these numbers, before these turns are deleted, or every reply about
    no turn.
    """
    dialect = tables.dialect
    replies, (of_reply, number) = dialect.reply[0], dialect.reply_turns
    _drop(
        tables,
        f"SELECT id FROM {replies} WHERE {dialect.unused}space = :space"
        f" AND id IN (SELECT reply FROM {of_reply} WHERE {dialect.owned}{number} IN :turns)",
        turns=list(turns),
    )
    _drop(
        tables,
        f"SELECT id FROM {replies} WHERE space = :space"
        f" AND NOT EXISTS (SELECT 1 FROM {of_reply} WHERE {dialect.owned}reply = {replies}.id)",
    )


def _drop(tables: Tables, chosen: str, **values: object) -> None:
    """Delete the replies that a SELECT gives the ids of."""
    dialect = tables.dialect
    if ids := [id_ for (id_,) in tables.rows(chosen, **values)]:
        tables.run(f"DELETE FROM {dialect.reply_turns[0]} WHERE {dialect.owned}reply IN :ids", ids=ids)
        tables.run(f"DELETE FROM {dialect.reply[0]} WHERE {dialect.unused}space = :space AND id IN :ids", ids=ids)
