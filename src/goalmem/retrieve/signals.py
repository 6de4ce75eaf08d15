"""The signals: each looks at one query and scores every turn of a space.

A signal is a function from a `Query` to scores of shape (rows,), between 0 and about 1. Fusion is elsewhere (`fusion`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from goalmem.logic.interval import Interval
from goalmem.retrieve.index import SpaceView
from goalmem.retrieve.settings import RetrievalSettings
from goalmem.retrieve.words import hash_term, terms_of, words_of

__all__ = ["SIGNALS", "Query", "Signal", "named_speakers", "quoted_phrases"]

Floats = NDArray[np.float32]

FIRST_PERSON = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"})
SECOND_PERSON = frozenset({"you", "your", "yours", "yourself", "yourselves"})
DAY = 86_400.0
"""Seconds."""

_QUOTED = re.compile(r"[\"“”]([^\"“”]{3,200})[\"“”]|(?<!\w)[‘']([^‘’']{3,200})[’'](?!\w)")


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """What every signal may look at."""

    text: str
    view: SpaceView
    settings: RetrievalSettings
    vector: Floats
    """Shape (dimension,), unit length."""
    speakers: tuple[int, ...]
    """Numbers of the speakers whom the query names."""
    times: tuple[Interval, ...]
    """Times that the query names."""
    phrase_rows: tuple[int, ...]
    """Rows that hold a phrase which the query quotes."""

    @property
    def terms(self) -> list[int]:
        """Hashes of the query's terms. The name of a speaker is not one: a turn rarely names who says it."""
        names = self.view.speaker_names.names
        spoken = {term for number in self.speakers for term in terms_of(names[number])}
        return [hash_term(term) for term in terms_of(self.text) if term not in spoken]


Signal = Callable[[Query], Floats]


def dense(query: Query) -> Floats:
    """Cosine of the query's and the turn's vectors."""
    return query.view.similarities(query.vector)


def lexical(query: Query) -> Floats:
    """BM25 as a share of the most that the query's words could give, so that it means the same in any space."""
    settings = query.settings
    scores, most = query.view.postings.bm25(
        query.terms, query.view.lengths, k1=settings.k1, b=settings.b, most_terms=settings.most_terms
    )
    return scores / np.float32(most) if most > 0 else scores


def speaker(query: Query) -> Floats:
    """1 for turns of a speaker whom the query names."""
    return np.isin(query.view.speakers, query.speakers).astype(np.float32)


def person(query: Query) -> Floats:
    """1 for the user's turns when the query says "I", for the assistant's when it says "you"; both say nothing.

    A named speaker is in neither part: who "I" is among several people nobody knows.
    """
    words = {word.partition("'")[0] for word in words_of(query.text)}
    first, second = not words.isdisjoint(FIRST_PERSON), not words.isdisjoint(SECOND_PERSON)
    scores = np.zeros(query.view.size, dtype=np.float32)
    if first != second:
        role = "user" if first else "assistant"
        unnamed = np.isin(query.view.speakers, query.view.speaker_names.known([role]))
        scores[unnamed & np.isin(query.view.roles, query.view.role_names.known([role]))] = 1.0
    return scores


def time(query: Query) -> Floats:
    """How near turns were said to a time that the query names; the fewer are near, the more it means.

    1 inside, falling with the distance in days outside: people tell of a thing soon after it, or just before. A time that
    holds most of a memory ("this year") tells little, so the whole is scaled by its information, as an idf is.
    """
    settings, at = query.settings, query.view.at
    scores = np.zeros(query.view.size, dtype=np.float32)
    for interval in query.times:
        late = np.maximum(at - _seconds(interval.end), 0) / DAY
        early = np.maximum(_seconds(interval.start) - at, 0) / DAY
        near = np.exp(-late / settings.days_after - early / settings.days_before)
        share = max(float(near.mean()), 1 / len(near))
        information = -np.log(share) / np.log(max(len(near), 2))
        np.maximum(scores, (near * information).astype(np.float32), out=scores)
    return scores


def phrase(query: Query) -> Floats:
    """1 for turns that hold a phrase which the query quotes."""
    scores = np.zeros(query.view.size, dtype=np.float32)
    scores[list(query.phrase_rows)] = 1.0
    return scores


SIGNALS: Mapping[str, Signal] = {
    "dense": dense,
    "lexical": lexical,
    "speaker": speaker,
    "person": person,
    "time": time,
    "phrase": phrase,
}


def named_speakers(text: str, view: SpaceView) -> tuple[int, ...]:
    """Numbers of the speakers of a space whose name, or one word of it, stands in a text.

    A speaker known only by role is never named: "my assistant" in a query is somebody else.
    """
    words = {part for word in words_of(text) for part in (word, word.removesuffix("'s"))}
    roles = set(view.role_names.names)
    return tuple(
        number
        for number, name in enumerate(view.speaker_names.names)
        if name not in roles and not words.isdisjoint(_words_of_name(name))
    )


@lru_cache(maxsize=4_096)
def _words_of_name(name: str) -> frozenset[str]:
    return frozenset(words_of(name))


def quoted_phrases(text: str) -> list[str]:
    """What stands in quotation marks."""
    return [double or single for double, single in _QUOTED.findall(text)]


def _seconds(moment: datetime) -> float:
    """Unix seconds of a naive wall-clock time read as UTC; clipped where the calendar ends."""
    return (moment - datetime(1970, 1, 1)) / timedelta(seconds=1)
