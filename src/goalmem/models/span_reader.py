"""The bundled span reader: MiniLM-L6 fine-tuned to find the words of a passage that answer a question, in 8 bits.

Made by `goalmem train reader`; docs/reader.md says how, models/data/READER.md what of. The file is checked against a
pinned hash before first use.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from goalmem.errors import ModelError
from goalmem.models.minilm import MAX_THREADS, TOKENIZER_SHA256, usable_cores
from goalmem.models.pair_encoding import PairWindow, pair_windows, stacked
from goalmem.models.process import PerProcess
from goalmem.models.protocol import PassageReading
from goalmem.models.span_scoring import Calibration, WindowLogits, reading
from goalmem.models.weights import require_hash

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

__all__ = ["MiniLMReader", "reader_tokenizer"]

READER_SHA256 = "3fe216361f66a919ee67c462638d7d9d9ceba589e59fe1ed3220522c518b3f44"


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: InferenceSession
    tokenizer: Tokenizer
    calibration: Calibration
    name: str
    pool: ThreadPoolExecutor


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
        return self._loaded.get().name

    def read(self, pairs: Sequence[tuple[str, str]], *, limit: int = 3) -> list[PassageReading]:
        """A reading for each (question, passage), with at most `limit` spans each.

        Every window is read alone: in 8 bits the scale of a batch's activations depends on all that is in it, and a
        proof is checked again by reading one pair. Raises ModelError when a file is missing, altered or no reader.
        """
        if not pairs:
            return []
        model = self._loaded.get()
        windows = pair_windows(model.tokenizer, pairs)
        logits = list(model.pool.map(partial(_forward, model.session), (one for each in windows for one in each)))
        readings = []
        done = 0
        for (_, passage), own in zip(pairs, windows, strict=True):
            readings.append(reading(passage, own, logits[done : done + len(own)], model.calibration, limit))
            done += len(own)
        return readings


def reader_tokenizer() -> Tokenizer:
    """The tokenizer that ships with goalmem, neither padding nor truncating. Raises ModelError when it is altered."""
    try:
        import tokenizers
    except ImportError as error:
        raise _missing(error) from error
    with resources.as_file(resources.files("goalmem.models") / "data" / "minilm-tokenizer.json") as words:
        require_hash(words, TOKENIZER_SHA256)
        tokenizer = tokenizers.Tokenizer.from_file(str(words))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


@cache
def _running(weights: Path | None, threads: int) -> PerProcess[_Loaded]:
    """The model as this process runs it on so many threads, for every instance."""
    return PerProcess(partial(_load, weights, threads))


def _load(weights: Path | None, threads: int) -> _Loaded:
    if weights is not None:
        return _open(weights, threads)
    with resources.as_file(resources.files("goalmem.models") / "data" / "reader.onnx") as bundled:
        require_hash(bundled, READER_SHA256)
        return _open(bundled, threads)


def _open(weights: Path, threads: int) -> _Loaded:
    try:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as runtime
    except ImportError as error:
        raise _missing(error) from error
    # The runtime's own errors have no base in common.
    refusals = [kind for kind in vars(runtime).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    unusable: tuple[type[Exception], ...] = (OSError, RuntimeError, ValueError, KeyError, *refusals)
    options = onnxruntime.SessionOptions()
    # Windows run side by side, each on one thread: for passages this short that is faster than several threads on one.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    try:
        content = weights.read_bytes()
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        calibration = Calibration.from_metadata(session.get_modelmeta().custom_metadata_map)
    except unusable as error:
        raise ModelError(
            f"{weights} cannot be used as a span reader ({type(error).__name__}).",
            "Name a file that `goalmem train reader` made.",
        ) from error
    name = f"minilm-reader-int8-{hashlib.sha256(content).hexdigest()[:8]}"
    return _Loaded(session, reader_tokenizer(), calibration, name, ThreadPoolExecutor(threads, "goalmem-reader"))


def _forward(session: InferenceSession, window: PairWindow) -> WindowLogits:
    spans, present = session.run(None, stacked([window]))
    return WindowLogits(spans[0], float(present[0]))


def _missing(error: ImportError) -> ModelError:
    return ModelError(
        f"The span reader needs the package {error.name!r}, which is not installed.",
        "Install it, or install goalmem again with its dependencies.",
    )
