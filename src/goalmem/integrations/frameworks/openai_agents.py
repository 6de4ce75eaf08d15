"""OpenAI Agents SDK: a session that remembers, tools for an agent, and what memory says before each reply.

    agent = Agent("Desk", tools=memory_tools(memory, space="maya"))
    session = MemorySession("chat-1", memory, "sessions.db", space="maya")
    run = RunConfig(call_model_input_filter=recalling(memory, space="maya"))
    result = await Runner.run(agent, "Where does my sister live?", session=session, run_config=run)

Needs the package `openai-agents`.

Each item has a state of synchronisation with the memory, so that interrupted operations are completed later. Numbers of
items are never reused, so that the memory can identify messages by them.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import secrets
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from typing import Any, TypeAlias, TypeVar, cast

from agents import FunctionTool, ModelBehaviorError, RunContextWrapper, Tool, function_tool
from agents.items import TResponseInputItem
from agents.memory import SessionSettings
from agents.memory.session_settings import resolve_session_limit
from agents.run import CallModelData, ModelInputData
from agents.tool_context import ToolContext

from goalmem.errors import InputError, NewerStoreError, NotFoundError, StoreClosedError
from goalmem.integrations.frameworks.tools import (
    TOOLS,
    AnyMemory,
    ToolCall,
    awaited,
    place_arguments,
    refuse_unknown_arguments,
    tool_function,
    tool_names,
)
from goalmem.io.chat_messages import When, check_name, parse_when
from goalmem.memory import MAX_TOKENS
from goalmem.store.database_file import connected, use_log
from goalmem.store.failures import failures_of, not_a_store
from goalmem.store.location import locate
from goalmem.store.transactions import write_transaction

__all__ = ["ItemLog", "LogEntry", "MemorySession", "NewItem", "memory_tools", "recalling", "words_of"]

MOST_BLOCKS = 256
"""Runs at a time whose blocks are held."""

Space: TypeAlias = str | Callable[[Any], str] | None
"""A space: its name, or a function from the run's context to it; None: the memory's own."""


def memory_tools(
    memory: AnyMemory,
    *,
    space: Space = None,
    session: str | None = None,
    names: Collection[str] | None = None,
    read_only: bool = False,
) -> list[Tool]:
    """The tools of a memory for `Agent(tools=…)`: those named, of `goalmem.integrations.frameworks.tools.EVERY`; by default those that
    read and, unless `read_only`, `remember`.

    What the model can mend is told it; any other error ends the run. `session`: of what is remembered; default: one a day.
    Raises InputError for a name that is no tool's.
    """

    async def told(context: RunContextWrapper[Any], call: ToolCall) -> str:
        return call.text(await awaited(call.of(memory, _named(space, context.context), session)))

    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=RunContextWrapper[Any])
    return [
        _closed(
            function_tool(
                tool_function(TOOLS[name], told, context),
                failure_error_function=_told,
                strict_mode=False,  # parameters with a default are optional
            )
        )
        for name in tool_names(names, read_only=read_only)
    ]


def _closed(tool: FunctionTool) -> FunctionTool:
    """A tool that tells the model of arguments that it does not take."""
    invoke = tool.on_invoke_tool

    async def checked(context: ToolContext[Any], given: str) -> Any:
        try:
            refuse_unknown_arguments(tool.name, json.loads(given or "{}"))
        except InputError as error:
            return str(error)
        except ValueError:  # no JSON: the tool tells of it
            pass
        return await invoke(context, given)

    tool.on_invoke_tool = checked
    tool.params_json_schema["additionalProperties"] = False
    return tool


def recalling(
    memory: AnyMemory, *, space: Space = None, max_tokens: int = MAX_TOKENS, speaker: str | None = None
) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """A `call_model_input_filter` that puts what memory says before the newest message of the user.

    The block is for the calls of a run alone, the same in each, and no part of the session. `speaker`: the user's name, whom
    `I` means; None: as `Memory.context`.
    """
    blocks: OrderedDict[tuple[str | None, str], str] = OrderedDict()

    async def block_for(space: str | None, text: str, *, again: bool) -> str:
        if not again or (space, text) not in blocks:
            found = await awaited(memory.context, text, max_tokens=max_tokens, **place_arguments(space, speaker))
            blocks[space, text] = found.text
            while len(blocks) > MOST_BLOCKS:
                blocks.popitem(last=False)
        return blocks[space, text]

    async def filtered(data: CallModelData[Any]) -> ModelInputData:
        items = data.model_data.input
        spoken = [(place, said[1]) for place, item in enumerate(items) if (said := _by_user(item)) is not None]
        if not spoken:
            return data.model_data
        place, text = spoken[-1]
        # Items after the message show that the model was already called for it.
        block = await block_for(_named(space, data.context), text, again=place + 1 < len(items))
        before: list[TResponseInputItem] = [{"role": "user", "content": block}] if block else []
        return ModelInputData([*items[:place], *before, *items[place:]], data.model_data.instructions)

    return filtered


def _by_user(item: object) -> tuple[str, str] | None:
    said = words_of(item)
    return said if said is not None and said[0] == "user" else None


def _named(space: Space, context: object) -> str | None:
    return space(context) if callable(space) else space


def _told(context: RunContextWrapper[Any], error: Exception) -> str:
    """The message to a model about a failed call."""
    del context
    if isinstance(error, InputError | ModelBehaviorError):
        return str(error)
    raise error


SPEAKING = ("user", "assistant")
"""Roles whose messages are remembered; `system` and `developer` are instructions."""

T = TypeVar("T")


class MemorySession:
    """A `Session`: items come back as they were given, in order; messages are also remembered as a conversation.

    What one session remembered, `ask`, `search` and the tools find in every other of the space. Several processes may use
    one session at once. What was killed between keeping an item and remembering it is remembered by the next change of the
    session, once.

        session = MemorySession("chat-1", memory, "sessions.db", space="maya", user="Maya")
        await Runner.run(agent, "I adopted a beagle last Friday.", session=session)
    """

    session_id: str
    session_settings: SessionSettings | None

    def __init__(
        self,
        session_id: str,
        memory: AnyMemory,
        items: str | PathLike[str] | ItemLog,
        *,
        space: str | None = None,
        user: str | None = None,
        assistant: str | None = None,
        keep: bool = False,
        session_settings: SessionSettings | None = None,
        clock: Callable[[], When] = lambda: datetime.now(UTC),
    ) -> None:
        """`memory` is a `Memory`, an `AsyncMemory`, or a client of a server.

        Args:
            session_id: names the conversation, here and in memory.
            memory: what remembers messages.
            items: the file that keeps items (`:memory:`: none), or one that is open already and stays so.
            space: of memory; default: the memory's own. Sessions of two spaces never meet.
            user: name of who speaks as `user`, so that memory knows whom "I" stands for.
            assistant: the same for the agent.
            keep: whether memory keeps what `pop_item` and `clear_session` take out of the session; else it is forgotten. A
                memory over another system (`backend`) cannot forget.
            session_settings: the SDK's; `limit` is how many items `get_items` gives by default.
            clock: tells when messages are said.
        """
        self.session_id = check_name(session_id, "The session")
        self.session_settings = session_settings or SessionSettings()
        self._memory = memory
        self._space = None if space is None else check_name(space, "The space")
        self._names = {"user": user, "assistant": assistant}
        self._keep = keep
        self._clock = clock
        self._own = not isinstance(items, ItemLog)
        self._log = items if isinstance(items, ItemLog) else ItemLog(items)
        self._key = (self._space or "", self.session_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The last `limit` items (default: all, or as the settings say), in order, as they were added."""
        most = resolve_session_limit(limit, self.session_settings)
        kept = await asyncio.to_thread(self._log.items, *self._key, most)
        return [json.loads(item) for item in kept]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Keep items behind the others and remember their messages: all of them, durably, or none.

        Raises InputError for what is not valid JSON, and what memory raises; then nothing was added.
        """
        if items:
            new = [NewItem(_written(item), words_of(item) is not None) for item in items]
            await _finished(self._add(new))

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the last item out, and return it; None where there is none. Memory forgets it, unless it is to `keep`."""
        entry = await _finished(self._take_last())
        return None if entry is None else cast("TResponseInputItem", json.loads(entry.item))

    async def clear_session(self) -> None:
        """Take all items out. Memory forgets them, unless it is to `keep`."""
        await _finished(self._take_all())

    def close(self) -> None:
        """Release the file, where this session opened it. The memory stays open."""
        if self._own:
            self._log.close()

    # -- atomicity -----------------------------------------------------------------------------------------------

    async def _add(self, items: Sequence[NewItem]) -> None:
        await self._settle()
        at = parse_when(self._clock(), "The session's clock").isoformat()
        entries = await asyncio.to_thread(self._log.append, *self._key, items, at)
        try:
            await self._remember(entries)
        except BaseException:
            await asyncio.to_thread(self._log.remove, entries)
            raise

    async def _take_last(self) -> LogEntry | None:
        await self._settle()
        entry = await asyncio.to_thread(self._log.take, *self._key)
        if entry is not None:
            await self._let_go([entry])
        return entry

    async def _take_all(self) -> None:
        await self._settle()
        await self._let_go(await asyncio.to_thread(self._log.take_all, *self._key))

    async def _let_go(self, entries: Sequence[LogEntry]) -> None:
        try:
            await self._forget(entries)
        except BaseException:
            await asyncio.to_thread(self._log.put_back, entries)
            raise

    # -- synchronisation with the memory -------------------------------------------------------------------------

    async def _settle(self) -> None:
        """Complete operations that were interrupted, here or in another process."""
        if entries := await asyncio.to_thread(self._log.unsettled, *self._key):
            await self._remember([entry for entry in entries if not entry.gone])
            await self._forget([entry for entry in entries if entry.gone])

    async def _remember(self, entries: Sequence[LogEntry]) -> None:
        """Add messages to the memory. Repeating it adds nothing, since each has an id."""
        said = [entry for entry in entries if entry.said and entry.turn is None]
        if not said:
            return
        messages = [self._message(entry) for entry in said]
        receipt = await awaited(self._memory.add, messages, session=self.session_id, **place_arguments(self._space))
        turns = [(entry.id, turn) for entry, turn in zip(said, receipt.turns, strict=True)]
        await asyncio.to_thread(self._log.settle, turns)

    async def _forget(self, entries: Sequence[LogEntry]) -> None:
        """Forget removed items in the memory, then delete them. Those already forgotten are ignored."""
        for turn in (entry.turn for entry in entries if entry.turn is not None and not self._keep):
            try:
                await awaited(self._memory.forget, turn=turn, **place_arguments(self._space))
            except NotFoundError:
                continue
        await asyncio.to_thread(self._log.remove, entries)

    def _message(self, entry: LogEntry) -> dict[str, Any]:
        """An item as a message for memory."""
        role, text = words_of(json.loads(entry.item)) or ("user", "")
        message = {"role": role, "content": text, "id": f"{self._log.name}:{entry.id}", "at": entry.at}
        name = self._names[role]
        return message if name is None else message | {"name": name}


def words_of(item: object) -> tuple[str, str] | None:
    """Role and text of an item; None for items without speech (tool calls, reasoning, …)."""
    if not isinstance(item, Mapping) or item.get("type", "message") != "message" or item.get("role") not in SPEAKING:
        return None
    content = item.get("content")
    parts = [content] if isinstance(content, str) else content if isinstance(content, Sequence) else ()
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    text = "\n".join(text for text in texts if isinstance(text, str))
    return (str(item["role"]), text) if text.strip() else None


def _written(item: object) -> str:
    try:
        return json.dumps(item)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"An item cannot be kept: {error}.", "Pass items as the SDK makes them: plain JSON."
        ) from error


async def _finished(work: Coroutine[Any, Any, T]) -> T:
    """Finish some work even if its caller is cancelled meanwhile; the cancellation takes effect afterwards."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError:
                continue
        if not task.cancelled():
            task.exception()  # is heard of, and gives way
        raise


BUSY_SECONDS = 30.0
"""Timeout for another process that writes."""
APPLICATION_ID = 0x676F616D
"""`goam` in ASCII; a store of turns has `goal` (sqlite.org/fileformat2.html, section 1.3.17)."""
SCHEMA = 1

_TABLES = (
    """CREATE TABLE item (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        space TEXT NOT NULL,
        session TEXT NOT NULL,
        at TEXT NOT NULL,
        item TEXT NOT NULL,
        said INTEGER NOT NULL,
        turn TEXT,
        gone INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    "CREATE INDEX item_session ON item (space, session, id)",
    "CREATE INDEX item_unsettled ON item (space, session, id) WHERE gone OR (said AND turn IS NULL)",
    "CREATE TABLE log (name TEXT PRIMARY KEY) STRICT",
)
_COLUMNS = "id, at, item, said, turn, gone"


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item to be kept."""

    item: str
    """As JSON."""
    said: bool
    """True if memory is to know it as a message."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An item that is kept."""

    id: int
    at: str
    """When it was added, as ISO 8601."""
    item: str
    said: bool
    turn: str | None
    """The turn that memory knows it as, once it does."""
    gone: bool
    """Removed from its session, but the memory may still contain it."""


class ItemLog:
    """The log file. Safe for any number of threads and processes; sessions of different spaces are separate."""

    def __init__(self, place: str | PathLike[str]) -> None:
        """Open or create a log: a path or `:memory:`. Raises a StoreError that says why it cannot be used."""
        location = locate(place)
        self._place = location.name
        self._lock = threading.RLock()
        self._closed = False
        with failures_of(self._place):
            self._connection = connected(location.uri(), BUSY_SECONDS)
            try:
                use_log(self._connection, BUSY_SECONDS)
                self.name = self._prepared()
            except BaseException:
                self._connection.close()
                raise

    def append(self, space: str, session: str, items: Sequence[NewItem], at: str) -> list[LogEntry]:
        """Append items to a session, all of them durably, or none."""
        sql = f"INSERT INTO item (space, session, at, item, said) VALUES (?, ?, ?, ?, ?) RETURNING {_COLUMNS}"
        with self._transaction() as run:
            rows = [run.execute(sql, (space, session, at, new.item, new.said)).fetchone() for new in items]
        return [_entry(row) for row in rows]

    def items(self, space: str, session: str, limit: int | None = None) -> list[str]:
        """The last `limit` items of a session in order; all without a limit, or with one below zero."""
        sql = "SELECT item FROM item WHERE space = ? AND session = ? AND NOT gone ORDER BY id DESC LIMIT ?"
        found = self._rows(sql, (space, session, -1 if limit is None else limit))
        return [row[0] for row in reversed(found)]

    def unsettled(self, space: str, session: str) -> list[LogEntry]:
        """Items whose addition or removal the memory may not know yet; in order."""
        where = "space = ? AND session = ? AND (gone OR (said AND turn IS NULL))"
        sql = f"SELECT {_COLUMNS} FROM item WHERE {where} ORDER BY id"
        return [_entry(row) for row in self._rows(sql, (space, session))]

    def settle(self, turns: Sequence[tuple[int, str]]) -> None:
        """Memory knows these items now, by their numbers, as these turns."""
        with self._transaction() as run:
            run.executemany("UPDATE item SET turn = ? WHERE id = ?", [(turn, number) for number, turn in turns])

    def take(self, space: str, session: str) -> LogEntry | None:
        """Remove the last item of a session. It stays unsettled until it is deleted or put back."""
        last = "SELECT max(id) FROM item WHERE space = ? AND session = ? AND NOT gone"
        sql = f"UPDATE item SET gone = 1 WHERE id = ({last}) RETURNING {_COLUMNS}"
        with self._transaction() as run:
            rows = run.execute(sql, (space, session)).fetchall()
        return _entry(rows[0]) if rows else None

    def take_all(self, space: str, session: str) -> list[LogEntry]:
        """Remove all items of a session, like `take`."""
        sql = f"UPDATE item SET gone = 1 WHERE space = ? AND session = ? AND NOT gone RETURNING {_COLUMNS}"
        with self._transaction() as run:
            rows = run.execute(sql, (space, session)).fetchall()
        return [_entry(row) for row in rows]

    def put_back(self, entries: Sequence[LogEntry]) -> None:
        """Undo `take`: the items return to their places."""
        with self._transaction() as run:
            run.executemany("UPDATE item SET gone = 0 WHERE id = ?", [(entry.id,) for entry in entries])

    def remove(self, entries: Sequence[LogEntry]) -> None:
        """Remove items for good."""
        with self._transaction() as run:
            run.executemany("DELETE FROM item WHERE id = ?", [(entry.id,) for entry in entries])

    def close(self) -> None:
        """Release the file. Closing twice is fine."""
        with self._lock:
            self._closed = True
            self._connection.close()

    def _prepared(self) -> str:
        """The log's unique name, created with it: distinguishes its numbers from those of other logs."""
        with self._transaction() as run:
            held, version = (run.execute(f"PRAGMA {p}").fetchone()[0] for p in ("application_id", "user_version"))
            if held != APPLICATION_ID and (held or run.execute("SELECT 1 FROM sqlite_master").fetchone()):
                raise not_a_store(self._place, "it is another program's database, and no log of sessions")
            if version > SCHEMA:
                raise NewerStoreError(f"{self._place} was written by a newer goalmem.", "Upgrade goalmem.")
            if not version:
                for statement in _TABLES:
                    run.execute(statement)
                run.execute("INSERT INTO log (name) VALUES (?)", (secrets.token_hex(8),))
                run.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                run.execute(f"PRAGMA user_version = {SCHEMA}")
            return str(run.execute("SELECT name FROM log").fetchone()[0])

    def _rows(self, sql: str, values: Sequence[str | int]) -> list[tuple[str, ...]]:
        with self._lock, failures_of(self._place):
            self._check_open()
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """A durable transaction. Raises StoreErrors, after which nothing was changed."""
        with self._lock, failures_of(self._place):
            self._check_open()
            with write_transaction(self._connection):
                yield self._connection

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosedError("This log of sessions was closed.", "Open it again.")


def _entry(row: Sequence[object]) -> LogEntry:
    number, at, item, said, turn, gone = row
    return LogEntry(int(str(number)), str(at), str(item), bool(said), None if turn is None else str(turn), bool(gone))
