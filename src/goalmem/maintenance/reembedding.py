"""Change the embedding model of a store: every vector is made anew, and only when all are there the new ones are used.

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
from goalmem.maintenance.open_store import embedder_kept, embedder_of, let_go
from goalmem.records import Turn
from goalmem.store import Store, open_store
from goalmem.store.reembedding import Model, Reembedding, UnderWay
from goalmem.store.reembedding_sqlite import SqliteReembedding
from goalmem.store.sqlite import SqliteStore
from goalmem.store.transfer_places import ending_of

if TYPE_CHECKING:
    from goalmem.models.protocol import Embedder
    from goalmem.settings import Settings


__all__ = ["Reindexed", "State", "chosen_embedder", "give_up", "reembed", "reembedding_of", "reindex", "state"]

PORTION = 128
"""Turns that are embedded and kept at once: what is done again after a kill. Some 300 passages, enough to fill the requests
of an endpoint that are under way side by side."""

PATIENT = 2
"""Times that all is gone through again since others added turns meanwhile, before they are made to wait for the last few."""

OnProgress = Callable[[int, int], None]
"""Told how many turns are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What a change of models did."""

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
class State:
    """The model of a store's vectors, and the change that is under way."""

    model: Model
    under_way: UnderWay | None


def reindex(
    store: str | PathLike[str],
    embedder: str | Embedder | None = None,
    *,
    settings: Settings | None = None,
    on_progress: OnProgress | None = None,
) -> Reindexed:
    """Make the vectors of a store that is kept anew with another embedder, by name or one of your own.

    The model that they are of need not be there any more. Until all are made the old ones are used; others read, add and
    forget meanwhile. Stopped or killed, the same call goes on where it was. By default the embedder is that of the settings.

    Raises:
        InputError: there is no embedder of that name, or none was named.
        ConflictError: a change to another model is under way.
        ModelError: the embedder cannot be used; what was made is kept.
        StoreError: the store cannot be read or written; what was made is kept.
    """
    from goalmem.settings import load_settings

    chosen = settings or load_settings()
    with closing(_opened(store, chosen)) as opened:
        made = chosen_embedder(embedder, chosen, opened)
        try:
            return reembed(opened, made, on_progress)[0]
        finally:
            if made is not embedder:
                let_go(made)


def reembed(store: Store, embedder: Embedder, on_progress: OnProgress | None = None) -> tuple[Reindexed, Store]:
    """The same for a store that is open; also gives the store for its new model. See `reindex` for what it raises."""
    kept = store.meta()
    before, after = Model(kept["model"], kept["dimension"]), Model(embedder.name, embedder.dimension)
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


def _changed(store: Store, embedder: Embedder, model: Model, tell: OnProgress) -> tuple[int, Store]:
    """How many turns were embedded, and the store after the switch."""
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


def state(store: str | PathLike[str], *, settings: Settings | None = None) -> State:
    """Which model the vectors of a store are of, and how far a change of it is. Raises StoreError."""
    from goalmem.settings import load_settings

    with closing(_opened(store, settings or load_settings())) as opened:
        kept = opened.meta()
        return State(Model(kept["model"], kept["dimension"]), reembedding_of(opened).under_way())


def give_up(store: str | PathLike[str], *, settings: Settings | None = None) -> bool:
    """Drop what a change of models made so far; the vectors in use stay. False where none is under way. Raises StoreError."""
    from goalmem.settings import load_settings

    with closing(_opened(store, settings or load_settings())) as opened:
        return reembedding_of(opened).give_up()


def _opened(place: str | PathLike[str], settings: Settings) -> Store:
    """A store that is there, whatever its model."""
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
            f"The embedder {embedder.name!r} gave what are no vectors of {embedder.dimension} numbers.",
            "Correct the embedder, then run it again; what was made is kept.",
        )
    return made


def reembedding_of(store: Store) -> Reembedding:
    """How this store changes its model."""
    if isinstance(store, SqliteStore):
        return SqliteReembedding(store)
    from goalmem.store.postgres import PostgresStore
    from goalmem.store.postgres.reembedding import PostgresReembedding

    assert isinstance(store, PostgresStore)
    return PostgresReembedding(store)
