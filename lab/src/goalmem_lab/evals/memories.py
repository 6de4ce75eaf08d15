"""Memories of benchmark conversations, filled once and kept: to fill one takes minutes, to ask it takes seconds.

A kept store is found by the content of its sessions, their times, the embedder, and a fingerprint of the code that fills a store. So
nothing out of date is ever found: change how questions are answered, and the stores stay; change how turns are read, and they are
filled anew. What a killed run had filled stays, since adding a session again adds nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Self

from goalmem.errors import InputError
from goalmem.language import Analyzer
from goalmem.memory import Memory
from goalmem.models.chat import ChatModel
from goalmem.models.protocol import Embedder
from goalmem.records import Turn
from goalmem.store import open_store
from goalmem_lab.evals import corpus
from goalmem_lab.evals.cache import CachingEmbedder, KeepingAnalyzer
from goalmem_lab.evals.encoded import READING_CODE, Told, code_of
from goalmem_lab.evals.encoding_cache import EncodingCache, cache_folder
from goalmem_lab.evals.ways import Way

FOLDER = "stores"
SPACE = "default"
STORING_CODE = (
    *READING_CODE,
    "io/chat_messages.py",
    "store",
    "retrieve/passages.py",
    "language/terms.py",
    "retrieve/enrich.py",
)
"""What in the package decides what a store holds of a conversation."""
UNUSED_DAYS = 7
"""A kept store that no run has used for so long is removed when another is made."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A memory that holds a conversation."""

    memory: Memory
    seconds: float
    """What filling it took; near 0 where it was kept."""
    turns: Mapping[str, Turn] = field(default_factory=dict)
    """The turns by id, where another memory system holds them."""


class Memories:
    """Makes memories with one embedder, one analyzer and one cache."""

    def __init__(
        self,
        embedder: Embedder | None = None,
        cache: Path | None = None,
        analyzer: Analyzer | None = None,
        *,
        way: Way | None = None,
        chat: ChatModel | None = None,
    ) -> None:
        """`embedder`: by default the one that is set. `cache`: folder of encodings and stores. `way`: how questions are asked.
        `chat`: a chat model, instead of the one that is set.

        Raises InputError when the cache cannot be used, ModelError when the package of a model is not installed.
        """
        self._embedder = embedder or corpus.embedder_set()
        self._analyzer = analyzer or KeepingAnalyzer()
        self._way = way or Way()
        self._settings = self._way.settings
        self._chat = chat
        self._encodings = EncodingCache(cache)
        self._folder = (cache or cache_folder()) / FOLDER

    @property
    def model(self) -> str:
        """The name of the embedder."""
        return self._embedder.name

    @property
    def chat(self) -> ChatModel:
        """The chat model that was given, or the one that is set. Raises InputError when there is none."""
        from goalmem.models.connect import connect_chat

        chat = self._chat or connect_chat(self._settings)
        if chat is None:
            raise InputError("No chat model is set.", "Set GOALMEM_CHAT_URL and GOALMEM_CHAT_MODEL.")
        return chat

    def check(self) -> None:
        """Say before the work begins what it lacks.

        Raises InputError when a chat model is to reason and none is set, or when no backend has the name of the way's.
        """
        if self._way.reasoner == "chat":
            _ = self.chat
        if self._way.backend is not None:
            from goalmem_lab.evals.backends import NAMES

            if self._way.backend not in NAMES:
                raise InputError(f"There is no backend {self._way.backend!r}.", f"Choose one of {', '.join(NAMES)}.")

    @property
    def way(self) -> Way:
        """How questions are asked."""
        return self._way

    @contextmanager
    def filled(
        self, sessions: Sequence[Told], *, keep: bool = True, tick: Callable[[int], None] = lambda _: None
    ) -> Iterator[Filled]:
        """A memory of some sessions, added in order. `keep`: on disk, for later runs. Raises StoreError."""
        # What another system is given is read from a store on disk.
        keep = keep or self._way.backend is not None
        place = str(self._place(sessions)) if keep else ":memory:"
        began = time.perf_counter()
        # Questions are timed: they are asked with an embedder that remembers nothing.
        filling = self._opened(place, CachingEmbedder(self._embedder, self._encodings))
        try:
            for number, told in enumerate(sessions, 1):
                if told.messages:
                    filling.add(told.messages, session=told.session, at=told.at)
                tick(number)
            spent = time.perf_counter() - began
            if not keep:
                yield Filled(filling, spent)
        finally:
            filling.close()
        if keep:
            turns = self._turns(place) if self._way.backend else []
            with self._opened(place, self._embedder) if not turns else self._foreign(turns) as memory:
                yield Filled(memory, spent, {turn.id: turn for turn in turns})

    def _opened(self, place: str, embedder: Embedder) -> Memory:
        return Memory(place, settings=self._settings, embedder=embedder, analyzer=self._analyzer, chat=self._chat)

    def _foreign(self, turns: Sequence[Turn]) -> Memory:
        from goalmem_lab.evals.backends import make_backend

        backend = make_backend(self._way.backend or "", turns, self._embedder)
        return Memory(
            settings=self._settings,
            embedder=self._embedder,
            analyzer=self._analyzer,
            backend=backend,
            chat=self._chat,
        )

    def _turns(self, place: str) -> list[Turn]:
        store = open_store(place, model=self._embedder.name, dimension=self._embedder.dimension)
        try:
            return [t for name, _, _ in store.sessions(SPACE) for t in store.session_turns(SPACE, name)]
        finally:
            store.close()

    def _place(self, sessions: Sequence[Told]) -> Path:
        told = [(t.session, t.at.isoformat(), list(map(dict, t.messages))) for t in sessions]
        digest = blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=16)
        digest.update(self.model.encode() + b"\0" + code_of(STORING_CODE))
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._prune()
        except OSError as error:
            raise InputError(
                f"The folder {self._folder} cannot keep stores: {error.strerror or error}.",
                "Name another folder with --cache.",
            ) from error
        path = self._folder / f"{digest.hexdigest()}.goalmem"
        if path.exists():
            path.touch()
        return path

    def _prune(self) -> None:
        oldest = time.time() - UNUSED_DAYS * 86_400
        for path in self._folder.glob("*.goalmem*"):
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the cache."""
        self._encodings.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
