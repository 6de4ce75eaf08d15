"""The engine: best-first search for a proof over steps that sources offer (design.md, The engine).

Scores multiply and are at most 1, so that states come off the queue in falling order of score and the first complete
one is the best proof. The order of atoms, sources and equally good steps never decides anything: open atoms are chosen
by what they say, ties between states by what they stand for.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from goalmem.engine.atom_selection import choose
from goalmem.engine.budget import Budget
from goalmem.engine.denial import Denial
from goalmem.engine.events import Listener, silent
from goalmem.engine.missing import missing_parts
from goalmem.engine.outcome import Closed, Missing, Outcome, Solution
from goalmem.engine.progress import Teller
from goalmem.engine.state import Open, State, signature, tree
from goalmem.engine.step import Source
from goalmem.engine.table import Table
from goalmem.engine.transition import Limits, take
from goalmem.logic.evaluate import answer_key, conditions, holds, needs_all
from goalmem.logic.terms import Aggregate, Goal, Substitution

__all__ = ["CONFLICT_MARGIN", "MAX_ANSWERS", "MAX_SOLUTIONS", "WIDTH_ALL", "WIDTH_ONE", "prove"]

CONFLICT_MARGIN = 0.05
"""Different answers whose scores differ by less than this share of the better one are not told apart by score: the
readers' scores are products of similarities that are not exact to more than a few hundredths."""
WIDTH_ONE = 8
"""Facts tried for one atom when one answer is wanted."""
WIDTH_ALL = 256
"""The same when all solutions count."""
MAX_ANSWERS = 8
"""Competing answers kept when one is wanted."""
MAX_SOLUTIONS = 256
"""Solutions kept when all count."""


def prove(
    goal: Goal,
    sources: Sequence[Source],
    budget: Budget,
    *,
    clock: Callable[[], float] = time.monotonic,
    listener: Listener = silent,
) -> Outcome:
    """Search for proofs of `goal` until the answer is decided, all is tried, or the budget ends.

    `listener` is told of the goal's subgoals, and of bindings and refinements that the search goes on with.
    Never raises for want of a proof: the outcome then says what is missing.
    """
    budget.start(clock)
    teller = Teller(listener)
    teller.begun(goal)
    width = WIDTH_ALL if needs_all(goal) else WIDTH_ONE
    search = Search(goal, Table(goal, sources, width, budget.breadth), budget, teller=teller)
    search.run()
    return search.refuted() or search.outcome()


@dataclass(slots=True)
class Search:
    """One search and what it has found. A search for a denial, inside, shares table and budget."""

    goal: Goal
    table: Table
    budget: Budget
    denying: frozenset[str] = frozenset()
    """What is being shown false by failure further out: asking for it again here would be a circle."""
    level: int = 0
    """Refinements above the goal's own atoms."""
    any_one: bool = False
    """True when a single solution is enough."""
    teller: Teller = field(default_factory=Teller)
    found: dict[str, Solution] = field(default_factory=dict)
    exhausted: bool = False
    incomplete: bool = False
    """True when something was left untried, so that failure does not mean false."""
    stuck: tuple[tuple[float, ...], str, State] | None = None
    """The state that came furthest of those that could not go on."""

    def run(self) -> None:
        """Search until decided, through, or out of budget."""
        kept = frozenset(v.name for a in self.goal.atoms for v in a.variables)
        opens = tuple(Open(i, a, self.level, root=i, top=True) for i, a in enumerate(self.goal.atoms))
        start = State(opens, next_id=len(opens))
        queue = [(-1.0, len(opens), signature(start, kept), 0, start)]
        seen: set[str] = set()
        pushed = 0
        while queue:
            score, _, key, _, state = heapq.heappop(queue)
            if key in seen:
                continue
            seen.add(key)
            if self._decided(-score):
                return
            self.teller.reached(state)
            if not state.open:
                self._solved(state, key)
                continue
            if self.budget.out_of:
                self.exhausted = True
                self._note_stuck(state, key)
                return
            self.budget.spend(steps=1)
            went_on = False
            for after in self._expand(state):
                pushed += 1
                key_after = signature(after, kept)
                if after.failure:
                    self._note_stuck(after, key_after)
                    continue
                went_on = True
                heapq.heappush(queue, (-after.score, len(after.open), key_after, pushed, after))
            if not went_on:
                self._note_stuck(state, key)

    def outcome(self) -> Outcome:
        """What the search came to."""
        solutions = tuple(sorted(self.found.values(), key=lambda s: -s.score))
        several = len(solutions) > 1 and not needs_all(self.goal)
        undecided = several and self.goal.aggregate is Aggregate.WHETHER
        # A count over half of the solutions would be wrong, not half right.
        cut_short = self.exhausted and needs_all(self.goal)
        if solutions and not undecided and not cut_short:
            status: Literal["proved", "disproved"] = "disproved" if solutions[0].against else "proved"
            return Outcome(status, solutions, (), self.budget.spent, self.exhausted, conflict=several)
        missing: tuple[Missing, ...] = ()
        partial = None
        if self.stuck is not None and not undecided:
            state = self.stuck[2]
            missing = missing_parts(state, self.table, exhausted=self.exhausted)
            partial = self._solution(state)
        spent = self.budget.spent
        return Outcome("unknown", solutions, missing, spent, self.exhausted, partial, conflict=undecided)

    def refuted(self) -> Outcome | None:
        """The outcome that one statement is false, since it is covered by a closed source and nothing proves it."""
        if self.found or self.exhausted or self.goal.aggregate is not Aggregate.WHETHER or len(self.goal.atoms) != 1:
            return None
        (atom,) = self.goal.atoms
        step = Denial(self.table, self.budget, self.denying, self._search_for).refutation(atom)
        if step is None:
            return None
        solution = Solution(Substitution(), (Closed(atom, step),), step.score, against=True)
        return Outcome("disproved", (solution,), (), self.budget.spent, exhausted=False)

    def _decided(self, score: float) -> bool:
        """Whether nothing with this score or less can change the answer."""
        if not self.found:
            return False
        if self.any_one:
            return True
        if needs_all(self.goal):
            self.exhausted = len(self.found) >= MAX_SOLUTIONS
            return self.exhausted
        best = max(s.score for s in self.found.values())
        return score < best * (1 - CONFLICT_MARGIN) or len(self.found) >= MAX_ANSWERS

    def _expand(self, state: State) -> Iterator[State]:
        """Every state one step on."""
        choice = choose(state)
        self.incomplete |= choice.floundered
        if choice.open is None:
            return
        closed_sources = frozenset(s.name for s in self.table.sources if s.closed)
        limits = Limits(self.budget.depth, self.goal.aggregate is Aggregate.WHETHER, closed_sources)
        closed = False
        for step in self.table.steps(state, choice.open):
            after = take(state, choice.open, step, self.goal, limits)
            if after is not None:
                closed |= not step.subgoals and not after.failure
                yield after
        self.incomplete |= choice.open.rules >= limits.rules
        if choice.open.atom.negated and not closed:
            denial = Denial(self.table, self.budget, self.denying, self._search_for)
            denied = denial.step(state, choice.open)
            self.incomplete |= denial.incomplete
            after = take(state, choice.open, denied, self.goal, limits) if denied is not None else None
            if after is not None:
                yield after

    def _search_for(self, goal: Goal, denying: frozenset[str]) -> tuple[bool, bool]:
        """Whether any proof of `goal` exists without refinements, and whether the search for it was complete."""
        inner = Search(goal, self.table, self.budget, denying, level=self.budget.depth, any_one=True)
        inner.run()
        return bool(inner.found), not (inner.exhausted or inner.incomplete)

    def _solved(self, state: State, key: str) -> None:
        unmet = [c for c in conditions(self.goal) if holds(c, state.substitution) is not True]
        if unmet:
            self._note_stuck(state, key)
            return
        solution = self._solution(state)
        if self.goal.aggregate is Aggregate.WHETHER:
            answer = "no" if state.against else "yes"
        else:
            answer = key if needs_all(self.goal) else answer_key(self.goal, state.substitution)
        self.found.setdefault(answer, solution)

    def _solution(self, state: State) -> Solution:
        nodes = tree(state, tuple(range(len(self.goal.atoms))))
        return Solution(state.substitution, nodes, state.score, state.against)

    def _note_stuck(self, state: State, key: str) -> None:
        """Keep the state that closed most of the goal's atoms; then the best scored, then the one with least left."""
        through = len(self.goal.atoms) - len({o.root for o in state.open})
        rank = (float(through), state.score, -float(len(state.open)))
        if self.stuck is None or (rank, self.stuck[1]) > (self.stuck[0], key):
            self.stuck = (rank, key, state)
