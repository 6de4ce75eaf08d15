"""The vectors of a store made anew with another model: beside those in use, which serve until all of the new take their place.

New vectors are stored turn by turn, so that an interrupted re-embedding resumes. The switch is one transaction: before
it, processes only use vectors of the old model; after it, those of the new one, and processes that opened the store
with the old model are refused (OtherModelError) when they read or add a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from goalmem.errors import ConflictError
from goalmem.records import Turn
from goalmem.store.table_store import Store


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """An embedding model, as a store knows it."""

    name: str
    dimension: int


@dataclass(frozen=True, slots=True)
class PendingReembedding:
    """A change of models that has begun."""

    model: EmbeddingModel
    done: int
    """Turns whose new vectors are kept."""
    turns: int
    """Turns that there are."""


@dataclass(frozen=True, slots=True)
class PendingTurn:
    """A turn whose new vectors are not made yet, with its number in the store."""

    seq: int
    turn: Turn


Embed = Callable[[Sequence[Turn]], list[bytes]]
"""Vectors of turns as `NewTurn.vector`."""
MOST_LAST = 256
"""Turns embedded while writers wait: about ten seconds with a slow model, less than the default busy timeout."""


class Reembedding(Protocol):
    """Changes the model of a store: `begin`, then `stage` the turns of `unmade` until `switch` finds none left."""

    def under_way(self) -> PendingReembedding | None:
        """The re-embedding in progress, or None."""

    def begin(self, model: EmbeddingModel) -> None:
        """Begin a re-embedding, or resume the one for this model.

        Raises ConflictError where it has begun for another one.
        """

    def unmade(self, size: int) -> Iterator[list[PendingTurn]]:
        """Turns without new vectors, in pages of at most `size`, read afresh for each page; staged turns do not
        reappear.
        """

    def stage(self, made: Sequence[tuple[PendingTurn, bytes]]) -> None:
        """Keep new vectors, durably: of each turn those of its passages, as `NewTurn.vector`. Forgotten turns are left out.

        Raises ConflictError where the change was given up meanwhile.
        """

    def switch(self, embed: Embed | None = None) -> Store | None:
        """Replace the old vectors by the new ones in one transaction; None, without a change, if some are missing.

        Returns the same store for the new model; the current object refuses vectors from now on. With `embed`, the last
        few missing vectors are made while writers wait, since otherwise constant writing could prevent the switch.

        Raises ConflictError where the change was given up meanwhile.
        """

    def clear(self) -> None:
        """Free the space of old vectors, including those of a switch that was killed before this."""

    def give_up(self) -> bool:
        """Discard the staged vectors and keep those in use. False if no re-embedding was in progress."""


def under_way_already(begun: str) -> ConflictError:
    """The error of a change that begins while another has begun."""
    return ConflictError(
        f"A re-index to the embedding model {begun!r} is under way in this store.",
        "Go on with that one (goalmem reindex --embedder …), or give it up (goalmem reindex --give-up).",
    )


def given_up(model: str) -> ConflictError:
    """The error for a re-embedding that another process discarded or finished."""
    return ConflictError(
        f"The re-index to the embedding model {model!r} is no longer in progress: another process discarded or finished it.",
        "See what the store keeps (goalmem reindex --status).",
    )
