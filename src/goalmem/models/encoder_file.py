"""A small encoder of our own as it runs: one ONNX file in 8 bits with the tokenizer that ships with goalmem."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from goalmem.errors import ModelError
from goalmem.models.minilm import TOKENIZER_SHA256
from goalmem.models.weights import require_hash

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

__all__ = ["EncoderFile", "bundled", "opened", "pair_tokenizer"]


Calibration = TypeVar("Calibration")


@dataclass(frozen=True)
class EncoderFile(Generic[Calibration]):
    """An open model."""

    session: InferenceSession
    tokenizer: Tokenizer
    calibration: Calibration
    """What its training left in the file beside the network."""
    digest: str
    """SHA-256 of the file, hexadecimal."""
    pool: ThreadPoolExecutor


def opened(
    kind: str,
    weights: Path | None,
    digest: str,
    threads: int,
    calibration: Callable[[Mapping[str, str]], Calibration],
) -> EncoderFile[Calibration]:
    """The model in `weights`, or the bundled one of a kind (`reader`, `judge`), which must have this SHA-256.

    `calibration` reads the file's metadata; it raises KeyError or ValueError where these hold none.

    Raises ModelError when a package or a file is missing, altered, or holds no such model.
    """
    if weights is not None:
        return _open(kind, weights, threads, calibration)
    with bundled(kind) as path:
        require_hash(path, digest)
        return _open(kind, path, threads, calibration)


def bundled(kind: str) -> AbstractContextManager[Path]:
    """The bundled file of a kind."""
    return resources.as_file(resources.files("goalmem.models") / "data" / f"{kind}.onnx")


def pair_tokenizer() -> Tokenizer:
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


def _open(
    kind: str, weights: Path, threads: int, calibration: Callable[[Mapping[str, str]], Calibration]
) -> EncoderFile[Calibration]:
    try:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as runtime
    except ImportError as error:
        raise _missing(error) from error
    # The runtime's own errors have no base in common.
    refusals = [each for each in vars(runtime).values() if isinstance(each, type) and issubclass(each, Exception)]
    unusable: tuple[type[Exception], ...] = (OSError, RuntimeError, ValueError, KeyError, *refusals)
    options = onnxruntime.SessionOptions()
    # Windows run side by side, each on one thread: for passages this short that is faster than several threads on one.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    try:
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
    return EncoderFile(session, pair_tokenizer(), calibrated, digest, ThreadPoolExecutor(threads, f"goalmem-{kind}"))


def _missing(error: ImportError) -> ModelError:
    return ModelError(
        f"The bundled models need the package {error.name!r}, which is not installed.",
        "Install it, or install goalmem again with its dependencies.",
    )
