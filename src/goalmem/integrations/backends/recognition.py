"""What a user has at hand, as a backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from goalmem.errors import BackendError
from goalmem.integrations.backends.a_mem import AMemBackend
from goalmem.integrations.backends.chroma import ChromaBackend
from goalmem.integrations.backends.function import CallableBackend
from goalmem.integrations.backends.hipporag import HippoRAGBackend
from goalmem.integrations.backends.langchain import LangChainBackend
from goalmem.integrations.backends.lightrag import LightRAGBackend
from goalmem.integrations.backends.llama_index import LlamaIndexBackend
from goalmem.integrations.backends.own import MemoryBackend
from goalmem.integrations.backends.protocol import Backend

__all__ = ["open_backend"]

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
"""Package of a class that holds memories of many people -> what to call it, and how to say whose are searched."""
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
