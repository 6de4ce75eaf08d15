"""Negation as failure: a negated atom holds if a complete search finds no proof of its positive form.

This applies only to closed sources, and only to the atoms that they cover (design.md, The engine).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from goalmem.cancellation import OutOfTimeError
from goalmem.engine.budget import Budget
from goalmem.engine.state import OpenAtom, SearchState, call_key
from goalmem.engine.step import Source, Step
from goalmem.engine.table import GoalTable, relevant
from goalmem.logic.syntax import format_atom
from goalmem.logic.terms import Aggregate, Atom, Goal, Substitution


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
        goal = Goal("", (positive,), None, Aggregate.WHETHER)
        proved, complete = self.search(goal, self.denying | {key})
        if proved or not complete:
            self.incomplete |= not complete
            return None
        return Step(source.name, "closed-world", 1.0, note=f"nothing proves: {format_atom(positive)}")

    def refutation(self, atom: Atom) -> Step | None:
        """The step that shows a ground statement false because nothing proves it; None if it holds, may hold, or is not covered."""
        source = self.covering_source(atom)
        if source is None or atom.negated or not atom.ground:
            return None
        key = call_key(atom, Substitution())
        proved, complete = self.search(Goal("", (atom,), None, Aggregate.WHETHER), self.denying | {key})
        if proved or not complete:
            return None
        return Step(source.name, "closed-world", 1.0, negated=True, note=f"nothing proves: {format_atom(atom)}")

    def covering_source(self, atom: Atom) -> Source | None:
        """A closed source that covers the atom; None if there is none."""
        closed = sorted((s for s in self.table.sources if s.closed), key=lambda s: s.name)
        try:
            return next((s for s in closed if not isinstance(s, CoverageSource) or s.covers(atom)), None)
        except OutOfTimeError:
            self.budget.cut()
            return None
