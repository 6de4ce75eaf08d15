"""A theory decided in the most obvious way: every rule with every constant, over and over until nothing changes.

It is what the solver is compared with, and shares nothing with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from goalmem.logic.terms import Variable
from goalmem.rules import Clause, Literal

Held = frozenset[Literal]


@dataclass
class Naive:
    """The well-founded model of a theory over its constants."""

    clauses: Sequence[Clause]
    closed: bool = True
    cost: int = 0
    ground: list[tuple[Literal, tuple[Literal, ...]]] = field(init=False)
    true: Held = field(init=False)
    possible: Held = field(init=False)

    def __post_init__(self) -> None:
        literals = [x for c in self.clauses for x in (c.head, *c.body)]
        constants = sorted({t for x in literals for t in x.terms if isinstance(t, str)})
        self.ground = [instance for c in self.clauses for instance in instances(c, constants)]
        self.true = frozenset()
        while True:
            self.possible = self.least(self.true)
            more = self.least(self.possible)
            if more == self.true:
                return
            self.true = more

    def least(self, assumed: Held) -> Held:
        """What follows when a denied condition holds unless its opposite is among `assumed`."""
        held: set[Literal] = set()
        while True:
            new = {h for h, body in self.ground if all(self.met(b, held, assumed) for b in body)} - held
            if not new:
                return frozenset(held)
            held |= new

    def met(self, condition: Literal, held: set[Literal], assumed: Held) -> bool:
        return condition in held or (self.closed and condition.negated and condition.denied not in assumed)

    def heights(self) -> dict[Literal, int]:
        """For all that holds, how many rules stand one inside another in its shortest proof."""
        found = {h: 0 for h, body in self.ground if not body and h in self.stated()}
        height = 0
        while True:
            height += 1
            new = {h for h, body in self.ground if h not in found and all(self.short(b, found) for b in body)}
            if not new:
                return found
            found |= dict.fromkeys(new, height)

    def short(self, condition: Literal, found: dict[Literal, int]) -> bool:
        failed = self.closed and condition.negated and condition.denied not in self.possible
        return condition in found or failed

    def stated(self) -> set[Literal]:
        return {c.head for c in self.clauses if not c.body and c.head.ground}


def instances(clause: Clause, constants: Sequence[str]) -> list[tuple[Literal, tuple[Literal, ...]]]:
    variables = list(clause.variables)
    found = []
    for values in product(constants, repeat=len(variables)):
        by = dict(zip(variables, values, strict=True))
        found.append((put(clause.head, by), tuple(put(b, by) for b in clause.body)))
    return found


def put(literal: Literal, values: dict[Variable, str]) -> Literal:
    terms = tuple(values.get(t, t) if isinstance(t, Variable) else t for t in literal.terms)
    return Literal(literal.predicate, terms, literal.negated)
