"""The constants of retrieval, and where each comes from.

"Measured" means: chosen on LongMemEval's development half (turn and session labels), checked on LoCoMo, never fitted to it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RetrievalSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """Weights, lengths and bounds. Weights multiply signals that lie between 0 and about 1."""

    k1: float = 1.2
    """Saturation of term frequency in BM25 (Robertson and Zaragoza 2009; Lucene's default)."""
    b: float = 0.75
    """Length normalisation in BM25 (same sources)."""
    most_terms: int = 64
    """Distinct terms of a query that are scored, the rarest first; a longer query is a document, not a question."""

    context_length: float = 20.0
    """Terms at which a turn leans half on its neighbours: the shorter a turn, the more of it stands in what it answers."""
    before: tuple[float, ...] = (0.8, 0.4)
    """Weights of the lexical scores of the turns one and two before."""
    after: tuple[float, ...] = (0.5, 0.2)
    """Weights of the lexical scores of the turns one and two after."""

    dense: float = 1.0
    """Weight of the cosine of query and turn, against 1 for the share of the query's words that is covered.
    Measured: 0.75 to 1.5 do alike."""
    speaker: float = 0.1
    """Added to turns of a speaker whom the query names."""
    person: float = 0.05
    """Added to the user's turns for a query in the first person, to the assistant's for one in the second."""
    time: float = 0.4
    """Most that is added to turns said near a time that the query names."""
    days_after: float = 2.0
    """Days after a time over which nearness falls to 1/e: what happened is told a little later."""
    days_before: float = 1.0
    """The same before a time."""
    phrase: float = 0.3
    """Added to turns that hold a phrase which the query quotes: seldom an accident."""
    session: float = 0.4
    """Weight of the mean of a session's best turns, added to each of its turns: one topic fills several turns."""
    session_turns: int = 3
    """How many best turns speak for a session."""

    candidates: int = 1_000
    """Turns that the fused score of the plain signals lets through to the session signal."""
    index_bytes: int = 1 << 30
    """Memory that the indexes of all spaces may hold together; the space used least goes first. 1 GiB holds about 300,000
    short turns. The space in use stays, however large it is."""
    cached_queries: int = 256
    """Query vectors kept: a reasoner asks the same thing more than once."""
