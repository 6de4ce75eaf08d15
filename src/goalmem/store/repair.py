"""Repairs of a store: rebuild what is derived from turns, one space at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial

from goalmem.records import Turn
from goalmem.store import codec
from goalmem.store.failures import DamagedRowError
from goalmem.store.integrity import Remedy
from goalmem.store.protocol import NewTurn
from goalmem.store.tables import SpaceTransactions, Tables, renew_epoch
from goalmem.store.writes import replace_derived


class Repairs(ABC):
    """Repairs of one kind of store."""

    def __init__(self, store: SpaceTransactions) -> None:
        self._spaces = store

    @abstractmethod
    def apply(self, remedies: Collection[Remedy], *, everything: bool) -> list[str]:
        """Apply the repairs that need no analysis; returns what was done."""

    def numbers(self) -> Mapping[str, Sequence[int]]:
        """The numbers of all turns, by space."""
        return {space: self._spaces.read(space, _numbers) for space in self._spaces.spaces()}

    def turns(self, space: str, numbers: Sequence[int]) -> list[tuple[int, Turn]]:
        """The turns with these numbers that can be read."""
        return self._spaces.read(space, partial(_turns, numbers=numbers))

    def replace(self, space: str, made: Sequence[tuple[int, NewTurn]]) -> int:
        """Replace the derived rows of turns; returns how many of the turns still existed."""
        return self._spaces.write_vectors(space, partial(_replace, made=made))


def _numbers(tables: Tables) -> list[int]:
    return [seq for (seq,) in tables.rows("SELECT seq FROM turn WHERE space = :space ORDER BY seq")]


def _turns(tables: Tables, numbers: Sequence[int]) -> list[tuple[int, Turn]]:
    query = f"{tables.dialect.numbered_turns} AND t.seq IN :numbers ORDER BY t.seq"
    found = []
    for seq, *row in tables.rows(query, numbers=list(numbers)):
        with suppress(DamagedRowError):  # the turn's own text is lost; the finding remains
            found.append((seq, codec.turn_of(tables.name, tuple(row))))
    return found


def _replace(tables: Tables, made: Sequence[tuple[int, NewTurn]]) -> int:
    tables.hold()
    query = f"SELECT seq, id FROM turn WHERE {tables.dialect.unused}space = :space AND seq IN :numbers"
    there: dict[int, str] = dict(tables.rows(query, numbers=[seq for seq, _ in made]))
    kept = [(seq, new) for seq, new in made if there.get(seq) == new.turn.id]
    replace_derived(tables, kept)
    renew_epoch(tables)
    return len(kept)
