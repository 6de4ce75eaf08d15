"""Search: find the best turns of a space for a query, with the contribution of each signal."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError, shown
from goalmem.language.terms import encode_terms, hash_term, terms_of
from goalmem.language.words.pronouns import FIRST_PERSON
from goalmem.models.protocol import Embedder, queries_of
from goalmem.questions.anatomy import QuestionAnatomy, read_question
from goalmem.records import HEADING, SOURCE, Extraction, Hit, Turn, aware
from goalmem.retrieve.enrich import turn_features
from goalmem.retrieve.filters import ALL, Filters
from goalmem.retrieve.fusion import SIGNAL_NAMES, FusedScores, fuse
from goalmem.retrieve.index import MACHINES, SpaceIndexes, SpaceView, known_spelling, only_name
from goalmem.retrieve.narrowed import LargeIndexes, NarrowingQuery
from goalmem.retrieve.passages import passages, personal_features
from goalmem.retrieve.query import QueryPart, SearchQuery, in_person, is_named, named_speakers
from goalmem.retrieve.settings import RetrievalSettings
from goalmem.retrieve.signals import quoted_phrases
from goalmem.retrieve.temporal import QuestionTimes, read_question_times
from goalmem.store.metadata import EVERYTHING, Where
from goalmem.store.protocol import LargeSpaces

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from goalmem.store import Store

Parse = Callable[[str, Collection[str]], "Doc"]
"""Language analysis of a query, given the names of people in it."""

QUESTION_LENGTH = 2_000
"""Characters of a query that are searched for times and quoted phrases. A longer text is a document, not a question."""
MATCHED = 16
"""Filters whose turns are cached."""
MOST_PHRASES = 8
"""Quoted phrases of a query that are looked up."""
READ_BY = frozenset({"logic", "preference", "reminiscence", "bridge", "coverage"})
"""Signals that need the query parsed. If all are switched off, no language model is loaded."""


@dataclass(frozen=True, slots=True)
class RankedTurn:
    """A turn that was found, not yet loaded."""

    turn: str
    score: float
    signals: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class ScoredTurns:
    """Candidates of a query, best first, with the score of each signal before its weight."""

    turns: list[str]
    sessions: NDArray[np.int32]
    """Numbers of the sessions, equal for turns of one session, shape (candidates,)."""
    scores: NDArray[np.float32]
    """Shape (candidates,)."""
    signals: dict[str, NDArray[np.float32]]
    """Each of shape (candidates,)."""


@dataclass(frozen=True, slots=True, eq=False)
class _ReadQuery:
    """Query data that are independent of the space; cached, because a reasoner repeats queries."""

    vector: NDArray[np.float32]
    anatomy: QuestionAnatomy
    noun_phrases: NDArray[np.float32]
    parts: tuple[QueryPart, ...]


class Searcher:
    """Searches the turns of a store. Safe to use from several threads; sees what other processes write."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        settings: RetrievalSettings | None = None,
        parse: Parse | None = None,
    ) -> None:
        """`parse` analyses the language of a query; without it, signals that need it are off."""
        self._store = store
        self._embedder = embedder
        self._embed_queries = queries_of(embedder)
        self._settings = settings or RetrievalSettings()
        self._parse = parse
        self._indexes = SpaceIndexes(store, embedder.dimension, most_bytes=self._settings.index_bytes)
        self._large = (
            LargeIndexes(store, embedder.dimension, self._settings) if isinstance(store, LargeSpaces) else None
        )
        self._queries: OrderedDict[tuple[str, frozenset[str] | None], _ReadQuery] = OrderedDict()
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._matched: OrderedDict[tuple[str, str], tuple[tuple[int, int], NDArray[np.int64]]] = OrderedDict()
        self._lock = threading.Lock()

    def encode(self, turns: Sequence[Turn]) -> list[tuple[bytes, bytes]]:
        """Vectors (little-endian float16, one per passage) and terms (uint64 hashes) of each turn, as a store keeps them.

        A vector is of its own turn alone, context is added when searching.
        """
        vectors = vectors_of(turns, self._embedder)
        return [(own, encode_terms(turn.content)) for own, turn in zip(vectors, turns, strict=True)]

    def features(self, turn: Turn, extraction: Extraction) -> bytes:
        """The features of a turn for searching: uint64 hashes, as a store keeps them."""
        return personal_features(turn) + turn_features(extraction)

    def search(
        self,
        query: str,
        *,
        space: str,
        k: int = 10,
        at: datetime | None = None,
        filters: Filters = ALL,
        without: Collection[str] = (),
        asker: str = "",
    ) -> list[Hit]:
        """Return the `k` best turns for the query, best first, each with the contribution of every signal.

        `at` is the day of the question: "last week" is relative to it, and later turns are left out; by default, the time of the newest
        turn. `without` names signals to switch off. `asker` is the person that `I`
        refers to in the query, and excludes no turn; by default, the only person who speaks.

        Raises InputError for `k` below 1, and for an unknown signal or kind.
        """
        ranked = self._ranked(self._fused(query, space, k, at, without, filters, asker), k)
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
        asker: str = "",
        where: Where = EVERYTHING,
    ) -> list[RankedTurn]:
        """Like `search`, without loading the turns."""
        filters = Filters(where=where) if where else ALL
        return self._ranked(self._fused(query, space, k, at, filters=filters, asker=asker), k)

    def _ranked(self, found: tuple[SpaceView, FusedScores] | None, k: int) -> list[RankedTurn]:
        if found is None:
            return []
        view, fused = found
        weights = self._settings.weights
        return [
            RankedTurn(
                view.ids[row],
                float(fused.scores[place]),
                {
                    name: round(float(weights[name] * said[place]), 4)
                    for name, said in fused.signals.items()
                    if said[place]
                },
            )
            for place, row in enumerate(fused.rows[:k].tolist())
        ]

    def scored(
        self, query: str, *, space: str, at: datetime | None = None, without: Collection[str] = ()
    ) -> ScoredTurns:
        """All candidates of a query with the score of each signal, for fitting weights."""
        found = self._fused(query, space, 1, at, without)
        if found is None:
            nothing = np.zeros(0, dtype=np.float32)
            return ScoredTurns([], np.zeros(0, dtype=np.int32), nothing, {})
        view, fused = found
        turns = [view.ids[row] for row in fused.rows.tolist()]
        return ScoredTurns(turns, view.sessions[fused.rows], fused.scores, fused.signals)

    def _fused(
        self,
        query: str,
        space: str,
        k: int,
        at: datetime | None,
        without: Collection[str] = (),
        filters: Filters = ALL,
        asker: str = "",
    ) -> tuple[SpaceView, FusedScores] | None:
        if k < 1:
            raise InputError(f"A search for {shown(k)} turns finds nothing.", "Ask for k=1 or more.")
        if unknown := set(without) - SIGNAL_NAMES:
            raise InputError(
                f"There is no signal {shown(min(unknown))}.", f"Signals are: {', '.join(sorted(SIGNAL_NAMES))}."
            )
        filters.check()
        reading = not set(without) >= READ_BY
        phrases = self._phrases(query, space)
        if self._large is not None and self._large.turns(space):
            view = self._large.view(space, self._sought(query, space, at, reading, phrases), filters.within(at))
        else:
            view = self._indexes.view(space)
        if view.size == 0:
            return None
        asked = self._query(query, view, at, reading, phrases, lambda: self.asker(space, asker))
        mask = filters.mask(view, at, lambda: self._matching(space, view, filters.where))
        return view, fuse(asked, mask, k, without=without)

    def _matching(self, space: str, view: SpaceView, where: Where) -> Sequence[int]:
        """Numbers of the turns that meet the conditions, cached until the space changes, because reasoning asks repeatedly."""
        if view.version == (0, 0):  # a large space: only those that were found
            return self._store.matching(space, where, numbers=view.numbers.tolist())
        key = space, repr(where)  # 1 and True are equal, but mean different things
        with self._lock:
            known = self._matched.get(key)
        if known is None or known[0] != view.version:
            known = view.version, np.array(self._store.matching(space, where), dtype=np.int64)
            with self._lock:
                self._matched[key] = known
                self._matched.move_to_end(key)
                while len(self._matched) > MATCHED:
                    self._matched.popitem(last=False)
        return known[1]  # type: ignore[return-value]

    def _phrases(self, text: str, space: str) -> list[str]:
        """Ids of the turns with a phrase that the query quotes."""
        quoted = quoted_phrases(text[:QUESTION_LENGTH])[:MOST_PHRASES]
        return list(dict.fromkeys(turn for phrase in quoted for turn in self._store.phrase(space, phrase)))

    def _sought(
        self, text: str, space: str, at: datetime | None, reading: bool, phrases: Sequence[str]
    ) -> NarrowingQuery:
        """The criteria for finding turns of a large space."""
        assert self._large is not None
        told = self._large.speakers(space)
        roles = {role for _, role in told}
        names = frozenset(name for name, _ in told if name not in roles and is_named(name, text))
        read = self._read(text, names if reading and self._parse and len(text) <= QUESTION_LENGTH else None)
        vectors = [read.vector, *(part.vector for part in read.parts)]
        newest = self._large.newest(space)
        last = self._store.turns(space, [newest] if newest else [])
        anchor = aware(at) if at else max((turn.at for turn in last.values()), default=datetime.now(UTC))
        # The newest turn is always included, so that relative times are the same as in memory.
        return NarrowingQuery(vectors, _terms(text, names), _times(text, anchor), [*phrases, *last])

    def speakers(self, space: str) -> tuple[str, ...]:
        """The speakers of a space, without the roles of unnamed speakers."""
        if self._large is not None and self._large.turns(space):
            told = self._large.speakers(space)
            unnamed = {role for _, role in told}
            return tuple(dict.fromkeys(name for name, _ in told if name not in unnamed))
        view = self._indexes.view(space)
        if view.size == 0:
            return ()
        roles = set(view.role_names.names)
        return tuple(name for name in view.speaker_names.names if name not in roles)

    def asker(self, space: str, name: str = "") -> str:
        """A person's name in the spelling of the space; without `name`, that of the only speaker, empty for several."""
        if self._large is not None and self._large.turns(space):
            told = self._large.speakers(space)
            return (
                known_spelling(name, [n for n, _ in told])
                if name
                else only_name([n for n, r in told if r not in MACHINES])
            )
        view = self._indexes.view(space)
        names = view.speaker_names.names
        if name or not view.size:
            return known_spelling(name, names)
        people = np.bincount(view.speakers[view.said_by_people], minlength=len(names))
        return only_name([names[number] for number in np.flatnonzero(people)])

    def newest(self, space: str) -> str | None:
        """The id of the turn said last, the first stored of several; None for an empty space."""
        if self._large is not None and self._large.turns(space):
            return self._large.newest(space)
        view = self._indexes.view(space)
        return view.ids[int(view.at.argmax())] if view.size else None

    def _query(
        self,
        text: str,
        view: SpaceView,
        at: datetime | None,
        reading: bool,
        phrases: Sequence[str],
        asker: Callable[[], str],
    ) -> SearchQuery:
        anchor = aware(at) if at else datetime.fromtimestamp(float(view.at.max()), UTC)
        held = (view.rows.get(turn, view.size) for turn in phrases)
        speakers = named_speakers(text, view)
        names = frozenset(view.speaker_names.names[number] for number in speakers)
        read = self._read(text, names if reading and self._parse and len(text) <= QUESTION_LENGTH else None)
        vectors = view.vectors
        return SearchQuery(
            text=text,
            view=view,
            settings=self._settings,
            vector=read.vector,
            closeness=(vectors.estimates if vectors.estimated else vectors.dots)(read.vector),
            terms=_terms(text, names),
            speakers=speakers,
            times=_times(text, anchor),
            phrase_rows=tuple(row for row in held if row < view.size),
            anatomy=read.anatomy,
            noun_phrases=read.noun_phrases,
            parts=read.parts,
            asker=asker() if read.anatomy.asks_recommendation or in_person(text, FIRST_PERSON) else "",
        )

    def _read(self, text: str, names: frozenset[str] | None) -> _ReadQuery:
        """`names` are the people named in the text; None to skip language analysis."""
        key = _kept_as(text), names
        with self._lock:
            known = self._queries.get(key)
            if known is not None:
                self._queries.move_to_end(key)
                return known
        anatomy = QuestionAnatomy() if names is None or self._parse is None else read_question(self._parse(text, names))
        phrases = [phrase.text for phrase in anatomy.noun_phrases[: self._settings.most_noun_phrases]]
        vectors = self._embedded([text, *phrases, *(part.query for part in anatomy.parts)])
        parts = tuple(
            QueryPart(_terms(part.text), vector)
            for part, vector in zip(anatomy.parts, vectors[1 + len(phrases) :], strict=True)
        )
        read = _ReadQuery(vectors[0], anatomy, vectors[1 : 1 + len(phrases)], parts)
        with self._lock:
            self._queries[key] = read
            while len(self._queries) > self._settings.cached_queries:
                self._queries.popitem(last=False)
        return read

    def _embedded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of a query and its phrases, shape (texts, dimension); cached, because subgoals of a question share phrases."""
        with self._lock:
            held = {text: self._vectors[key] for text in texts if (key := _kept_as(text)) in self._vectors}
        new = [text for text in dict.fromkeys(texts) if text not in held]
        held.update(zip(new, self._embed_queries(new), strict=True) if new else ())
        with self._lock:
            for text in texts:
                self._vectors[_kept_as(text)] = held[text]
                self._vectors.move_to_end(_kept_as(text))
            while len(self._vectors) > self._settings.cached_queries:
                self._vectors.popitem(last=False)
        return np.stack([held[text] for text in texts])


def _kept_as(text: str) -> str:
    """The cache key of a query: the text, or its digest if it is long."""
    return text if len(text) <= QUESTION_LENGTH else hashlib.blake2b(text.encode("utf-8", "replace")).hexdigest()


def vectors_of(turns: Sequence[Turn], embedder: Embedder) -> list[bytes]:
    """Vectors of the passages of each turn as a store keeps them: little-endian float16, one after another."""
    if not turns:
        return []
    texts = [[_spoken(turn, passage) for passage in _embedded(turn)] for turn in turns]
    each = [text for of_turn in texts for text in of_turn]
    if any(turn.is_unanalysed for turn in turns):  # many of one heading
        places = {text: place for place, text in enumerate(dict.fromkeys(each))}
        vectors = embedder.embed(list(places))[[places[text] for text in each]].astype("<f2")
    else:
        vectors = embedder.embed(each).astype("<f2")
    ends = np.cumsum([len(of_turn) for of_turn in texts])
    return [own.tobytes() for own in np.split(vectors, ends[:-1])]


def _embedded(turn: Turn) -> list[str]:
    """The texts whose vectors stand for a turn: its passages; of what is over the budget of analysis, the heading or the file's name."""
    return (
        [str(turn.metadata.get(HEADING) or turn.metadata.get(SOURCE))] if turn.is_unanalysed else passages(turn.content)
    )


def _terms(text: str, names: Collection[str] = ()) -> tuple[int, ...]:
    """Hashes of a text's terms, without those of some names."""
    left_out = {term for name in names for term in terms_of(name)}
    return tuple(hash_term(term) for term in terms_of(text) if term not in left_out)


def _spoken(turn: Turn, passage: str) -> str:
    """The text that is embedded: with the name of a named speaker in front, because it is part of the content."""
    return passage if turn.speaker == turn.role else f"{turn.speaker}: {passage}"


def _times(text: str, anchor: datetime) -> QuestionTimes:
    """The times in a query, relative to `anchor`; a document names many times and asks for none."""
    return read_question_times(text, anchor) if len(text) <= QUESTION_LENGTH else QuestionTimes()
