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
from functools import cache
from itertools import islice, product
from typing import TypeAlias

from goalmem.logic.terms import Variable
from goalmem.rules.compiled import CompiledRule, Ground, ground
from goalmem.rules.derivation import RuleDerivation
from goalmem.rules.grammar.reader import GrammarReader
from goalmem.rules.terms import Clause, Literal
from goalmem.rules.theory import Theory
from goalmem_lab.evals.ruletaker_data import TheoryText

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


def tree_of(derivation: RuleDerivation, names: Sequence[str]) -> Tree:
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


MAX_INSTANCES = 1_000
"""Instances of a rule that are looked at where a condition's variable is open."""


@dataclass(frozen=True, slots=True)
class Names:
    """What a file calls the clauses that a reader found, by their number in the theory."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, text: TheoryText, theory: Theory) -> Names:
        """A clause is the fact or rule that says the same; one that says what no other does has no name."""
        known: dict[object, str] = {}
        grammar = GrammarReader()
        for stated in text.stated:
            for clause in grammar.read(stated.text).clauses:
                known.setdefault(_content(clause), stated.id)
        return cls(tuple(known.get(_content(c), "") for c in theory.clauses))


def matches(given: str, theory: Theory, statement: Literal, names: Names) -> bool:
    """True when the theory's proof of a ground statement, or of its opposite where that decides, is one of the given.

    Where nothing proves it, the given example must be one of the deepest failures.
    """
    verdict = theory.decide(statement)
    if verdict.derivation is not None and verdict.derivation.kind != "failure":
        return tree_of(verdict.derivation, names.names) in given_proofs(given)
    failure = given_failure(given)
    denied = statement.denied if statement.negated else statement
    return failure is not None and failure in _failing(theory, names.names).deepest(ground(denied))


def _content(clause: Clause) -> object:
    """What a clause says, whatever its variables are called and in whatever order its conditions stand."""
    numbers = {v.name: n for n, v in enumerate(clause.variables)}

    def plain(literal: Literal) -> object:
        terms = tuple(numbers[t.name] if isinstance(t, Variable) else t.casefold() for t in literal.terms)
        return literal.predicate.casefold(), literal.negated, terms

    return plain(clause.head), frozenset(plain(b) for b in clause.body)


def _failing(theory: Theory, names: Sequence[str]) -> Failing:
    @cache
    def holds(statement: Ground) -> bool:
        verdict = theory.decide(theory.index.said(statement))
        return verdict.status == "proved"

    def tried(statement: Ground) -> Mapping[str, Sequence[Sequence[Ground]]]:
        found: dict[str, list[list[Ground]]] = {}
        for rule in theory.index.heading(statement):
            for body in _bodies(rule, statement, tuple(theory.index.domain)):
                found.setdefault(names[rule.number], []).append([c for c in body if not holds(c)])
        return found

    return Failing(tried)


def _bodies(rule: CompiledRule, statement: Ground, domain: Sequence[str]) -> list[list[Ground]]:
    """The conditions of every instance of a rule whose head is the statement."""
    binding = rule.opened(statement)
    if binding is None:
        return []
    open_ = [n for n, value in enumerate(binding) if value is None]
    bodies = []
    for values in islice(product(domain, repeat=len(open_)), MAX_INSTANCES):
        held = dict(zip(open_, values, strict=True))
        terms = [held.get(n) or value or "" for n, value in enumerate(binding)]
        bodies.append(
            [(p.predicate, p.negated, tuple(terms[t] if isinstance(t, int) else t for t in p.terms)) for p in rule.body]
        )
    return bodies
