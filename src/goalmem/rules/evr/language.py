"""The language that EVR's working memory is written in: goals, operators and findings, as text and back (EVR, tables 1, 2
and 9, appendix A.5).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from goalmem.rules.evr.buffers import FACT_PATTERN, RULE_PATTERN, Operator, WorkingMemory

RUN = "RUN"
CONFIRMED, CONTRADICTED = "true, this is confirmed by fact", "false, this is contradicted by fact"
NOTHING = "nothing"
"""Text for the conditions of a rule without conditions."""


class GoalKind(StrEnum):
    """Kinds of goals, in the order in which they generate each other."""

    PROVE = "prove"
    FACTS = "facts"
    FACT_BUFFER = "fact buffer"
    RULES = "rules"
    RULE_BUFFER = "rule buffer"
    ACCORDING = "according"


@dataclass(frozen=True, slots=True)
class NetworkGoal:
    """The second episodic buffer."""

    kind: GoalKind
    statement: str
    """In English, without a full stop."""
    negated: bool = False
    """True if the statement is a denial, which holds unless it is contradicted."""
    buffer: int = 0
    """For one buffer: its number, from 1."""

    def __str__(self) -> str:
        if self.kind is GoalKind.PROVE:
            return f'i want to prove "{self.statement}".'
        one = self.kind in (GoalKind.FACT_BUFFER, GoalKind.RULE_BUFFER)
        what = f"{self.kind.value} {self.buffer}" if one else f"the {self.kind.value}"
        can = ("does not contradict" if one else "do not contradict") if self.negated else "can prove"
        return f'i want to judge whether {what} {can} "{self.statement}".'


@dataclass(frozen=True, slots=True)
class Alternative:
    """A rule that may derive a statement, with its conditions."""

    rule: int
    """Its number in the working memory, from 1."""
    needed: tuple[str, ...]


def proposing(memory: WorkingMemory) -> str:
    """Input of the operator proposer: the episodic buffers (patterns 1, 3, 5, 7, 9, 11)."""
    return " ".join(f"episodic buffer: {text}" for text in memory.episodic)


def executing(memory: WorkingMemory) -> str:
    """Input of the executor for generating subgoals (patterns 2, 4, 8, 12)."""
    return f"{proposing(memory)} operator: {Operator.GENERATE_SUBGOALS}"


def running(memory: WorkingMemory, buffer: str) -> str:
    """Input of the executor for judging a goal against a buffer (patterns 6, 10)."""
    return f"{proposing(memory)} {' '.join(memory.buffer(buffer))} operator: {RUN}"


def rule_by_rule(text: str) -> list[str]:
    """An input with a buffer of rules (`running`) as inputs with one rule each."""
    head, *rest = _RULE.split(text.removesuffix(f" operator: {RUN}"))
    return [f"{head} {rule} operator: {RUN}" for rule in rest] or [text]


def joined_findings(texts: Sequence[str]) -> str:
    """Join the outputs for each rule of a buffer to one output for the buffer."""
    found = [text for text in texts if alternatives(text)]
    return f" {Operator.OR} ".join(found) or texts[0]


def joined(parts: list[NetworkGoal]) -> str:
    """Subgoals of which one must hold, or all where a statement is denied."""
    operator = Operator.AND if parts and (parts[0].negated or parts[0].kind is GoalKind.PROVE) else Operator.OR
    return f" {operator} ".join(map(str, parts))


def called(memory: WorkingMemory, goal: str, operator: str) -> tuple[int, str] | None:
    """The input for the executor and its pattern; None if the operator is invalid."""
    wanting = memory.wanting(goal)
    if operator == Operator.GENERATE_SUBGOALS:
        return 2, executing(wanting)
    match = _GET.fullmatch(operator)
    if match is None:
        return None
    try:
        source = running(wanting, f"{match[1]}_BUFFER_{match[2]}")
    except KeyError:
        return None
    return (FACT_PATTERN if match[1] == "FACT" else RULE_PATTERN), source


def goals(text: str) -> list[NetworkGoal]:
    """The subgoals in an output; invalid ones are dropped."""
    return [goal for part in _JOINTS.split(text) if (goal := goal_in(part.strip())) is not None]


def according(found: list[Alternative], *, negated: bool) -> str:
    """The output of a rule buffer for a statement: conditions of its rules, or that no rule concludes it."""
    if not found:
        return "true" if negated else "false"
    needs = (" and ".join(each.needed) or NOTHING for each in found)
    sentences = [
        f"according to rule {each.rule}, i need to prove {need}." for each, need in zip(found, needs, strict=True)
    ]
    return f" {Operator.OR} ".join(sentences)


def alternatives(text: str) -> list[Alternative]:
    """The rules in an output, with their conditions."""
    found = []
    for part in text.split(f" {Operator.OR} "):
        match = _ACCORDING.fullmatch(part.strip())
        if match is not None:
            needed = () if match[2] == NOTHING else tuple(match[2].split(" and "))
            found.append(Alternative(int(match[1]), needed))
    return found


def cited_fact(text: str, *, negated: bool) -> int | None:
    """The fact that decides a statement according to a judgement; None if there is none."""
    match = re.match(rf"{CONTRADICTED if negated else CONFIRMED} (\d+)", text)
    return int(match[1]) if match else None


_RULE = re.compile(r" (?=rule \d+: )")
_GET = re.compile(r"GET\((FACT|RULE)_BUFFER_(\d+)\) THEN RUN\(EPISODIC_BUFFER, \1_BUFFER_\2\)")
_JOINTS = re.compile(rf" (?:{Operator.AND}|{Operator.OR}) (?=i want)")
_ACCORDING = re.compile(r"according to rule (\d+), i need to prove (.+?)\.?")
_PROVE = re.compile(r'i want to prove "(.+)"\.?')
_JUDGE = re.compile(
    r'i want to judge whether (?:the (facts|rules)|(fact|rule) buffer (\d+)) (can prove|do(?:es)? not contradict) "(.+)"\.?'
)


def goal_in(text: str) -> NetworkGoal | None:
    """Parse a goal; None if the text is not a goal."""
    if match := _PROVE.fullmatch(text):
        return NetworkGoal(GoalKind.PROVE, match[1])
    match = _JUDGE.fullmatch(text)
    if match is None:
        return None
    kind = GoalKind(match[1] or f"{match[2]} buffer")
    return NetworkGoal(kind, match[5], match[4] != "can prove", int(match[3] or 0))
