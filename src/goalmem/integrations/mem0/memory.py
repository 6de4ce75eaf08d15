"""mem0's `Memory`: the same methods, arguments and results, over a goalmem store and without a model."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from goalmem import memory as core
from goalmem.errors import InputError
from goalmem.integrations.mem0.catalogue import Catalogue, NewMemory, now
from goalmem.integrations.mem0.config import DEFAULTS, MemoryConfig, configured, open_memory
from goalmem.integrations.mem0.lookup import MemoryFinder
from goalmem.integrations.mem0.messages import as_one, parse
from goalmem.integrations.mem0.payload import added, checked_id, checked_text, expiry_of, fields_of, moment_of, updated
from goalmem.integrations.mem0.scope import MemoryScope, UnsupportedError, ValidationError, scope_of
from goalmem.io.chat_messages import parse_when

if TYPE_CHECKING:
    from goalmem.answer import Answer


log = logging.getLogger(__name__)

PROCEDURAL = "procedural_memory"
UNSET: Any = object()
"""Distinguishes an unchanged expiration date from a removed one (None)."""


class Memory:
    """A drop-in for `mem0.Memory`: what is said is kept word for word, and facts are read out of it by analysis.

        memory = Memory("life.db")
        memory.add("I adopted a beagle last Friday.", user_id="maya")
        memory.search("Does she have a pet?", filters={"user_id": "maya"})
        memory.ask("What did I adopt?", user_id="maya")  # beyond mem0: an answer with a proof

    Safe for several threads; several processes may share the store. All errors are `GoalmemError`s, and those that mem0
    raises as ValueError are ValueErrors, too.
    """

    def __init__(self, config: Any = DEFAULTS) -> None:
        """`config`: mem0's configuration as an object or a dict, a path or URL of a store, or a `goalmem.Memory`."""
        self._owned = not isinstance(config, core.Memory)
        self.config = MemoryConfig() if isinstance(config, core.Memory) else configured(config)
        self._memory = config if isinstance(config, core.Memory) else open_memory(self.config)
        self._catalogue = Catalogue(self._memory)
        self._finder = MemoryFinder(self._memory, self._catalogue)

    @classmethod
    def from_config(cls, config_dict: dict[str, Any]) -> Self:
        """A memory from mem0's configuration as a dict. Raises InputError (a ValueError) for one that cannot be used."""
        return cls(configured(config_dict))

    # -- mem0's methods ------------------------------------------------------------------------------------------

    def add(
        self,
        messages: Any,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: dict[str, Any] | None = None,
        timestamp: Any | None = None,
        expiration_date: Any | None = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, Any]:
        """Keep messages, each as a memory; returns `{"results": [{"id", "memory", "event": "ADD"}, …]}` of those kept.

        With `infer` what is kept already, from the same speaker and scope, is not kept again. `timestamp` is when it was
        said (a datetime, ISO 8601 text or Unix seconds). `prompt` is of no use without a model. All of the call is kept,
        durably, or nothing.

        Raises:
            ValidationError: no id was given, or the messages or the memory type cannot be used.
            InputError: another argument cannot be used. Both are ValueErrors.
            StoreError: as ever; nothing was kept.
        """
        del prompt
        expires = expiry_of(expiration_date)
        at = parse_when(timestamp, "The timestamp") if timestamp is not None else None
        scope = scope_of(user_id, agent_id, run_id)
        if memory_type not in (None, PROCEDURAL):
            raise ValidationError(
                f"Invalid 'memory_type'. Please pass {PROCEDURAL} to create procedural memories.",
                "VALIDATION_002",
                {"provided_type": memory_type, "valid_type": PROCEDURAL},
                f"Use '{PROCEDURAL}' to create procedural memories.",
            )
        said = parse(messages)
        extra: dict[str, Any] = {} if expires is None else {"expiration_date": expires}
        if memory_type == PROCEDURAL and scope.agent is not None:
            extra["memory_type"] = PROCEDURAL
            said = [as_one(said)] if said else []
        fields = fields_of(metadata, scope, at, now()) | extra
        moment = at or moment_of(fields["created_at"])
        if not infer:
            fresh = [NewMemory(one, fields | one.fields) for one in said]
            self._catalogue.add(scope, fresh, moment)
        else:
            with self._catalogue.writing:
                fresh = [
                    NewMemory(one, fields | one.fields | {"attributed_to": one.role}, follows)
                    for one, follows in self._catalogue.unknown(scope, said)
                ]
                self._catalogue.add(scope, fresh, moment)
        return {"results": [added(one, infer=infer) for one in fresh]}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """A memory by its id; None where there is none."""
        record = self._catalogue.find(checked_id(memory_id))
        return self._finder.item(record) if record is not None else None

    def get_all(
        self,
        /,
        *,
        filters: dict[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """The first `top_k` memories that `filters` let through, in the order added: `{"results": […]}`.

        Raises InputError (a ValueError) for filters without `user_id`, `agent_id` or `run_id`, or that are none.
        """
        return {"results": self._finder.all(filters, top_k, show_expired=show_expired, extra=kwargs)}

    def search(
        self,
        /,
        query: str,
        *,
        top_k: int = 20,
        filters: dict[str, Any] | None = None,
        threshold: float | None = 0.1,
        rerank: bool = False,
        explain: bool = False,
        reference_date: Any | None = None,
        show_expired: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """The `top_k` memories that say most about the query, best first, each with a `score` of 0 to 1: `{"results": […]}`.

        `threshold`: the least score. `rerank` changes nothing: goalmem's order has its reranking in it. `explain` adds
        `score_details`. `reference_date`: the day as of which is asked; what was said later is left out.

        Raises InputError (a ValueError) for an empty query, filters without `user_id`, `agent_id` or `run_id`, and values
        that are out of range.
        """
        del rerank
        at = parse_when(reference_date, "The reference date") if reference_date is not None else None
        found = self._finder.search(
            query,
            filters,
            top_k,
            threshold,
            at=at,
            explain=explain,
            show_expired=show_expired,
            extra=kwargs,
        )
        return {"results": found}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: dict[str, Any] | None = None,
        expiration_date: Any = UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """Give a memory other words, with their facts and vectors, more metadata, or another expiration date.

        `data` is an older name of `text`. Raises MemoryNotFoundError (a ValueError) where there is no such memory,
        InputError for what cannot be used.
        """
        if data is not None:
            log.warning("The argument `data` of update() is deprecated: use `text`.")
            text = data if text is None else text
        if text is None and metadata is None and expiration_date is UNSET:
            raise InputError("At least one of text, metadata, or expiration_date must be provided.", "Give one.")
        words = checked_text(text)
        changed = {} if expiration_date is UNSET else {"expiration_date": expiry_of(expiration_date)}
        self._catalogue.change(checked_id(memory_id), words, lambda before: updated(before, metadata, changed, now()))
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Forget a memory with all that was derived from it. Raises MemoryNotFoundError (a ValueError)."""
        self._catalogue.delete(checked_id(memory_id))
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Forget all memories of a user, agent or run, or of those that have all ids given.

        Raises InputError (a ValueError) where no id is given: `reset` forgets everything.
        """
        if user_id is None and agent_id is None and run_id is None:
            raise InputError(
                "At least one filter is required to delete all memories.", "To delete everything, use reset()."
            )
        self._catalogue.delete_all(self._finder.owned(scope_of(user_id, agent_id, run_id)))
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Every ADD, UPDATE and DELETE of a memory, oldest first; after a DELETE without its words."""
        return self._catalogue.history(checked_id(memory_id))

    def reset(self) -> None:
        """Forget everything in the store: every memory of everyone, and what happened to it."""
        log.warning("Resetting all memories.")
        self._catalogue.reset()

    def chat(self, query: str) -> Any:
        """Not done, as in mem0: raises UnsupportedError (a NotImplementedError). `ask` answers questions."""
        raise UnsupportedError("Chat is not implemented, as in mem0.", "Use ask(question, user_id=…).")

    def close(self) -> None:
        """Release the store; one that was given as a `goalmem.Memory` is its owner's to close."""
        if self._owned:
            self._memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    # -- beyond mem0 ---------------------------------------------------------------------------------------------

    @property
    def goalmem(self) -> core.Memory:
        """The memory underneath, for proofs, rules and graphs; `space_of` says which space of it is whose."""
        return self._memory

    def space_of(self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None) -> str:
        """The space of `goalmem` that such memories are in."""
        return scope_of(user_id, agent_id, run_id).space

    def ask(
        self,
        /,
        question: str,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        **options: Any,
    ) -> Answer:
        """An answer with its proof, or "I don't know", from all that is remembered of one user, agent or run.

        Exactly one id is given; `options` are those of `goalmem.Memory.ask`, `speaker` (who asks) among them. Raises InputError, StoreError.
        """
        scope: MemoryScope = scope_of(user_id, agent_id, run_id)
        if len(scope.ids) > 1:
            raise InputError("A question is asked of one user, agent or run as a whole.", "Give one of the ids.")
        answer: Answer = self._memory.ask(question, space=scope.space, **options)
        return answer


P = ParamSpec("P")
R = TypeVar("R")


def async_method(
    method: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    """A method of `Memory`, awaited: parameters, result, errors and documentation are its own."""

    @functools.wraps(method)
    async def awaited(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self._memory, *args, **kwargs)

    return awaited


class AsyncMemory:
    """A drop-in for `mem0.AsyncMemory`. What has begun when its task is cancelled is finished and kept."""

    def __init__(self, config: Any = DEFAULTS) -> None:
        """As `Memory`."""
        self._memory = Memory(config)
        self.config = self._memory.config

    @classmethod
    def from_config(cls, config_dict: dict[str, Any]) -> Self:
        """See `Memory.from_config`."""
        return cls(configured(config_dict))

    async def add(
        self,
        messages: Any,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: dict[str, Any] | None = None,
        timestamp: Any | None = None,
        expiration_date: Any | None = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
        llm: Any = None,
    ) -> dict[str, Any]:
        """See `Memory.add`. `llm` is ignored: no model is needed."""
        del llm
        return await asyncio.to_thread(
            self._memory.add,
            messages,
            user_id=user_id,
            agent_id=agent_id,
            run_id=run_id,
            metadata=metadata,
            timestamp=timestamp,
            expiration_date=expiration_date,
            infer=infer,
            memory_type=memory_type,
            prompt=prompt,
        )

    get = async_method(Memory.get)
    get_all = async_method(Memory.get_all)
    search = async_method(Memory.search)
    update = async_method(Memory.update)
    delete = async_method(Memory.delete)
    delete_all = async_method(Memory.delete_all)
    history = async_method(Memory.history)
    reset = async_method(Memory.reset)
    chat = async_method(Memory.chat)

    def close(self) -> None:
        """See `Memory.close`."""
        self._memory.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await asyncio.to_thread(self.close)

    # -- beyond mem0 ---------------------------------------------------------------------------------------------

    @property
    def goalmem(self) -> core.Memory:
        """See `Memory.goalmem`."""
        return self._memory.goalmem

    def space_of(self, *, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None) -> str:
        """See `Memory.space_of`."""
        return self._memory.space_of(user_id=user_id, agent_id=agent_id, run_id=run_id)

    ask = async_method(Memory.ask)
