"""Open a store together with the embedder that its vectors are of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalmem.errors import OtherModelError
from goalmem.store import Store, open_store

if TYPE_CHECKING:
    from goalmem.models.protocol import Embedder
    from goalmem.settings import Settings
    from goalmem.store.location import Place

__all__ = ["open_with_embedder"]


def open_with_embedder(place: Place, settings: Settings, given: Embedder | None = None) -> tuple[Store, Embedder]:
    """The store at `place` and its embedder: `given`, else the one that is set, else the one it was made with.

    Raises OtherModelError when its vectors are of another embedder than the one given or set, InputError when none is of
    the name that is set, and StoreError as `open_store`.
    """
    from goalmem.models.minilm import usable_cores
    from goalmem.models.registry import AUTO, embedder_named, make_embedder

    # While turns are embedded they are also parsed, on another core: with half of them each is fastest.
    threads = max(1, usable_cores() // 2)
    embedder = given or make_embedder(settings.embedder, threads=threads)
    try:
        return _open(place, settings, embedder), embedder
    except OtherModelError as error:
        kept = embedder_named(error.model, threads=threads)
        if kept is None:
            raise OtherModelError(
                error.problem,
                "Pass the embedder that it was made with, or export it there and import it into a new store.",
                error.model,
            ) from None
        if given is None and settings.embedder == AUTO:
            return _open(place, settings, kept), kept
        raise OtherModelError(
            error.problem,
            f"Leave the embedder at {AUTO!r}, which takes the store's own, or export it and import it into a new store.",
            error.model,
        ) from None


def _open(place: Place, settings: Settings, embedder: Embedder) -> Store:
    return open_store(place, busy_timeout=settings.busy_timeout, model=embedder.name, dimension=embedder.dimension)
