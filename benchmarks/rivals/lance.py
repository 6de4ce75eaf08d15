"""LanceDB's hybrid search: vectors and its own full text, fused by its own reranker (reciprocal rank fusion).

How many rows are asked for decides how long the lists are that it fuses. For sessions of LongMemEval's pool (development
half) 20, 50 and 200 rows give any@5 of .857, .845, .841 and all@5 of .627, .639, .647: no choice would change the comparison,
and it gets the 50 that every store of turns gets.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from benchmarks.rivals.protocol import Place, Session, best_sessions

PACKAGES = ("lancedb",)
HOW = (
    '`table.add` a session, a full-text index with default settings (stemming, stop words), `search(query_type="hybrid")` with '
    "the default RRFReranker and exact vector search; a row is a turn, a session ranks by its best turn."
)


class Table:
    """Turns in a LanceDB table."""

    def __init__(self, place: Place) -> None:
        lancedb = importlib.import_module("lancedb")
        self._embedder = place.embedder
        self._at_once = place.as_shipped
        self._waiting: list[Mapping[str, Any]] = []
        self._database = lancedb.connect(str(place.folder))
        opened = (place.folder / "turns.lance").exists()
        self._table: Any = self._database.open_table("turns") if opened else None

    def add(self, session: Session) -> None:
        """One call a session."""
        kept = [message for message in session.messages if message.spoken.strip()]
        vectors = self._embedder.embed([message.spoken for message in kept])
        self._waiting += [
            {"id": message.id, "session": session.name, "text": message.spoken, "vector": vector}
            for message, vector in zip(kept, vectors, strict=True)
        ]
        if self._at_once:
            self._write()

    def _write(self) -> None:
        if not self._waiting:
            return
        if self._table is None:
            arrow = importlib.import_module("pyarrow")
            text = arrow.string()
            vector = arrow.list_(arrow.float32(), self._embedder.dimension)
            fields = [("id", text), ("session", text), ("text", text), ("vector", vector)]
            self._table = self._database.create_table("turns", schema=arrow.schema(fields))
        self._table.add(self._waiting)
        self._waiting = []

    def finish(self) -> None:
        """Index the text and compact the table, as its documentation advises after many small writes."""
        self._write()
        self._table.create_index("text", config=importlib.import_module("lancedb.index").FTS())
        self._table.optimize()

    def sessions(self, query: str, at: datetime, k: int) -> list[str]:
        """By the best turn of each."""
        del at
        return best_sessions(lambda depth: [row["session"] for row in self._search(query, depth)], k)

    def turns(self, query: str, k: int) -> list[str]:
        """As the reranker has them."""
        return [row["id"] for row in self._search(query, k)]

    def _search(self, query: str, depth: int) -> list[dict[str, Any]]:
        vector = self._embedder.embed([query])[0]
        found = self._table.search(query_type="hybrid").vector(vector).text(query).limit(depth)
        rows: list[dict[str, Any]] = found.to_list()
        return rows

    def close(self) -> None:
        """LanceDB has nothing to close."""


def open_store(place: Place) -> Table:
    """Open or create the table."""
    return Table(place)
