"""A part of a memory: the turns that meet conditions on their metadata, and what was extracted from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from goalmem.records import Fact, Turn
from goalmem.retrieve.search import RankedTurn, Searcher
from goalmem.store.metadata import Where, meets

if TYPE_CHECKING:
    from goalmem.store import Store


MORE = 4
"""Factor by which the number of facts to load grows if the conditions left too few."""


@dataclass
class FilteredStore:
    """An `EvidenceStore` of the turns that meet the conditions."""

    store: Store
    where: Where
    _met: dict[tuple[str, str], bool] = field(default_factory=dict)
    """By space and turn."""

    def turns(self, space: str, ids: Iterable[str]) -> dict[str, Turn]:
        """See `EvidenceStore.turns`."""
        return {id_: turn for id_, turn in self.store.turns(space, ids).items() if self._meets(turn)}

    def session_turns(self, space: str, session: str, *, first: int = 0, last: int | None = None) -> list[Turn]:
        """See `EvidenceStore.session_turns`. Positions are those of the whole session."""
        return [t for t in self.store.session_turns(space, session, first=first, last=last) if self._meets(t)]

    def facts(
        self,
        space: str,
        *,
        ids: Iterable[str] | None = None,
        turns: Iterable[str] | None = None,
        entity: str | None = None,
        predicate: str | None = None,
        slot: str | None = None,
        newest: int | None = None,
    ) -> list[Fact]:
        """See `EvidenceStore.facts`."""
        of_ids, of_turns = (None if ids is None else list(ids)), (None if turns is None else list(turns))
        most = newest
        while True:
            found = self.store.facts(
                space, ids=of_ids, turns=of_turns, entity=entity, predicate=predicate, slot=slot, newest=most
            )
            met = self._of(space, found)
            if newest is None or most is None or len(met) >= newest or len(found) < most:
                return met if newest is None else met[-newest:]
            most *= MORE

    def entities(self, space: str) -> dict[str, tuple[str, int]]:
        """See `EvidenceStore.entities`."""
        return self.store.entities(space, self.where)

    def aliases(self, space: str) -> dict[str, str]:
        """See `EvidenceStore.aliases`."""
        return self.store.aliases(space, self.where)

    def version(self, space: str) -> tuple[int, int]:
        """See `EvidenceStore.version`."""
        return self.store.version(space)

    def fate(self, space: str, turn: str) -> str:
        """See `EvidenceStore.fate`."""
        return self.store.fate(space, turn)

    def _of(self, space: str, facts: Sequence[Fact]) -> list[Fact]:
        unseen = [id_ for id_ in dict.fromkeys(f.turn for f in facts) if (space, id_) not in self._met]
        for turn in self.store.turns(space, unseen).values() if unseen else ():
            self._meets(turn)
        return [f for f in facts if self._met.get((space, f.turn), False)]

    def _meets(self, turn: Turn) -> bool:
        met = self._met[turn.space, turn.id] = meets(turn.metadata, self.where)
        return met


@dataclass(frozen=True)
class FilteredFinder:
    """A `TurnFinder` of the turns that meet the conditions. Its speakers are those of the whole space, because the asker may be any of
    them.
    """

    searcher: Searcher
    where: Where

    def rank(
        self, query: str, *, space: str, k: int = 10, at: datetime | None = None, asker: str = ""
    ) -> Sequence[RankedTurn]:
        """See `TurnFinder.rank`."""
        return self.searcher.rank(query, space=space, k=k, at=at, asker=asker, where=self.where)

    def speakers(self, space: str) -> tuple[str, ...]:
        """See `TurnFinder.speakers`."""
        return self.searcher.speakers(space)

    def newest(self, space: str) -> str | None:
        """See `TurnFinder.newest`."""
        return self.searcher.newest(space)

    def asker(self, space: str, name: str = "") -> str:
        """See `TurnFinder.asker`."""
        return self.searcher.asker(space, name)
