"""What the edges of a space's own graph are cited by: the words of the turns that their facts were read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from goalmem.graph.protocol import Triple
from goalmem.logic.terms import Evidence
from goalmem.proof.oracles import EvidenceTurn
from goalmem.sources.evidence import evidence_of
from goalmem.sources.evidence_store import Recollection

__all__ = ["FactCitations", "FactGraph"]


class FactGraph(Protocol):
    """A graph that knows the facts behind its edges. `graph.memory_graph.MemoryGraph` is one."""

    def facts_of(self, triple: Triple) -> Sequence[str]:
        """Ids of the facts that make an edge, in the order said."""
        ...

    def triples_of(self, fact: str) -> Sequence[Triple]:
        """The edges that a fact makes."""
        ...


@dataclass(frozen=True)
class FactCitations:
    """`Citations` of a space's own edges."""

    graph: FactGraph
    store: Recollection
    space: str

    def cite(self, triple: Triple) -> Evidence:
        """The words of the last fact that makes the edge. Raises LookupError for a triple that is no edge."""
        facts = self.store.facts(self.space, ids=self.graph.facts_of(triple))
        turns = self.store.turns(self.space, [f.turn for f in facts])
        said = [f for f in facts if f.turn in turns]
        if not said:
            raise LookupError(f"no fact makes the edge {triple}")
        return evidence_of(turns[said[-1].turn], said[-1].start, said[-1].end)

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """The turn as the store holds it now."""
        turn = self.store.turns(self.space, [turn_id]).get(turn_id)
        return EvidenceTurn(turn.content, turn.speaker, turn.at.isoformat(), turn.session) if turn else None

    def stated(self, evidence: Evidence) -> Sequence[Triple]:
        """The edges that facts read from exactly these words make."""
        facts = self.store.facts(self.space, turns=[evidence.turn])
        own = (f.id for f in facts if (f.start, f.end) == (evidence.start, evidence.end))
        return [triple for fact in own for triple in self.graph.triples_of(fact)]
