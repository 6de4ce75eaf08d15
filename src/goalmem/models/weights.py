"""Files of weights: found without running the package that carries them, and checked before first use."""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from pathlib import Path

from goalmem.errors import ModelError

_checked: set[tuple[str, int, int, str]] = set()
_checked_lock = threading.Lock()


def package_folder(package: str, extra: str) -> Path:
    """Folder of an installed package, which is not imported. Raises ModelError that names the `extra` to install."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise missing_package(package, extra)
    return Path(spec.origin).parent


def missing_package(package: str | None, extra: str) -> ModelError:
    """The error of a model whose package is not there."""
    return ModelError(
        f"This embedding model needs the package {package!r}, which is not installed.",
        f'Install it: pip install "goalmem[{extra}]".',
    )


def require_hash(path: Path, sha256: str) -> None:
    """Compare a file's SHA-256; once a process for a file that has not changed since.

    Raises ModelError when the file is missing or another.
    """
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
