"""Which open atom of a state is closed next, the state after a step, and the step of a denial (negation as failure).

The most constrained atom comes first, so that the search branches least.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from goalmem.cancellation import OutOfTimeError
from goalmem.engine.budget import Budget
from goalmem.engine.state import ClosedEntry, OpenAtom, SearchState, call_key, named_key, rename_apart
from goalmem.engine.step import Source, Step
from goalmem.engine.table import GoalTable, relevant
from goalmem.logic.evaluate import conditions, holds
from goalmem.logic.interval import Interval
from goalmem.logic.syntax import format_atom
from goalmem.logic.terms import Aggregate, Atom, Constraint, Goal, Substitution

MAX_RULES = 40
"""Rules applied inside each other; a proof document holds 60 levels."""


@dataclass(frozen=True, slots=True)
class StepLimits:
    """Limits on steps."""

    depth: int
    """Levels of refinement."""
    whether: bool
    """True if steps that contradict the goal count."""
    closed: frozenset[str] = frozenset()
    """Names of closed sources. Only their rules are not limited by `depth`: they can be followed to the end."""
    rules: int = MAX_RULES


def state_after(state: SearchState, open_: OpenAtom, step: Step, goal: Goal, limits: StepLimits) -> SearchState | None:
    """The state after `step`; None if the step cannot be taken.

    A state whose bindings violate a constraint has `failure` set to the reason.
    """
    if step.negated and not (limits.whether and open_.top and not state.against):
        return None
    proposed = step.source not in limits.closed
    if step.subgoals and (open_.level >= limits.depth if proposed else open_.rules >= limits.rules):
        return None
    substitution = _bound(state, open_, step, goal)
    if substitution is None:
        return None
    open_variables = any(v.name not in substitution for v in open_.atom.variables)
    if open_variables and not step.subgoals and not step.negated:
        return None
    new = _opened(state, open_, step, goal.names, proposed=proposed)
    broken = [c for c in conditions(goal) if holds(c, substitution) is False]
    return SearchState(
        _waiting(state, open_, new) + new,
        substitution,
        (*state.closed, ClosedEntry(open_.id, open_.atom, step, tuple(o.id for o in new))),
        state.score * step.score,
        state.next_id + len(new),
        state.against or step.negated,
        _said(broken[0], substitution) if broken else "",
        state.later,
    )


def _bound(state: SearchState, open_: OpenAtom, step: Step, goal: Goal) -> Substitution | None:
    """The substitution with the step's bindings of explicit variables (condition 1); None on a conflict (condition 3)."""
    explicit = goal.names | {v.name for v in open_.atom.variables}
    return state.substitution.bind(tuple(b for b in step.bindings if b.variable.name in explicit))


def _waiting(state: SearchState, closed: OpenAtom, new: tuple[OpenAtom, ...]) -> tuple[OpenAtom, ...]:
    """The other open atoms. Those that waited for the closed atom now wait for the atoms that its step opened."""
    ids = frozenset(o.id for o in new)
    others = (o for o in state.open if o is not closed)
    return tuple(replace(o, after=o.after - {closed.id} | ids) if closed.id in o.after else o for o in others)


def _opened(
    state: SearchState, open_: OpenAtom, step: Step, named: frozenset[str], *, proposed: bool
) -> tuple[OpenAtom, ...]:
    """The atoms that a step opens. After the antecedents of a refinement, the atom itself is open again.

    A refinement shares only the variables of its atom: other variables with the same name are renamed.
    """
    if not step.subgoals:
        return ()
    again = {call_key(open_.atom, state.substitution), named_key(open_.atom, state.substitution)}
    ancestors = open_.ancestors | again
    refinement = step.kind == "refinement"
    own = frozenset(v.name for v in open_.atom.variables)
    atoms = step.subgoals
    others = {v.name for a in atoms for v in a.variables} - own
    if not refinement:
        atoms = rename_apart(atoms, own, state.next_id)
    elif taken := others & (named | state.names):
        atoms = rename_apart(atoms, own | others - taken, state.next_id)
    below = OpenAtom(
        state.next_id,
        open_.atom,
        open_.level + proposed,
        open_.rules + (not proposed),
        open_.inferred or (step.kind == "rule" and not step.judge),
        ancestors,
        root=open_.root,
    )
    new = tuple(replace(below, id=state.next_id + i, atom=atom) for i, atom in enumerate(atoms))
    if not refinement:
        return new
    after = frozenset(o.id for o in new)
    return (*new, replace(open_, id=state.next_id + len(new), ancestors=ancestors, after=after, top=False))


def _said(broken: Constraint, substitution: Substitution) -> str:
    """A violated constraint in words, with the times."""
    left = substitution[broken.left]
    right = broken.right if isinstance(broken.right, Interval) else substitution[broken.right].text
    if left.interval is None:
        return f"“{left.text}” is no time that could lie {broken.op} {right}"
    return f"{left.text} does not lie {broken.op} {right}"


@dataclass(frozen=True, slots=True)
class Choice:
    """The atom to close next; None if the state cannot be continued."""

    open: OpenAtom | None
    floundered: bool = False
    """True if the remaining atoms cannot be asked, although they may be true."""


def choose_atom(
    state: SearchState, failed: Collection[OpenAtom] = (), lists: Callable[[Atom], bool] = lambda _: False
) -> Choice:
    """Choose the atom with the fewest open variables; then one that shares a bound variable; then the one with most words.

    If some atoms cannot be closed as they are (`failed`), choose one that may bind their variables, since what a source finds depends on
    what is bound.

    An atom waits for those that it comes after. A negated atom waits until it is ground, because failure to prove it says nothing about its
    instances, unless a source lists them (`lists`). An atom that repeats one of its ancestors would be circular: it waits until another
    atom has bound its variables, and ends the state if none can or if it repeats them exactly.
    """
    ready = [o for o in state.open if not o.after]
    if any(named_key(o.atom, state.substitution) in o.ancestors for o in ready):
        return Choice(None)
    askable = [
        o
        for o in ready
        if not (o.atom.negated and _open_variables(o.atom, state) and not lists(o.atom))
        and call_key(o.atom, state.substitution) not in o.ancestors
    ]
    if failed:
        lacking = {v.name for o in failed for v in o.atom.variables} - set(state.substitution)
        askable = [o for o in askable if o not in failed and lacking & {v.name for v in o.atom.variables}]
        return Choice(min(askable, key=lambda o: _constrained(o, state), default=None))
    if not askable:
        return Choice(None, floundered=True)
    return Choice(min(askable, key=lambda o: _constrained(o, state)))


def _open_variables(atom: Atom, state: SearchState) -> int:
    return sum(v.name not in state.substitution for v in atom.variables)


def _constrained(open_: OpenAtom, state: SearchState) -> tuple[object, ...]:
    atom = open_.atom
    open_variables = _open_variables(atom, state)
    shares = open_variables < len(atom.variables)
    words = sum(len(p.split()) for p in atom.parts if isinstance(p, str))
    return open_variables, not shares, -words, named_key(atom, state.substitution), open_.level


@runtime_checkable
class CoverageSource(Protocol):
    """A closed source that knows only some statements. A closed source without this method covers all statements."""

    def covers(self, atom: Atom) -> bool:
        """True if the source could state the atom, so that it is false if not proved."""
        ...


@dataclass(slots=True)
class NegationAsFailure:
    """Closes negated atoms by failure."""

    table: GoalTable
    budget: Budget
    denying: frozenset[str]
    search: Callable[[Goal, frozenset[str]], tuple[bool, bool]]
    """(goal, atoms being denied) -> (a proof was found, the search was complete)."""
    incomplete: bool = False
    """True when a denial could not be decided."""

    def step(self, state: SearchState, open_: OpenAtom) -> Step | None:
        """The closed-world step for a ground negated atom; None if its positive form holds or may hold."""
        bound = relevant(open_, state.substitution)
        positive = replace(open_.atom.substitute(bound), negated=False)
        source = self.covering_source(positive)
        if source is None or not positive.ground:
            return None
        key = call_key(positive, state.substitution)
        if key in self.denying:
            self.incomplete = True
            return None
        failure, complete = self._failure(source, positive, key)
        self.incomplete |= not complete
        return failure

    def refutation(self, atom: Atom) -> Step | None:
        """The step that shows a ground statement false because nothing proves it; None if it holds, may hold, or is not covered."""
        source = self.covering_source(atom)
        if source is None or atom.negated or not atom.ground:
            return None
        failure, _ = self._failure(source, atom, call_key(atom, Substitution()))
        return replace(failure, negated=True) if failure is not None else None

    def _failure(self, source: Source, atom: Atom, key: str) -> tuple[Step | None, bool]:
        """The step that says that nothing proves a ground atom, None if something does or may; and whether the search was complete."""
        proved, complete = self.search(Goal("", (atom,), None, Aggregate.WHETHER), self.denying | {key})
        if proved or not complete:
            return None, complete
        return Step(source.name, "closed-world", 1.0, note=f"nothing proves: {format_atom(atom)}"), True

    def covering_source(self, atom: Atom) -> Source | None:
        """A closed source that covers the atom; None if there is none."""
        closed = sorted((s for s in self.table.sources if s.closed), key=lambda s: s.name)
        try:
            return next((s for s in closed if not isinstance(s, CoverageSource) or s.covers(atom)), None)
        except OutOfTimeError:
            self.budget.cut()
            return None
