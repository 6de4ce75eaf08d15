"""Chroma: a collection of turns on disk, with the settings it has by default."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from benchmarks.rivals.protocol import Place, Session, best_sessions

PACKAGES = ("chromadb",)
HOW = (
    "PersistentClient, a collection with default settings (HNSW), `add` a session with our vectors, `query`; a document is a "
    "turn, a session ranks by its best turn."
)


@dataclass(frozen=True, slots=True)
class Document:
    """What is embedded and found: a turn, or a session under its own name."""

    id: str
    session: str
    text: str


def turns_of(session: Session) -> list[Document]:
    """A document a turn."""
    return [
        Document(f"{session.name}\x1f{message.id}", session.name, message.spoken)
        for message in session.messages
        if message.spoken.strip()
    ]


class Collection:
    """Documents in a Chroma collection, made from sessions by a given rule."""

    def __init__(self, place: Place, documents: Callable[[Session], Sequence[Document]]) -> None:
        chromadb = importlib.import_module("chromadb")
        # Chroma reports usage to its makers unless told not to; nothing here may leave the machine.
        settings = chromadb.Settings(anonymized_telemetry=False)
        self._at_once = place.as_shipped
        self._client = (
            chromadb.PersistentClient(path=str(place.folder), settings=settings)
            if place.as_shipped
            else chromadb.EphemeralClient(settings=settings)
        )
        # All ephemeral clients of a process share one memory.
        self._name = "turns" if place.as_shipped else f"turns-{uuid4()}"
        self._embedder = place.embedder
        self._documents = documents
        self._waiting: list[Document] = []
        # Without a function of its own it would download one; vectors are given, as its documentation has it.
        self._collection = self._client.get_or_create_collection(self._name, embedding_function=None)

    def add(self, session: Session) -> None:
        """One call a session."""
        self._waiting += self._documents(session)
        if self._at_once:
            self._write()

    def _write(self) -> None:
        most = self._client.get_max_batch_size()
        while self._waiting:
            batch, self._waiting = self._waiting[:most], self._waiting[most:]
            self._collection.add(
                ids=[document.id for document in batch],
                documents=[document.text for document in batch],
                metadatas=[{"session": document.session} for document in batch],
                embeddings=self._embedder.embed([document.text for document in batch]),
            )

    def finish(self) -> None:
        """On the disk, every call was durable when it returned."""
        self._write()

    def sessions(self, query: str, at: datetime, k: int) -> list[str]:
        """By the best document of each."""
        del at
        vector = self._embedder.embed([query])

        def fetch(depth: int) -> list[str]:
            found = self._collection.query(query_embeddings=vector, n_results=depth, include=["metadatas"])
            return [row["session"] for row in found["metadatas"][0]]

        return best_sessions(fetch, k)

    def turns(self, query: str, k: int) -> list[str]:
        """Nearest first."""
        found = self._collection.query(query_embeddings=self._embedder.embed([query]), n_results=k, include=[])
        return [str(name).partition("\x1f")[2] for name in found["ids"][0]]

    def close(self) -> None:
        """On the disk there is nothing to close; memory is given back."""
        if not self._at_once:
            self._client.delete_collection(self._name)


def open_store(place: Place) -> Collection:
    """Open or create the collection of turns."""
    return Collection(place, turns_of)
