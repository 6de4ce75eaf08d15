"""Repairs of a PostgreSQL store: one space at a time, each in a transaction that leaves it whole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol, TypeVar

from goalmem.records import Turn
from goalmem.store import codec, reads
from goalmem.store.failures import DamagedRowError
from goalmem.store.integrity import Remedy
from goalmem.store.postgres.lexemes import EVERY_WORD
from goalmem.store.postgres.spaces import seek_words
from goalmem.store.postgres.tables import DERIVED, PostgresTables
from goalmem.store.protocol import NewTurn
from goalmem.store.writes import insert_derived

__all__ = ["DatabaseRepairs", "Repaired"]

_READ_AGAIN = ("passage", "words", "fact", "fact_entity", "mention", "edge", "alias")
"""Tables of what is read out of a turn."""
_NO_TURN = "NOT EXISTS (SELECT 1 FROM turn AS t WHERE t.space = x.space AND t.seq = x.seq)"
_DANGLING = (
    # A reply goes with the first turn that it was asked about, so first of all those whose turn is not there.
    f"DELETE FROM reply WHERE space = :space AND id IN"
    f" (SELECT x.reply FROM reply_turn AS x WHERE x.space = :space AND {_NO_TURN})",
    "DELETE FROM reply_turn AS x WHERE x.space = :space"
    " AND NOT EXISTS (SELECT 1 FROM reply AS r WHERE r.space = x.space AND r.id = x.reply)",
    *(f"DELETE FROM {table} AS x WHERE x.space = :space AND {_NO_TURN}" for table in DERIVED),
    "DELETE FROM fact_entity AS x WHERE x.space = :space"
    " AND NOT EXISTS (SELECT 1 FROM fact AS f WHERE f.space = x.space AND f.seq = x.seq AND f.n = x.n)",
    "DELETE FROM edge AS x WHERE x.space = :space AND x.fact <> ''"
    " AND NOT EXISTS (SELECT 1 FROM fact AS f WHERE f.space = x.space AND f.id = x.fact)",
)
"""What deletes the rows of a space that belong to nothing."""

T = TypeVar("T")


class Repaired(Protocol):
    """The store that is repaired."""

    def spaces(self) -> list[str]:
        """See `Store.spaces`."""
        ...

    def read(self, space: str, query: Callable[[PostgresTables], T]) -> T:
        """What `query` finds in one state of the space."""
        ...

    def write_vectors(self, space: str, work: Callable[[PostgresTables], T]) -> T:
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
            gone = sum(self._store.write_vectors(space, _drop_dangling) for space in self._store.spaces())
            done.append(f"{gone} rows deleted that belonged to nothing")
        if Remedy.RENUMBER in remedies:
            for space in self._store.spaces():
                self._store.write_vectors(space, _renumber)
            done.append("turns counted again")
        return done

    def numbers(self) -> Mapping[str, Sequence[int]]:
        """See `Repairs.numbers`."""
        return {space: self._store.read(space, _numbers) for space in self._store.spaces()}

    def turns(self, space: str, numbers: Sequence[int]) -> list[tuple[int, Turn]]:
        """See `Repairs.turns`."""
        return self._store.read(space, partial(_turns, numbers=numbers))

    def aliases_before(self, space: str, seq: int) -> Mapping[str, str]:
        """See `Repairs.aliases_before`."""
        return self._store.read(space, partial(reads.aliases, before=seq))

    def replace(self, space: str, made: Sequence[tuple[int, NewTurn]]) -> int:
        """See `Repairs.replace`."""
        return self._store.write_vectors(space, partial(_replace, made=made))


def _drop_dangling(tables: PostgresTables) -> int:
    tables.hold()
    seek_words(tables.connection, EVERY_WORD)
    gone = sum(map(tables.run, _DANGLING))
    if gone:
        _renew(tables)
    return gone


def _renumber(tables: PostgresTables) -> None:
    tables.hold()
    tables.run(
        "UPDATE space SET last_seq = greatest(last_seq,"
        " (SELECT coalesce(max(t.seq), 0) FROM turn AS t WHERE t.space = :space)),"
        " turns = (SELECT count(*) FROM turn AS t WHERE t.space = :space) WHERE space = :space"
    )
    _renew(tables)


def _renew(tables: PostgresTables) -> None:
    """Tell every process that searches the space to read it anew."""
    tables.run("UPDATE space SET epoch = :epoch WHERE space = :space", epoch=tables.next_change())


def _numbers(tables: PostgresTables) -> list[int]:
    return [seq for (seq,) in tables.rows("SELECT seq FROM turn WHERE space = :space ORDER BY seq")]


def _turns(tables: PostgresTables, numbers: Sequence[int]) -> list[tuple[int, Turn]]:
    query = f"{tables.dialect.numbered_turns} AND t.seq IN :numbers ORDER BY t.seq"
    found = []
    for seq, *row in tables.rows(query, numbers=list(numbers)):
        with suppress(DamagedRowError):  # what was said itself is lost: that stays found
            found.append((seq, codec.turn_of(tables.name, tuple(row))))
    return found


def _replace(tables: PostgresTables, made: Sequence[tuple[int, NewTurn]]) -> int:
    tables.hold()
    seek_words(tables.connection, EVERY_WORD)
    query = "SELECT seq, id FROM turn WHERE space = :space AND seq IN :numbers"
    there: dict[int, str] = dict(tables.rows(query, numbers=[seq for seq, _ in made]))
    kept = [(seq, new) for seq, new in made if there.get(seq) == new.turn.id]
    for table in _READ_AGAIN:
        delete = f"DELETE FROM {table} WHERE space = :space AND seq IN :numbers"
        tables.run(delete, numbers=[seq for seq, _ in kept])
    for seq, new in kept:
        tables.run(
            "UPDATE turn SET terms = :terms, features = :features WHERE space = :space AND seq = :seq",
            terms=new.terms,
            features=new.features,
            seq=seq,
        )
    insert_derived(tables, kept)
    _renew(tables)
    return len(kept)
