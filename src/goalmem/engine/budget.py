"""What a search may cost, in work. Running out never fails: it ends the search with the best honest result so far.

Work is the same on every machine, so that a busy one gives the same answer. Seconds are a hard ceiling only: an outcome
that met it says `cut short`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

__all__ = ["Budget", "BudgetUsage"]


@dataclass(frozen=True, slots=True)
class BudgetUsage:
    """What a search has cost."""

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

    Steps end a search; the other limits end the use of what they count. Who is about to call a model, read passages or
    ask a judge looks with `allows` first, and notes with `spend` what it took. A search inside a source notes the
    states that it opens as steps; a solver of rules, whose states are a thousand times smaller, as inferences.
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
    """Conditions of rules tried: up to fifteen seconds, and 700 MB where each leads on. A goal ten rules deep over 10,000 facts
    takes some tens."""
    relations: float = 2_000
    """Relations of a graph read and compared with the question: up to half a minute. The nodes of one walk have some tens."""
    _spent: BudgetUsage = field(default=BudgetUsage(), init=False)
    _started: float | None = field(default=None, init=False)
    _clock: Callable[[], float] = field(default=time.monotonic, init=False, repr=False)
    _refused: set[str] = field(default_factory=set, init=False)

    def start(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin to count seconds; a second call changes nothing."""
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
        """Note what was spent."""
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
        """What has been spent up to now."""
        s = self._spent
        seconds = 0.0 if self._started is None else self._clock() - self._started
        return replace(s, seconds=seconds)

    @property
    def ended_by(self) -> str:
        """What ends the search (`seconds`, `steps`), or an empty string."""
        s = self.spent
        out = "seconds" if s.seconds >= self.seconds else "steps" if s.steps >= self.steps else ""
        self._refused |= {out} if out else set()
        return out

    @property
    def expired(self) -> bool:
        """Whether the ceiling of seconds is met."""
        return self._started is not None and self._clock() - self._started >= self.seconds

    def cut(self) -> None:
        """Note that a ceiling of seconds, this one or that of a search around this one, ended something."""
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
        """Whether that much more may be spent. A source asks before it calls a model, reads, judges or infers."""
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
        """The limits that something was left undone for, up to now."""
        return frozenset(self._refused)

    @property
    def left_undone(self) -> bool:
        """Whether anything that is not a chat model's was left undone: what was not found need not be absent."""
        return bool(self._refused - {"model_calls", "tokens"})

    @property
    def cut_short(self) -> bool:
        """Whether the ceiling of seconds was met: on a quicker machine more might have been found."""
        return "seconds" in self._refused

    @property
    def shortage(self) -> str:
        """Which limit ended the search or the reading, in words; empty when none did."""
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
    """A limit as it is told, with all of its digits."""
    return f"{most:,.0f}" if most >= 1_000_000 else f"{most:g}"
