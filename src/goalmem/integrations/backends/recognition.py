"""Recognises the user's search system, or any function, as a backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from goalmem.errors import BackendError
from goalmem.integrations.backends.a_mem import AMemBackend
from goalmem.integrations.backends.chroma import ChromaBackend
from goalmem.integrations.backends.hipporag import HippoRAGBackend
from goalmem.integrations.backends.langchain import LangChainBackend
from goalmem.integrations.backends.lightrag import LightRAGBackend
from goalmem.integrations.backends.llama_index import LlamaIndexBackend
from goalmem.integrations.backends.own import MemoryBackend
from goalmem.integrations.backends.protocol import Adding, Backend, Lookup, Passage


@dataclass(frozen=True)
class CallableBackend:
    """A function `search(query, k)` that returns passages, texts, or dicts with `text`, best first; it may be async.

    Of a dict `id`, `speaker`, `at` and `session` are read, too, under these or similar names, also in its `metadata`.
    """

    function: Callable[[str, int], Any]
    get: Lookup | Callable[[str], Any] | None = None
    """Gives the passage of an id as it is now, or None: then `verify` finds what a proof cites by its id."""
    add: Adding | None = None
    """Remembers passages: then `Memory.add` works."""
    same_thread: bool = False
    """Call it in the calling thread, for objects that are bound to one. A call that hangs can then not be stopped."""

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """The function's result; the caller validates it."""
        returned: Sequence[Passage] = self.function(query, k)
        return returned


KNOWN: dict[str, tuple[frozenset[str], Callable[[Any], Backend]]] = {
    "chromadb": (frozenset({"query"}), ChromaBackend),
    "langchain_core": (frozenset({"invoke", "as_retriever"}), LangChainBackend),
    "llama_index": (frozenset({"retrieve", "as_retriever"}), LlamaIndexBackend),
    "agentic_memory": (frozenset({"search_agentic"}), AMemBackend),
    "hipporag": (frozenset({"retrieve"}), HippoRAGBackend),
    "lightrag": (frozenset({"aquery_data"}), LightRAGBackend),
    "goalmem": (frozenset({"history"}), MemoryBackend),
}
"""Package of a class -> the methods by one of which it is known, and its adapter. None of the packages is imported."""
OF_MANY = {
    "mem0": ("A mem0 memory", 'Mem0Backend(memory, user_id="maya")'),
    "graphiti_core": ("A Graphiti graph", 'GraphitiBackend(graphiti, group_ids=["maya"])'),
    "langgraph": ("A LangGraph store", 'LangMemBackend(store, "memories", "maya")'),
    "letta_client": ("A Letta client", 'LettaBackend(client, "agent-…")'),
    "zep_cloud": ("A Zep client", 'ZepBackend(client, "GRAPH UUID")'),
}
"""Packages of classes for many users -> their name, and how to select a user."""
WAYS = "Pass an object with `search(query, k)`, a function of these, or what docs/backends.md names."


def open_backend(memory: object) -> Backend:
    """A backend over `memory`: a Chroma collection, what LangChain or LlamaIndex searches, an A-MEM, HippoRAG or LightRAG memory,
    a goalmem Memory, any backend, any function.

    Raises BackendError for anything else, and for what holds memories of many, of which must be said whose are searched.
    """
    packages = {base.__module__.partition(".")[0] for base in type(memory).__mro__}
    for package, (methods, adapter) in KNOWN.items():
        if package in packages and any(callable(getattr(memory, method, None)) for method in methods):
            return adapter(memory)
    for package in sorted(packages & OF_MANY.keys()):
        named, adapted = OF_MANY[package]
        raise BackendError(f"{named} holds memories of many.", f"Say whose are searched: {adapted}.")
    if isinstance(memory, type):
        raise BackendError(f"{memory.__name__} is a class.", "Make one of it, and pass that.")
    if callable(getattr(memory, "search", None)):
        return cast("Backend", memory)
    if callable(memory):
        return CallableBackend(memory)
    raise BackendError(f"A {type(memory).__name__} cannot be searched.", WAYS)
