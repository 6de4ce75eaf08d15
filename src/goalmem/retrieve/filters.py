"""Filters of turns in a search."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError, shown
from goalmem.language.terms import hash_term
from goalmem.records import aware
from goalmem.retrieve.enrich import KINDS, kind_term
from goalmem.retrieve.index import SpaceView
from goalmem.store.metadata import EVERYTHING, Where
from goalmem.store.protocol import TurnFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Conditions that a turn must meet, all of them; None for no condition."""

    sessions: Collection[str] | None = None
    speakers: Collection[str] | None = None
    roles: Collection[str] | None = None
    kinds: Collection[str] | None = None
    """The turn must contain a fact of one of these kinds."""
    before: datetime | None = None
    after: datetime | None = None
    """Said at this moment or later."""
    where: Where = EVERYTHING
    """Conditions on the turn's metadata."""

    def check(self) -> None:
        """Raises InputError for unknown kinds."""
        if unknown := set(self.kinds or ()) - KINDS:
            raise InputError(f"There is no kind {shown(min(unknown))}.", f"Kinds are: {', '.join(sorted(KINDS))}.")

    def within(self, at: datetime | None) -> TurnFilter:
        """The conditions that a store can apply itself, including the end of the day of `at`."""
        bounds = [aware(self.before).timestamp()] if self.before is not None else []
        bounds += [day_after(at).timestamp()] if at is not None else []
        sessions, speakers, roles = (
            None if names is None else list(names) for names in (self.sessions, self.speakers, self.roles)
        )
        return TurnFilter(
            sessions,
            speakers,
            roles,
            after=aware(self.after).timestamp() if self.after is not None else None,
            before=min(bounds, default=None),
            where=self.where,
        )

    def mask(
        self, view: SpaceView, at: datetime | None, matching: Callable[[], Sequence[int]]
    ) -> NDArray[np.bool_] | None:
        """The rows that meet all conditions and were said by the end of the day of `at`; None if there is no condition.

        `matching` returns the store's numbers of the turns that meet `where`, in order.
        """
        masks: list[NDArray[np.bool_]] = []
        for names, rows, codes in (
            (self.sessions, view.sessions, view.session_names),
            (self.speakers, view.speakers, view.speaker_names),
            (self.roles, view.roles, view.role_names),
        ):
            if names is not None:
                masks.append(np.isin(rows, codes.known(names)))
        if self.kinds is not None:
            masks.append(_of_kinds(view, self.kinds))
        if self.where:
            masks.append(np.isin(view.numbers, np.asarray(matching(), dtype=np.int64), assume_unique=True))
        if self.before is not None:
            masks.append(view.at < aware(self.before).timestamp())
        if at is not None:
            masks.append(view.at < day_after(at).timestamp())
        if self.after is not None:
            masks.append(view.at >= aware(self.after).timestamp())
        return np.logical_and.reduce(masks) if masks else None


ALL = Filters()


def _of_kinds(view: SpaceView, kinds: Collection[str]) -> NDArray[np.bool_]:
    """The rows with a fact of one of these kinds."""
    mask = np.zeros(view.size, dtype=np.bool_)
    for kind in kinds:
        for rows, _ in view.features.find(hash_term(kind_term(kind))):
            mask[rows] = True
    return mask


def day_after(moment: datetime) -> datetime:
    """The end of the day of a moment, after which nothing is known."""
    return aware(moment).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
