"""The 12 patterns of problems that EVR is trained on, for any theory (EVR, table 9).

Odd patterns propose an operator; the even one behind each carries it out:

    1, 2    prove a statement: by the facts or by the rules?        7, 8    by the rules: by which buffer of them?
    3, 4    by the facts: by which buffer of them?                  9, 10   by a rule buffer: what do its rules need?
    5, 6    by a fact buffer: does a fact decide it?                11, 12  what a rule needs: prove each

What facts decide and what rules need comes from the exact solver's index. One deviation from the paper: of rules that conclude a
statement with `something` in what they need, the executor tries each thing that is named (`evr_reason`), so that no goal
with `something` is ever judged, and none is trained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goalmem.logic.terms import Variable
from goalmem.rules.compiled import ground
from goalmem.rules.terms import Literal
from goalmem.rules.theory import Theory
from goalmem.rules.working_memory import Operator, WorkingMemory, get_then_run
from goalmem_lab.train.evr_language import (
    CONFIRMED,
    CONTRADICTED,
    Alternative,
    Goal,
    Kind,
    according,
    executing,
    joined,
    proposing,
    running,
)
from goalmem_lab.train.evr_wording import worded

__all__ = ["FACT_PATTERN", "RULE_PATTERN", "Example", "Sentences", "needed", "patterns"]

FACT_PATTERN, RULE_PATTERN = 6, 10
"""The two that read a buffer; EVR1 and EVR3 have a network for each, and one for the other ten."""


@dataclass(frozen=True, slots=True)
class Example:
    """What a network reads, and what it shall write."""

    pattern: int
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Sentences:
    """A theory's sentences as a working memory holds them."""

    memory: WorkingMemory
    facts: tuple[tuple[int, ...], ...]
    """For each fact the clauses that its sentence states."""
    rules: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, theory: Theory, facts_each: int, rules_each: int) -> Sentences:
        """The facts and rules of a theory; a sentence that states both counts as both."""
        facts: dict[str, list[int]] = {}
        rules: dict[str, list[int]] = {}
        for number, clause in enumerate(theory.clauses):
            held = facts if not clause.body and clause.head.ground else rules
            held.setdefault(clause.text, []).append(number)
        memory = WorkingMemory(tuple(facts), tuple(rules), "", facts_each, rules_each)
        return cls(memory, tuple(map(tuple, facts.values())), tuple(map(tuple, rules.values())))


def patterns(theory: Theory, sentences: Sentences, statement: Literal) -> Iterator[Example]:
    """All examples that judging one ground statement gives, except what judging its subgoals would."""
    memory, said, denied = sentences.memory, worded(statement), statement.negated
    halves = [Goal(Kind.FACTS, said, denied), Goal(Kind.RULES, said, denied)]
    yield from _subgoals(1, memory, Goal(Kind.PROVE, said), halves)
    for first, half, count in ((3, halves[0], memory.fact_buffers), (7, halves[1], memory.rule_buffers)):
        one = Kind.FACT_BUFFER if half.kind is Kind.FACTS else Kind.RULE_BUFFER
        parts = [Goal(one, said, denied, n) for n in range(1, count + 1)]
        if parts:
            yield from _subgoals(first, memory, half, parts)
        for part in parts:
            yield from _judged(first + 2, theory, sentences, part, statement)


def _subgoals(pattern: int, memory: WorkingMemory, goal: Goal, parts: list[Goal]) -> Iterator[Example]:
    wanting = memory.wanting(str(goal))
    yield Example(pattern, proposing(wanting), str(Operator.GENERATE_SUBGOALS))
    yield Example(pattern + 1, executing(wanting), joined(parts))


def _judged(pattern: int, theory: Theory, sentences: Sentences, goal: Goal, statement: Literal) -> Iterator[Example]:
    wanting = sentences.memory.wanting(str(goal))
    facts = goal.kind is Kind.FACT_BUFFER
    buffer = f"{'FACT' if facts else 'RULE'}_BUFFER_{goal.buffer}"
    yield Example(pattern, proposing(wanting), get_then_run(buffer))
    if facts:
        yield Example(pattern + 1, running(wanting, buffer), _by_facts(theory, sentences, goal.buffer, statement))
        return
    found = _by_rules(theory, sentences, goal.buffer, statement)
    yield Example(pattern + 1, running(wanting, buffer), according(found, negated=statement.negated))
    for each in found:
        yield from needed(sentences.memory, each)


def needed(memory: WorkingMemory, found: Alternative) -> Iterator[Example]:
    """Patterns 11 and 12 for a rule that was found."""
    if found.needed:
        wanting = memory.wanting(according([found], negated=False))
        yield Example(11, proposing(wanting), str(Operator.GENERATE_SUBGOALS))
        yield Example(12, executing(wanting), joined([Goal(Kind.PROVE, need) for need in found.needed]))


def _by_facts(theory: Theory, sentences: Sentences, buffer: int, statement: Literal) -> str:
    positive = statement.denied if statement.negated else statement
    stating = set(theory.index.stating(ground(positive)))
    for number in _numbers(buffer, sentences.memory.facts_each, sentences.facts):
        if stating & set(sentences.facts[number - 1]):
            return f"{CONTRADICTED if statement.negated else CONFIRMED} {number}."
    return f"true, {Operator.NAF}." if statement.negated else f"false, {Operator.CWA}."


def _by_rules(theory: Theory, sentences: Sentences, buffer: int, statement: Literal) -> list[Alternative]:
    """The rules that conclude the positive statement, also where it is denied (EVR, table 10)."""
    numbers = {
        c: n for n in _numbers(buffer, sentences.memory.rules_each, sentences.rules) for c in sentences.rules[n - 1]
    }
    predicate, _, args = ground(statement)
    found = []
    for rule in theory.index.heading((predicate, False, args)):
        binding = rule.opened((predicate, False, args)) if rule.number in numbers else None
        if binding is not None:
            clause = theory.clauses[rule.number]
            stands = {name: theory.index.domain.get(c, c) for name, c in zip(rule.variables, binding, strict=True) if c}
            needed = tuple(worded(_under(condition, stands)) for condition in clause.body)
            found.append(Alternative(numbers[rule.number], needed))
    return sorted(found, key=lambda each: each.rule)


def _under(literal: Literal, stands: dict[str, str]) -> Literal:
    terms = tuple(stands.get(t.name, t) if isinstance(t, Variable) else t for t in literal.terms)
    return Literal(literal.predicate, terms, literal.negated)


def _numbers(buffer: int, each: int, held: Sequence[object]) -> range:
    return range((buffer - 1) * each + 1, min(buffer * each, len(held)) + 1)
