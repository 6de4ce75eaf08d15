"""Passages searched by their words (BM25), with the package bm25s."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from goalmem.errors import InputError
from goalmem.integrations.backends.passages import passage_of, speaker_text
from goalmem.integrations.backends.protocol import Passage, package

__all__ = ["BM25Backend"]


class BM25Backend:
    """Passages in memory, found by BM25. Safe to use from several threads."""

    def __init__(self, passages: Sequence[Passage | str] = (), *, stopwords: str = "en", stemmer: Any = None) -> None:
        """`stopwords` and `stemmer` as `bm25s.tokenize` takes them. Raises BackendError when bm25s is not installed."""
        self._bm25s = package("bm25s", "bm25s")
        self._tokens = {"stopwords": stopwords, "stemmer": stemmer, "show_progress": False}
        self._lock = threading.Lock()
        self._passages: list[Passage] = []
        self._index: Any = None
        self.add([as_passage(p) for p in passages])

    def search(self, query: str, k: int) -> Sequence[Passage]:
        """Passages that share a word with the query, best first."""
        with self._lock:
            index, passages = self._index, self._passages
        tokens = self._bm25s.tokenize([query], return_ids=False, **self._tokens)
        if index is None or not any(tokens):
            return []
        places, scores = index.retrieve(tokens, k=min(k, len(passages)), show_progress=False)
        ranked = zip(places[0].tolist(), scores[0].tolist(), strict=True)
        return [replace(passages[place], score=score) for place, score in ranked if score > 0]

    def get(self, id: str) -> Passage | None:
        """The passage of an id."""
        return next((p for p in self._passages if p.id == id), None)

    def add(self, passages: Sequence[Passage]) -> None:
        """Add new passages and rebuild the index: BM25's weights depend on all passages."""
        with self._lock:
            known = {p.id for p in self._passages if p.id is not None}
            self._passages = [*self._passages, *(p for p in passages if p.id is None or p.id not in known)]
            corpus = (
                self._bm25s.tokenize([speaker_text(p) for p in self._passages], **self._tokens)
                if self._passages
                else None
            )
            if corpus is not None and corpus.vocab:
                self._index = self._bm25s.BM25()
                self._index.index(corpus, show_progress=False)


def as_passage(given: object) -> Passage:
    """A passage or text that was given. Raises InputError for anything else."""
    passage = passage_of(given)
    if passage is None:
        raise InputError(
            f"A {type(given).__name__} is not a passage.", "Pass texts, or goalmem.integrations.backends.Passage."
        )
    return passage
