"""Proofs in RuleTaker's own notation, and those of a theory put into it, so that they can be compared.

    [(((triple8 triple9) -> rule3)) OR ((triple4) -> rule1)]                                  a rule over what proves its conditions
    [@2: Bob is round.[CWA. Example of deepest failure = (rule3 <- rule5 <- FAIL)]]           nothing proves it

Of a statement that nothing proves the data gives one *deepest failure*: of the rules that may derive it the one that fails
last, where a rule fails as soon as one of its conditions does, and is not tried again for what it is being tried for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from goalmem.rules.compiled import Ground
from goalmem.rules.derivation import Derivation

__all__ = ["Failing", "Failure", "Tree", "given_failure", "given_proofs", "tree_of"]

Tree: TypeAlias = tuple[str, tuple["Tree", ...]]
"""A fact or rule, and what proves the rule's conditions, in no order."""
Failure: TypeAlias = tuple[str, ...]
"""Rules, each tried for a condition of the one before."""

MAX_GIVEN = 1_000
"""Alternatives that are told apart where parts of a proof have several."""
FAILED = frozenset({"NAF", "CWA", "FAIL"})
"""A denied condition that holds by failure is no part of a tree, whatever the data calls it."""
_SIGN = re.compile(r"->|[()]|\w+")
_FAILURE = re.compile(r"deepest failure = \((.*?)\)")


def given_proofs(text: str) -> list[Tree]:
    """The proofs that a file gives; none where it says that nothing proves the statement."""
    if "CWA" in text and "->" not in text:
        return []
    found, _ = _alternatives(_SIGN.findall(text), 0)
    return [trees[0] if len(trees) == 1 else ("", _sorted(trees)) for trees in found]


def given_failure(text: str) -> Failure | None:
    """The deepest failure that a file gives as an example; None where it gives proofs."""
    found = _FAILURE.search(text)
    if found is None:
        return None
    return tuple(part.strip() for part in found[1].split("<-") if part.strip() != "FAIL")


def _alternatives(signs: list[str], at: int) -> tuple[list[list[Tree]], int]:
    """What stands from `at` to the closing bracket, as lists of trees of which `OR` leaves one; and where it ends."""
    done: list[list[Tree]] = []
    found: list[list[Tree]] = [[]]
    while at < len(signs) and signs[at] != ")":
        sign, at = signs[at], at + 1
        if sign == "OR":
            done, found = [*done, *found], [[]]
        elif sign == "(":
            inner, at = _alternatives(signs, at)
            found = [[*before, *after] for before in found for after in inner][:MAX_GIVEN]
        elif sign == "->" and at < len(signs):
            found, at = [[(signs[at], _sorted(trees))] for trees in found], at + 1
        elif sign not in FAILED:
            found = [[*trees, (sign, ())] for trees in found]
    return [*done, *found], at + 1


def _sorted(trees: list[Tree]) -> tuple[Tree, ...]:
    return tuple(sorted(trees))


def tree_of(derivation: Derivation, names: Sequence[str]) -> Tree:
    """A derivation as a tree; `names` by clause."""
    made: dict[int, Tree] = {}
    for step in derivation.steps():
        if step.kind != "failure":
            made[id(step)] = (names[step.clause], _sorted([made[id(c)] for c in step.children if id(c) in made]))
    return made[id(derivation)]


@dataclass
class Failing:
    """Why statements cannot be proved."""

    tried: Callable[[Ground], Mapping[str, Sequence[Sequence[Ground]]]]
    """The rules that may derive a statement, by name, each with the conditions of its instances that do not hold."""
    limit: int = 10_000
    """Attempts that are looked at, so that no theory takes long."""
    _left: int = field(default=0, init=False)

    def deepest(self, statement: Ground) -> set[Failure]:
        """Every deepest failure of a statement."""
        self._left = self.limit
        return self._deepest(statement, frozenset())

    def _deepest(self, statement: Ground, above: frozenset[tuple[str, Ground]]) -> set[Failure]:
        self._left -= 1
        found: set[Failure] = {()}
        if self._left < 0:
            return found
        for rule, instances in self.tried(statement).items():
            if (rule, statement) in above:
                continue
            for failed in instances:
                parts = [self._deepest(condition, above | {(rule, statement)}) for condition in failed]
                first = min((_depth(p) for p in parts), default=0)
                found |= {(rule, *chain) for p in parts if _depth(p) == first for chain in p} or {(rule,)}
        most = _depth(found)
        return {chain for chain in found if len(chain) == most}


def _depth(chains: set[Failure]) -> int:
    return max(len(chain) for chain in chains)
