"""Encodings kept on disk: to embed and parse a million words takes long, and what comes of it seldom changes.

One SQLite file in the user's cache folder, or where `GOALMEM_CACHE` says. Vectors are found by model and text, readings by content
and a fingerprint of the code that made them, so nothing out of date is ever found. What is kept is on disk at once: a run that is
killed goes on where it was. The file can be removed at any time.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from goalmem.errors import InputError

CACHE_VARIABLE = "GOALMEM_CACHE"
FILE = "encodings-1.sqlite3"
"""The number is that of the layout: another one takes another file."""
AT_ONCE = 500
"""Keys of one query; SQLite takes 999 and more."""
BUSY_SECONDS = 60.0

_LAYOUT = """
CREATE TABLE IF NOT EXISTS vectors (model TEXT, text BLOB, vector BLOB NOT NULL, PRIMARY KEY (model, text)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS readings (key BLOB PRIMARY KEY, reading BLOB NOT NULL);
"""


def cache_folder() -> Path:
    """`GOALMEM_CACHE`, else `goalmem` in the user's cache folder."""
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "goalmem"


class EncodingCache:
    """The file. Safe to use from several threads, and by several processes at once."""

    def __init__(self, folder: Path | None = None) -> None:
        """In `folder`, by default that of `cache_folder()`. Raises InputError when it cannot be used."""
        self._path = (folder or cache_folder()) / FILE
        self._lock = threading.Lock()
        with self._usable():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self._path, timeout=BUSY_SECONDS, check_same_thread=False)
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = NORMAL")
            self._file.executescript(_LAYOUT)

    def vectors(self, model: str, texts: Sequence[str]) -> dict[str, NDArray[np.float16]]:
        """Those of the texts whose vector is there, each of shape (dimension,)."""
        wanted = {_digest(text): text for text in texts}
        keys = list(wanted)
        found: dict[str, NDArray[np.float16]] = {}
        with self._lock, self._usable():
            for first in range(0, len(keys), AT_ONCE):
                some = keys[first : first + AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = self._file.execute(
                    f"SELECT text, vector FROM vectors WHERE model = ? AND text IN ({marks})", (model, *some)
                )
                found.update((wanted[key], np.frombuffer(vector, dtype="<f2")) for key, vector in rows)
        return found

    def keep_vectors(self, model: str, vectors: Mapping[str, NDArray[np.float16]]) -> None:
        """Keep the vectors of texts."""
        rows = [(model, _digest(text), vector.astype("<f2").tobytes()) for text, vector in vectors.items()]
        with self._lock, self._usable(), self._file:
            self._file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def reading(self, key: bytes) -> bytes | None:
        """What language analysis made of a session, as it was kept."""
        with self._lock, self._usable():
            row = self._file.execute("SELECT reading FROM readings WHERE key = ?", (key,)).fetchone()
        return None if row is None else zlib.decompress(row[0])

    def keep_reading(self, key: bytes, reading: bytes) -> None:
        """Keep what language analysis made of a session."""
        with self._lock, self._usable(), self._file:
            self._file.execute("INSERT OR REPLACE INTO readings VALUES (?, ?)", (key, zlib.compress(reading)))

    def close(self) -> None:
        """Release the file."""
        self._file.close()

    @contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error, zlib.error) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(
                f"The cache {self._path} cannot be used: {reason}.",
                f"Remove the file, or name another folder with --cache or {CACHE_VARIABLE}.",
            ) from error


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
