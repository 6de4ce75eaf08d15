"""Memories that LangMem keeps in a LangGraph store as a backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from goalmem.integrations.backends.passages import known_of, speaker_text, stored_passage
from goalmem.integrations.backends.protocol import Passage

__all__ = ["LangMemBackend"]

CONTENT = "content"
"""Key of the content in a store's item, as in LangMem's tools and managers."""
KEPT = "said"
"""Key under which `add` stores speaker and time beside the content."""


class LangMemBackend:
    """A LangGraph `BaseStore` and the namespace that LangMem's tools write to (`create_manage_memory_tool(namespace=…)`).

    What an agent or a memory manager noted is its words. It counts as noted when its item was last changed.
    """

    def __init__(self, store: Any, *namespace: str) -> None:
        """`namespace`: as LangMem was given it, without placeholders: `LangMemBackend(store, "memories", "maya")`."""
        if not namespace or any("{" in part for part in namespace):
            raise TypeError(
                'LangMemBackend needs a namespace without placeholders: LangMemBackend(store, "memories", "maya")'
            )
        self._store = store
        self._namespace = namespace

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """Results in the store's order: by meaning with an index, otherwise unordered."""
        found = self._store.search(self._namespace, query=query, limit=k)
        return [p for item in found if (p := passage_of_item(item, self._namespace)) is not None]

    def get(self, id: str) -> Passage | None:
        """The current item by its key; in a nested namespace by `NAMESPACE/KEY`."""
        parts = id.split("/")
        for place in range(len(parts)):  # a key may have slashes of its own
            key = "/".join(parts[place:])
            found = self._store.get((*self._namespace, *parts[:place]), key) if key else None
            if found is not None:
                return passage_of_item(found, self._namespace)
        return None

    def add(self, passages: Sequence[Passage]) -> None:
        """Put each as an item of its own, as LangMem's tools do, word for word."""
        for p in passages:
            kept = known_of(p)
            self._store.put(self._namespace, str(p.id), {CONTENT: speaker_text(p), KEPT: kept})


def passage_of_item(item: Any, namespace: Sequence[str]) -> Passage | None:
    """A memory of LangMem: a text, or a schema under `content`; None without either."""
    value = item.value if isinstance(item.value, Mapping) else {}
    text = _text(value.get(CONTENT))
    kept = value.get(KEPT)
    about = {"at": item.updated_at} | (dict(kept) if isinstance(kept, Mapping) else {})
    key = "/".join((*item.namespace[len(namespace) :], item.key))
    return stored_passage(text, key, about, getattr(item, "score", None))


def _text(content: object) -> str | None:
    """The content as text: the text, the `content` of LangMem's own schema, or all fields of a user's schema."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Mapping) or not content:
        return None
    inner = content.get(CONTENT)
    if isinstance(inner, str):
        return inner
    return "\n".join(f"{name}: {value}" for name, value in content.items() if value not in (None, "", [], {}))
