"""EVR's working memory: the context of a reasoner while it proves a statement (EVR, sections 3.3, 3.4 and A.3).

Two episodic buffers describe the buffers and the statement to prove; the second is replaced as subgoals are generated.
Facts and rules are in numbered buffers of a fixed size, which are read only if an operator says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from goalmem.rules.program import Program

FACTS_EACH, RULES_EACH = 5, 3
"""Sentences in a buffer (EVR1; EVR3 has 20 and 10)."""


class Operator(StrEnum):
    """The operators of a reasoner, and its possible findings (EVR, table 1)."""

    GENERATE_SUBGOALS = "GENERATE_SUBGOALS"
    """Replace the goal by subgoals."""
    GET_THEN_RUN = "GET THEN RUN"
    """Read a buffer and judge the goal by it; written out by `get_then_run`."""
    AND = "AND"
    """All subgoals must hold."""
    OR = "OR"
    """At least one subgoal must hold."""
    NAF = "NAF"
    """A negated statement holds because nothing contradicts it."""
    CWA = "CWA"
    """A statement is false because nothing confirms it."""


@dataclass(frozen=True, slots=True)
class WorkingMemory:
    """Episodic, fact and rule buffers."""

    facts: tuple[str, ...]
    rules: tuple[str, ...]
    goal: str = ""
    """The second episodic buffer."""
    facts_each: int = FACTS_EACH
    rules_each: int = RULES_EACH

    @property
    def fact_buffers(self) -> int:
        """Number of fact buffers."""
        return -(-len(self.facts) // self.facts_each)

    @property
    def rule_buffers(self) -> int:
        """Number of rule buffers."""
        return -(-len(self.rules) // self.rules_each)

    @property
    def episodic(self) -> tuple[str, str]:
        """The two episodic buffers."""
        facts = f"{self.fact_buffers} fact buffer{'s' * (self.fact_buffers != 1)}"
        rules = f"{self.rule_buffers} rule buffer{'s' * (self.rule_buffers != 1)}"
        return f"there are {facts} and {rules}.", self.goal

    def wanting(self, goal: str) -> WorkingMemory:
        """The same with another goal in the second episodic buffer."""
        return replace(self, goal=goal)

    def buffer(self, key: str) -> tuple[str, ...]:
        """The numbered sentences of a buffer: `EPISODIC_BUFFER`, `FACT_BUFFER_1`, `RULE_BUFFER_2`.

        Raises KeyError where there is no such buffer.
        """
        if key == "EPISODIC_BUFFER":
            return self.episodic
        kind, _, number = key.rpartition("_")
        held, each = {"FACT_BUFFER": (self.facts, self.facts_each), "RULE_BUFFER": (self.rules, self.rules_each)}[kind]
        first = (int(number) - 1) * each if number.isdecimal() else -1
        if not 0 <= first < len(held):
            raise KeyError(key)
        return tuple(f"{kind[:4].lower()} {n}: {text}" for n, text in _numbered(held, first, each))

    def fact_buffer_of(self, number: int) -> str:
        """Key of the buffer that contains a fact; facts count from 1."""
        return f"FACT_BUFFER_{(number - 1) // self.facts_each + 1}"

    def rule_buffer_of(self, number: int) -> str:
        """Key of the buffer that contains a rule; rules count from 1."""
        return f"RULE_BUFFER_{(number - 1) // self.rules_each + 1}"


def get_then_run(buffer: str) -> str:
    """The operator that judges the goal by a buffer."""
    return f"GET({buffer}) THEN RUN(EPISODIC_BUFFER, {buffer})"


def _numbered(held: Sequence[str], first: int, each: int) -> list[tuple[int, str]]:
    return list(enumerate(held[first : first + each], first + 1))


FACT_PATTERN, RULE_PATTERN = 6, 10
"""The two that read a buffer; EVR1 and EVR3 have a network for each, and one for the other ten."""


class Variant(StrEnum):
    """The three of the paper (EVR, section 3.4)."""

    EVR1 = "evr1"
    """Three networks; buffers of 5 facts and of 3 rules."""
    EVR2 = "evr2"
    """One network for all patterns; buffers as in EVR1."""
    EVR3 = "evr3"
    """Three networks; buffers of 20 facts and of 10 rules."""

    @property
    def buffers(self) -> tuple[int, int]:
        """Facts and rules a buffer."""
        return (20, 10) if self is Variant.EVR3 else (5, 3)


class NetworkRole(StrEnum):
    """The role of a network."""

    OTHER = "other"
    FACT = "fact"
    RULE = "rule"
    ALL = "all"


def parts(variant: Variant) -> tuple[NetworkRole, ...]:
    """The networks of a variant, in the order in which they are trained."""
    return (NetworkRole.ALL,) if variant is Variant.EVR2 else (NetworkRole.OTHER, NetworkRole.FACT, NetworkRole.RULE)


def part_of(variant: Variant, pattern: int) -> NetworkRole:
    """The network that a pattern belongs to."""
    if variant is Variant.EVR2:
        return NetworkRole.ALL
    return {FACT_PATTERN: NetworkRole.FACT, RULE_PATTERN: NetworkRole.RULE}.get(pattern, NetworkRole.OTHER)


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
