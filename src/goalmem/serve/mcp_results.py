"""What tools return, as data; and the proofs that were told, kept for a while."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict

from pydantic import BaseModel

from goalmem.proof.document import Proof, Status

__all__ = ["SCHEME", "Gone", "Missing", "Proofs", "Quote", "Recalled", "Remembered", "Ruled", "Told", "Verified"]

MOST_PROOFS = 256
MOST_PROOF_BYTES = 16 * 2**20
"""Proofs kept for `verify` and as resources; the oldest go first."""
SCHEME = "proof://"


class Remembered(BaseModel):
    """What was stored."""

    turn: str
    new: bool


class Recalled(BaseModel):
    """What bears on a text."""

    text: str
    turns: list[str]


class Quote(BaseModel):
    """Words that an answer rests on."""

    turn: str
    speaker: str
    said: str
    words: str


class Missing(BaseModel):
    """A part that could not be proved."""

    goal: str
    stage: str
    reason: str


class Told(BaseModel):
    """An answer with what it rests on, or what is missing."""

    status: Status
    answer: str
    confidence: float
    proof: str
    quotes: list[Quote]
    missing: list[Missing]


class Verified(BaseModel):
    """Whether a proof holds."""

    ok: bool
    checks: int
    failures: list[str]


class Gone(BaseModel):
    """What was forgotten."""

    turns: int
    facts: int


class Ruled(BaseModel):
    """What rules were read as."""

    ids: list[str]
    new: int
    read_as: list[str]


class Proofs:
    """The proofs told lately, by a hash of each: bounded in number and in bytes. Safe for many threads."""

    def __init__(self, most: int = MOST_PROOFS, most_bytes: int = MOST_PROOF_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def keep(self, proof: Proof) -> str:
        """Keep a proof; its address."""
        written = proof.to_json()
        name = hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        with self._lock:
            if name not in self._kept:
                self._bytes += len(written)
            self._kept[name] = written
            self._kept.move_to_end(name)
            while len(self._kept) > self._most or (self._bytes > self._most_bytes and len(self._kept) > 1):
                _, gone = self._kept.popitem(last=False)
                self._bytes -= len(gone)
        return SCHEME + name

    def find(self, address: str) -> str | None:
        """The JSON of a proof, by its address or the name alone."""
        with self._lock:
            return self._kept.get(address.strip().removeprefix(SCHEME))
