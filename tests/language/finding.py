"""Looks up facts by what they say."""

from __future__ import annotations

from collections.abc import Iterable

from goalmem.records import Fact


def named(fact: Fact, role: str) -> str:
    """The entity of an argument, else its text; empty when there is none."""
    argument = fact.arg(role)
    return (argument.entity or argument.text) if argument else ""


def find(facts: Iterable[Fact], predicate: str, **roles: str) -> list[Fact]:
    """The facts with this predicate and, for each role (`in_` for in), this entity or text."""
    wanted = {role.rstrip("_"): value for role, value in roles.items()}
    return [f for f in facts if f.predicate == predicate and all(named(f, r) == v for r, v in wanted.items())]


def one(facts: Iterable[Fact], predicate: str, **roles: str) -> Fact:
    """The only such fact; says what there is instead."""
    facts = list(facts)
    found = find(facts, predicate, **roles)
    assert len(found) == 1, [(f.predicate, [(a.role, a.entity or a.text) for a in f.args]) for f in facts]
    return found[0]
