"""Every memory of a store: found, kept, changed and forgotten, each so that a process may be stopped at any moment.

- To add is one transaction of goalmem.
- To change the words of a memory is three: what it said goes into the log, the new words become a turn, the old turn is
  forgotten. Until the second nothing has changed; after it the memory says the new words alone, whoever forgets the old.
- To change metadata is one, in the log: the turn stays, and with it all proofs that cite it.
- To delete is three: that there was an end goes into the log, the turn is forgotten, and what the log says of its words.
  What is left over of the last is forgotten by who next reads the space from its beginning.
"""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from goalmem.errors import NotFoundError, StoreError
from goalmem.integrations.mem0.messages import ParsedMessage
from goalmem.integrations.mem0.rows import (
    Deletion,
    Deletions,
    MemoryChange,
    MemoryRecord,
    Version,
    decode,
    digest,
    encode,
)
from goalmem.integrations.mem0.scope import MemoryNotFoundError, MemoryScope
from goalmem.integrations.mem0.space_memories import SpaceMemories, is_log, log_of, owner_of_log
from goalmem.io.chat_messages import parse_messages
from goalmem.memory import Memory
from goalmem.records import Turn

if TYPE_CHECKING:
    from goalmem.store import Store


_DELETED = "deleted"
"""Session of a log for deletions; sessions for changes have the memory's name."""
METADATA = "metadata"
"""Text of a log entry for a change of metadata alone."""
ATTEMPTS = 5
"""Times that a memory is read again which another process is changing."""
ENDS_A_TURN = 1_000
"""Maximum deletions in one turn of a log, some hundred kilobytes."""


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A new memory and its message."""

    said: ParsedMessage
    payload: dict[str, Any]
    follows: str = ""
    id: str = field(default_factory=lambda: str(uuid.uuid4()))


def now() -> str:
    """The moment, as mem0 writes it."""
    return datetime.now(UTC).isoformat()


class Catalogue:
    """The memories of a goalmem store. Safe for several threads; other processes may share the store."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.writing = threading.RLock()
        """Held while reading and writing based on it; pure reads do not wait for it."""
        self._lock = threading.RLock()
        """Held over the shelves."""
        self._shelves: dict[str, SpaceMemories] = {}

    @property
    def _store(self) -> Store:
        return self._memory._parts.store

    # -- finding -------------------------------------------------------------------------------------------------

    def spaces(self) -> list[str]:
        """Every space that may hold memories, or held some."""
        return sorted({owner_of_log(space) if is_log(space) else space for space in self._store.spaces()})

    def records(self, space: str) -> tuple[MemoryRecord, ...]:
        """The memories of a space in the order in which they were added."""
        with self._lock:
            return self._shelf(space).ordered

    def of_turns(self, space: str, turns: Iterable[str]) -> dict[str, MemoryRecord]:
        """The memories of some turns of a space; turns that are not, or no longer, memories are omitted."""
        with self._lock:
            known = self._shelf(space).of_turn
            return {turn: known[turn] for turn in turns if turn in known}

    def find(self, memory_id: str) -> MemoryRecord | None:
        """A memory by its id, wherever it is."""
        with self._lock:
            held = [space for space, shelf in self._shelves.items() if memory_id in shelf.records]
            for space in dict.fromkeys([*held, *self.spaces()]):
                if (record := self._shelf(space).records.get(memory_id)) is not None:
                    return record
        return None

    def known(self, memory_id: str) -> MemoryRecord:
        """A memory by its id. Raises MemoryNotFoundError."""
        record = self.find(memory_id)
        if record is None:
            raise MemoryNotFoundError(
                f"Memory with id {memory_id} not found.", "Take ids from add(), search() or get_all()."
            )
        return record

    def texts(self, records: Iterable[MemoryRecord]) -> dict[str, str]:
        """Turn id -> text, without turns that were forgotten meanwhile."""
        by_space: dict[str, list[str]] = {}
        for record in records:
            by_space.setdefault(record.space, []).append(record.turn)
        return {
            turn.id: turn.text for space, ids in by_space.items() for turn in self._store.turns(space, ids).values()
        }

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """The history of a memory, oldest first, as in mem0; without texts if it was deleted."""
        record = self.find(memory_id)
        if record is not None:
            return told(record.payload, memory_id, self._events(record))
        with self._lock:
            shelves = (self._shelf(space) for space in self.spaces())
            end = next((shelf.ends[memory_id] for shelf in shelves if memory_id in shelf.ends), None)
        if end is None:
            return []
        last = {"id": end.event, "event": "DELETE", "updated_at": end.updated_at, "is_deleted": True}
        return told(end.payload, memory_id, [*end.events, last])

    # -- keeping -------------------------------------------------------------------------------------------------

    def unknown(self, scope: MemoryScope, said: Sequence[ParsedMessage]) -> list[tuple[ParsedMessage, str]]:
        """The messages whose words, from their speaker, are not kept yet, each with the digest of the one before it.

        Inside a call a message is known only if it follows the same one as before: "Yes" answers many questions.
        """
        kept = [r for r in self.records(scope.space) if r.session == scope.session]
        anywhere = {_words(r.digest, r.payload) for r in kept}
        after = {(_words(r.digest, r.payload), r.version.follows) for r in kept}
        new: list[tuple[ParsedMessage, str]] = []
        follows = ""
        for one in said:
            own = digest(one.text)
            words = (own, one.role, one.actor)
            if (words, follows) not in after and (follows or words not in anywhere):
                new.append((one, follows))
                after.add((words, follows))
            follows = own
        return new

    def add(self, scope: MemoryScope, fresh: Sequence[NewMemory], at: datetime | None) -> None:
        """Add messages in one transaction."""
        if not fresh:
            return
        messages = [
            {**one.said.message, "id": encode(Version(one.id, str(uuid.uuid4()), 1, one.payload, one.follows))}
            for one in fresh
        ]
        self._memory.add(messages, space=scope.space, session=scope.session, at=at)

    def change(self, memory_id: str, text: str | None, fields: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        """Update the `fields` of a memory and, if `text` differs, its text.

        Raises MemoryNotFoundError where there is no such memory.
        """
        with self.writing:
            for _ in range(ATTEMPTS):
                record = self.known(memory_id)
                before = self._store.turns(record.space, [record.turn]).get(record.turn)
                if before is not None:  # else another process has changed it just now
                    self._change(record, before, text, fields(record.payload))
                    return
        raise MemoryNotFoundError(f"Memory with id {memory_id} not found.", "It was deleted meanwhile.")

    def _change(self, record: MemoryRecord, before: Turn, text: str | None, payload: dict[str, Any]) -> None:
        words = before.text if text is None else text
        worded = words != before.text
        change = MemoryChange(record.id, str(uuid.uuid4()), record.event, worded, payload)
        version = replace(record.version, event=change.event, number=record.version.number + 1, payload=payload)
        message = {"role": before.role, "name": before.speaker, "content": words, "id": encode(version)}
        if not worded:
            self._log(record.space, record.id, change, METADATA)
            return
        # Invalid input is refused before anything is changed.
        parse_messages(message, at=before.at, timed=True, longest=self._memory.settings.max_message_characters)
        self._log(record.space, record.id, change, before.text)
        self._memory.add([message], space=record.space, session=record.session, at=before.at)
        self._forget_turn(record.space, record.turn)

    # -- forgetting ----------------------------------------------------------------------------------------------

    def delete(self, memory_id: str) -> None:
        """Delete a memory: its text, derived data and log entries.

        Raises MemoryNotFoundError where there is none.
        """
        with self.writing:
            record = self.known(memory_id)
            self._end([record])
            self._forget_turn(record.space, record.turn)
            self._forget_log(record)

    def delete_all(self, records: Sequence[MemoryRecord]) -> None:
        """Delete many memories; sessions that contain nothing else are forgotten whole."""
        with self.writing:
            self._end(records)
            for space in dict.fromkeys(r.space for r in records):
                chosen = [r for r in records if r.space == space]
                held = Counter(r.session for r in self.records(space))
                for session, count in Counter(r.session for r in chosen).items():
                    if count == held[session]:
                        with suppress(NotFoundError):
                            self._memory.forget(session=session, space=space)
                    else:
                        for record in chosen:
                            if record.session == session:
                                self._forget_turn(space, record.turn)
                for record in chosen:
                    self._forget_log(record)

    def reset(self) -> None:
        """Delete every space of the store and its history."""
        with self.writing:
            for space in self._store.spaces():
                with suppress(NotFoundError):
                    self._memory.forget(space=space, everything=True)

    # -- helpers -------------------------------------------------------------------------------------------------

    def _shelf(self, space: str) -> SpaceMemories:
        shelf = self._shelves.setdefault(space, SpaceMemories(lambda: self._store, space))
        if shelf.refresh():
            self._tidy(shelf)
        return shelf

    def _tidy(self, shelf: SpaceMemories) -> None:
        """Finish deletions that a stopped process left; ignored if the store is read-only."""
        shelf.refresh()  # memories added while the log was read are not orphans
        with suppress(StoreError):
            for turn in shelf.stale():
                self._forget_turn(shelf.space, turn)
            for memory in shelf.orphans():
                with suppress(NotFoundError):
                    self._memory.forget(session=memory, space=log_of(shelf.space))

    def _log(self, space: str, session: str, row: MemoryChange | Deletions, words: str) -> None:
        message = {"role": "system", "content": words, "id": encode(row)}
        self._memory.add([message], space=log_of(space), session=session, at=datetime.now(UTC))

    def _end(self, records: Sequence[MemoryRecord]) -> None:
        """Say in the log that memories were deleted."""
        for space in dict.fromkeys(r.space for r in records):
            ends = [self._end_of(record) for record in records if record.space == space]
            for first in range(0, len(ends), ENDS_A_TURN):
                self._log(space, _DELETED, Deletions(ends[first : first + ENDS_A_TURN]), _DELETED)

    def _end_of(self, record: MemoryRecord) -> Deletion:
        events = [{**event, "old_memory": None, "new_memory": None} for event in self._events(record)]
        kept = {name: record.payload.get(name) for name in ("created_at", "actor_id", "role")}
        return Deletion(record.id, str(uuid.uuid4()), now(), kept, events)

    def _forget_turn(self, space: str, turn: str) -> None:
        with suppress(NotFoundError):
            self._memory.forget(turn=turn, space=space)
            with self._lock:
                self._shelves[space].taken(turn)

    def _forget_log(self, record: MemoryRecord) -> None:
        with self._lock:
            logged = self._shelves[record.space].has_log(record.id)
        if logged:
            with suppress(NotFoundError):
                self._memory.forget(session=record.id, space=log_of(record.space))

    def _events(self, record: MemoryRecord) -> list[dict[str, Any]]:
        """The events of a memory, oldest first."""
        log = self._store.session_turns(log_of(record.space), record.id) if self._logged(record) else []
        changes = {
            row.event: (row, turn.text) for turn in log if isinstance(row := decode(turn.external_id), MemoryChange)
        }
        words = self.texts([record]).get(record.turn)
        return events_of(record, changes, words)

    def _logged(self, record: MemoryRecord) -> bool:
        with self._lock:
            return self._shelf(record.space).has_log(record.id)


def _words(own: str, payload: dict[str, Any]) -> tuple[str, str | None, str | None]:
    return own, payload.get("role"), payload.get("actor_id")


def events_of(
    record: MemoryRecord, changes: Mapping[str, tuple[MemoryChange, str]], words: str | None
) -> list[dict[str, Any]]:
    """The events of a memory, oldest first.

    `changes`: event -> what it changed, and the words before it. They are followed from the last one back, as each names
    the one before: a change that was begun and not made is on no such way. `words` are the memory's own, now.
    """
    return list(_back(record, dict(changes), words))[::-1]


def told(payload: dict[str, Any], memory_id: str, events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events as mem0 returns them."""
    return [
        {
            "id": event["id"],
            "memory_id": memory_id,
            "old_memory": event.get("old_memory"),
            "new_memory": event.get("new_memory"),
            "event": event["event"],
            "created_at": payload.get("created_at"),
            "updated_at": event.get("updated_at"),
            "is_deleted": event.get("is_deleted", False),
            "actor_id": payload.get("actor_id"),
            "role": payload.get("role"),
        }
        for event in events
    ]


def _back(
    record: MemoryRecord, changes: dict[str, tuple[MemoryChange, str]], words: str | None
) -> Iterator[dict[str, Any]]:
    """The events of a memory, newest first."""
    event = record.event
    while event in changes:
        change, before = changes.pop(event)
        before_it = before if change.worded else words
        yield {
            "id": event,
            "old_memory": before_it,
            "new_memory": words,
            "event": "UPDATE",
            "updated_at": change.payload.get("updated_at"),
        }
        event, words = change.previous, before_it
    created = record.payload.get("created_at")
    yield {"id": event, "old_memory": None, "new_memory": words, "event": "ADD", "updated_at": created}
