"""Open a store together with the embedder of its vectors. Calls continue if another process re-embeds it meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from goalmem.errors import GoalmemError, OtherModelError
from goalmem.models.connect import embedding_endpoint
from goalmem.store import open_store

if TYPE_CHECKING:
    from goalmem.models.protocol import Embedder
    from goalmem.settings import Settings
    from goalmem.store import Store
    from goalmem.store.location import Place


def open_with_embedder(place: Place, settings: Settings, given: Embedder | None = None) -> tuple[Store, Embedder]:
    """The store at `place` and its embedder: `given`, else the one that is set, else the one it was made with.

    Raises OtherModelError when its vectors are of another embedder than the one given or set, InputError when none is of
    the name that is set, and StoreError as `open_store`.
    """
    from goalmem.models.registry import AUTO

    embedder = given or embedder_of(settings)
    # One that has to ask or load something for its dimension may learn it from the store's name of it instead.
    adopt: Callable[[str], None] | None = getattr(embedder, "adopt", None)
    if adopt is not None and (model := _kept_model(place)):
        adopt(model)
    try:
        return _open(place, settings, embedder), embedder
    except OtherModelError as error:
        _close_own_embedder(embedder, given)
        kept = embedder_kept(error.model, settings) if given is None and settings.embedder == AUTO else None
        if kept is not None:
            return _open(place, settings, kept), kept
        raise OtherModelError(error.problem, _remedy(settings, given), error.model) from None
    except BaseException:
        _close_own_embedder(embedder, given)
        raise


def close_embedder(embedder: Embedder) -> None:
    """Close the connections of an embedder that has any, as one behind an endpoint."""
    close: Callable[[], None] | None = getattr(embedder, "close", None)
    if close is not None:
        close()


def _close_own_embedder(embedder: Embedder, given: Embedder | None) -> None:
    """Close an embedder unless the caller passed it."""
    if embedder is not given:
        close_embedder(embedder)


def _kept_model(place: Place) -> str:
    """Name of the model of the store at `place`; empty if there is no store, or if opening it would report the
    problem.
    """
    from goalmem.store.transfer_places import ending_of

    with suppress(GoalmemError):
        return ending_of(str(place)).model()[0]
    return ""


def embedder_of(settings: Settings) -> Embedder:
    """The configured embedder. Loads and contacts nothing yet. Raises InputError and ModelError."""
    from goalmem.models.registry import make_embedder

    return make_embedder(settings.embedder, threads=_threads(), endpoint=embedding_endpoint(settings))


def embedder_kept(model: str, settings: Settings) -> Embedder | None:
    """The embedder with this name in a store; None if goalmem does not provide it."""
    from goalmem.models.registry import embedder_named

    return embedder_named(model, threads=_threads(), endpoint=embedding_endpoint(settings))


def _remedy(settings: Settings, given: Embedder | None) -> str:
    from goalmem.models.registry import AUTO

    if given is not None:
        return "Pass the embedder that they are of, or make them anew with this one: goalmem.maintenance.reembedding.reindex(store, embedder)."
    if settings.embedder == AUTO:
        return "Pass the embedder that they are of, or make them anew with another: goalmem reindex --embedder NAME."
    return (
        f"Leave the embedder at {AUTO!r}, which takes the store's own, or make its vectors anew:"
        f" goalmem reindex --embedder {settings.embedder}."
    )


def _threads() -> int:
    """While turns are embedded they are also parsed, on another core: with half of them each is fastest."""
    from goalmem.models.minilm import usable_cores

    return max(1, usable_cores() // 2)


def _open(place: Place, settings: Settings, embedder: Embedder) -> Store:
    return open_store(place, busy_timeout=settings.busy_timeout, model=embedder.name, dimension=embedder.dimension)
