"""How often a key may ask: a bucket of tokens for each, filled at a steady rate."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from goalmem.serve.refusals import TooManyError

__all__ = ["Buckets"]

MOST = 10_000
"""Buckets kept; the least used go first, and were full again long since."""


@dataclass(slots=True)
class Bucket:
    """What a caller has left."""

    tokens: float
    at: float


class Buckets:
    """A bucket for each caller. For one event loop."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        """`rate`: requests a second in the long run; `burst`: seconds' worth of them that may come at once."""
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, caller: str, rate: float | None = None) -> None:
        """Take one token, of a bucket that fills at `rate` (None: the rate of all). Raises TooManyError."""
        filled = rate or self._rate
        most = max(1.0, filled * self._burst)
        now = self._clock()
        bucket = self._buckets.pop(caller, None) or Bucket(most, now)
        bucket.tokens = min(most, bucket.tokens + (now - bucket.at) * filled)
        bucket.at = now
        self._buckets[caller] = bucket
        while len(self._buckets) > MOST:
            self._buckets.popitem(last=False)
        if bucket.tokens < 1:
            raise TooManyError(max(1, math.ceil((1 - bucket.tokens) / filled)))
        bucket.tokens -= 1
