"""Any local model of sentence-transformers: in a folder, or in the cache of Hugging Face.

Nothing is ever downloaded, and no code that comes with a model is run. A store's name of the model is made of its files, so a
folder may be moved or renamed; two fine-tunings of one model are two models. Needs the extra `sentence-transformers`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError, ModelError
from goalmem.models.process import PerProcess
from goalmem.models.vectors import mean_of_windows, unit
from goalmem.models.weights import missing_package

PREFIX = "sentence-transformers:"
"""Prefix of the setting for this embedder, and of its name."""
_EXTRA = "sentence-transformers"
_PACKAGE = "sentence_transformers"
_SAMPLE, _SAMPLES = 65_536, 64
"""Bytes and number of the samples that identify a large file: fine-tuning changes all weights."""
_OTHER_FORMS = frozenset({"onnx", "openvino"})
"""Folders that hold the same model in another form, which is not loaded."""
_NOTHING = "."
"""Embedded for an empty text, for which some tokenizers return no tokens."""
_NOT_THE_MODEL = frozenset({".md"})


@dataclass(frozen=True, slots=True)
class _Loaded:
    model: Any
    lock: threading.Lock
    """Its tokenizer serves one thread at a time."""


class SentenceTransformerEmbedder:
    """`QueryEmbedder` over a model of sentence-transformers. Loads on first use; serves any number of threads, one by one.

    A text that is longer than the model takes is cut at its limit; of one of more than 6,400 characters four evenly spread
    slices are read, and averaged.
    """

    def __init__(
        self, place: str, *, query_prefix: str = "", passage_prefix: str = "", dimensions: int | None = None
    ) -> None:
        """Nothing is loaded yet.

        Args:
            place: a folder, or the name of a model in the cache of Hugging Face.
            query_prefix: put before queries, instead of the prompt `query` that the model may come with.
            passage_prefix: put before passages, instead of its prompt for documents.
            dimensions: the first so many numbers of a vector, for a model that was trained to be cut (Matryoshka).

        Raises:
            ModelError: the package is not installed, or there is no such model on this machine.
        """
        if importlib.util.find_spec(_PACKAGE) is None:
            raise missing_package("sentence-transformers", _EXTRA)
        self._folder = _folder(place)
        self._prefixes = {"query": query_prefix, "passage": passage_prefix}
        self._truncated = dimensions
        self._dimension: int | None = None
        self._identity = _identity(self._folder)
        self._loaded = PerProcess(self._load)

    @property
    def name(self) -> str:
        """The kind of model and a digest of its files, the dimension, and prefixes where they are not the model's own."""
        return f"{self._beginning}/{self.dimension}{self._ending}"

    @property
    def dimension(self) -> int:
        """Length of a vector. Loads the model unless a store has provided it."""
        if self._dimension is None:
            model = self._loaded.get().model
            with self._loaded.get().lock:
                self._dimension = len(model.encode(["How long is a vector?"], show_progress_bar=False)[0])
        return self._dimension

    def adopt(self, name: str) -> None:
        """Take the dimension of a store's vectors, where it is a store of this model; so it opens without loading it."""
        if self._dimension is None and name.startswith(f"{self._beginning}/") and name.endswith(self._ending):
            said = name.removeprefix(f"{self._beginning}/").removesuffix(self._ending)
            if said.isascii() and said.isdigit() and self._truncated in (None, int(said)):
                self._dimension = int(said)

    def __repr__(self) -> str:
        return f"SentenceTransformerEmbedder({str(self._folder)!r})"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors of passages, shape (len(texts), dimension). Raises ModelError where the model does not load."""
        return self._embedded(texts, "passage")

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors of queries, shape (len(texts), dimension). Raises as `embed`."""
        return self._embedded(texts, "query")

    @property
    def _beginning(self) -> str:
        return f"{PREFIX}{self._identity}"

    @property
    def _ending(self) -> str:
        return "".join(f" {which}={json.dumps(said)}" for which, said in sorted(self._prefixes.items()) if said)

    def _embedded(self, texts: Sequence[str], which: str) -> NDArray[np.float32]:
        dimension = self.dimension
        if not texts:
            return np.zeros((0, dimension), dtype=np.float32)
        loaded = self._loaded.get()

        def run(parts: list[str]) -> NDArray[np.float32]:
            encode = loaded.model.encode_query if which == "query" else loaded.model.encode_document
            said = [part if part.strip() else _NOTHING for part in parts]
            with loaded.lock:
                made = np.asarray(encode(said, prompt=self._prefixes[which] or None, show_progress_bar=False))
            vectors: NDArray[np.float32] = made.astype(np.float32)
            if vectors.shape != (len(parts), dimension) or not np.isfinite(vectors).all():
                raise ModelError(
                    f"The model in {self._folder} did not return vectors of {dimension} numbers.",
                    "Choose another model; nothing was stored.",
                )
            return unit(vectors)

        return mean_of_windows(texts, run)

    def _load(self) -> _Loaded:
        try:
            from sentence_transformers import SentenceTransformer

            model = SentenceTransformer(str(self._folder), local_files_only=True, truncate_dim=self._truncated)
        except ImportError as error:
            raise missing_package(error.name, _EXTRA) from error
        except (OSError, ValueError, KeyError, RuntimeError, AttributeError, TypeError) as error:
            raise ModelError(
                f"The model in {self._folder} cannot be loaded: {type(error).__name__}: {error}.",
                "Give the folder of a model that sentence-transformers saved, with all of its files.",
            ) from error
        return _Loaded(model, threading.Lock())


def _folder(place: str) -> Path:
    """The folder of a model. Raises InputError and ModelError."""
    if not place.strip() or "\0" in place:
        raise InputError(f"A model of sentence-transformers is named {place!r}.", "Name its folder.")
    path = Path(place).expanduser()
    if path.is_dir():
        return path.resolve()
    try:
        from huggingface_hub import snapshot_download

        return Path(snapshot_download(place, local_files_only=True)).resolve()
    except (ImportError, OSError, ValueError):  # among them: not in the cache, no name of a model
        raise ModelError(
            f"There is no model {place!r} on this machine: it is no folder, and not in the cache of Hugging Face.",
            "Name the folder that it lies in, or download it first; goalmem downloads nothing.",
        ) from None


def _identity(folder: Path) -> str:
    """The kind of model, as it says itself, and the first digits of a digest of its files. Raises ModelError."""
    digest = hashlib.sha256()
    try:
        kind = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("model_type", "model")
        for name, file in _files(folder):
            digest.update(f"{name}\0{file.stat().st_size}\0".encode())
            for piece in _pieces(file):
                digest.update(piece)
    except (OSError, ValueError, AttributeError) as error:
        raise ModelError(
            f"The folder {folder} holds no model of sentence-transformers: {error}.",
            "Give the folder of a model that sentence-transformers saved, with its config.json.",
        ) from error
    return f"{kind}-{digest.hexdigest()[:12]}"


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files of a model, by name."""
    for file in sorted(folder.rglob("*")):
        parts = file.relative_to(folder).parts
        hidden = any(part.startswith(".") or part in _OTHER_FORMS for part in parts)
        if file.is_file() and not hidden and file.suffix not in _NOT_THE_MODEL:
            yield "/".join(parts), file


def _pieces(file: Path) -> Iterator[bytes]:
    """All of a small file; of a large one pieces from its beginning to its end."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        if size <= _SAMPLE * _SAMPLES:
            yield opened.read()
            return
        for start in np.linspace(0, size - _SAMPLE, _SAMPLES).astype(np.int64).tolist():
            opened.seek(start)
            yield opened.read(_SAMPLE)
