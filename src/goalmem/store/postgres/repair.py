"""Repairs of a PostgreSQL store: one space at a time, each in a transaction that leaves it whole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Protocol, TypeVar

from goalmem.records import Turn
from goalmem.store import codec
from goalmem.store.failures import DamagedRowError
from goalmem.store.integrity import Remedy
from goalmem.store.postgres.reads import Query, Space
from goalmem.store.postgres.schema import Connection
from goalmem.store.postgres.soundness import ORPHANS
from goalmem.store.postgres.spaces import hold, next_number, seek_words
from goalmem.store.postgres.writes import EVERY_WORD, Form, insert_derived
from goalmem.store.protocol import NewTurn

__all__ = ["DatabaseRepairs", "Repaired"]

_READ_AGAIN = ("passage", "words", "fact", "fact_entity", "mention", "edge", "alias")
"""Tables of what is read out of a turn."""
_NO_TURN = "NOT EXISTS (SELECT 1 FROM turn AS t WHERE t.space = x.space AND t.seq = x.seq)"
_DANGLING = (
    # A reply goes with the first turn that it was asked about, so first of all those whose turn is not there.
    f"DELETE FROM reply WHERE space = %(space)s AND id IN"
    f" (SELECT x.reply FROM reply_turn AS x WHERE x.space = %(space)s AND {_NO_TURN})",
    "DELETE FROM reply_turn AS x WHERE x.space = %(space)s"
    " AND NOT EXISTS (SELECT 1 FROM reply AS r WHERE r.space = x.space AND r.id = x.reply)",
    *(f"DELETE FROM {table} AS x WHERE x.space = %(space)s AND {_NO_TURN}" for table in ORPHANS),
    "DELETE FROM fact_entity AS x WHERE x.space = %(space)s"
    " AND NOT EXISTS (SELECT 1 FROM fact AS f WHERE f.space = x.space AND f.seq = x.seq AND f.n = x.n)",
    "DELETE FROM edge AS x WHERE x.space = %(space)s AND x.fact <> ''"
    " AND NOT EXISTS (SELECT 1 FROM fact AS f WHERE f.space = x.space AND f.id = x.fact)",
)
"""What deletes the rows of a space that belong to nothing."""

T = TypeVar("T")


class Repaired(Protocol):
    """The store that is repaired."""

    @property
    def form(self) -> Form:
        """How vectors are written."""
        ...

    def spaces(self) -> list[str]:
        """See `Store.spaces`."""
        ...

    def look(self, space: str, query: Callable[[Connection, Space], T]) -> T:
        """What `query` finds in one state of the space."""
        ...

    def change_vectors(self, space: str, work: Callable[[Connection, Space], T]) -> T:
        """Do `work` in one durable transaction on the space, whose vectors are of the model that the store was opened with."""
        ...


class DatabaseRepairs:
    """`goalmem.maintenance.repair.Repairs` of a database."""

    def __init__(self, store: Repaired) -> None:
        self._store = store

    def apply(self, remedies: Collection[Remedy], *, everything: bool) -> list[str]:
        """See `Repairs.apply`. Indices are the database's to build again."""
        done = []
        if Remedy.DROP in remedies:
            gone = sum(self._store.change_vectors(space, _drop_dangling) for space in self._store.spaces())
            done.append(f"{gone} rows deleted that belonged to nothing")
        if Remedy.RENUMBER in remedies:
            for space in self._store.spaces():
                self._store.change_vectors(space, _renumber)
            done.append("turns counted again")
        return done

    def numbers(self) -> Mapping[str, Sequence[int]]:
        """See `Repairs.numbers`."""
        return {space: self._store.look(space, _numbers) for space in self._store.spaces()}

    def turns(self, space: str, numbers: Sequence[int]) -> list[tuple[int, Turn]]:
        """See `Repairs.turns`."""
        return self._store.look(space, partial(_turns, numbers=numbers))

    def aliases_before(self, space: str, seq: int) -> Mapping[str, str]:
        """See `Repairs.aliases_before`."""
        return self._store.look(space, partial(_aliases_before, seq=seq))

    def replace(self, space: str, made: Sequence[tuple[int, NewTurn]]) -> int:
        """See `Repairs.replace`."""
        return self._store.change_vectors(space, partial(_replace, made=made, form=self._store.form))


def _drop_dangling(connection: Connection, space: Space) -> int:
    hold(connection, space.id)
    seek_words(connection, EVERY_WORD)
    gone = sum(connection.execute(statement.encode(), {"space": space.id}).rowcount for statement in _DANGLING)
    if gone:
        _renew(connection, space)
    return gone


def _renumber(connection: Connection, space: Space) -> None:
    hold(connection, space.id)
    connection.execute(
        "UPDATE space SET last_seq = greatest(last_seq,"
        " (SELECT coalesce(max(t.seq), 0) FROM turn AS t WHERE t.space = %(space)s)),"
        " turns = (SELECT count(*) FROM turn AS t WHERE t.space = %(space)s) WHERE space = %(space)s",
        {"space": space.id},
    )
    _renew(connection, space)


def _renew(connection: Connection, space: Space) -> None:
    """Tell every process that searches the space to read it anew."""
    number = next_number(connection, "change")
    connection.execute("UPDATE space SET epoch = %s WHERE space = %s", (number, space.id))


def _numbers(connection: Connection, space: Space) -> list[int]:
    return [seq for (seq,) in Query("SELECT t.seq FROM turn AS t", "t", space).rows(connection, "ORDER BY t.seq")]


def _turns(connection: Connection, space: Space, numbers: Sequence[int]) -> list[tuple[int, Turn]]:
    query = Query(
        f"SELECT t.seq, {codec.TURN} FROM turn AS t JOIN session AS s ON s.space = t.space AND s.id = t.session",
        "t",
        space,
    )
    query.where("t.seq = ANY(%s)", list(numbers))
    found = []
    for seq, *row in query.rows(connection, "ORDER BY t.seq"):
        try:
            found.append((seq, codec.turn_of(space.name, tuple(row))))
        except DamagedRowError:
            continue  # what was said itself is lost: that stays found
    return found


def _aliases_before(connection: Connection, space: Space, seq: int) -> dict[str, str]:
    query = Query(
        "SELECT a.alias, a.name FROM alias AS a JOIN turn AS t ON t.space = a.space AND t.seq = a.seq", "a", space
    )
    query.where("a.seq < %s", seq)
    return dict(query.rows(connection, "ORDER BY t.at, t.seq, a.n"))


def _replace(connection: Connection, space: Space, made: Sequence[tuple[int, NewTurn]], form: Form) -> int:
    hold(connection, space.id)
    seek_words(connection, EVERY_WORD)
    query = Query("SELECT t.seq, t.id FROM turn AS t", "t", space)
    query.where("t.seq = ANY(%s)", [seq for seq, _ in made])
    there: dict[int, str] = dict(query.rows(connection))
    kept = [(seq, new) for seq, new in made if there.get(seq) == new.turn.id]
    for table in _READ_AGAIN:
        connection.execute(
            f"DELETE FROM {table} WHERE space = %s AND seq = ANY(%s)".encode(), (space.id, [seq for seq, _ in kept])
        )
    for seq, new in kept:
        connection.execute(
            "UPDATE turn SET terms = %b, features = %b WHERE space = %s AND seq = %s",
            (new.terms, new.features, space.id, seq),
        )
    insert_derived(connection, space.id, kept, form)
    _renew(connection, space)
    return len(kept)
