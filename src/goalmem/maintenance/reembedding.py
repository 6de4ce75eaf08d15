"""Change the embedding model of a store: the new vectors are used once all of them exist.

What is embedded and kept are the passages of turns, nothing else: facts, names and graphs are compared by MiniLM when they
are asked about (`models.registry.minilm_of`), whatever model the store's vectors are of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import count
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from goalmem.errors import InputError, ModelError, OtherModelError
from goalmem.maintenance.open_store import close_embedder, embedder_kept, embedder_of
from goalmem.records import Turn
from goalmem.settings import Settings, load_settings
from goalmem.store import Store, open_store
from goalmem.store.reembedding import EmbeddingModel, PendingReembedding, Reembedding
from goalmem.store.reembedding_sqlite import SqliteReembedding
from goalmem.store.sqlite import SqliteStore
from goalmem.store.transfer_places import ending_of

if TYPE_CHECKING:
    from goalmem.models.protocol import Embedder


PORTION = 128
"""Turns embedded per transaction, repeated after a kill. About 300 passages, enough for the parallel requests to an
endpoint.
"""

PATIENT = 2
"""Passes over newly added turns before writers have to wait for the last few."""

OnProgress = Callable[[int, int], None]
"""Called with the number of turns done and the number of all turns."""


@dataclass(frozen=True, slots=True)
class Reindexed:
    """Result of a re-embedding."""

    before: str
    """Name of the model that the vectors were of."""
    after: str
    """Name of the model that they are of now."""
    turns: int
    """Turns embedded by this call; those of earlier calls that were stopped are not counted."""

    @property
    def new(self) -> bool:
        """False where the vectors were of that model already."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class ReembeddingState:
    """The model of a store's vectors, and the change that is under way."""

    model: EmbeddingModel
    under_way: PendingReembedding | None


def reindex(
    store: str | PathLike[str],
    embedder: str | Embedder | None = None,
    *,
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
) -> Reindexed:
    """Re-embed a store with another embedder, given by name or as an object.

    The old model need not be available any more. The old vectors are used until all new ones exist; other processes can
    read, add and forget meanwhile. After an interruption, the same call resumes. By default the configured embedder is
    used.

    Raises:
        InputError: there is no embedder of that name, or none was named.
        ConflictError: a change to another model is under way.
        ModelError: the embedder cannot be used; what was made is kept.
        StoreError: the store cannot be read or written; what was made is kept.
    """
    chosen = settings or load_settings()
    with closing(_opened(store, chosen)) as opened:
        made = chosen_embedder(embedder, chosen, opened)
        try:
            return reembed(opened, made, on_progress)[0]
        finally:
            if made is not embedder:
                close_embedder(made)


def reembed(store: Store, embedder: Embedder, on_progress: OnProgress | None = None) -> tuple[Reindexed, Store]:
    """The same for an open store; also returns the store for its new model. See `reindex` for the errors."""
    kept = store.meta()
    before, after = EmbeddingModel(kept["model"], kept["dimension"]), EmbeddingModel(embedder.name, embedder.dimension)
    if before == after:
        reembedding_of(store).clear()
        return Reindexed(before.name, after.name, 0), store
    try:
        made, switched = _changed(store, embedder, after, on_progress or (lambda done, total: None))
    except OtherModelError as error:
        if error.model != after.name:
            raise
        made, switched = 0, store.bound_to(after.name, after.dimension)  # another process was faster
    reembedding_of(switched).clear()
    return Reindexed(before.name, after.name, made), switched


def _changed(store: Store, embedder: Embedder, model: EmbeddingModel, tell: OnProgress) -> tuple[int, Store]:
    """The number of embedded turns, and the store after the switch."""
    staging = reembedding_of(store)
    staging.begin(model)
    begun = staging.under_way()
    done, total = (begun.done, begun.turns) if begun else (0, 0)
    made = 0

    def embed(turns: Sequence[Turn]) -> list[bytes]:
        return _vectors(embedder, turns)

    for around in count():
        tell(done + made, max(total, done + made))
        for page in staging.unmade(PORTION):
            staging.stage(list(zip(page, embed([unmade.turn for unmade in page]), strict=True)))
            made += len(page)
            tell(done + made, max(total, done + made))
        # Others may have added turns since.
        if (switched := staging.switch(embed if around >= PATIENT else None)) is not None:
            return made, switched
    raise AssertionError("it goes round until it returns or raises")


def state(store: str | PathLike[str], *, settings: Settings | None = None) -> ReembeddingState:
    """The current model of a store and the progress of a re-embedding. Raises StoreError."""
    with closing(_opened(store, settings or load_settings())) as opened:
        kept = opened.meta()
        return ReembeddingState(EmbeddingModel(kept["model"], kept["dimension"]), reembedding_of(opened).under_way())


def give_up(store: str | PathLike[str], *, settings: Settings | None = None) -> bool:
    """Discard the vectors of an unfinished re-embedding; those in use stay. False if there is none. Raises
    StoreError.
    """
    with closing(_opened(store, settings or load_settings())) as opened:
        return reembedding_of(opened).give_up()


def _opened(place: str | PathLike[str], settings: Settings) -> Store:
    """Open an existing store, whatever its model."""
    model, dimension = ending_of(str(place)).model()
    return open_store(place, model=model, dimension=dimension, busy_timeout=settings.busy_timeout)


def chosen_embedder(embedder: str | Embedder | None, settings: Settings, store: Store) -> Embedder:
    """The embedder that is given, named or set; by default the one of the change that is under way.

    Raises InputError where that says nothing.
    """
    from goalmem.models.registry import AUTO

    if embedder is not None and not isinstance(embedder, str):
        return embedder
    choice = embedder or settings.embedder
    if choice != AUTO:
        return embedder_of(replace(settings, embedder=choice))
    begun = reembedding_of(store).under_way()
    found = embedder_kept(begun.model.name, settings) if begun else None
    if found is None:
        what = (
            f"A re-index to {begun.model.name!r} is under way, and its embedder is none of ours"
            if begun
            else ("No embedder was named to make the vectors with")
        )
        raise InputError(f"{what}.", "Name it: goalmem reindex --embedder NAME, or GOALMEM_EMBEDDER=NAME.")
    return found


def _vectors(embedder: Embedder, turns: Sequence[Turn]) -> list[bytes]:
    """Vectors of the turns. Raises ModelError for an embedder that gives no numbers, or too many or few of them."""
    from goalmem.retrieve.search import vectors_of

    made = vectors_of(turns, embedder)
    size = np.dtype("<f2").itemsize * embedder.dimension
    if any(not own or len(own) % size for own in made) or not np.isfinite(np.frombuffer(b"".join(made), "<f2")).all():
        raise ModelError(
            f"The embedder {embedder.name!r} did not return vectors of {embedder.dimension} numbers.",
            "Correct the embedder, then run it again; what was made is kept.",
        )
    return made


def reembedding_of(store: Store) -> Reembedding:
    """The re-embedding of this kind of store."""
    if isinstance(store, SqliteStore):
        return SqliteReembedding(store)
    from goalmem.store.postgres import PostgresStore
    from goalmem.store.postgres.reembedding import PostgresReembedding

    assert isinstance(store, PostgresStore)
    return PostgresReembedding(store)
