"""The 12 patterns of problems that EVR is trained on, for any theory (EVR, table 9).

Odd patterns propose an operator; the even one behind each carries it out:

    1, 2    prove a statement: by the facts or by the rules?        7, 8    by the rules: by which buffer of them?
    3, 4    by the facts: by which buffer of them?                  9, 10   by a rule buffer: what do its rules need?
    5, 6    by a fact buffer: does a fact decide it?                11, 12  what a rule needs: prove each

What facts decide and what rules need comes from the exact solver's index. A statement may hold `something` (EVR, table 10): any
fact about anything confirms it, a rule needs the same of `something`, and its denial always holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goalmem.logic.terms import Variable
from goalmem.rules.compiled import wanted
from goalmem.rules.evr.buffers import Operator, Sentences, WorkingMemory, get_then_run
from goalmem.rules.evr.language import (
    CONFIRMED,
    CONTRADICTED,
    Alternative,
    GoalKind,
    NetworkGoal,
    according,
    executing,
    joined,
    proposing,
    running,
)
from goalmem.rules.evr.wording import worded
from goalmem.rules.terms import Literal
from goalmem.rules.theory import Theory


@dataclass(frozen=True, slots=True)
class Example:
    """What a network reads, and what it shall write."""

    pattern: int
    source: str
    target: str


def patterns(theory: Theory, sentences: Sentences, statement: Literal) -> Iterator[Example]:
    """All examples that judging one statement gives, except what judging its subgoals would. A variable is `something`."""
    memory, said, denied = sentences.memory, worded(statement), statement.negated
    halves = [NetworkGoal(GoalKind.FACTS, said, denied), NetworkGoal(GoalKind.RULES, said, denied)]
    yield from _subgoals(1, memory, NetworkGoal(GoalKind.PROVE, said), halves)
    for first, half, count in ((3, halves[0], memory.fact_buffers), (7, halves[1], memory.rule_buffers)):
        one = GoalKind.FACT_BUFFER if half.kind is GoalKind.FACTS else GoalKind.RULE_BUFFER
        parts = [NetworkGoal(one, said, denied, n) for n in range(1, count + 1)]
        if parts:
            yield from _subgoals(first, memory, half, parts)
        for part in parts:
            yield from _judged(first + 2, theory, sentences, part, statement)


def _subgoals(pattern: int, memory: WorkingMemory, goal: NetworkGoal, parts: list[NetworkGoal]) -> Iterator[Example]:
    wanting = memory.wanting(str(goal))
    yield Example(pattern, proposing(wanting), str(Operator.GENERATE_SUBGOALS))
    yield Example(pattern + 1, executing(wanting), joined(parts))


def _judged(
    pattern: int, theory: Theory, sentences: Sentences, goal: NetworkGoal, statement: Literal
) -> Iterator[Example]:
    wanting = sentences.memory.wanting(str(goal))
    facts = goal.kind is GoalKind.FACT_BUFFER
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
        yield Example(12, executing(wanting), joined([NetworkGoal(GoalKind.PROVE, need) for need in found.needed]))


def _by_facts(theory: Theory, sentences: Sentences, buffer: int, statement: Literal) -> str:
    stating = set(_stating(theory, statement))
    for number in _numbers(buffer, sentences.memory.facts_each, sentences.facts):
        if stating & set(sentences.facts[number - 1]):
            return f"{CONTRADICTED if statement.negated else CONFIRMED} {number}."
    return f"true, {Operator.NAF}." if statement.negated else f"false, {Operator.CWA}."


def _stating(theory: Theory, statement: Literal) -> Iterator[int]:
    """The clauses that confirm a statement, or contradict a denial; none contradicts that something is not so."""
    predicate, negated, terms = wanted(statement)
    if not (negated and None in terms):
        for args in theory.index.matching((predicate, False), terms):
            yield from theory.index.stating((predicate, False, args))


def _by_rules(theory: Theory, sentences: Sentences, buffer: int, statement: Literal) -> list[Alternative]:
    """The rules that conclude the positive statement, also where it is denied (EVR, table 10)."""
    numbers = {
        c: n for n in _numbers(buffer, sentences.memory.rules_each, sentences.rules) for c in sentences.rules[n - 1]
    }
    predicate, negated, terms = wanted(statement)
    if negated and None in terms:
        return []
    found = []
    for rule in theory.index.heading((predicate, False, terms)):
        binding = rule.opened((predicate, False, terms)) if rule.number in numbers else None
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
