"""Plain BM25 by bm25s, with the stemmer and the stop words that its documentation shows."""

from __future__ import annotations

import importlib
import json
from datetime import datetime
from typing import Any

from benchmarks.rivals.protocol import Place, Session

PACKAGES = ("bm25s", "PyStemmer")
HOW = (
    "`tokenize` with English stop words and PyStemmer, `BM25().index` once over all (it cannot add), `retrieve`; a document is "
    "a whole session, for LoCoMo a turn. No vectors."
)


class Index:
    """Documents and their names. The index is built when all are there."""

    def __init__(self, place: Place) -> None:
        self._bm25s = importlib.import_module("bm25s")
        self._stemmer = importlib.import_module("Stemmer").Stemmer("english")
        self._place = place
        self._names: list[str] = []
        self._texts: list[str] = []
        self._retriever: Any = None
        self._names_file = place.folder / "names.json"
        if self._names_file.exists():
            self._names = json.loads(self._names_file.read_text(encoding="utf-8"))
            self._retriever = self._bm25s.BM25.load(str(place.folder / "index"))

    def add(self, session: Session) -> None:
        """Keep the words for `finish`."""
        if self._place.unit == "session":
            self._names.append(session.name)
            self._texts.append("\n".join(message.spoken for message in session.messages))
        else:
            self._names += [message.id for message in session.messages]
            self._texts += [message.spoken for message in session.messages]

    def finish(self) -> None:
        """Tokenize, index, save."""
        self._retriever = self._bm25s.BM25()
        self._retriever.index(self._tokens(self._texts), show_progress=False)
        if self._place.as_shipped:
            self._retriever.save(str(self._place.folder / "index"))
            self._names_file.write_text(json.dumps(self._names), encoding="utf-8")

    def _tokens(self, texts: list[str]) -> Any:
        return self._bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)

    def sessions(self, query: str, at: datetime, k: int) -> list[str]:
        """Best first."""
        del at
        return self.turns(query, k)

    def turns(self, query: str, k: int) -> list[str]:
        """Best first; documents are named after turns when turns are the unit."""
        found, _ = self._retriever.retrieve(
            self._tokens([query]), k=min(k, len(self._names)), show_progress=False, n_threads=1
        )
        return [self._names[number] for number in found[0]]

    def close(self) -> None:
        """Nothing is open."""


def open_store(place: Place) -> Index:
    """Load or begin an index."""
    return Index(place)
