"""Deciding a goal over a theory: what bears on it, what of that holds, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from goalmem.engine.budget import Budget
from goalmem.errors import UnstratifiedError
from goalmem.logic.syntax import format_atom
from goalmem.rules.compiled import Args, Call, Ground, Index
from goalmem.rules.demand import Grounding
from goalmem.rules.derivation import Derivation, Shortest, proofs
from goalmem.rules.wellfounded import Model, denied

__all__ = ["MAX_PROOFS", "Solved", "solve"]

MAX_PROOFS = 1_000
"""Proofs listed of one statement."""


@dataclass
class Solved:
    """What a theory says of a goal and of its opposite."""

    index: Index
    call: Call
    model: Model
    """Over all that bears on the goal."""

    @property
    def opposite(self) -> Call:
        """The opposite of the goal."""
        return self.call[0], not self.call[1], self.call[2]

    @cached_property
    def shortest(self) -> Shortest:
        """The shortest derivations of all that holds."""
        return Shortest(self.model, self.index.stating)

    def answers(self, call: Call) -> Iterator[Args]:
        """The constants under which a call is stated or derived, facts first."""
        predicate, negated, terms = call
        yield from self.index.matching((predicate, negated), terms)
        for head in self.model.instances:
            fits = head[:2] == (predicate, negated) and all(t in (None, a) for t, a in zip(terms, head[2], strict=True))
            if fits and head in self.model.true and not self.index.stated(head):
                yield head[2]

    def derivation(self, statement: Ground) -> Derivation | None:
        """The shortest derivation of a literal that bears on the goal."""
        return self.shortest.derivation(statement)

    def proofs(self, statement: Ground, limit: int = MAX_PROOFS) -> Iterator[Derivation]:
        """All proofs; complete when solved with `every`."""
        return proofs(self.model, self.index.stating, statement, limit)

    def require_decided(self) -> None:
        """Raises UnstratifiedError where the goal, or its opposite, rests on its own denial."""
        for predicate, negated, terms in (self.call, self.opposite):
            for statement in self.model.undecided:
                asked = statement[:2] == (predicate, negated)
                if asked and all(t in (None, a) for t, a in zip(terms, statement[2], strict=True)):
                    raise self._unstratified(statement)

    def _unstratified(self, statement: Ground) -> UnstratifiedError:
        cycle = _cycle(self.model, statement)
        said = tuple(format_atom(self.index.said(s).atom) for s in cycle)
        circle = ", which needs ".join(f"“{s}”" for s in said)
        return UnstratifiedError(
            f"The rules go in a circle through a negation: {circle}.",
            "Take out one of the rules of the circle, or state as a fact what it leaves open.",
            said,
        )


def solve(
    index: Index,
    call: Call,
    *,
    closed: bool,
    domain: Sequence[str] = (),
    every: bool = False,
    budget: Budget | None = None,
) -> Solved:
    """Decide a goal; in a closed world what cannot be derived is false.

    `domain` adds to the constants of the theory what only the question names. With `every`, what is stated is derived as
    well wherever it can be. Never raises for what it finds: see `Solved.require_decided`.

    Raises:
        OverBudgetError: the budget does not reach so far.
    """
    named = [*index.domain, *(d for d in domain if d not in index.domain)]
    grounding = Grounding(index, closed, named, every, budget or Budget())
    grounding.demand(call)
    grounding.demand((call[0], not call[1], call[2]))
    return Solved(index, call, Model(index.stated, grounding.instances, closed))


def _cycle(model: Model, start: Ground) -> list[Ground]:
    """Statements each of which needs the next, the last one the first or its denial, through at least one denial."""
    for statement in _reached(model, start):
        for condition in (c for i in model.instances.get(statement, ()) for c in i.body if c[1]):
            positive = denied(condition)
            back = _reached(model, positive) if positive in model.undecided else {}
            if statement in back:
                path = [] if positive == statement else [back[statement][1]]
                at = statement if positive == statement else back[statement][0]
                while at != positive:
                    at, needed = back[at]
                    path.append(needed)
                return [statement, condition, *path[::-1]]
    return [start]


def _reached(model: Model, start: Ground) -> dict[Ground, tuple[Ground, Ground]]:
    """The undecided statements that one rests on, itself first: for each the one that needs it, and as what it does."""
    found = {start: (start, start)}
    agenda = [start]
    for statement in agenda:
        for condition in (c for i in model.instances.get(statement, ()) for c in i.body):
            for needed in (condition, denied(condition)) if condition[1] else (condition,):
                if needed in model.undecided and needed not in found:
                    found[needed] = (statement, condition)
                    agenda.append(needed)
    return found
