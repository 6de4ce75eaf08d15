"""Haystack components over a memory: a retriever, a writer of messages, a block for a prompt, and answers with proofs.

    pipeline.add_component("memory", MemoryRetriever("life.db", space="maya", top_k=5))

A memory is one that is open (`Memory`, `Client`), or where one lies, which a pipeline that is to be written as YAML needs: a
path, a PostgreSQL URL, the address of a server, or a `Secret` that holds one of these; `key` is a server's. Components that
name the same place share one memory. Each `run` takes another `space` for that call.

Needs the package `haystack-ai`.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import weakref
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import wraps
from typing import Any, ParamSpec, Self, TypeAlias, TypeVar, cast

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.core.errors import SerializationError
from haystack.dataclasses import ChatMessage, ChatRole, GeneratedAnswer
from haystack.document_stores.types import FilterPolicy, apply_filter_policy
from haystack.utils import Secret
from haystack.utils.filters import document_matches_filter

from goalmem.answer import Answer
from goalmem.errors import InputError
from goalmem.integrations.frameworks.tools import MemoryLike, place_arguments, today
from goalmem.logic.syntax import format_atom
from goalmem.memory import MAX_TOKENS
from goalmem.records import Turn

__all__ = [
    "MemoryAnswerer",
    "MemoryComponent",
    "MemoryContextBuilder",
    "MemoryOrPlace",
    "MemoryRetriever",
    "MemoryWriter",
    "document_of",
    "found",
]

P = ParamSpec("P")
R = TypeVar("R")

TOP_K = 10
REMEMBERED = (ChatRole.USER, ChatRole.ASSISTANT)
"""Roles of messages to write: system and tool messages are not spoken."""


def in_thread(run: Callable[P, R]) -> Callable[P, Coroutine[Any, Any, R]]:
    """The `run_async` of a component: its `run`, in a thread."""

    @wraps(run)
    async def run_async(*args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(run, *args, **kwargs)

    return run_async


MemoryOrPlace: TypeAlias = "MemoryLike | str | Secret"
"""An open memory, or the location of one: a path, a PostgreSQL URL, the address of a server, or a Secret with one of
these.
"""


class MemoryComponent:
    """Base of the components. Components with the same location share one open memory.

    They call its `__init__` by name: `@component` makes a class anew, of which `super()` in it knows nothing.
    """

    def __init__(self, memory: MemoryOrPlace, space: str | None, key: Secret | None) -> None:
        """`space`: default space; None: the memory's own. `key`: of a server."""
        search = getattr(memory, "search", None)
        if not isinstance(memory, str | Secret) and (search is None or inspect.iscoroutinefunction(search)):
            raise InputError(
                f"A {type(memory).__name__} is not a memory that components can use.",
                "Pass a Memory, a Client, or a place.",
            )
        self._given = memory
        self._opened: SharedMemory | None = None
        self.space = space
        self.key = key

    def to_dict(self) -> dict[str, Any]:
        """Serialize the component. Raises SerializationError for a memory that was passed in."""
        options = {
            n: getattr(self, n)
            for n in inspect.signature(type(self).__init__).parameters
            if n not in ("self", "memory")
        }
        plain = {n: str(held) if isinstance(held, FilterPolicy) else held for n, held in options.items()}
        return default_to_dict(self, memory=self.place, **plain)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        return default_from_dict(cls, data)

    def warm_up(self) -> None:
        """Open the memory."""
        _ = self.memory

    def close(self) -> None:
        """Release the memory if it was opened here; the last component closes it. A memory that was passed in stays
        open.
        """
        self._opened = None

    @property
    def memory(self) -> MemoryLike:
        """The memory, opened where it is not yet."""
        if not isinstance(self._given, str | Secret):
            return self._given
        if self._opened is None:
            place = self._given if isinstance(self._given, str) else str(self._given.resolve_value() or "")
            self._opened = shared_memory(place, str((self.key and self.key.resolve_value()) or ""))
        return self._opened.memory

    @property
    def place(self) -> str | Secret:
        """The location for serialization. Raises SerializationError for a memory that was passed in."""
        if isinstance(self._given, str | Secret):
            return self._given
        raise SerializationError(
            f"A {type(self._given).__name__} that is open cannot be written into a file. Give the component its place "
            'instead: memory="life.db", or the address of a server.'
        )


class SharedMemory:
    """A memory that is closed with its last reference."""

    def __init__(self, memory: MemoryLike) -> None:
        self.memory = memory
        self._finish = weakref.finalize(self, cast("Any", memory).close)


_by_place: weakref.WeakValueDictionary[tuple[str, str], SharedMemory] = weakref.WeakValueDictionary()
_opening = threading.Lock()


def shared_memory(place: str, key: str) -> SharedMemory:
    """The memory at a place: the one that others hold, or a new one."""
    with _opening:
        held = _by_place.get((place, key))
        if held is None:
            held = _by_place[place, key] = SharedMemory(_open(place, key))
        return held


def _open(place: str, key: str) -> MemoryLike:
    from goalmem.client import Client
    from goalmem.memory import Memory

    return Client(place, key=key) if place.startswith(("http://", "https://")) else Memory(place)


@component
class MemoryRetriever(MemoryComponent):
    """Finds what was said about a query, as documents: best first, with `speaker`, `session`, `role` and `at`."""

    def __init__(
        self,
        memory: MemoryOrPlace,
        *,
        space: str | None = None,
        filters: dict[str, Any] | None = None,
        top_k: int = TOP_K,
        filter_policy: FilterPolicy | str = FilterPolicy.REPLACE,
        key: Secret | None = None,
    ) -> None:
        """`filters` are Haystack's, over a document's `meta`; `filter_policy` says what those of a `run` do with them."""
        MemoryComponent.__init__(self, memory, space, key)
        self.filters = filters
        self.top_k = _counted(top_k)
        self.filter_policy = FilterPolicy.from_str(str(filter_policy))

    @component.output_types(documents=list[Document])
    def run(
        self,
        query: str,
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
        space: str | None = None,
        speaker: str | None = None,
    ) -> dict[str, list[Document]]:
        """The documents; `speaker` is who asks, whom `I` means. Raises InputError for an empty query or a `top_k` below zero, and what memory raises."""
        wanted = apply_filter_policy(self.filter_policy, self.filters, filters)
        most = self.top_k if top_k is None else _counted(top_k)
        return {"documents": found(self.memory, query, wanted, most, space or self.space, speaker)}

    run_async = in_thread(run)


@component
class MemoryWriter(MemoryComponent):
    """Remembers messages of user and assistant. What was written before is not written again.

    A message is known by `meta["id"]`, or else by its words, its `meta["at"]` and its place among those of the call. `name`
    is who speaks; `meta["at"]` is when (default: now).
    """

    def __init__(
        self,
        memory: MemoryOrPlace,
        *,
        space: str | None = None,
        session: str | None = None,
        key: Secret | None = None,
    ) -> None:
        """`session`: of the messages; default: one a day, so that the same words on another day are new."""
        MemoryComponent.__init__(self, memory, space, key)
        self.session = session

    @component.output_types(messages_written=int, turns=list[str])
    def run(
        self, messages: list[ChatMessage], session: str | None = None, space: str | None = None
    ) -> dict[str, int | list[str]]:
        """How many messages were new, and the turn id of each that is remembered: all of the call is, or nothing."""
        said = [
            _message(message) for message in messages if message.role in REMEMBERED and (message.text or "").strip()
        ]
        if not said:
            return {"messages_written": 0, "turns": []}
        place = place_arguments(space or self.space)
        receipt = self.memory.add(said, session=session or self.session or today(), **place)
        return {"messages_written": receipt.new, "turns": list(receipt.turns)}

    run_async = in_thread(run)


@component
class MemoryContextBuilder(MemoryComponent):
    """What memory has to say to a message, as a block for a prompt: quoted, with dates, and with what is not known."""

    def __init__(
        self,
        memory: MemoryOrPlace,
        *,
        space: str | None = None,
        max_tokens: int = MAX_TOKENS,
        key: Secret | None = None,
    ) -> None:
        """`max_tokens`: of the block, at most."""
        MemoryComponent.__init__(self, memory, space, key)
        self.max_tokens = max_tokens

    @component.output_types(context=str, turns=list[str])
    def run(self, query: str, space: str | None = None, speaker: str | None = None) -> dict[str, str | list[str]]:
        """The block, and the ids of the turns that it quotes. `speaker` is whose message it is, whom `I` means."""
        place = place_arguments(space or self.space, speaker)
        context = self.memory.context(query, max_tokens=self.max_tokens, **place)
        return {"context": context.text, "turns": list(context.sources)}

    run_async = in_thread(run)


@component
class MemoryAnswerer(MemoryComponent):
    """Answers questions from memory, with proofs. Without one it gives no answer, and says what is missing."""

    def __init__(self, memory: MemoryOrPlace, *, space: str | None = None, key: Secret | None = None) -> None:
        """As the others."""
        MemoryComponent.__init__(self, memory, space, key)

    @component.output_types(answers=list[GeneratedAnswer], missing=list[str])
    def run(
        self, query: str, space: str | None = None, speaker: str | None = None
    ) -> dict[str, list[GeneratedAnswer] | list[str]]:
        """At most one answer, over the turns that its proof cites; and what could not be proved. `speaker` is who asks.

        `meta` of an answer holds `status`, `confidence` and the `proof` as JSON, for `Memory.verify`.
        """
        answer = self.memory.ask(query, **place_arguments(space or self.space, speaker))
        missing = [format_atom(goal.atom) for goal in answer.missing]
        return {"answers": [_generated(answer)] if answer.known else [], "missing": missing}

    run_async = in_thread(run)


def _generated(answer: Answer) -> GeneratedAnswer:
    meta = {"status": answer.status, "confidence": answer.confidence, "proof": answer.proof.to_json()}
    return GeneratedAnswer(answer.full or answer.text, answer.question, list(_cited(answer)), meta)


def _cited(answer: Answer) -> Iterator[Document]:
    """The quotations of a proof, one document each."""
    for evidence in answer.proof.evidence():
        meta = {"turn": evidence.turn, "speaker": evidence.speaker, "said": evidence.said}
        yield Document(content=evidence.quote, meta=meta)


def _message(message: ChatMessage) -> dict[str, Any]:
    """A message as memory takes it."""
    said = {"role": message.role.value, "content": message.text, "name": message.name}
    return said | {key: message.meta[key] for key in ("id", "at") if message.meta.get(key) is not None}


def _counted(top_k: int) -> int:
    if top_k < 0:
        raise InputError(f"A retriever cannot find {top_k} documents.", "Give top_k=0 or more.")
    return top_k


MOST_LOOKED = 1_000
"""Maximum turns examined for a filter; a server returns no more."""
WIDER = 4
"""Times as many are looked through, where too few pass."""
NAMES = {"session": "sessions", "speaker": "speakers", "role": "roles"}
"""Document fields that a search can filter by."""
MOMENTS = {">=": "after", ">": "after", "<": "before"}
"""The same of its time; `after` includes the moment, so that of `>` it leaves one too many, which the filter drops."""


def document_of(turn: Turn, score: float | None = None) -> Document:
    """A turn as a document, with its time in UTC if known."""
    meta = {"session": turn.session, "speaker": turn.speaker, "role": turn.role, "position": turn.position}
    if turn.dated:
        meta["at"] = turn.at.astimezone(UTC).isoformat()
    return Document(id=turn.id, content=turn.content, meta=meta, score=score)


def found(
    memory: MemoryLike,
    query: str,
    filters: Mapping[str, Any] | None,
    top_k: int,
    space: str | None,
    speaker: str | None = None,
) -> list[Document]:
    """The `top_k` turns that say most about a query of `speaker` and pass the filters, best first."""
    told = dict(_told(filters)) if filters else {}
    looked = top_k
    while top_k > 0:
        hits = memory.search(query, k=looked, **place_arguments(space, speaker), **told)
        documents = [document_of(hit.turn, hit.score) for hit in hits]
        passing = [d for d in documents if not filters or document_matches_filter(dict(filters), d)]
        if len(passing) >= top_k or len(hits) < looked or looked >= MOST_LOOKED:
            return passing[:top_k]
        looked = min(looked * WIDER, MOST_LOOKED)
    return []


def _told(filters: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The conditions of a filter that a search supports, if all of them must hold. The filter itself is applied to
    the results.
    """
    conditions: Sequence[Any] = filters.get("conditions", ()) if filters.get("operator") == "AND" else (filters,)
    for condition in conditions:
        if not isinstance(condition, Mapping):
            continue
        name, operator, value = (condition.get(part) for part in ("field", "operator", "value"))
        field = str(name).removeprefix("meta.")
        named = [value] if operator == "==" else value if operator == "in" else None
        if field in NAMES and isinstance(named, list) and named and all(isinstance(n, str) and n for n in named):
            yield NAMES[field], named
        elif field == "at" and operator in MOMENTS and isinstance(value, str | datetime):
            yield MOMENTS[operator], value
