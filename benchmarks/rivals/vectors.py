"""Vectors kept on disk by content, so that a text is embedded once for all rivals and all runs."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from goalmem.models.protocol import Embedder

DIGEST = 16
"""Bytes of a text's digest: no two texts of a benchmark share 128 bits."""
BUSY_SECONDS = 60
"""How long to wait for another run that writes."""


class KeptVectors:
    """An embedder that keeps every vector in a file of its model's name. Kills and other runs do it no harm."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        folder.mkdir(parents=True, exist_ok=True)
        # An ingest may embed in a thread of its own; nobody embeds in two at once.
        self._kept = sqlite3.connect(folder / f"{embedder.name}.db", timeout=BUSY_SECONDS, check_same_thread=False)
        self._kept.execute("CREATE TABLE IF NOT EXISTS vectors (digest BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    @property
    def name(self) -> str:
        """The name of the embedder behind: the vectors are the same."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors, shape (len(texts), dimension); only texts never seen reach the embedder behind."""
        digests = {text: _digest(text) for text in texts}
        found = {text: self._read(digest) for text, digest in digests.items()}
        new = [text for text, vector in found.items() if vector is None]
        if new:
            made = self._embedder.embed(new)
            rows = [(digests[text], vector.tobytes()) for text, vector in zip(new, made, strict=True)]
            with self._kept:
                self._kept.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
            found.update(zip(new, made, strict=True))
        vectors = np.array([found[text] for text in texts], dtype=np.float32)
        return vectors.reshape(len(texts), self.dimension)

    def _read(self, digest: bytes) -> NDArray[np.float32] | None:
        row = self._kept.execute("SELECT vector FROM vectors WHERE digest = ?", (digest,)).fetchone()
        return np.frombuffer(row[0], dtype=np.float32) if row else None


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST).digest()
