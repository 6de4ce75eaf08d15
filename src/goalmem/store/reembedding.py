"""The vectors of a store made anew with another model: beside those in use, which serve until all of the new take their place.

What is made is kept turn by turn, so whoever is killed goes on where it stopped. The change of models is one transaction:
before it a process searches vectors of the old model alone, after it of the new one alone, and whoever opened the store with
the old one is refused (OtherModelError) as soon as it would read or add a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from goalmem.errors import ConflictError
from goalmem.records import Turn
from goalmem.store.table_store import Store


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding model, as a store knows it."""

    name: str
    dimension: int


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A change of models that has begun."""

    model: Model
    done: int
    """Turns whose new vectors are kept."""
    turns: int
    """Turns that there are."""


@dataclass(frozen=True, slots=True)
class Unmade:
    """A turn whose new vectors are not made yet, with its number in the store."""

    seq: int
    turn: Turn


Embed = Callable[[Sequence[Turn]], list[bytes]]
"""Vectors of turns as `NewTurn.vector`."""
MOST_LAST = 256
"""Turns that are embedded while whoever adds waits: some ten seconds with a slow model, which is less than others wait by default."""


class Reembedding(Protocol):
    """How a store changes its model. `begin`, then `stage` what `unmade` gives until `switch` finds that nothing is left."""

    def under_way(self) -> UnderWay | None:
        """What has begun, or None."""
        ...

    def begin(self, model: Model) -> None:
        """Begin, or go on with what has begun for this model.

        Raises ConflictError where it has begun for another one.
        """
        ...

    def unmade(self, size: int) -> Iterator[list[Unmade]]:
        """Turns without new vectors, at most `size` at a time, each time read anew; those that were staged never again."""
        ...

    def stage(self, made: Sequence[tuple[Unmade, bytes]]) -> None:
        """Keep new vectors, durably: of each turn those of its passages, as `NewTurn.vector`. Forgotten turns are left out.

        Raises ConflictError where the change was given up meanwhile.
        """
        ...

    def switch(self, embed: Embed | None = None) -> Store | None:
        """Put the new vectors in the place of the old at once and for good; None, and nothing is changed, where some are missing.

        What it gives is the same store for the new model; the one that it was made of refuses vectors from now on. With
        `embed` the last few that are missing are made while whoever adds waits: where others add all the time there is no other end.

        Raises ConflictError where the change was given up meanwhile.
        """
        ...

    def clear(self) -> None:
        """Free what old vectors take: those of a switch, also of one that was killed on the way here."""
        ...

    def give_up(self) -> bool:
        """Drop what was made; the vectors in use stay. False where nothing had begun."""
        ...


def under_way_already(begun: str) -> ConflictError:
    """The error of a change that begins while another has begun."""
    return ConflictError(
        f"A re-index to the embedding model {begun!r} is under way in this store.",
        "Go on with that one (goalmem reindex --embedder …), or give it up (goalmem reindex --give-up).",
    )


def given_up(model: str) -> ConflictError:
    """The error of a change that somebody else gave up, or finished."""
    return ConflictError(
        f"The re-index to the embedding model {model!r} is no longer under way: it was given up, or finished, elsewhere.",
        "See what the store keeps (goalmem reindex --status).",
    )
