"""The constants of retrieval, and their origin.

"Measured" means: chosen on LongMemEval's development half (turn and session labels), checked on LoCoMo, never fitted to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from goalmem.retrieve.weights import Weights


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """Weights, lengths and bounds."""

    k1: float = 1.2
    """Saturation of term frequency in BM25 (Robertson and Zaragoza 2009; Lucene's default)."""
    b: float = 0.75
    """Length normalisation in BM25 (same sources)."""
    most_terms: int = 64
    """Distinct terms of a query that are scored, the rarest first; a longer query is a document, not a question."""

    weights: Weights = field(default_factory=Weights)
    """The weight of each signal."""

    context_length: float = 20.0
    """Terms at which a turn takes half of its neighbours' scores, and gives them half of its own: the shorter a turn, the more it depends
    on the turn that it answers."""
    context_substance: float = 1.5
    """Terms at which a turn has half enough content to give context: with 0, a bare "Wow!" would rank before the turn that it answers.
    Measured on LoCoMo: 0 to 3 are equally good."""
    before: tuple[float, ...] = (0.8, 0.4)
    """Weights of the lexical scores of the turns one and two before."""
    after: tuple[float, ...] = (0.5, 0.2)
    """Weights of the lexical scores of the turns one and two after."""
    days_after: float = 2.0
    """Days after a time over which nearness falls to 1/e: events are usually told a little later."""
    days_before: float = 1.0
    """The same before a time."""
    session_turns: int = 3
    """Number of best turns that count for a session."""
    most_noun_phrases: int = 4
    """Noun phrases of a query that are embedded, from the first."""

    candidates: int = 1_000
    """Turns that the first stage passes on to the second."""
    measured: int = 4_000
    """Turns whose cosines are computed exactly if those of all are estimated (`vectors`)."""
    index_bytes: int = 1 << 30
    """Memory limit of the indexes of all spaces; the least recently used space is dropped first. 1 GiB holds about a million short turns.
    The space in use stays, however large it is."""
    cached_queries: int = 256
    """Query vectors cached: a reasoner repeats queries."""
