"""What each signal counts.

The weights that ship are fitted to LongMemEval's development half by listwise regression (`evals.fitting`), drawn towards
weights set by hand; those in `FROZEN` stay as set. LoCoMo only checks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A turn is worth the sum of its signals, each times its weight. 0 switches a signal off.

    The defaults are what `goalmem eval fit` makes of `HAND_SET`.
    """

    dense: float = 0.654
    """Cosine of the query and the turn's nearest passage."""
    personal: float = 0.179
    """The same over the passages in which a person speaks of himself."""
    lexical: float = 0.63
    """BM25, as a share of the most that the query's words could give."""
    context: float = 1.5
    """The lexical scores of the turns around it."""
    logic: float = 0.179
    """Structure of the question found in the turn."""
    speaker: float = 0.3
    """The turn is by a speaker whom the query names. Precise, so it counts fully."""
    person: float = 0.174
    """The turn is by the one whom the query's "I" or "you" means."""
    time: float = 0.753
    """The turn was said near a time that the query names. Precise."""
    order: float = 0.1
    """First or last of what is on the topic, where that is asked for."""
    phrase: float = 0.3
    """The turn holds a phrase that the query quotes. Precise."""
    preference: float = 0.27
    """The turn tells what is liked of a thing for which a recommendation is wanted."""
    reminiscence: float = 0.3
    """Both turn to the past for its own sake. Precise."""
    theme: float = 0.363
    """Cosine of the query and the nearest passage of the whole session."""
    session_words: float = 0.203
    """BM25 over what people said in the whole session."""
    bridge: float = 0.137
    """Cosine of a noun phrase of the query and the turn's nearest passage."""
    session: float = 0.1
    """Mean of the session's best turns, given to each of its turns: one topic fills several turns."""

    def __getitem__(self, signal: str) -> float:
        value: float = getattr(self, signal)
        return value

    def as_dict(self) -> Mapping[str, float]:
        """Signal -> weight."""
        return asdict(self)


HAND_SET = Weights(
    dense=1.0,
    personal=0.1,
    lexical=1.0,
    context=1.5,
    logic=0.1,
    speaker=0.3,
    person=0.1,
    time=0.6,
    order=0.1,
    phrase=0.3,
    preference=0.1,
    reminiscence=0.3,
    theme=0.2,
    session_words=0.2,
    bridge=0.1,
    session=0.1,
)
"""Chosen before anything was fitted: what the fit is drawn towards where data are few. Precise signals (`speaker`, `time`,
`phrase`, `reminiscence`) count fully, imprecise ones little, as Retaining v2 separates them."""

FROZEN = frozenset({"context", "speaker", "phrase", "reminiscence", "session"})
"""What LongMemEval cannot weigh: it has few short turns, no names of speakers, few quotations and one question of nostalgia;
`session` is no linear signal."""


def _all_but(*kept: str) -> frozenset[str]:
    """Every signal and correction except some."""
    return frozenset({*(field.name for field in fields(Weights)), "preservation", "coverage"} - {*kept})


PRESETS = {
    "hybrid": frozenset[str](),
    "vector": _all_but("dense"),
    "logic": _all_but("logic", "preference", "reminiscence"),
}
"""The modes of Retaining's commands, each as what it leaves out: everything counts, vectors alone, or what language analysis
found alone."""
