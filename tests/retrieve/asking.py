"""Queries put together by hand over spaces told for real."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np

from goalmem.language.terms import hash_term, terms_of
from goalmem.questions.anatomy import QuestionAnatomy
from goalmem.retrieve.fusion import Candidates
from goalmem.retrieve.index import SpaceIndexes, SpaceView
from goalmem.retrieve.query import SearchQuery
from goalmem.retrieve.settings import RetrievalSettings
from goalmem.retrieve.temporal import QuestionTimes
from tests.retrieve.telling import Told, WordEmbedder, nearest


def day(number: int, month: int = 5) -> datetime:
    """Noon of a day of 2024."""
    return datetime(2024, month, number, 12, tzinfo=UTC)


def seen(told: Told) -> SpaceView:
    """The space as signals see it."""
    return SpaceIndexes(told.store, WordEmbedder.dimension, most_bytes=1 << 20).view("s")


def asked(told: Told, text: str, **given: Any) -> SearchQuery:
    """A query of which only the words are read, but for what is given."""
    view = given.pop("view", None) or seen(told)
    usual: dict[str, Any] = {
        "settings": RetrievalSettings(),
        "vector": vector(text),
        "closeness": view.vectors.dots(vector(text)),
        "terms": terms(text),
        "speakers": (),
        "times": QuestionTimes(),
        "phrase_rows": (),
        "anatomy": QuestionAnatomy(),
        "noun_phrases": np.zeros((0, WordEmbedder.dimension), dtype=np.float32),
        "parts": (),
    }
    return SearchQuery(text=text, view=view, **{**usual, **given})


def terms(text: str) -> tuple[int, ...]:
    return tuple(map(hash_term, terms_of(text)))


def vector(text: str) -> np.ndarray:
    return WordEmbedder().embed([text])[0]


def candidates(query: SearchQuery, rows: list[int], *, scores: list[float] | None = None) -> Candidates:
    """Rows as the first stage would let them through, best first."""
    kept = np.array(rows, dtype=np.intp)
    _, members = np.unique(query.view.sessions[kept], return_inverse=True)
    fallen = scores if scores is not None else [1.0 - 0.01 * place for place in range(len(rows))]
    dense = nearest(query.view, vector(query.text))[kept] if len(rows) else np.zeros(0, dtype=np.float32)
    return Candidates(query, kept, np.array(fallen, dtype=np.float32), members, dense)
