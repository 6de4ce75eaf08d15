"""What a search may cost, in work. A spent budget is no error: it ends the search with the best result so far.

Work is the same on every machine, so that a busy one gives the same answer. Seconds are only a hard ceiling: an outcome that reached it is
marked `cut short`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

__all__ = ["Budget", "BudgetUsage"]


@dataclass(frozen=True, slots=True)
class BudgetUsage:
    """The cost of a search so far."""

    seconds: float = 0.0
    model_calls: int = 0
    tokens: int = 0
    steps: int = 0
    passages: int = 0
    judgements: int = 0
    inferences: int = 0
    relations: int = 0


@dataclass(slots=True)
class Budget:
    """Limits of one search and what it has spent.

    Steps end a search; the other limits end the use of what they count. A source calls `allows` before it calls a model, reads passages or
    asks a judge, and `spend` afterwards. A search inside a source counts its states as steps; a rule solver, whose states are a thousand
    times smaller, counts inferences.
    """

    seconds: float = 300.0
    """The ceiling: far more than a question takes on a normal machine."""
    model_calls: float = 64
    tokens: float = 400_000
    steps: float = 2_000
    """States opened. A question over a few dozen facts takes some tens."""
    depth: int = 3
    """Levels of refinement (Goal-Mem, figure 4: depth keeps paying)."""
    breadth: int = 2
    """Different refinements of one atom (Goal-Mem, figure 4: breadth saturates after one decomposition)."""
    passages: float = 10_000
    """Passages read. One subgoal takes some tens."""
    judgements: float = 10_000
    """Statements judged against a passage."""
    inferences: float = 1_000_000
    """Rule conditions tried: up to fifteen seconds, and 700 MB if each leads on. A goal ten rules deep over 10,000 facts takes some tens.
    """
    relations: float = 2_000
    """Relations of a graph compared with the question: up to half a minute. The nodes of one walk have some tens."""
    _spent: BudgetUsage = field(default=BudgetUsage(), init=False)
    _started: float | None = field(default=None, init=False)
    _clock: Callable[[], float] = field(default=time.monotonic, init=False, repr=False)
    _refused: set[str] = field(default_factory=set, init=False)

    def start(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start counting seconds; a second call changes nothing."""
        if self._started is None:
            self._clock, self._started = clock, clock()

    def spend(
        self,
        *,
        model_calls: int = 0,
        tokens: int = 0,
        steps: int = 0,
        passages: int = 0,
        judgements: int = 0,
        inferences: int = 0,
        relations: int = 0,
    ) -> None:
        """Record work done."""
        s = self._spent
        self._spent = BudgetUsage(
            s.seconds,
            s.model_calls + model_calls,
            s.tokens + tokens,
            s.steps + steps,
            s.passages + passages,
            s.judgements + judgements,
            s.inferences + inferences,
            s.relations + relations,
        )

    @property
    def spent(self) -> BudgetUsage:
        """The cost up to now."""
        s = self._spent
        seconds = 0.0 if self._started is None else self._clock() - self._started
        return replace(s, seconds=seconds)

    @property
    def ended_by(self) -> str:
        """The limit that ended the search (`seconds` or `steps`), or an empty string."""
        s = self.spent
        out = "seconds" if s.seconds >= self.seconds else "steps" if s.steps >= self.steps else ""
        self._refused |= {out} if out else set()
        return out

    @property
    def expired(self) -> bool:
        """True if the ceiling of seconds is reached."""
        return self._started is not None and self._clock() - self._started >= self.seconds

    def cut(self) -> None:
        """Record that a ceiling of seconds, of this search or of one around it, ended something."""
        self._refused.add("seconds")

    def allows(
        self,
        *,
        model_calls: int = 0,
        tokens: int = 0,
        passages: int = 0,
        judgements: int = 0,
        inferences: int = 0,
        relations: int = 0,
    ) -> bool:
        """True if this much more may be spent. A source asks before it calls a model, reads, judges or infers."""
        s = self.spent
        over = {
            "seconds": s.seconds >= self.seconds,
            "model_calls": s.model_calls + model_calls > self.model_calls,
            "tokens": s.tokens + tokens > self.tokens,
            "passages": passages > 0 and s.passages + passages > self.passages,
            "judgements": judgements > 0 and s.judgements + judgements > self.judgements,
            "inferences": inferences > 0 and s.inferences + inferences > self.inferences,
            "relations": relations > 0 and s.relations + relations > self.relations,
        }
        self._refused |= {name for name, is_over in over.items() if is_over}
        return not any(over.values())

    @property
    def refused(self) -> frozenset[str]:
        """The limits because of which something was skipped, up to now."""
        return frozenset(self._refused)

    @property
    def left_undone(self) -> bool:
        """True if anything but a chat model's work was skipped: a solution that was not found may still exist."""
        return bool(self._refused - {"model_calls", "tokens"})

    @property
    def cut_short(self) -> bool:
        """True if the ceiling of seconds was reached: a faster machine might have found more."""
        return "seconds" in self._refused

    @property
    def shortage(self) -> str:
        """The limit that ended the search or the reading, in words; empty if none did."""
        if self.cut_short:
            return f"cut short: the limit of {self.seconds:g} seconds was met"
        limits = {
            "steps": self.steps,
            "passages": self.passages,
            "judgements": self.judgements,
            "inferences": self.inferences,
            "relations": self.relations,
        }
        return next(
            (f"the budget of {_number(n)} {name} was spent" for name, n in limits.items() if name in self._refused), ""
        )


def _number(most: float) -> str:
    """A limit with all of its digits."""
    return f"{most:,.0f}" if most >= 1_000_000 else f"{most:g}"
