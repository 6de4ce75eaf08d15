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
"""What a rule without conditions needs."""


class Kind(StrEnum):
    """What a goal asks for, in the order in which goals give rise to each other."""

    PROVE = "prove"
    FACTS = "facts"
    FACT_BUFFER = "fact buffer"
    RULES = "rules"
    RULE_BUFFER = "rule buffer"
    ACCORDING = "according"


@dataclass(frozen=True, slots=True)
class Goal:
    """The second episodic buffer."""

    kind: Kind
    statement: str
    """In English, without a full stop."""
    negated: bool = False
    """Whether the statement is a denial, which holds unless it is contradicted."""
    buffer: int = 0
    """For one buffer: its number, from 1."""

    def __str__(self) -> str:
        if self.kind is Kind.PROVE:
            return f'i want to prove "{self.statement}".'
        one = self.kind in (Kind.FACT_BUFFER, Kind.RULE_BUFFER)
        what = f"{self.kind.value} {self.buffer}" if one else f"the {self.kind.value}"
        can = ("does not contradict" if one else "do not contradict") if self.negated else "can prove"
        return f'i want to judge whether {what} {can} "{self.statement}".'


@dataclass(frozen=True, slots=True)
class Alternative:
    """A rule that may derive a statement, and what it needs."""

    rule: int
    """Its number in the working memory, from 1."""
    needed: tuple[str, ...]


def proposing(memory: WorkingMemory) -> str:
    """What the operator proposer reads: the episodic buffers (patterns 1, 3, 5, 7, 9, 11)."""
    return " ".join(f"episodic buffer: {text}" for text in memory.episodic)


def executing(memory: WorkingMemory) -> str:
    """What the executor reads to generate subgoals (patterns 2, 4, 8, 12)."""
    return f"{proposing(memory)} operator: {Operator.GENERATE_SUBGOALS}"


def running(memory: WorkingMemory, buffer: str) -> str:
    """What the executor reads to judge the goal by a buffer (patterns 6, 10)."""
    return f"{proposing(memory)} {' '.join(memory.buffer(buffer))} operator: {RUN}"


def rule_by_rule(text: str) -> list[str]:
    """An input with a buffer of rules (`running`) as inputs with one rule each."""
    head, *rest = _RULE.split(text.removesuffix(f" operator: {RUN}"))
    return [f"{head} {rule} operator: {RUN}" for rule in rest] or [text]


def joined_findings(texts: Sequence[str]) -> str:
    """What is written of the rules of a buffer, of each by itself, as of the buffer."""
    found = [text for text in texts if alternatives(text)]
    return f" {Operator.OR} ".join(found) or texts[0]


def joined(parts: list[Goal]) -> str:
    """Subgoals of which one must hold, or all where a statement is denied."""
    operator = Operator.AND if parts and (parts[0].negated or parts[0].kind is Kind.PROVE) else Operator.OR
    return f" {operator} ".join(map(str, parts))


def called(memory: WorkingMemory, goal: str, operator: str) -> tuple[int, str] | None:
    """What an operator has the executor read, with its pattern; None for what is no operator."""
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


def goals(text: str) -> list[Goal]:
    """The subgoals that a text names; what is none is left out."""
    return [goal for part in _JOINTS.split(text) if (goal := goal_in(part.strip())) is not None]


def according(found: list[Alternative], *, negated: bool) -> str:
    """What a rule buffer says of a statement: what its rules need, or that none concludes it."""
    if not found:
        return "true" if negated else "false"
    needs = (" and ".join(each.needed) or NOTHING for each in found)
    sentences = [
        f"according to rule {each.rule}, i need to prove {need}." for each, need in zip(found, needs, strict=True)
    ]
    return f" {Operator.OR} ".join(sentences)


def alternatives(text: str) -> list[Alternative]:
    """The rules that a text names with what they need."""
    found = []
    for part in text.split(f" {Operator.OR} "):
        match = _ACCORDING.fullmatch(part.strip())
        if match is not None:
            needed = () if match[2] == NOTHING else tuple(match[2].split(" and "))
            found.append(Alternative(int(match[1]), needed))
    return found


def cited_fact(text: str, *, negated: bool) -> int | None:
    """The fact that decides a statement by a buffer's judgement; None where none does."""
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


def goal_in(text: str) -> Goal | None:
    """The goal that a text is; None where it is none."""
    if match := _PROVE.fullmatch(text):
        return Goal(Kind.PROVE, match[1])
    match = _JUDGE.fullmatch(text)
    if match is None:
        return None
    kind = Kind(match[1] or f"{match[2]} buffer")
    return Goal(kind, match[5], match[4] != "can prove", int(match[3] or 0))
