"""Which of several statements about the same thing holds now: the one said last."""

from __future__ import annotations

from dataclasses import dataclass, field

from goalmem.records import Fact, Modality
from goalmem.sources.evidence_store import Recollection
from goalmem.sources.similarity import Wording

__all__ = ["Slots"]


@dataclass
class Slots:
    """Statements by what can have only one value at a time (`Fact.slot`) for one subject."""

    store: Recollection
    space: str
    wording: Wording
    _by_slot: dict[str, list[Fact]] = field(default_factory=dict)

    def superseded_by(self, fact: Fact) -> Fact | None:
        """The newest asserted statement that replaces this one, or None when it still holds."""
        if not fact.slot:
            return None
        if fact.slot not in self._by_slot:
            self._by_slot[fact.slot] = self.store.facts(self.space, slot=fact.slot)
        subject = self.wording.canonical(fact.subject)
        newest = next(
            (
                f
                for f in reversed(self._by_slot[fact.slot])
                if f.modality is Modality.ASSERTED
                and self.wording.canonical(f.subject) == subject
                and (f.polarity or self.said_of(f) == self.said_of(fact))
            ),
            None,
        )
        if newest is None or newest.said <= fact.said or newest.id == fact.id or self.says_the_same(newest, fact):
            return None
        return newest

    def says_the_same(self, a: Fact, b: Fact) -> bool:
        """True when two statements agree, so that the older one is no history."""
        return (a.polarity, a.predicate) == (b.polarity, b.predicate) and self.said_of(a) == self.said_of(b)

    def said_of(self, fact: Fact) -> frozenset[str]:
        """What a statement says of its subject: everything that it names besides."""
        others = (a for a in fact.args if a.role not in ("subject", "time", "manner", "frequency"))
        return frozenset(self.wording.canonical(a.entity) or a.head for a in others)
