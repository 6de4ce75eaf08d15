"""The memories of one space from its turns and log, updated with the writes of all processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goalmem.errors import OtherModelError
from goalmem.integrations.mem0.rows import (
    Deletion,
    Deletions,
    MemoryChange,
    MemoryRecord,
    Version,
    decode,
    digest,
    version_of,
)
from goalmem.records import Turn

if TYPE_CHECKING:
    from goalmem.store import Store


_LOG = " (mem0 history)"
"""No id holds white space, so that no user's space has such a name."""


def log_of(space: str) -> str:
    """The space of the log for a space."""
    return f"{space}{_LOG}"


def is_log(space: str) -> bool:
    """True if a space is the log of another."""
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


class SpaceMemories:
    """Memories by id and by turn. Not thread-safe."""

    def __init__(self, store: Callable[[], Store], space: str) -> None:
        """`store`: returns the current store, which a change of embedder replaces."""
        self.space = space
        self.records: dict[str, MemoryRecord] = {}
        """Memory id -> current memory."""
        self.of_turn: dict[str, MemoryRecord] = {}
        self.ends: dict[str, Deletion] = {}
        """Memory id -> that it was deleted."""
        self._live = _TurnReader(store, space)
        self._logged = _TurnReader(store, log_of(space))
        self._ordered: tuple[MemoryRecord, ...] | None = None
        self._held: dict[str, dict[str, _Held]] = {}
        self._memory_of: dict[str, str] = {}
        self._changes: dict[str, dict[str, MemoryChange]] = {}
        self._read = 0

    def refresh(self) -> bool:
        """Read new turns; True if everything was read again after a removal or at the start."""
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
    def ordered(self) -> tuple[MemoryRecord, ...]:
        """The memories in the order in which their turns were added."""
        if self._ordered is None:
            self._ordered = tuple(sorted(self.records.values(), key=lambda record: record.order))
        return self._ordered

    def taken(self, turn: str) -> None:
        """Record that the owner of this object forgot a turn, which avoids reading everything again."""
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
        """Deleted memories whose log entries remain, because a process was stopped."""
        return [memory for memory in self._changes if memory not in self.records]

    def has_log(self, memory: str) -> bool:
        """True if the log has entries for a memory."""
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
        if isinstance(row, MemoryChange):
            self._changes.setdefault(row.memory, {})[row.event] = row
            return row.memory
        if isinstance(row, Deletions):
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
        record = MemoryRecord(
            memory, best.turn, self.space, best.session, best.order, best.version, event, payload, best.digest
        )
        self.records[memory] = self.of_turn[best.turn] = record


class _TurnReader:
    """The turns of a space, read once each."""

    def __init__(self, store: Callable[[], Store], space: str) -> None:
        self._store = store
        self._space = space
        self._epoch, self._seq = 0, 0

    def advance(self) -> tuple[bool, Iterable[Turn]]:
        """Return whether earlier results are invalid, and the turns not read yet, to be consumed immediately."""
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
        """Account for one removal; True if nothing else was removed, so that the rest remains valid."""
        epoch, _ = self._store().version(self._space)
        alone = epoch == self._epoch + 1
        if alone:
            self._epoch = epoch
        return alone
