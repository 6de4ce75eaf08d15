"""A query, and everything computed from it before ranking."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from goalmem.language.terms import words_of
from goalmem.questions.anatomy import QuestionAnatomy
from goalmem.retrieve.index import SpaceView
from goalmem.retrieve.settings import RetrievalSettings
from goalmem.retrieve.temporal import QuestionTimes

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class QueryPart:
    """One of several things that a query asks about."""

    terms: tuple[int, ...]
    vector: Floats
    """Shape (dimension,), unit length."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchQuery:
    """The input of every signal."""

    text: str
    view: SpaceView
    settings: RetrievalSettings
    vector: Floats
    """Shape (dimension,), unit length."""
    closeness: Floats
    """Cosine of the query and every passage of the space, shape (passages,); an estimate if there are many passages."""
    terms: tuple[int, ...]
    """Hashes of the query's terms, without speakers' names, because turns rarely contain them."""
    speakers: tuple[int, ...]
    """Numbers of the speakers named in the query."""
    times: QuestionTimes
    phrase_rows: tuple[int, ...]
    """Rows with a phrase that the query quotes."""
    anatomy: QuestionAnatomy
    noun_phrases: Floats
    """Vectors of the query's noun phrases, shape (phrases, dimension)."""
    parts: tuple[QueryPart, ...]
    asker: str = ""
    """The person that `I` refers to; empty for the unnamed user."""


def in_person(text: str, pronouns: frozenset[str]) -> bool:
    """True if the text contains one of the pronouns, alone or as in `I'm`."""
    return not pronouns.isdisjoint(word.partition("'")[0] for word in words_of(text))


def named_speakers(text: str, view: SpaceView) -> tuple[int, ...]:
    """Numbers of the speakers whose name, or one word of it, is in a text.

    A speaker with only a role is never named: "my assistant" in a query is somebody else.
    """
    words = _spoken(text)
    roles = set(view.role_names.names)
    return tuple(
        number
        for number, name in enumerate(view.speaker_names.names)
        if name not in roles and not words.isdisjoint(_words_of_name(name))
    )


def is_named(name: str, text: str) -> bool:
    """True if a speaker's name, or one word of it, is in a text."""
    return not _spoken(text).isdisjoint(_words_of_name(name))


def _spoken(text: str) -> set[str]:
    return {part for word in words_of(text) for part in (word, word.removesuffix("'s"))}


@lru_cache(maxsize=4_096)
def _words_of_name(name: str) -> frozenset[str]:
    return frozenset(words_of(name))
