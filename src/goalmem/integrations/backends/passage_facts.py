"""What passages say: facts read when they are found, and kept for the next question."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from goalmem.language import Context, Extractor
from goalmem.records import Extraction, Turn

__all__ = ["BlockReader"]

KEPT_CHARACTERS = 1_000_000
"""Characters of read turns whose facts are kept: some 7,000 messages, with facts of about 50 MB."""


class BlockReader:
    """Reads runs of turns, each by itself: what a passage says depends on no other, so it is the same when it is checked.

    Safe to use from several threads.
    """

    def __init__(self, extractor: Callable[[], Extractor], *, kept: int = KEPT_CHARACTERS) -> None:
        """`extractor` is asked for when something is to be read: it takes a second to load."""
        self._extractor = extractor
        self._kept = kept
        self._read: OrderedDict[tuple[Turn, ...], Sequence[Extraction]] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()

    def read(self, block: tuple[Turn, ...]) -> Sequence[Extraction]:
        """An extraction a turn, in order. Raises ModelError when the language model is not installed."""
        with self._lock:
            if block in self._read:
                self._read.move_to_end(block)
                return self._read[block]
        dated = all(turn.dated for turn in block)
        found = self._extractor().extract(block, Context(dated=dated))
        with self._lock:
            if block not in self._read:
                self._read[block] = found
                self._characters += length(block)
            while self._characters > self._kept:
                oldest, _ = self._read.popitem(last=False)
                self._characters -= length(oldest)
        return found


def length(block: Sequence[Turn]) -> int:
    """Characters of some turns."""
    return sum(len(turn.content) for turn in block)
