"""The weight of each signal.

The default weights are fitted to LongMemEval's development half by listwise regression (`goalmem eval fit`), regularised towards weights
set by hand; those in `FROZEN` stay as set. LoCoMo is only used to check them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """The score of a turn is the weighted sum of its signals. 0 switches a signal off.

    The defaults are what `goalmem eval fit` makes of `HAND_SET`.
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
"""Weights before fitting, towards which the fit is regularised. Precise signals (`speaker`, `time`, `phrase`, `reminiscence`) count fully,
imprecise ones little, following Retaining v2."""

FROZEN = frozenset({"context", "speaker", "phrase", "reminiscence", "session"})
"""Weights that LongMemEval cannot determine: it has few short turns, no names of speakers, few quotations and one question of nostalgia;
`session` is not linear."""


def _all_but(*kept: str) -> frozenset[str]:
    """Every signal and correction except some."""
    return frozenset({*(field.name for field in fields(Weights)), "preservation", "coverage"} - {*kept})


PRESETS = {
    "hybrid": frozenset[str](),
    "vector": _all_but("dense"),
    "logic": _all_but("logic", "preference", "reminiscence"),
}
"""The modes of Retaining's commands, each as the signals that it switches off: all signals, vectors alone, or language analysis alone."""
