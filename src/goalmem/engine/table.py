"""The table of what the sources were asked already: each call is made once in a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from goalmem.engine.state import Open, State, call_key
from goalmem.engine.step import Request, Source, Step
from goalmem.logic.syntax import format_rule
from goalmem.logic.terms import Goal, Substitution

__all__ = ["CLOSED_WIDTH", "Table", "relevant"]

CLOSED_WIDTH = 10_000
"""Alternatives taken from a closed source: failure means "false" there, so that none may be cut off."""
SUBGOAL_KINDS = frozenset({"refinement"})
"""Kinds of step that `breadth` limits."""


@dataclass(slots=True)
class Table:
    """Asks sources and remembers the answers."""

    goal: Goal
    sources: Sequence[Source]
    width: int
    """Facts, edges and rules tried for one atom, from open sources."""
    breadth: int
    """Refinements tried for one atom."""
    _answers: dict[tuple[str, bool], tuple[Step, ...]] = field(default_factory=dict)

    def steps(self, state: State, open_: Open, *, only_closed: bool = False) -> tuple[Step, ...]:
        """All steps worth trying for an open atom, best first, equal ones in an order of their own.

        Sources are asked with the bindings of the atom's own variables alone, so that one answer serves every state
        that agrees in these.
        """
        key = (_exact_key(open_, state.substitution), only_closed)
        if key not in self._answers:
            request = self.request(state, open_)
            found: list[Step] = []
            for source in self.sources:
                if source.closed or not only_closed:
                    found += _usable(source.steps(_wider(request) if source.closed else request))
            self._answers[key] = self._best(found)
        return self._answers[key]

    def request(self, state: State, open_: Open) -> Request:
        """What a source is asked about an open atom."""
        atoms = tuple(o.atom for o in state.open)
        bound = relevant(open_, state.substitution)
        return Request(open_.atom, bound, self.goal, atoms, open_.level, max(self.width, self.breadth))

    def _best(self, steps: list[Step]) -> tuple[Step, ...]:
        closed = {s.name for s in self.sources if s.closed}
        kept: list[Step] = []
        facts = refinements = 0
        for step in sorted(steps, key=_in_order):
            if step.kind in SUBGOAL_KINDS:
                refinements += 1
                keep = refinements <= self.breadth
            else:
                facts += step.source not in closed
                keep = step.source in closed or facts <= self.width
            if keep:
                kept.append(step)
        return tuple(kept)


def relevant(open_: Open, substitution: Substitution) -> Substitution:
    """The bindings of the atom's own variables."""
    names = {v.name for v in open_.atom.variables}
    return Substitution(tuple(b for b in substitution.bindings if b.variable.name in names))


def _usable(steps: Sequence[Step]) -> list[Step]:
    return [s for s in steps if 0 < s.score <= 1]


def _wider(request: Request) -> Request:
    return Request(request.atom, request.substitution, request.goal, request.open, request.depth, CLOSED_WIDTH)


def _exact_key(open_: Open, substitution: Substitution) -> str:
    names = ",".join(v.name for v in open_.atom.variables)
    return f"{open_.level}|{names}|{call_key(open_.atom, substitution)}"


def _in_order(step: Step) -> tuple[object, ...]:
    """Best first; equal scores by what the step says, the later said first: the order of offers never decides."""
    said = tuple((tuple(-ord(c) for c in e.said), e.turn, e.start, e.end) for e in step.evidence)
    bound = tuple((b.variable.name, b.value.key, b.value.text) for b in step.bindings)
    subgoals = tuple(call_key(a, Substitution()) for a in step.subgoals)
    rule = format_rule(step.rule) if step.rule is not None else ""
    return -step.score, step.kind, step.source, step.negated, bound, said, rule, subgoals
