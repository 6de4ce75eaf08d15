"""LangChain: a retriever over a memory, and a memory as tools of an agent (docs/frameworks-langchain.md)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, TypeAlias

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import ArgsSchema, BaseTool, ToolException
from pydantic import Field, ValidationError

from goalmem.answer import Answer, Page
from goalmem.errors import GoalmemError, InputError
from goalmem.integrations.backends.own import metadata_of_turn
from goalmem.integrations.frameworks.tools import (
    TOOLS,
    AnyMemory,
    ToolCall,
    awaited,
    place_arguments,
    tool_description,
    tool_names,
)
from goalmem.records import Hit, Profile

__all__ = ["GoalmemRetriever", "MemoryTool", "Place", "document_of", "memory_tools", "place_of"]

HITS = 10
"""Documents of a retriever by default, as of `Memory.search`."""

Place: TypeAlias = str | Callable[[RunnableConfig], str] | None
"""A space or a session: its name, a function that takes it from the config of a run, or None for the memory's own."""


class GoalmemRetriever(BaseRetriever):
    """Finds remembered messages: documents whose metadata say `id`, `speaker`, `role`, `date`, `at`, `session` and `score`.

    GoalmemRetriever(memory=memory, space="maya", k=5).invoke("What does Ilse like?")
    """

    memory: Any = Field(exclude=True, repr=False)
    """A `Memory`, a `Client`, or (for `ainvoke` alone) an async one."""
    space: str | None = None
    """None: the memory's own."""
    k: int = HITS
    reason: bool = False
    """True to rank by reasoning towards the query (`Memory.recall`), which costs more and finds what takes several steps."""
    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    """Further arguments of `Memory.search`: `at`, `sessions`, `speakers`, `roles`, `kinds`, `after`, `before`, `speaker` (who
    asks); of `Memory.recall`: `at`, `goals`, `reasoner`, `speaker`."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        del run_manager
        return [
            document_of(hit)
            for hit in self._finding(query, k=self.k, **place_arguments(self.space), **self.search_kwargs)
        ]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        del run_manager
        options = {"k": self.k, **place_arguments(self.space), **self.search_kwargs}
        hits: list[Hit] = await awaited(self._finding, query, **options)
        return [document_of(hit) for hit in hits]

    @property
    def _finding(self) -> Callable[..., Any]:
        finding: Callable[..., Any] = self.memory.recall if self.reason else self.memory.search
        return finding


def document_of(hit: Hit) -> Document:
    """A message found as a document."""
    turn = hit.turn
    metadata: dict[str, Any] = {"id": turn.id, **metadata_of_turn(turn), "score": hit.score}
    return Document(id=turn.id, page_content=turn.content, metadata=metadata)


def memory_tools(
    memory: AnyMemory,
    *,
    space: Place = None,
    session: Place = None,
    names: Collection[str] | None = None,
    read_only: bool = False,
) -> list[MemoryTool]:
    """What a model may do with one space of a memory.

    Names and arguments are those of the MCP server. Each tool returns text for the model, and as the artifact of the
    ToolMessage the same as plain data: of `ask` with the whole proof, which `Memory.verify` takes. What a memory refuses
    becomes a ToolMessage with status `error` that says what to do.

    Args:
        memory: a `Memory`, a `Client`, or an async one of either (then the tools can only be awaited).
        space: whose memory it is; a function takes it from the config of the run, so that the model can neither choose
            nor see it.
        session: of what is remembered; None: one a day, so that the same words on another day are new.
        names: the tools wanted, of `goalmem.integrations.frameworks.tools.EVERY`; None: those that read, and `remember`.
        read_only: only those that read.

    Raises InputError for a name that is no tool's.
    """
    return [
        MemoryTool(**tool_description(name), memory=memory, space=space, session=session)
        for name in tool_names(names, read_only=read_only)
    ]


class MemoryTool(BaseTool):
    """One of the tools of a memory; made by `memory_tools`."""

    args_schema: ArgsSchema | None = None
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    handle_tool_error: Any = True
    handle_validation_error: Any = Field(default_factory=lambda: explained)
    memory: Any = Field(exclude=True, repr=False)
    space: Any = Field(default=None, exclude=True, repr=False)
    session: Any = Field(default=None, exclude=True, repr=False)

    def _run(self, *, config: RunnableConfig, **arguments: Any) -> tuple[str, dict[str, Any]]:
        call, made = self._call(arguments, config)
        if inspect.iscoroutinefunction(made):
            raise InputError(f"The memory of the tool {self.name!r} is async.", "Call the tool with ainvoke.")
        with told():
            return told_of(self.name, call, made())

    async def _arun(self, *, config: RunnableConfig, **arguments: Any) -> tuple[str, dict[str, Any]]:
        call, made = self._call(arguments, config)
        with told():
            return told_of(self.name, call, await awaited(made))

    def _call(self, arguments: Mapping[str, Any], config: RunnableConfig) -> tuple[ToolCall, partial[Any]]:
        """Convert the tool call to a call of the memory and run it."""
        call = TOOLS[self.name](**arguments)
        return call, call.of(self.memory, place_of(self.space, config), place_of(self.session, config))


def place_of(place: Place, config: RunnableConfig) -> str | None:
    """A space or a session, for a run with this config."""
    return place(config) if callable(place) else place


def told_of(name: str, call: ToolCall, result: Any) -> tuple[str, dict[str, Any]]:
    """The result of a tool: text for the model, and plain data that any checkpointer can store."""
    return call.text(result), DATA[name](result)


def answer_data(answer: Answer) -> dict[str, Any]:
    """All of an answer; its `proof` is the JSON that `Memory.verify` takes."""
    return {
        "question": answer.question,
        "status": answer.status,
        "answer": answer.full or answer.text,
        "values": list(answer.values),
        "confidence": answer.confidence,
        "citations": list(answer.citations),
        "missing": [missing.model_dump(mode="json") for missing in answer.missing],
        "proof": answer.proof.to_json(),
    }


def hits_data(hits: Sequence[Hit]) -> dict[str, Any]:
    """Messages that were found, as their documents have them."""
    return {"hits": [{"text": document.page_content, **document.metadata} for document in map(document_of, hits)]}


def page_data(page: Page) -> dict[str, Any]:
    """A page of turns, and the cursor of the next."""
    return {
        "turns": [{"text": turn.content, "id": turn.id, **metadata_of_turn(turn)} for turn in page.items],
        "next": page.next,
    }


def profile_data(profile: Profile) -> dict[str, Any]:
    """What is known of somebody, each statement with its turn."""
    known = [
        {"topic": one.topic, "text": one.text, "turn": one.turn, "said": one.said.isoformat()}
        for one in profile.statements
    ]
    return {"who": profile.who, "statements": known, "total": profile.total}


DATA: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "remember": lambda receipt: {"turn": receipt.turns[0], "new": bool(receipt.new)},
    "recall": lambda context: {"text": context.text, "turns": list(context.sources)},
    "ask": answer_data,
    "search": hits_data,
    "profile": profile_data,
    "list": page_data,
    "why_not": lambda why: answer_data(why.answer),
    "add_rule": lambda report: {"ids": list(report.ids), "new": report.new},
    "update": lambda turn: {"turn": turn.id, "text": turn.text},
    "forget": lambda gone: {"turns": gone.turns, "facts": gone.facts},
}
"""The artifact of each tool."""


@contextmanager
def told() -> Iterator[None]:
    """Convert errors to messages for the model."""
    try:
        yield
    except GoalmemError as error:
        raise ToolException(f"{error.problem} {error.remedy}") from error


def explained(error: Any) -> str:
    """Describe invalid arguments from a model."""
    if not isinstance(error, ValidationError):
        return str(error)
    wrong = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()]
    return f"The arguments cannot be used: {'; '.join(wrong)}."
