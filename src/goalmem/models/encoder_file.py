"""A small 8-bit ONNX encoder, and its input: two texts as word pieces, the second in overlapping windows.

The layout is BERT's (Devlin et al., 2019, section 4.2): [CLS] question [SEP] passage [SEP].
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import ModelError
from goalmem.models.minilm import CLS, MAX_THREADS, SEP, bundled_tokenizer, missing_dependency, usable_cores
from goalmem.models.process import PerProcess
from goalmem.models.vectors import clean
from goalmem.models.weights import require_hash

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer


MAX_PIECES = 256
"""Pieces per window, including question and special pieces; as in training."""
QUESTION_PIECES = 64
"""Longer questions are truncated; none in SQuAD 2.0 and FriendsQA comes close."""
OVERLAP_PIECES = 64
"""Overlap of neighbouring windows: longer than any answer, so that each is complete in one window."""

Calibration = TypeVar("Calibration")


@dataclass(frozen=True)
class EncoderFile(Generic[Calibration]):
    """An open model."""

    session: InferenceSession
    tokenizer: Tokenizer
    calibration: Calibration
    """Calibration stored in the file during training."""
    digest: str
    """SHA-256 of the file, hexadecimal."""
    pool: ThreadPoolExecutor


@cache
def running(
    kind: str,
    weights: Path | None,
    digest: str,
    calibration: Callable[[Mapping[str, str]], Calibration],
    threads: int | None = None,
) -> PerProcess[EncoderFile[Calibration]]:
    """The model in `weights`, or the bundled one of a kind (`reader`, `judge`) with this SHA-256; opened on first
    use.

    `calibration` reads the file's metadata; it raises KeyError or ValueError where these hold none. `threads` that work at the
    same time; by default one a core that this process may use, four at most. Opening raises ModelError when a package or a file
    is missing, altered, or holds no such model.
    """

    def load() -> EncoderFile[Calibration]:
        count = threads or min(usable_cores(), MAX_THREADS)
        if weights is not None:
            return _open(kind, weights, None, count, calibration)
        with bundled(kind) as path:
            require_hash(path, digest)
            return _open(kind, path, digest, count, calibration)

    return PerProcess(load)


def bundled(kind: str) -> AbstractContextManager[Path]:
    """Path of the bundled file of a kind."""
    return resources.as_file(resources.files("goalmem.models") / "data" / f"{kind}.onnx")


def _open(
    kind: str,
    weights: Path,
    digest: str | None,
    threads: int,
    calibration: Callable[[Mapping[str, str]], Calibration],
) -> EncoderFile[Calibration]:
    """`digest` where it is known already."""
    try:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as runtime
    except ImportError as error:
        raise missing_dependency(error) from error
    # The runtime's own errors have no base in common.
    refusals = [each for each in vars(runtime).values() if isinstance(each, type) and issubclass(each, Exception)]
    unusable: tuple[type[Exception], ...] = (OSError, RuntimeError, ValueError, KeyError, *refusals)
    options = onnxruntime.SessionOptions()
    # Windows run side by side, each on one thread: for passages this short that is faster than several threads on one.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    try:
        if digest is None:
            with weights.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        # By its path: of a model that is handed over as bytes, the runtime keeps these.
        session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
        calibrated = calibration(session.get_modelmeta().custom_metadata_map)
    except unusable as error:
        raise ModelError(
            f"{weights} cannot be used as a {kind} ({type(error).__name__}).",
            f"Name a file that `goalmem train {kind}` made.",
        ) from error
    return EncoderFile(session, bundled_tokenizer(), calibrated, digest, ThreadPoolExecutor(threads, f"goalmem-{kind}"))


@dataclass(frozen=True, slots=True)
class PairWindow:
    """One window of a pair of texts."""

    ids: tuple[int, ...]
    """All pieces, special ones included."""
    first: int
    """Index of the passage's first piece in `ids`; all following pieces but the last belong to the passage."""
    offsets: tuple[tuple[int, int], ...]
    """Start and end of each of those pieces, in characters of the passage."""
    words: tuple[int, ...]
    """The number of the word that each of those pieces belongs to."""


def pair_windows(
    tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]], *, most: int | None = None
) -> list[list[PairWindow]]:
    """For each (question, passage) its windows, at most `most`; one without passage pieces has a single empty window.

    `tokenizer` must neither pad nor truncate.
    """
    texts = {text: None for pair in pairs for text in pair}
    encoded = tokenizer.encode_batch([clean(text) for text in texts], add_special_tokens=False)
    known = dict(zip(texts, encoded, strict=True))
    return [list(_windows(known[question], known[passage], most)) for question, passage in pairs]


def _windows(question: Encoding, passage: Encoding, most: int | None) -> Iterator[PairWindow]:
    asked, ids = question.ids[:QUESTION_PIECES], passage.ids
    offsets = passage.offsets
    words = [
        -1 if word is None else word for word in passage.word_ids
    ]  # None marks special pieces, which do not occur here
    room = MAX_PIECES - len(asked) - 3
    start = made = 0
    while True:
        part = slice(start, start + room)
        yield PairWindow((CLS, *asked, SEP, *ids[part], SEP), len(asked) + 2, tuple(offsets[part]), tuple(words[part]))
        made += 1
        if start + room >= len(ids) or made == most:
            return
        start += room - OVERLAP_PIECES


def stacked(windows: Sequence[PairWindow]) -> dict[str, NDArray[np.int64]]:
    """The windows as the model's padded inputs, each of shape (windows, longest)."""
    shape = (len(windows), max(len(window.ids) for window in windows))
    ids = np.zeros(shape, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.int64)
    kinds = np.zeros(shape, dtype=np.int64)
    for row, window in enumerate(windows):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
        kinds[row, window.first : len(window.ids)] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}
