"""Who calls, and what they may do: scopes and spaces of a key; without keys, the owner of the machine may do all.

How often a key may ask: a bucket of tokens for each, filled at a steady rate.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from goalmem.io.chat_messages import check_name
from goalmem.serve.refusals import ForbiddenError, TooManyError

__all__ = ["EVERY_SPACE", "OWNER", "Buckets", "Caller", "Scope"]

EVERY_SPACE = "*"
"""Among the spaces of a key: it is for all."""
DEFAULT_SPACE = "default"


class Scope(IntEnum):
    """What a key is for; a higher one may do what a lower one may."""

    READ = 1
    WRITE = 2
    ADMIN = 3


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls."""

    id: str
    """Of the key; empty where no keys are used."""
    scope: Scope
    spaces: tuple[str, ...]

    def require(self, scope: Scope) -> None:
        """Raises ForbiddenError unless the key is for this scope."""
        if self.scope < scope:
            name = scope.name.lower()
            raise ForbiddenError(
                f"The key is not for this: it needs the scope {name!r}.", "Use a key that has it (goalmem keys add)."
            )

    def require_all(self) -> None:
        """Raises ForbiddenError unless the key is for every space."""
        if not self.sees_all:
            raise ForbiddenError(
                "The key is not for this: it tells of every space.",
                "Use a key for all (goalmem keys add --all-spaces).",
            )

    @property
    def sees_all(self) -> bool:
        """Whether the key is for every space."""
        return EVERY_SPACE in self.spaces

    def sees(self, space: str) -> bool:
        """Whether the key is for a space."""
        return self.sees_all or space in self.spaces

    def space(self, named: str | None) -> str:
        """The space that a call is about: the one it names, else the key's only one, else `default`.

        Raises ForbiddenError for any that the key is not for, whether there is such a space or not.
        """
        single = self.spaces[0] if len(self.spaces) == 1 and not self.sees_all else DEFAULT_SPACE
        space = single if named is None else check_name(named, "The space")
        if not self.sees(space):
            raise ForbiddenError(
                f"The key is not for the space {space!r}.", "Name one that it is for (GET /v1/spaces lists them)."
            )
        return space


OWNER = Caller("", Scope.ADMIN, (EVERY_SPACE,))
"""Who calls where no keys are used: whoever may reach this machine's loopback."""


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
