"""Search: the turns of a space that say most about a query, and why."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError
from goalmem.logic.interval import Interval
from goalmem.models.protocol import Embedder
from goalmem.records import Hit, Turn
from goalmem.retrieve.fusion import fuse
from goalmem.retrieve.index import SpaceIndexes, SpaceView
from goalmem.retrieve.passages import passages
from goalmem.retrieve.settings import RetrievalSettings
from goalmem.retrieve.signals import SIGNALS, Query, named_speakers, quoted_phrases
from goalmem.retrieve.words import encode_terms
from goalmem.store.protocol import Store

__all__ = ["Ranked", "Searcher"]

QUESTION_LENGTH = 2_000
"""Characters of a query that are read for times and quoted phrases, and up to which its vector is kept. What is longer is a
document, not a question."""
MOST_PHRASES = 8
"""Quoted phrases of a query that are looked up."""
SIGNAL_NAMES = frozenset({*SIGNALS, "context", "session"})


@dataclass(frozen=True, slots=True)
class Ranked:
    """A turn found, before it is loaded."""

    turn: str
    score: float
    signals: dict[str, float] = field(default_factory=dict)


class Searcher:
    """Finds turns of a store. Safe to use from several threads; sees what other processes write."""

    def __init__(self, store: Store, embedder: Embedder, settings: RetrievalSettings | None = None) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings or RetrievalSettings()
        self._indexes = SpaceIndexes(store, embedder.dimension, most_bytes=self._settings.index_bytes)
        self._queries: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def encode(self, turns: Sequence[Turn], previous: Sequence[Turn] = ()) -> list[tuple[bytes, bytes]]:
        """Vectors (little-endian float16, one a passage) and terms (uint64 hashes) of each turn, as a store keeps them.

        `previous` are the turns before the first; a vector holds its own turn alone, context is added when searching.
        """
        del previous
        texts = [[_spoken(turn, passage) for passage in passages(turn.content)] for turn in turns]
        vectors = self._embedder.embed([text for of_turn in texts for text in of_turn]).astype("<f2")
        ends = np.cumsum([len(of_turn) for of_turn in texts])
        return [
            (own.tobytes(), encode_terms(turn.content))
            for own, turn in zip(np.split(vectors, ends[:-1]), turns, strict=True)
        ]

    def search(
        self,
        query: str,
        *,
        space: str,
        k: int = 10,
        at: datetime | None = None,
        sessions: Collection[str] | None = None,
        speakers: Collection[str] | None = None,
        roles: Collection[str] | None = None,
        before: datetime | None = None,
        after: datetime | None = None,
        without: Collection[str] = (),
    ) -> list[Hit]:
        """The `k` turns that say most about the query, best first, each with what every signal gave it.

        `at` is when the query is asked: it anchors "last week"; by default the time of the newest turn. `sessions`,
        `speakers` and `roles` keep only turns of one of these; `before` and `after` only turns said before, or at or
        after, a moment. `without` names signals to switch off. Raises InputError for `k` below 1 or an unknown signal.
        """
        ranked = self.rank(
            query, space=space, k=k, at=at, sessions=sessions, speakers=speakers, roles=roles,
            before=before, after=after, without=without,
        )  # fmt: skip
        turns = self._store.turns(space, [found.turn for found in ranked])
        # A turn may have been forgotten since it was ranked.
        return [Hit(turns[found.turn], found.score, found.signals) for found in ranked if found.turn in turns]

    def rank(
        self,
        query: str,
        *,
        space: str,
        k: int = 10,
        at: datetime | None = None,
        sessions: Collection[str] | None = None,
        speakers: Collection[str] | None = None,
        roles: Collection[str] | None = None,
        before: datetime | None = None,
        after: datetime | None = None,
        without: Collection[str] = (),
    ) -> list[Ranked]:
        """Like `search`, without loading the turns."""
        if k < 1:
            raise InputError(f"A search for {k} turns finds nothing.", "Ask for k=1 or more.")
        if unknown := set(without) - SIGNAL_NAMES:
            raise InputError(
                f"There is no signal {min(unknown)!r}.", f"Signals are: {', '.join(sorted(SIGNAL_NAMES))}."
            )
        view = self._indexes.view(space)
        if view.size == 0:
            return []
        allowed = _allowed(view, sessions, speakers, roles, before, after)
        fused = fuse(self._query(query, view, space, at), allowed, k, without=without)
        return [
            Ranked(
                view.ids[row],
                float(fused.scores[place]),
                {name: round(float(part[place]), 4) for name, part in fused.parts.items() if part[place]},
            )
            for place, row in enumerate(fused.rows[:k].tolist())
        ]

    def speakers(self, space: str) -> tuple[str, ...]:
        """Who speaks in a space, roles of unnamed speakers left out."""
        view = self._indexes.view(space)
        if view.size == 0:
            return ()
        roles = set(view.role_names.names)
        return tuple(name for name in view.speaker_names.names if name not in roles)

    def _query(self, text: str, view: SpaceView, space: str, at: datetime | None) -> Query:
        anchor = _aware(at) if at else datetime.fromtimestamp(float(view.at.max()), UTC)
        phrases = {
            turn
            for phrase in quoted_phrases(text[:QUESTION_LENGTH])[:MOST_PHRASES]
            for turn in self._store.phrase(space, phrase)
        }
        held = (view.rows.get(turn, view.size) for turn in phrases)
        return Query(
            text=text,
            view=view,
            settings=self._settings,
            vector=self._embedded(text),
            speakers=named_speakers(text, view),
            times=_times(text[:QUESTION_LENGTH], anchor),
            phrase_rows=tuple(row for row in held if row < view.size),
        )

    def _embedded(self, text: str) -> NDArray[np.float32]:
        with self._lock:
            known = self._queries.get(text)
            if known is not None:
                self._queries.move_to_end(text)
                return known
        vector: NDArray[np.float32] = self._embedder.embed([text])[0]
        with self._lock:
            if len(text) <= QUESTION_LENGTH:
                self._queries[text] = vector
            while len(self._queries) > self._settings.cached_queries:
                self._queries.popitem(last=False)
        return vector


def _spoken(turn: Turn, passage: str) -> str:
    """A named speaker stands before the words: who says it is part of what is said."""
    return passage if turn.speaker == turn.role else f"{turn.speaker}: {passage}"


def _allowed(
    view: SpaceView,
    sessions: Collection[str] | None,
    speakers: Collection[str] | None,
    roles: Collection[str] | None,
    before: datetime | None,
    after: datetime | None,
) -> NDArray[np.bool_] | None:
    """Which rows pass every filter given; None when there is none."""
    masks: list[NDArray[np.bool_]] = []
    if sessions is not None:
        masks.append(np.isin(view.sessions, view.session_names.known(sessions)))
    if speakers is not None:
        masks.append(np.isin(view.speakers, view.speaker_names.known(speakers)))
    if roles is not None:
        masks.append(np.isin(view.roles, view.role_names.known(roles)))
    if before is not None:
        masks.append(view.at < _aware(before).timestamp())
    if after is not None:
        masks.append(view.at >= _aware(after).timestamp())
    return np.logical_and.reduce(masks) if masks else None


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _times(text: str, anchor: datetime) -> tuple[Interval, ...]:
    """The times that a text names, seen from `anchor`."""
    try:
        from goalmem.extract.times import find_times
    except ImportError:
        return ()
    return tuple(found.interval for found in find_times(text, anchor))
