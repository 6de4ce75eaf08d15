"""What a search may cost. Running out never fails: it ends the search with the best honest result so far."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Budget", "Spent"]


@dataclass(frozen=True, slots=True)
class Spent:
    """What a search has cost."""

    seconds: float = 0.0
    model_calls: int = 0
    tokens: int = 0
    steps: int = 0


@dataclass(slots=True)
class Budget:
    """Limits of one search and what it has spent. Whoever calls a model notes it here with `spend`."""

    seconds: float = math.inf
    model_calls: float = math.inf
    tokens: float = math.inf
    steps: float = 2_000
    """States opened. A question over a few dozen facts takes some tens."""
    depth: int = 3
    """Levels of refinement (Goal-Mem, figure 4: depth keeps paying)."""
    breadth: int = 2
    """Alternative refinements of one atom (Goal-Mem, figure 4: breadth saturates after one decomposition)."""
    _spent: Spent = field(default=Spent(), init=False)
    _started: float | None = field(default=None, init=False)
    _clock: Callable[[], float] = field(default=time.monotonic, init=False, repr=False)

    def start(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin to count seconds; a second call changes nothing."""
        if self._started is None:
            self._clock, self._started = clock, clock()

    def spend(self, *, model_calls: int = 0, tokens: int = 0, steps: int = 0) -> None:
        """Note what was spent."""
        s = self._spent
        self._spent = Spent(s.seconds, s.model_calls + model_calls, s.tokens + tokens, s.steps + steps)

    @property
    def spent(self) -> Spent:
        """What has been spent up to now."""
        s = self._spent
        seconds = 0.0 if self._started is None else self._clock() - self._started
        return Spent(seconds, s.model_calls, s.tokens, s.steps)

    @property
    def out_of(self) -> str:
        """What has run out (`seconds`, `model_calls`, `tokens`, `steps`), or an empty string."""
        s = self.spent
        # A limit on model calls or tokens ends the use of models, not the search: sources see it with `affords`.
        return "seconds" if s.seconds >= self.seconds else "steps" if s.steps >= self.steps else ""

    def affords(self, *, model_calls: int = 0, tokens: int = 0) -> bool:
        """Whether that much more may be spent on models. A source asks before it calls one."""
        s = self.spent
        in_time = s.seconds < self.seconds
        return in_time and s.model_calls + model_calls <= self.model_calls and s.tokens + tokens <= self.tokens
