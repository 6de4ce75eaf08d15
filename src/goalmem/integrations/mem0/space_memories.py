"""The memories of one space, as its turns and its log say; kept up with what this and other processes write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goalmem.errors import OtherModelError
from goalmem.integrations.mem0.rows import Change, End, Ends, Record, Version, decode, digest, version_of
from goalmem.records import Turn

if TYPE_CHECKING:
    from goalmem.store import Store


_LOG = " (mem0 history)"
"""No id holds white space, so that no user's space has such a name."""


def log_of(space: str) -> str:
    """The space that what happened to the memories of a space is kept in."""
    return f"{space}{_LOG}"


def is_log(space: str) -> bool:
    """Whether a space holds what happened to the memories of another."""
    return space.endswith(_LOG)


def owner_of_log(space: str) -> str:
    """The space whose log a space is."""
    return space.removesuffix(_LOG)


@dataclass(frozen=True, slots=True)
class _Held:
    """A turn as a version of a memory."""

    turn: str
    session: str
    order: int
    version: Version
    digest: str


class Shelf:
    """Memories by id and by turn. Not safe for several threads at once."""

    def __init__(self, store: Callable[[], Store], space: str) -> None:
        """`store`: what gives the store as it is now; a change of embedder puts another in its place."""
        self.space = space
        self.records: dict[str, Record] = {}
        """Memory id -> the memory as it is."""
        self.of_turn: dict[str, Record] = {}
        self.ends: dict[str, End] = {}
        """Memory id -> that it was deleted."""
        self._live = _Tape(store, space)
        self._logged = _Tape(store, log_of(space))
        self._ordered: tuple[Record, ...] | None = None
        self._held: dict[str, dict[str, _Held]] = {}
        self._memory_of: dict[str, str] = {}
        self._changes: dict[str, dict[str, Change]] = {}
        self._read = 0

    def refresh(self) -> bool:
        """Read on; True where all was read anew, since something was removed or nothing was known."""
        removed, turns = self._live.advance()
        if removed:
            for of_all in (self._held, self._memory_of, self.records, self.of_turn):
                of_all.clear()
            self._ordered = None
        touched = {self._hold(turn) for turn in turns}
        undone, entries = self._logged.advance()
        if undone:
            self._changes.clear()
            self.ends.clear()
            touched.update(self._held)
        touched.update(self._note(turn) for turn in entries)
        for memory in touched:
            self._resolve(memory)
        return removed or undone

    @property
    def ordered(self) -> tuple[Record, ...]:
        """The memories in the order in which their turns were added."""
        if self._ordered is None:
            self._ordered = tuple(sorted(self.records.values(), key=lambda record: record.order))
        return self._ordered

    def taken(self, turn: str) -> None:
        """A turn was forgotten by who holds this shelf: no need to read all anew."""
        memory = self._memory_of.get(turn)
        if self._live.took_one() and memory is not None:
            del self._held[memory][turn], self._memory_of[turn]
            self._resolve(memory)

    def stale(self) -> list[str]:
        """Turns with the words of a memory before its last change: a process was stopped before it forgot them."""
        return [
            one.turn
            for memory, held in self._held.items()
            if len(held) > 1
            for one in held.values()
            if one.turn != self.records[memory].turn and self.records[memory].version.number > 0
        ]

    def orphans(self) -> list[str]:
        """Memories that are gone and whose log is not: a process was stopped before it forgot that."""
        return [memory for memory in self._changes if memory not in self.records]

    def has_log(self, memory: str) -> bool:
        """Whether anything is kept of a memory beside its turn."""
        return memory in self._changes

    def _hold(self, turn: Turn) -> str:
        version = version_of(turn)
        held = self._held.setdefault(version.memory, {})
        if turn.id not in held:
            self._read += 1
            self._memory_of[turn.id] = version.memory
            held[turn.id] = _Held(turn.id, turn.session, self._read, version, digest(turn.text))
        return version.memory

    def _note(self, turn: Turn) -> str:
        row = decode(turn.external_id)
        if isinstance(row, Change):
            self._changes.setdefault(row.memory, {})[row.event] = row
            return row.memory
        if isinstance(row, Ends):
            self.ends.update((end.memory, end) for end in row.ends)
        return ""

    def _resolve(self, memory: str) -> None:
        """The memory as its highest version and the changes of its metadata since make it."""
        self._ordered = None
        before = self.records.pop(memory, None)
        if before is not None:
            self.of_turn.pop(before.turn, None)
        held = self._held.get(memory)
        if not held:
            self._held.pop(memory, None)
            return
        best = max(held.values(), key=lambda one: (one.version.number, one.order))
        event, payload = best.version.event, best.version.payload
        changes = {c.previous: c for c in self._changes.get(memory, {}).values() if not c.worded}
        while event in changes:
            change = changes.pop(event)
            event, payload = change.event, change.payload
        record = Record(
            memory, best.turn, self.space, best.session, best.order, best.version, event, payload, best.digest
        )
        self.records[memory] = self.of_turn[best.turn] = record


class _Tape:
    """The turns of a space, read once each."""

    def __init__(self, store: Callable[[], Store], space: str) -> None:
        self._store = store
        self._space = space
        self._epoch, self._seq = 0, 0

    def advance(self) -> tuple[bool, Iterable[Turn]]:
        """Whether what was read before is void, and the turns not read yet; they are to be read at once."""
        store = self._store()
        epoch, seq = store.version(self._space)
        known = self._seq
        if (epoch, seq) == (self._epoch, known):
            return False, ()
        removed = epoch != self._epoch
        self._epoch, self._seq = epoch, seq
        if not removed:
            # With another embedder since, the rows of the index cannot be read on.
            with suppress(OtherModelError):
                new = [row.turn for row in store.index_rows(self._space, after=known)]
                found = store.turns(self._space, new)
                return False, [found[turn] for turn in new if turn in found]
        return True, store.all_turns(self._space)

    def took_one(self) -> bool:
        """After one removal: whether nothing else was removed since; then what was read stays as it is, less that."""
        epoch, _ = self._store().version(self._space)
        alone = epoch == self._epoch + 1
        if alone:
            self._epoch = epoch
        return alone
