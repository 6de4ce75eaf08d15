"""The constants of retrieval, and their origin.

"Measured" means: chosen on LongMemEval's development half (turn and session labels), checked on LoCoMo, never fitted to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The score of a turn is the weighted sum of its signals. 0 switches a signal off.

    The defaults are what `goalmem eval fit` makes of weights set by hand.
    """

    dense: float = 0.654
    """Cosine of the query and the turn's nearest passage."""
    personal: float = 0.179
    """The same over passages in which people speak of themselves."""
    lexical: float = 0.63
    """BM25, as a share of the highest possible score of the query."""
    context: float = 1.5
    """The lexical scores of neighbouring turns."""
    logic: float = 0.179
    """Structure of the question found in the turn."""
    speaker: float = 0.3
    """The turn is by a speaker named in the query. Precise, so it counts fully."""
    person: float = 0.174
    """The turn is by the person that the query's "I" or "you" refers to."""
    time: float = 0.753
    """The turn was said near a time in the query. Precise."""
    order: float = 0.1
    """First or last of the turns on the topic, if that is asked for."""
    phrase: float = 0.3
    """The turn contains a phrase that the query quotes. Precise."""
    preference: float = 0.27
    """The turn has a preference about the thing for which a recommendation is wanted."""
    reminiscence: float = 0.3
    """Both recall the past for its own sake. Precise."""
    theme: float = 0.363
    """Cosine of the query and the nearest passage of the whole session."""
    session_words: float = 0.203
    """BM25 over what people said in the whole session."""
    bridge: float = 0.137
    """Cosine of a noun phrase of the query and the turn's nearest passage."""
    session: float = 0.1
    """Mean of the session's best turns, added to each of its turns: one topic fills several turns."""

    def __getitem__(self, signal: str) -> float:
        value: float = getattr(self, signal)
        return value

    def as_dict(self) -> Mapping[str, float]:
        """Signal -> weight."""
        return asdict(self)


def _all_but(*kept: str) -> frozenset[str]:
    """Every signal and correction except some."""
    return frozenset({*(field.name for field in fields(Weights)), "preservation", "coverage"} - {*kept})


PRESETS = {
    "hybrid": frozenset[str](),
    "vector": _all_but("dense"),
    "logic": _all_but("logic", "preference", "reminiscence"),
}
"""The modes of Retaining's commands, each as the signals that it switches off: all signals, vectors alone, or language analysis alone."""


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
