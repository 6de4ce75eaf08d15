"""What a graph's triples are cited by, and whether what is cited still stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from goalmem.graph.evidence_text import Telling, cited, triple_of
from goalmem.graph.protocol import Graph, Hop, Triple
from goalmem.logic.terms import Evidence
from goalmem.proof.oracles import EvidenceTurn

__all__ = ["Citations", "TripleCitations", "holds"]

FEW = 1000
"""Edges of one end of a triple that are looked at before the other end is tried."""


class Citations(Protocol):
    """Evidence for triples of one graph."""

    def cite(self, triple: Triple) -> Evidence:
        """What says the triple."""
        ...

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """What evidence of this id quotes, as it is now; None where it is gone."""
        ...

    def stated(self, evidence: Evidence) -> Sequence[Triple]:
        """The triples that this evidence stands for, as things are now."""
        ...


@dataclass
class TripleCitations:
    """Imported triples, each cited by itself. What was looked up once is remembered: for one proof, or one question."""

    telling: Telling
    _texts: dict[Triple, str | None] = field(default_factory=dict)
    _labels: dict[str, str] = field(default_factory=dict)

    def cite(self, triple: Triple) -> Evidence:
        """See `Citations.cite`."""
        return cited(triple, self._said(triple))

    def content(self, turn_id: str) -> EvidenceTurn | None:
        """See `Citations.content`."""
        triple = triple_of(turn_id)
        text = self._text(triple) if triple is not None else None
        return EvidenceTurn(text, "", "") if text is not None else None

    def stated(self, evidence: Evidence) -> Sequence[Triple]:
        """See `Citations.stated`; a triple is cited whole."""
        triple = triple_of(evidence.turn)
        return [triple] if triple is not None and self._text(triple) == evidence.quote else []

    def _text(self, triple: Triple) -> str | None:
        """The statement that a triple makes; None where the graph does not hold it."""
        if triple not in self._texts:
            self._texts[triple] = self._said(triple) if holds(self.telling.graph, triple) else None
        return self._texts[triple]

    def _said(self, triple: Triple) -> str:
        return self.telling.text(self._label(triple.subject), triple.relation, self._label(triple.object))

    def _label(self, identifier: str) -> str:
        if identifier not in self._labels:
            node = self.telling.graph.node(identifier)
            labels = self.telling.graph.labels(np.array([node])) if node is not None else [identifier]
            self._labels[identifier] = labels[0]
        return self._labels[identifier]


def holds(graph: Graph, triple: Triple) -> bool:
    """Whether a graph holds a triple. A graph with a method `holds` is asked; of two ends the one with few edges is enough."""
    # To ask an object for a protocol takes longer than to ask it for the triple.
    known = getattr(graph, "holds", None)
    if callable(known):
        return bool(known(triple))
    subject, object_ = graph.node(triple.subject), graph.node(triple.object)
    if subject is None or object_ is None:
        return False
    there, back = Hop(triple.relation), Hop(triple.relation, inverse=True)
    for node, hop, other in ((subject, there, object_), (object_, back, subject)):
        _, tails = graph.edges(np.array([node]), hop, limit=FEW)
        if len(tails) < FEW:
            return bool(np.isin(other, tails))
    return bool(np.isin(object_, graph.edges(np.array([subject]), there)[1]))
