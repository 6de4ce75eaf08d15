"""The neural EVR of the paper: trusts the output of its networks (EVR, sections 3.3, A.3).

Goals are text. `OR` and `AND` between subgoals decide, and end with the first that does; `something` is a goal like another. Nothing
that comes of it was checked: two conditions on `something` may be met by two things, and a fact may be cited that says
something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from goalmem.cancellation import checkpoint
from goalmem.rules.evr.buffers import Operator, Sentences, WorkingMemory
from goalmem.rules.evr.language import (
    GoalKind,
    NetworkGoal,
    according,
    alternatives,
    called,
    cited_fact,
    goal_in,
    goals,
    proposing,
)
from goalmem.rules.evr.reasoner import Reasoner
from goalmem.rules.evr.wording import worded
from goalmem.rules.monologue import Thought
from goalmem.rules.program import Program
from goalmem.rules.terms import Literal

MOST_CYCLES = 3_000
"""Working cycles for one question; then it is left open."""
MOST_NESTED = 300
"""Goals one inside another."""
FINDINGS = ("true", "false")
"""The beginnings of an output that decides a goal."""


@dataclass(frozen=True, slots=True)
class GoalFinding:
    """The result of a goal."""

    holds: bool | None
    """None if an output was not a valid operator, goal or finding, or if the reasoning did not terminate."""
    fact: int | None = None
    """The fact that was cited, from 1."""
    rule: int | None = None
    """The rule that was used, from 1."""
    parts: tuple[GoalFinding, ...] = ()
    """For a rule, the findings of its conditions; otherwise the decisive subgoals."""


OPEN_END = GoalFinding(None)


@dataclass
class Monologue:
    """The networks over one theory, for one question or several."""

    theory: Program
    reasoner: Reasoner
    log: dict[str, Cycle] = field(default_factory=dict)
    """Output of the networks by goal."""
    _pursued: list[str] = field(default_factory=list)
    _left: int = MOST_CYCLES

    def judge(self, statement: Literal) -> GoalFinding:
        """Judge a statement with the networks; its variables read `something`."""
        self._left = MOST_CYCLES
        return self._judged(_proving(statement))

    def transcript(self, statement: Literal) -> tuple[Thought, ...]:
        """The cycles that led to the judgement."""
        return told(self.log, [_proving(statement)], self.sentences.memory)

    @cached_property
    def sentences(self) -> Sentences:
        """The theory in the buffers of the working memory."""
        return Sentences.of(self.theory, self.reasoner.facts_each, self.reasoner.rules_each)

    def _judged(self, goal: str) -> GoalFinding:
        """Judge a goal. A goal cannot prove itself."""
        if goal in self._pursued:
            return GoalFinding(False)
        if len(self._pursued) >= MOST_NESTED or self._left <= 0:
            return OPEN_END
        checkpoint()
        self._left -= 1
        self._said([goal])
        cycle = self.log[goal]
        self._pursued.append(goal)
        try:
            return self._carried(goal, cycle)
        finally:
            self._pursued.pop()

    def _carried(self, goal: str, cycle: Cycle) -> GoalFinding:
        """Judge a goal by the output for it."""
        if not cycle.operator:
            return OPEN_END
        (text,) = cycle.wrote
        if cycle.operator == Operator.GENERATE_SUBGOALS:
            every = f" {Operator.AND} " in text or len(cycle.following) == 1
            return self._until(cycle.following, decisive=not every)
        denied = (read := goal_in(goal)) is not None and read.negated
        if alternatives(text):
            found = self._until(cycle.following, decisive=True)
            if not denied or found.holds is None:
                return found
            return GoalFinding(False, parts=(found,)) if found.holds else GoalFinding(True)
        if text.startswith(FINDINGS):
            return GoalFinding(text.startswith("true"), cited_fact(text, negated=denied))
        return OPEN_END

    def _until(self, subgoals: Sequence[str], *, decisive: bool) -> GoalFinding:
        """Judge a disjunction of subgoals (`decisive`: one that holds decides) or a conjunction (one that does not)."""
        found: list[GoalFinding] = []
        for subgoal in self._ahead(subgoals):
            found.append(self._ruled(subgoal))
            if found[-1].holds is decisive:
                return found[-1] if decisive or len(subgoals) == 1 else GoalFinding(False, parts=(found[-1],))
        if not found or any(each.holds is None for each in found):
            return OPEN_END
        return GoalFinding(False) if decisive else GoalFinding(True, parts=tuple(found))

    def _ruled(self, goal: str) -> GoalFinding:
        """Judge a goal with the rule that generated it."""
        found = self._judged(goal)
        rule = next((each.rule for each in alternatives(goal)), None)
        return found if rule is None else GoalFinding(found.holds, None, rule, found.parts or (found,))

    def _ahead(self, subgoals: Sequence[str]) -> Iterable[str]:
        """The subgoals, after generating the outputs for all of them in one batch, which is faster."""
        self._said([goal for goal in subgoals if (read := goal_in(goal)) is not None and read.buffer])
        return subgoals

    def _said(self, wanted: Sequence[str]) -> None:
        """Generate the operators and outputs of goals that have none yet."""
        memory = self.sentences.memory
        new = [goal for goal in dict.fromkeys(wanted) if goal not in self.log]
        for place, operator, _, text in executed(self.reasoner, memory, new, self.log):
            following = _following(text)
            finding = operator != Operator.GENERATE_SUBGOALS and text.startswith(FINDINGS)
            self.log[new[place]] = Cycle(operator, (text,), () if following or finding else (text,), following)


def _following(text: str) -> tuple[str, ...]:
    """The goals in an output: subgoals, or rules with their conditions."""
    named = [str(goal) for goal in goals(text)]
    return (*named, *(according([each], negated=False) for each in alternatives(text)))


def _proving(statement: Literal) -> str:
    return str(NetworkGoal(GoalKind.PROVE, worded(statement)))


MOST_THOUGHTS = 2_000
"""Lines of a transcript."""
REPEATED = "I have judged that already."
REJECTED = "This does not fit, and is rejected: "
_CITED = re.compile(r"\b(fact|rule) (\d+)\b")


@dataclass(frozen=True, slots=True)
class Cycle:
    """One working cycle: the operator proposed for a goal, and the output of executing it."""

    operator: str
    """Empty if the output was not an operator; `wrote` then holds it."""
    wrote: tuple[str, ...] = ()
    """The distinct outputs of the execution."""
    rejected: tuple[str, ...] = ()
    """Outputs that contradict the theory, or that are neither goals nor a finding."""
    following: tuple[str, ...] = ()
    """Goals that it led to."""


Log = Mapping[str, Cycle]
"""Cycles by their goal."""


def executed(
    reasoner: Reasoner, memory: WorkingMemory, wanted: Sequence[str], log: dict[str, Cycle]
) -> Iterator[tuple[int, str, int, str]]:
    """Let the networks propose an operator for each goal, and execute it: the goal's place, the operator, its pattern and its output.

    What is no operator is logged, and not executed.
    """
    operators = reasoner.written([(1, proposing(memory.wanting(goal))) for goal in wanted])
    calls = [(n, op, called(memory, wanted[n], op)) for n, op in enumerate(operators)]
    log.update((wanted[n], Cycle("", (op,), (op,))) for n, op, call in calls if call is None)
    known = [(n, op, call) for n, op, call in calls if call is not None]
    texts = reasoner.written([call for *_, call in known])
    for (n, operator, (pattern, _)), text in zip(known, texts, strict=True):
        yield n, operator, pattern, text


def told(log: Log, goals: Iterable[str], memory: WorkingMemory) -> tuple[Thought, ...]:
    """The cycles of goals, depth first; repeated goals appear once."""
    thoughts = [Thought(f"I have {memory.episodic[0].removeprefix('there are ')}")]
    waiting: list[tuple[str, int]] = [(goal, 0) for goal in goals][::-1]
    seen: set[str] = set()
    while waiting and len(thoughts) < MOST_THOUGHTS:
        text, depth = waiting.pop()
        cycle = log.get(text)
        if cycle is None:
            continue
        thoughts.append(Thought(text + _cited(text, memory), cycle.operator, depth))
        if text in seen:
            thoughts.append(Thought(REPEATED, "", depth + 1))
            continue
        seen.add(text)
        thoughts += [Thought(line, "", depth + 1) for line in _outcome(cycle, memory)]
        waiting += [(following, depth + 1) for following in reversed(cycle.following)]
    if waiting:
        thoughts.append(Thought(f"… and {len(waiting)} more goals."))
    return tuple(thoughts)


def _outcome(cycle: Cycle, memory: WorkingMemory) -> Iterator[str]:
    """The finding of a buffer and rejected outputs; subgoals and conditions appear as goals."""
    for text in cycle.wrote:
        if text in cycle.rejected:
            yield f"{REJECTED}{text}"
        elif cycle.operator != Operator.GENERATE_SUBGOALS and not alternatives(text):
            yield text + _cited(text, memory)


def _cited(text: str, memory: WorkingMemory) -> str:
    """The sentences that a text cites by number, in brackets."""
    found = []
    for kind, number in dict.fromkeys(_CITED.findall(text)):
        held = memory.facts if kind == "fact" else memory.rules
        if 0 < int(number) <= len(held):
            found.append(f" ({kind} {number}: {held[int(number) - 1]})")
    return "".join(found)
