"""The bundled span reader: MiniLM-L6 fine-tuned to find the words of a passage that answer a question, in 8 bits.

Made by `goalmem train reader`; docs/reader.md says how, models/data/READER.md what of. The file is checked against a
pinned hash before first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from goalmem.cancellation import heeded
from goalmem.models.encoder_file import EncoderFile, opened
from goalmem.models.minilm import MAX_THREADS, usable_cores
from goalmem.models.pair_encoding import PairWindow, pair_windows, stacked
from goalmem.models.process import PerProcess
from goalmem.models.protocol import PassageReading
from goalmem.models.span_scoring import Calibration, WindowLogits, reading

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

__all__ = ["MiniLMReader"]

READER_SHA256 = "f05c728bcf895efc01b674707f58af0f81540b48c071907f36920928939978af"
KIND = "reader"


class MiniLMReader:
    """`SpanReader` over the bundled weights. Loads on first use; one instance serves any number of threads."""

    def __init__(self, weights: Path | None = None, *, threads: int | None = None) -> None:
        """`weights`: a file that `goalmem train reader` made, instead of the bundled one.

        `threads` that read at the same time; by default one a core that this process may use, four at most.
        """
        self._loaded = _running(weights, threads or min(usable_cores(), MAX_THREADS))

    @property
    def name(self) -> str:
        """Model, precision and the first digits of the weights' hash. Raises ModelError as `read` does."""
        return f"minilm-reader-int8-{self._loaded.get().digest[:8]}"

    def read(self, pairs: Sequence[tuple[str, str]], *, limit: int = 3) -> list[PassageReading]:
        """A reading for each (question, passage), with at most `limit` spans each.

        Every window is read alone: in 8 bits the scale of a batch's activations depends on all that is in it, and a
        proof is checked again by reading one pair. Raises ModelError when a file is missing, altered or no reader.
        """
        if not pairs:
            return []
        model = self._loaded.get()
        windows = pair_windows(model.tokenizer, pairs)
        every = (one for each in windows for one in each)
        logits = list(heeded(model.pool.map(partial(_forward, model.session), every)))
        readings = []
        done = 0
        for (_, passage), own in zip(pairs, windows, strict=True):
            readings.append(reading(passage, own, logits[done : done + len(own)], model.calibration, limit))
            done += len(own)
        return readings


@cache
def _running(weights: Path | None, threads: int) -> PerProcess[EncoderFile[Calibration]]:
    """The model as this process runs it on so many threads, for every instance."""
    return PerProcess(partial(opened, KIND, weights, READER_SHA256, threads, Calibration.from_metadata))


def _forward(session: InferenceSession, window: PairWindow) -> WindowLogits:
    spans, present = session.run(None, stacked([window]))
    return WindowLogits(spans[0], float(present[0]))
