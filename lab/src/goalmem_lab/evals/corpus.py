"""Memories for benchmarks: stores filled with encoded sessions, and searchers over them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError
from goalmem.language import Analyzer
from goalmem.models.protocol import Embedder, queries_of
from goalmem.records import Extraction, Turn
from goalmem.retrieve.fusion import SIGNAL_NAMES
from goalmem.retrieve.search import Searcher
from goalmem.retrieve.settings import RetrievalSettings
from goalmem.store import Store, open_store
from goalmem_lab.evals.cache import CachingEmbedder
from goalmem_lab.evals.encoded import SPACE, Encoder, Told
from goalmem_lab.evals.encoding_cache import EncodingCache
from goalmem_lab.evals.progress import Tick

AS_SHIPPED = RetrievalSettings()


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to search."""

    without: tuple[str, ...] = ()
    """Signals that are switched off."""
    settings: RetrievalSettings = AS_SHIPPED
    by_question: Mapping[str, RetrievalSettings] = field(default_factory=dict)
    """Settings of single questions, by id: each those of its fold."""
    added: str = ""
    """A part of Retaining that is added (`retaining.PARTS`)."""

    def settings_of(self, question: str) -> RetrievalSettings:
        """How a question is searched for."""
        return self.by_question.get(question, self.settings)

    def check_asking(self) -> None:
        """Raises InputError where questions are to be answered another way than as shipped."""
        if self != FULL:
            raise InputError(
                "Questions are answered with every signal, at the weights that ship.",
                "Leave signals and weights as they are, or measure the mode 'search'.",
            )


FULL = Variant()


def check_signals(names: Collection[str]) -> tuple[str, ...]:
    """The names in order. Raises InputError that lists the signals when one is none."""
    if unknown := set(names) - SIGNAL_NAMES:
        raise InputError(f"There is no signal {min(unknown)!r}.", f"Signals are: {', '.join(sorted(SIGNAL_NAMES))}.")
    return tuple(sorted(set(names)))


class Corpus:
    """A filled store, with a searcher for each way to search it."""

    def __init__(
        self, store: Store, embedder: Embedder, analyzer: Analyzer, read: Callable[[], Mapping[str, Extraction]]
    ) -> None:
        """`read` gives what was read out of each turn, by its id."""
        self.store = store
        self._embedder = embedder
        self._analyzer = analyzer
        self._read = read
        self._searchers: dict[RetrievalSettings, Searcher] = {}

    def searcher(self, settings: RetrievalSettings = AS_SHIPPED) -> Searcher:
        """The searcher with these settings, its index built: searches are timed, not that."""
        if settings not in self._searchers:
            searcher = Searcher(
                self.store, self._embedder, settings, lambda text, names: self._analyzer.docs([text], names)[0]
            )
            searcher.speakers(SPACE)
            self._searchers[settings] = searcher
        return self._searchers[settings]

    def turns(self, ids: Sequence[str]) -> list[Turn]:
        """Turns by their ids, in that order."""
        found = self.store.turns(SPACE, ids)
        return [found[turn] for turn in ids]

    @cached_property
    def readings(self) -> Mapping[str, Extraction]:
        """What was read out of each turn, by its id."""
        return self._read()

    def persons(self, text: str) -> list[str]:
        """The people that a text names and that say nothing themselves."""
        speakers = {name.casefold() for name in self.searcher().speakers(SPACE)}
        named = dict.fromkeys(span.text for span in self._analyzer.docs([text], ())[0].ents if span.label_ == "PERSON")
        return [name for name in named if name.casefold() not in speakers]

    def closeness(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Cosine of a query and each text, shape (texts,)."""
        closeness: NDArray[np.float32] = self._embedder.embed(texts) @ queries_of(self._embedder)([query])[0]
        return closeness


class Corpora:
    """Makes corpora: the models, the language analysis and the cache that they share."""

    def __init__(
        self, embedder: Embedder | None = None, cache: Path | None = None, analyzer: Analyzer | None = None
    ) -> None:
        """`embedder`: by default the one that is set. `cache`: folder of the encodings, by default that of the user.

        Raises InputError when the cache cannot be used, ModelError when the package of a model is not installed.
        """
        embedder = embedder or embedder_set()
        self.model = embedder.name
        self._analyzer = analyzer or Analyzer()
        self._cache = EncodingCache(cache)
        self._embedder = CachingEmbedder(embedder)
        self._encoder = Encoder(embedder, self._cache, self._analyzer)

    def prepare(self, sessions: Iterable[Told], tick: Tick) -> None:
        """Encode what is not in the cache yet."""
        self._encoder.prepare(sessions, lambda done, total: tick("sessions read", done, total))

    @contextmanager
    def filled(
        self, sessions: Sequence[Told], *, linked: bool = False, tick: Callable[[int], None] = lambda _: None
    ) -> Iterator[Corpus]:
        """A corpus of some sessions, in order. `linked`: each is read knowing the names that were told before."""
        aliases: dict[str, str] = {}
        filled: list[tuple[Told, Mapping[str, str] | None]] = []
        with _opened(self._embedder) as store:
            for number, told in enumerate(sessions, 1):
                filled.append((told, aliases if linked else None))
                batch, known = self._encoder.batch(told, aliases if linked else None)
                aliases = known
                if batch.turns:
                    store.add(batch)
                tick(number)
            yield Corpus(store, self._embedder, self._analyzer, lambda: self._readings(filled))

    def _readings(self, filled: Sequence[tuple[Told, Mapping[str, str] | None]]) -> dict[str, Extraction]:
        return {turn: reading for told, aliases in filled for turn, reading in self._encoder.readings(told, aliases)}

    def close(self) -> None:
        """Release the cache."""
        self._encoder.close()
        self._cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


@contextmanager
def _opened(embedder: Embedder) -> Iterator[Store]:
    store = open_store(":memory:", model=embedder.name, dimension=embedder.dimension)
    try:
        yield store
    finally:
        store.close()


def embedder_set() -> Embedder:
    """The embedder that is set, with half of the cores."""
    from goalmem.maintenance.open_store import embedder_of
    from goalmem.settings import load_settings

    return embedder_of(load_settings())
