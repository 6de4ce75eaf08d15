"""The engine: best-first search for a proof over steps that sources offer (design.md, The engine).

Facts and rules are tried first. An atom is refined only when everything that they lead to has failed; a second refinement of it is
requested when all first ones have failed, at any depth, and so on, because refinements cost most.

Scores multiply and are at most 1. States therefore leave the queue in falling order of score, and the first complete one is the best proof.
The order of atoms, sources and equally good steps changes nothing: open atoms are chosen by their words, ties between states by their
content.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from goalmem.cancellation import OutOfTimeError, checkpoint, until
from goalmem.engine.budget import Budget
from goalmem.engine.events import Event, Listener, silent
from goalmem.engine.outcome import ClosedAtom, MissingAtom, SearchOutcome, Solution
from goalmem.engine.state import ClosedEntry, OpenAtom, SearchState, named_key, signature, tree
from goalmem.engine.step import NearMiss, Source, Step
from goalmem.engine.table import CLOSED_WIDTH, GoalTable
from goalmem.engine.transition import NegationAsFailure, StepLimits, choose_atom, state_after
from goalmem.logic.evaluate import answer_key, conditions, holds, needs_all
from goalmem.logic.syntax import format_atom, format_rule
from goalmem.logic.terms import Aggregate, Goal, Substitution

__all__ = [
    "CONFLICT_MARGIN",
    "MAX_ANSWERS",
    "MAX_MISSES",
    "MAX_SOLUTIONS",
    "WIDTH_ALL",
    "WIDTH_ONE",
    "EventReporter",
    "missing_parts",
    "prove",
]

CONFLICT_MARGIN = 0.05
"""Answers whose scores differ by less than this share of the better one are not told apart by score: readers' scores are products of
similarities with errors of a few hundredths."""
WIDTH_ONE = 8
"""Facts tried for one atom if one answer is wanted."""
WIDTH_ALL = 256
"""The same if all solutions count."""
MAX_ANSWERS = 8
"""Competing answers kept if one is wanted."""
WIDTH_ALONE = 64
"""Facts tried, and answers kept, for a goal of a single atom: all of them may be the answer together."""
MAX_SOLUTIONS = 256
"""Solutions kept if all count, among those that rest on a source with a limited number of steps."""


def prove(
    goal: Goal,
    sources: Sequence[Source],
    budget: Budget,
    *,
    clock: Callable[[], float] = time.monotonic,
    listener: Listener = silent,
) -> SearchOutcome:
    """Search for proofs of `goal` until the answer is decided, all is tried, or the budget ends.

    `listener` receives the goal's subgoals, and the bindings and refinements of states that the search continues with. A missing proof
    raises nothing: the outcome says what is missing.
    """
    budget.start(clock)
    reporter = EventReporter(listener)
    reporter.started(goal)
    width = WIDTH_ALL if needs_all(goal) else WIDTH_ALONE if len(goal.atoms) == 1 else WIDTH_ONE
    search = GoalSearch(goal, GoalTable(goal, sources, width, budget.breadth, budget), budget, reporter=reporter)
    with until(lambda: budget.expired):
        search.run()
        refuted = search.refuted()
    return refuted or search.outcome()


class PendingRefinement(NamedTuple):
    """An atom of a state that may be refined when everything else has failed; sorted in the order in which they are tried."""

    later: int
    """Refinements that failed before this one, over all refinements on the way to it; fewest first."""
    score: float
    """The state's score, negated."""
    left: int
    key: str
    number: int
    angle: int
    state: SearchState
    open: OpenAtom
    went_on: bool
    """True if the state led to others before."""


@dataclass(slots=True)
class EventReporter:
    """Reports each event once, however many states of the search share it."""

    listener: Listener = silent
    _told: set[tuple[str, ...]] = field(default_factory=set)

    def started(self, goal: Goal) -> None:
        """Report the subgoals of a new search."""
        if self.listener is silent:
            return
        atoms = tuple(map(format_atom, goal.atoms))
        self.listener(Event("subgoals", " & ".join(atoms), {"atoms": atoms}))

    def reached(self, state: SearchState) -> None:
        """Report the last step of a state that the search continues with."""
        if self.listener is silent or not state.closed:
            return
        for event in events_of(state.closed[-1]):
            key = (event.kind, event.text, str(event.data.get("turn", "")))
            if key not in self._told:
                self._told.add(key)
                self.listener(event)


def events_of(entry: ClosedEntry) -> Iterator[Event]:
    """Yield a step's refinement and bindings as events."""
    step = entry.step
    atom = format_atom(entry.atom)
    if step.subgoals:
        subgoals = tuple(map(format_atom, step.subgoals))
        yield Event(
            "refinement",
            f"{atom} if {' and '.join(subgoals)}",
            {
                "atom": atom,
                "subgoals": subgoals,
                "by": step.kind,
                "source": step.source,
                "relation": step.relation.value if step.relation is not None else None,
                "rule": format_rule(step.rule) if step.rule is not None else None,
            },
        )
    for binding in step.bindings:
        variable = binding.variable
        yield Event(
            "binding",
            f"{variable} = {binding.value.text}",
            {
                "variable": variable.name,
                "type": variable.type,
                "value": binding.value.text,
                "turn": binding.turn,
                "atom": atom,
                "source": step.source,
                "score": step.score,
            },
        )


@dataclass(slots=True)
class GoalSearch:
    """One search and its solutions. An inner search for a denial shares table and budget."""

    goal: Goal
    table: GoalTable
    budget: Budget
    denying: frozenset[str] = frozenset()
    """Atoms being denied further out: asking for one again would be circular."""
    level: int = 0
    """Refinements above the goal's own atoms."""
    any_one: bool = False
    """True if a single solution is enough."""
    reporter: EventReporter = field(default_factory=EventReporter)
    found: dict[str, Solution] = field(default_factory=dict)
    exhausted: bool = False
    incomplete: bool = False
    """True if something was left untried, so that failure does not mean false."""
    stuck: tuple[tuple[float, ...], str, SearchState] | None = None
    """The furthest state that could not be continued."""
    levels: int = 0
    """Levels of refinement reached."""
    _queue: list[tuple[float, int, str, int, SearchState]] = field(default_factory=list)
    _pending: list[PendingRefinement] = field(default_factory=list)
    _pushed: int = 0
    _cuttable: int = 0
    """Solutions that rest on a source whose steps may have been cut off."""

    def run(self) -> None:
        """Search until decided, complete, or out of budget."""
        opens = tuple(OpenAtom(i, a, self.level, root=i, top=True) for i, a in enumerate(self.goal.atoms))
        self._push((SearchState(opens, next_id=len(opens)),))
        seen: set[str] = set()
        while self._queue or (self._pending and not self.found):
            if not self._queue:
                if not self._refine(heapq.heappop(self._pending)):
                    return
                continue
            score, _, key, _, state = heapq.heappop(self._queue)
            if key in seen:
                continue
            seen.add(key)
            if self._decided(-score):
                return
            self.reporter.reached(state)
            if not state.open:
                self._solved(state, key)
            elif not self._take_steps(state, key):
                return

    def _take_steps(self, state: SearchState, key: str) -> bool:
        """Take every step from a state except refinements, which are postponed; False if the budget is spent."""
        if not self._afforded(state, key):
            return False
        self.budget.spend(steps=1)
        choice = choose_atom(state, (), self.table.lists)
        self.incomplete |= choice.floundered
        tried: list[OpenAtom] = []
        went_on = closed = False
        while choice.open is not None and not closed:
            states = list(self._expand(state, choice.open))
            went_on |= self._push(states)
            closed = any(self._settles(after.closed[-1]) for after in states)
            tried.append(choice.open)
            choice = choose_atom(state, tried, self.table.lists)
        refinable = [o for o in tried if self._refinable(state, o)]
        for open_ in refinable:
            # A closed atom was resolved: if what this led to failed, its first refinement counts as failed.
            later = state.later + (closed and open_ is tried[-1])
            self._postpone(PendingRefinement(later, -state.score, len(state.open), key, 0, 0, state, open_, went_on))
        if not (went_on or refinable):
            self._note_stuck(state, key)
        return True

    def _settles(self, entry: ClosedEntry) -> bool:
        """True if an atom needs no further atom to be tried: something closes it, or a closed source has rules for it."""
        return not entry.children or entry.step.source in self._limits.closed

    def _postpone(self, pending: PendingRefinement) -> None:
        self._pushed += 1
        heapq.heappush(self._pending, pending._replace(number=self._pushed))

    def _refine(self, pending: PendingRefinement) -> bool:
        """Try the next refinement of an atom for which everything else has failed; False if the budget is spent."""
        state = pending.state
        if not self._afforded(state, pending.key):
            return False
        self.budget.spend(steps=1)
        steps = self.table.angle(state, pending.open, pending.angle)
        went_on = self._push(replace(after, later=pending.later) for after in self._taken(state, pending.open, steps))
        if steps:
            went_on |= pending.went_on
            self._postpone(pending._replace(later=pending.later + 1, angle=pending.angle + 1, went_on=went_on))
        elif not pending.went_on:
            self._note_stuck(state, pending.key)
        return True

    def _refinable(self, state: SearchState, open_: OpenAtom) -> bool:
        """True if the atom may be refined in this state."""
        return open_.level < self.budget.depth and not open_.atom.negated and self.table.refinable(state, open_)

    def _afforded(self, state: SearchState, key: str) -> bool:
        """True if the search may continue with a state; otherwise record it as the end of the search."""
        try:
            checkpoint()
            if not self.budget.ended_by:
                return True
        except OutOfTimeError:
            self.budget.cut()
        self.exhausted = True
        self._note_stuck(state, key)
        return False

    def _push(self, states: Iterable[SearchState]) -> bool:
        """Queue states, and record failed ones. True if any was queued."""
        kept = frozenset(v.name for a in self.goal.atoms for v in a.variables)
        went_on = False
        for state in states:
            key = signature(state, kept)
            if state.failure:
                self._note_stuck(state, key)
                continue
            went_on = True
            self._pushed += 1
            self.levels = max(self.levels, *(o.level - self.level for o in state.open), 0)
            heapq.heappush(self._queue, (-state.score, len(state.open), key, self._pushed, state))
        return went_on

    def outcome(self) -> SearchOutcome:
        """The result of the search."""
        solutions = tuple(sorted(self.found.values(), key=lambda s: (-s.score, s.against)))
        several = len(solutions) > 1 and not needs_all(self.goal)
        undecided = several and self.goal.aggregate is Aggregate.WHETHER
        self.exhausted |= self.budget.left_undone or (self.table.left_out and needs_all(self.goal))
        # A count over half of the solutions would be wrong, not half right.
        partly = self.exhausted and needs_all(self.goal)
        if solutions and not undecided and not partly:
            status: Literal["proved", "disproved"] = "disproved" if solutions[0].against else "proved"
            return self._outcome(status, solutions, conflict=several)
        missing: tuple[MissingAtom, ...] = ()
        partial = None
        if self.stuck is not None and not undecided:
            state = self.stuck[2]
            missing = missing_parts(state, self.table, shortage=self._shortage)
            partial = self._solution(state)
        return self._outcome("unknown", solutions, missing, partial, conflict=undecided)

    def refuted(self) -> SearchOutcome | None:
        """The outcome that one statement is false, because a closed source covers it and nothing proves it."""
        if (
            self.found
            or self.exhausted
            or self._uninferred
            or self.goal.aggregate is not Aggregate.WHETHER
            or len(self.goal.atoms) != 1
        ):
            return None
        (atom,) = self.goal.atoms
        step = NegationAsFailure(self.table, self.budget, self.denying, self._search_for).refutation(atom)
        if step is None:
            return None
        solution = Solution(Substitution(), (ClosedAtom(atom, step),), step.score, against=True)
        return self._outcome("disproved", (solution,))

    def _outcome(
        self,
        status: Literal["proved", "disproved", "unknown"],
        solutions: tuple[Solution, ...],
        missing: tuple[MissingAtom, ...] = (),
        partial: Solution | None = None,
        *,
        conflict: bool = False,
    ) -> SearchOutcome:
        return SearchOutcome(
            status,
            solutions,
            missing,
            self.budget.spent,
            self.exhausted,
            partial,
            conflict,
            cut_short=self.budget.cut_short,
            levels=self.levels,
            angles=self.table.angles,
        )

    def _decided(self, score: float) -> bool:
        """True if nothing with this score or less can change the answer."""
        if not self.found:
            return False
        if self.any_one:
            return True
        if needs_all(self.goal):
            self.exhausted = self._cuttable >= MAX_SOLUTIONS or len(self.found) >= CLOSED_WIDTH
            return self.exhausted
        best = max(s.score for s in self.found.values())
        return score < best * (1 - CONFLICT_MARGIN) or len(self.found) >= self._most

    def _expand(self, state: SearchState, open_: OpenAtom) -> Iterator[SearchState]:
        """Yield all successors of a state, without refinements."""
        closed = False
        for after in self._taken(state, open_, self.table.steps(state, open_)):
            closed |= not after.closed[-1].children and not after.failure
            yield after
        self.incomplete |= open_.rules >= self._limits.rules
        if open_.atom.negated and not closed:
            denial = NegationAsFailure(self.table, self.budget, self.denying, self._search_for)
            denied = denial.step(state, open_)
            self.incomplete |= denial.incomplete
            yield from self._taken(state, open_, (denied,) if denied is not None else ())

    def _taken(self, state: SearchState, open_: OpenAtom, steps: Iterable[Step]) -> Iterator[SearchState]:
        """Yield the successors by those steps that can be taken."""
        for step in steps:
            after = state_after(state, open_, step, self.goal, self._limits)
            if after is not None:
                yield after

    @property
    def _limits(self) -> StepLimits:
        closed = frozenset(s.name for s in self.table.sources if s.closed)
        return StepLimits(self.budget.depth, self.goal.aggregate is Aggregate.WHETHER, closed)

    @property
    def _most(self) -> int:
        """How many competing answers are kept."""
        return WIDTH_ALONE if len(self.goal.atoms) == 1 else MAX_ANSWERS

    @property
    def _uninferred(self) -> bool:
        """True if rules were left untried, so that unproved statements need not be false."""
        return bool(self.budget.refused & {"inferences", "seconds"})

    @property
    def _shortage(self) -> str:
        """Why the search was not completed, in words; empty if it was."""
        return (self.budget.shortage or "the budget was spent") if self.exhausted else ""

    def _search_for(self, goal: Goal, denying: frozenset[str]) -> tuple[bool, bool]:
        """Return if any proof of `goal` exists without refinements, and if the search for it was complete."""
        inner = GoalSearch(goal, self.table, self.budget, denying, level=self.budget.depth, any_one=True)
        inner.run()
        return bool(inner.found), not (inner.exhausted or inner.incomplete or self._uninferred)

    def _solved(self, state: SearchState, key: str) -> None:
        unmet = [c for c in conditions(self.goal) if holds(c, state.substitution) is not True]
        if unmet:
            self._note_stuck(state, key)
            return
        solution = self._solution(state)
        if self.goal.aggregate is Aggregate.WHETHER:
            answer = "no" if state.against else "yes"
        else:
            answer = key if needs_all(self.goal) else answer_key(self.goal, state.substitution)
        if answer not in self.found:
            self._cuttable += any(e.step.source not in self.table.whole for e in state.closed)
            self.found[answer] = solution

    def _solution(self, state: SearchState) -> Solution:
        nodes = tree(state, tuple(range(len(self.goal.atoms))))
        return Solution(state.substitution, nodes, state.score, state.against)

    def _note_stuck(self, state: SearchState, key: str) -> None:
        """Keep the state that closed most of the goal's atoms; then the best score, then the fewest open atoms."""
        through = len(self.goal.atoms) - len({o.root for o in state.open})
        rank = (float(through), state.score, -float(len(state.open)))
        if self.stuck is None or (rank, self.stuck[1]) > (self.stuck[0], key):
            self.stuck = (rank, key, state)


MAX_MISSES = 3
"""Near misses kept for one atom."""


def missing_parts(state: SearchState, table: GoalTable, *, shortage: str = "") -> tuple[MissingAtom, ...]:
    """What keeps `state` from being a proof, the most constrained part first.

    `shortage` names the limit that ended the search; empty if the search was complete.
    """
    parts: dict[str, MissingAtom] = {}
    if state.failure:
        last = state.closed[-1]
        evidence = last.step.evidence[0] if last.step.evidence else None
        miss = NearMiss("not-unified", state.failure, evidence, last.step.score)
        atom = last.atom.substitute(state.substitution)
        parts[named_key(last.atom, state.substitution)] = MissingAtom(atom, (miss,))
    for open_ in sorted(
        (question_atom(o, state, table) for o in state.open),
        key=lambda o: (_open_variables(o, state), named_key(o.atom, state.substitution)),
    ):
        key = named_key(open_.atom, state.substitution)
        if key not in parts:
            misses = _misses(state, open_, table, shortage)
            parts[key] = MissingAtom(open_.atom.substitute(state.substitution), misses)
    return tuple(parts.values())


def question_atom(open_: OpenAtom, state: SearchState, table: GoalTable) -> OpenAtom:
    """For a condition of a background rule, the goal's own atom that it serves: users should not see conditions that they did not ask
    about. Conditions of stated rules are shown.
    """
    stated = {s.name for s in table.sources if s.closed}
    rules = (e for e in state.closed if e.step.kind == "rule" and e.step.source not in stated)
    by_rule = any(open_.id in entry.children for entry in rules)
    return replace(open_, atom=table.goal.atoms[open_.root], top=True) if by_rule else open_


def _misses(state: SearchState, open_: OpenAtom, table: GoalTable, shortage: str) -> tuple[NearMiss, ...]:
    if shortage:
        return (NearMiss("over-budget", f"{shortage} before this was found", None, 0.0),)
    request = table.request(state, open_)
    found = [m for source in table.sources for m in source.near_misses(request)]
    found.sort(key=lambda m: (-m.score, m.stage, m.reason, m.evidence.turn if m.evidence else ""))
    return tuple(found[:MAX_MISSES]) or (NearMiss("never-said", "nothing remembered says this", None, 0.0),)


def _open_variables(open_: OpenAtom, state: SearchState) -> int:
    return sum(v.name not in state.substitution for v in open_.atom.variables)
