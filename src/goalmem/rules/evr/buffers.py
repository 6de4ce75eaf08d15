"""A theory's sentences in the buffers of a working memory, and which network is for what (EVR, section 3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from goalmem.rules.program import Program
from goalmem.rules.working_memory import WorkingMemory

__all__ = ["FACT_PATTERN", "RULE_PATTERN", "Part", "Sentences", "Variant", "part_of", "parts"]

FACT_PATTERN, RULE_PATTERN = 6, 10
"""The two that read a buffer; EVR1 and EVR3 have a network for each, and one for the other ten."""


class Variant(StrEnum):
    """The three of the paper (EVR, section 3.4)."""

    EVR1 = "evr1"
    """Three networks; buffers of 5 facts and of 3 rules."""
    EVR2 = "evr2"
    """One network for all patterns; buffers as EVR1."""
    EVR3 = "evr3"
    """Three networks; buffers of 20 facts and of 10 rules."""

    @property
    def buffers(self) -> tuple[int, int]:
        """Facts and rules a buffer."""
        return (20, 10) if self is Variant.EVR3 else (5, 3)


class Part(StrEnum):
    """A network, by what it is for."""

    OTHER = "other"
    FACT = "fact"
    RULE = "rule"
    ALL = "all"


def parts(variant: Variant) -> tuple[Part, ...]:
    """The networks of a variant, in the order in which they are trained."""
    return (Part.ALL,) if variant is Variant.EVR2 else (Part.OTHER, Part.FACT, Part.RULE)


def part_of(variant: Variant, pattern: int) -> Part:
    """The network that a pattern belongs to."""
    if variant is Variant.EVR2:
        return Part.ALL
    return {FACT_PATTERN: Part.FACT, RULE_PATTERN: Part.RULE}.get(pattern, Part.OTHER)


@dataclass(frozen=True, slots=True)
class Sentences:
    """A theory's sentences as a working memory holds them."""

    memory: WorkingMemory
    facts: tuple[tuple[int, ...], ...]
    """For each fact the clauses that its sentence states."""
    rules: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, theory: Program, facts_each: int, rules_each: int) -> Sentences:
        """The facts and rules of a theory; a sentence that states both counts as both."""
        facts: dict[str, list[int]] = {}
        rules: dict[str, list[int]] = {}
        for number, clause in enumerate(theory.clauses):
            held = facts if not clause.body and clause.head.ground else rules
            held.setdefault(clause.text, []).append(number)
        memory = WorkingMemory(tuple(facts), tuple(rules), "", facts_each, rules_each)
        return cls(memory, tuple(map(tuple, facts.values())), tuple(map(tuple, rules.values())))
