"""The bundled span reader: MiniLM-L6 fine-tuned to find the words of a passage that answer a question, in 8 bits.

Made by `goalmem train reader`; docs/reader.md says how, models/data/READER.md what of. The file is checked against a
pinned hash before first use.

The score of a span is the sum of its start and end logits, that of "not here" the same sum at [CLS] (Devlin et al., 2019,
section 4.3). A logistic combination of the presence head with the odds of any span against none, at a temperature (Guo et
al., 2017), says whether any answers. Which of them is decided by minimum Bayes risk (Kumar and Byrne, 2004): not the span
that is likeliest to be exactly right, but the one that is expected to share most words with the right one, so that
several ways to cut the same answer support each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from goalmem.cancellation import with_checkpoints
from goalmem.models.encoder_file import PairWindow, pair_windows, running, stacked
from goalmem.models.protocol import PassageReading, Span

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]+[\"')\]]*(?=\s)")
LINE_BREAK = re.compile(r"\n")
WORD_BEFORE = re.compile(r"(\w+)[^\S\n]?\Z")
LONGEST_BEFORE = 12
"""Characters before a full stop that are looked at: more than an abbreviation has."""
ABBREVIATED = frozenset(
    [
        *"abcdefghijklmnopqrstuvwxyz",
        *"mr mrs ms dr st no nr vs approx ca prof jr sr mt ave rd ext tel inc ltd dept fig vol".split(),
    ]
)
"""Words before a full stop that ends no sentence; so are single letters."""

ANSWER_PIECES = 40
"""Longest span proposed; of the answers marked in FriendsQA and SQuAD 2.0, 99 of 100 are shorter."""
WEIGHED = 160
"""Number of likeliest spans of a window that are compared; the rest hardly contributes."""
SAME = 0.5
"""Character F1 above which two spans count as near-duplicates. Without this, .73 of the answers of the lives that the
bundled reader was not trained on are among four spans; with it, .76.
"""
DECIMALS = 4
"""Decimals of reported probabilities: a calibration on a thousand pairs supports no more."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Numbers fitted on held-out pairs; they travel in the model file's metadata."""

    temperature: float
    """Temperature of the softmax over spans."""
    head: float
    """Weight of the presence head's logit."""
    odds: float
    """Weight of the log odds of any span against no answer."""
    bias: float

    def metadata(self) -> dict[str, str]:
        """As the model file keeps it."""
        return {f"goalmem.{name}": repr(value) for name, value in asdict(self).items()}

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, str]) -> Calibration:
        """The calibration in the metadata of a model file. Raises KeyError or ValueError if it is missing or invalid."""
        return cls(**{name: float(metadata[f"goalmem.{name}"]) for name in ("temperature", "head", "odds", "bias")})


@dataclass(frozen=True, slots=True)
class WindowLogits:
    """Output of the model for one window."""

    spans: NDArray[np.float32]
    """Start and end logits, shape (pieces, 2)."""
    present: float


def reading(
    passage: str,
    windows: Sequence[PairWindow],
    logits: Sequence[WindowLogits],
    calibration: Calibration,
    limit: int,
) -> PassageReading:
    """Combine the windows of one passage: the probability of an answer is that of the best window."""
    found: list[tuple[float, int, int]] = []
    present = 0.0
    for window, said in zip(windows, logits, strict=True):
        if not window.offsets:
            continue
        sums, starts, ends = span_sums(passage, window, said.spans)
        scores = sums / calibration.temperature
        odds = _odds(scores, said, calibration.temperature)
        share = _sigmoid(calibration.head * said.present + calibration.odds * odds + calibration.bias)
        present = max(present, share)
        likely = np.exp(sums - np.logaddexp.reduce(sums))
        best = np.argsort(-likely, kind="stable")[:WEIGHED]
        words, firsts, lasts = np.array(window.words), starts[best], ends[best]
        worth = share * _overlap(likely[best], words[firsts], words[lasts])
        offsets = np.array(window.offsets)
        begins, ceases = offsets[firsts, 0].tolist(), offsets[lasts, 1].tolist()
        below = (-round(value, DECIMALS) for value in worth.tolist())
        found += zip(below, begins, ceases, strict=True)
    return PassageReading(round(present, DECIMALS), _apart(found, limit))


def answer_odds(passage: str, window: PairWindow, said: WindowLogits, temperature: float) -> float:
    """Log odds of any span against no answer."""
    return _odds(span_sums(passage, window, said.spans)[0] / temperature, said, temperature)


def _odds(scores: NDArray[np.float64], said: WindowLogits, temperature: float) -> float:
    return float(np.logaddexp.reduce(scores) - said.spans[0].sum() / temperature)


def span_sums(
    passage: str, window: PairWindow, logits: NDArray[np.float32]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Start plus end logit of every span of whole words within one sentence, and its first and last piece in the passage."""
    count = len(window.offsets)
    here = logits[window.first : window.first + count].astype(np.float64)
    words = np.array(window.words)
    changes = words[1:] != words[:-1]
    begins = np.concatenate(([True], changes))
    ceases = np.concatenate((changes, [True]))
    lines = np.searchsorted(breaks_of(passage), [start for start, _ in window.offsets])
    first, last = np.flatnonzero(begins), np.flatnonzero(ceases)
    length = last[None, :] - first[:, None]
    rows, columns = np.nonzero(
        (length >= 0) & (length < ANSWER_PIECES) & (lines[first][:, None] == lines[last][None, :])
    )
    starts, ends = first[rows], last[columns]
    return here[starts, 0] + here[ends, 1], starts, ends


@lru_cache(4)
def breaks_of(passage: str) -> NDArray[np.int64]:
    """Places over which no answer reaches: line breaks, and the ends of sentences. Kept, as a passage has many windows."""
    ends = [m.end() for m in SENTENCE_END.finditer(passage) if not _abbreviated(passage, m.start())]
    breaks = sorted({*ends, *(m.start() for m in LINE_BREAK.finditer(passage))})
    return np.array(breaks, dtype=np.int64)


def _abbreviated(passage: str, stop: int) -> bool:
    """True if the full stop belongs to an abbreviation."""
    before = WORD_BEFORE.search(passage[max(0, stop - LONGEST_BEFORE) : stop])
    return before is not None and before.group(1).casefold() in ABBREVIATED


def _overlap(likely: NDArray[np.float64], first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each span its expected F1 of words with the right one, in [0, 1]; arrays of shape (spans,)."""
    length = last - first + 1
    shared = np.minimum(last[:, None], last) - np.maximum(first[:, None], first) + 1
    f1: NDArray[np.float64] = 2 * np.maximum(shared, 0) / (length[:, None] + length)
    return f1 @ likely


def _apart(spans: Sequence[tuple[float, int, int]], limit: int) -> tuple[Span, ...]:
    """The best spans without near-duplicates of better ones, as (-score, start, end)."""
    kept: list[Span] = []
    for below, start, end in sorted(spans):
        if len(kept) == limit:
            break
        span = Span(start, end, -below)
        if all(_shared(span, other) <= SAME for other in kept):
            kept.append(span)
    return tuple(kept)


def _shared(one: Span, other: Span) -> float:
    """F1 of the characters of two spans."""
    both = min(one.end, other.end) - max(one.start, other.start)
    return 2 * max(0, both) / max(1, one.end - one.start + other.end - other.start)


def _sigmoid(logit: float) -> float:
    return float(1.0 / (1.0 + np.exp(-np.clip(logit, -60.0, 60.0))))


MOST_WINDOWS = 12
"""Windows of a passage that are read: some 9,000 characters, in a third of a second. A turn may be as long as somebody likes."""
READER_SHA256 = "1039b7c7f1be77fe004e07b7e167a065f72b41eaaffc5b0d85e962ce47371918"


class MiniLMReader:
    """`SpanReader` over the bundled weights. Loads on first use; one instance serves any number of threads."""

    def __init__(self, weights: Path | None = None, *, threads: int | None = None) -> None:
        """`weights`: a file that `goalmem train reader` made, instead of the bundled one.

        `threads` that read at the same time; by default one a core that this process may use, four at most.
        """
        self._loaded = running("reader", weights, READER_SHA256, Calibration.from_metadata, threads)

    @property
    def name(self) -> str:
        """Model, precision and the first digits of the weights' hash. Raises ModelError as `read` does."""
        return f"minilm-reader-int8-{self._loaded.get().digest[:8]}"

    def read(self, pairs: Sequence[tuple[str, str]], *, limit: int = 3) -> list[PassageReading]:
        """A reading for each (question, passage), with at most `limit` spans each.

        Of a passage longer than `MOST_WINDOWS` windows those are read that share most words with the question.

        Every window is read alone: in 8 bits the scale of a batch's activations depends on all that is in it, and a
        proof is checked again by reading one pair. Raises ModelError when a file is missing, altered or no reader.
        """
        if not pairs:
            return []
        model = self._loaded.get()
        windows = [nearest(own) for own in pair_windows(model.tokenizer, pairs)]
        every = (one for each in windows for one in each)
        logits = list(with_checkpoints(model.pool.map(partial(_forward, model.session), every)))
        readings = []
        done = 0
        for (_, passage), own in zip(pairs, windows, strict=True):
            readings.append(reading(passage, own, logits[done : done + len(own)], model.calibration, limit))
            done += len(own)
        return readings


def nearest(windows: Sequence[PairWindow]) -> Sequence[PairWindow]:
    """The windows of a passage, in order: at most `MOST_WINDOWS`, with most of the question's word pieces, the first among equals."""
    if len(windows) <= MOST_WINDOWS:
        return windows

    def shared(window: PairWindow) -> int:
        return len({*window.ids[: window.first]} & {*window.ids[window.first : -1]})

    best = sorted(range(len(windows)), key=lambda n: (-shared(windows[n]), n))[:MOST_WINDOWS]
    return [windows[n] for n in sorted(best)]


def _forward(session: InferenceSession, window: PairWindow) -> WindowLogits:
    spans, present = session.run(None, stacked([window]))
    return WindowLogits(spans[0], float(present[0]))
