"""Whether a theory's proof of a statement is one of those that a RuleTaker file gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product

from goalmem.logic.terms import Variable
from goalmem.rules.compiled import CompiledRule, Ground, ground
from goalmem.rules.grammar.reader import GrammarReader
from goalmem.rules.terms import Clause, Literal
from goalmem.rules.theory import Theory
from goalmem_lab.evals.ruletaker_data import TheoryText
from goalmem_lab.evals.ruletaker_proofs import Failing, given_failure, given_proofs, tree_of

__all__ = ["Names", "matches"]

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
