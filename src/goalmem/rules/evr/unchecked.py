"""The neural EVR as in the paper: what its networks write is believed, and nothing else is asked (EVR, sections 3.3, A.3).

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
    Goal,
    Kind,
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


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of a goal."""

    holds: bool | None
    """None where the networks wrote what is no operator, goal or finding, or did not come to an end."""
    fact: int | None = None
    """The fact that was cited, from 1."""
    rule: int | None = None
    """The rule that was used, from 1."""
    parts: tuple[Finding, ...] = ()
    """For a rule what came of its conditions; else the subgoals that decided."""


OPEN_END = Finding(None)


@dataclass
class Monologue:
    """The networks over one theory, for one question or several."""

    theory: Program
    reasoner: Reasoner
    log: dict[str, Cycle] = field(default_factory=dict)
    """What was said, by goal."""
    _pursued: list[str] = field(default_factory=list)
    _left: int = MOST_CYCLES

    def judge(self, statement: Literal) -> Finding:
        """What the networks say of a statement, in which a variable is `something`."""
        self._left = MOST_CYCLES
        return self._judged(_proving(statement))

    def transcript(self, statement: Literal) -> tuple[Thought, ...]:
        """What they said while they judged it."""
        return told(self.log, [_proving(statement)], self.sentences.memory)

    @cached_property
    def sentences(self) -> Sentences:
        """The theory in the buffers of the working memory."""
        return Sentences.of(self.theory, self.reasoner.facts_each, self.reasoner.rules_each)

    def _judged(self, goal: str) -> Finding:
        """What comes of a goal. One that it is itself pursued for does not prove it."""
        if goal in self._pursued:
            return Finding(False)
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

    def _carried(self, goal: str, cycle: Cycle) -> Finding:
        """What comes of what was written for a goal."""
        if not cycle.operator:
            return OPEN_END
        (text,) = cycle.wrote
        if cycle.operator == Operator.GENERATE_SUBGOALS:
            every = f" {Operator.AND} " in text or len(cycle.following) == 1
            return self._all(cycle.following) if every else self._any(cycle.following)
        denied = (read := goal_in(goal)) is not None and read.negated
        if alternatives(text):
            found = self._any(cycle.following)
            if not denied or found.holds is None:
                return found
            return Finding(False, parts=(found,)) if found.holds else Finding(True)
        if text.startswith(("true", "false")):
            return Finding(text.startswith("true"), cited_fact(text, negated=denied))
        return OPEN_END

    def _any(self, subgoals: Sequence[str]) -> Finding:
        """What comes of subgoals of which one must hold."""
        return self._until(subgoals, decisive=True)

    def _all(self, subgoals: Sequence[str]) -> Finding:
        """What comes of subgoals that must all hold."""
        return self._until(subgoals, decisive=False)

    def _until(self, subgoals: Sequence[str], *, decisive: bool) -> Finding:
        found: list[Finding] = []
        for subgoal in self._ahead(subgoals):
            found.append(self._ruled(subgoal))
            if found[-1].holds is decisive:
                return found[-1] if decisive or len(subgoals) == 1 else Finding(False, parts=(found[-1],))
        if not found or any(each.holds is None for each in found):
            return OPEN_END
        return Finding(False) if decisive else Finding(True, parts=tuple(found))

    def _ruled(self, goal: str) -> Finding:
        """What comes of a goal, with the rule according to which it is pursued."""
        found = self._judged(goal)
        rule = next((each.rule for each in alternatives(goal)), None)
        return found if rule is None else Finding(found.holds, None, rule, found.parts or (found,))

    def _ahead(self, subgoals: Sequence[str]) -> Iterable[str]:
        """Subgoals, after what is written for all of them was worked out together: that is quicker."""
        self._said([goal for goal in subgoals if (read := goal_in(goal)) is not None and read.buffer])
        return subgoals

    def _said(self, wanted: Sequence[str]) -> None:
        """Have operators and what carrying them out writes, for goals that have none yet."""
        memory = self.sentences.memory
        new = [goal for goal in dict.fromkeys(wanted) if goal not in self.log]
        operators = self.reasoner.written([(1, proposing(memory.wanting(goal))) for goal in new])
        calls = [(goal, op, called(memory, goal, op)) for goal, op in zip(new, operators, strict=True)]
        known = [(goal, op, call) for goal, op, call in calls if call is not None]
        self.log.update((goal, Cycle("", (op,), (op,))) for goal, op, call in calls if call is None)
        texts = self.reasoner.written([call for *_, call in known])
        for (goal, operator, _), text in zip(known, texts, strict=True):
            self.log[goal] = Cycle(operator, (text,), following=_following(text))


def _following(text: str) -> tuple[str, ...]:
    """The goals that a text names: subgoals, or rules with what they need."""
    named = [str(goal) for goal in goals(text)]
    return (*named, *(according([each], negated=False) for each in alternatives(text)))


def _proving(statement: Literal) -> str:
    return str(Goal(Kind.PROVE, worded(statement)))


MOST_THOUGHTS = 2_000
"""Lines of a transcript."""
REPEATED = "I have judged that already."
REJECTED = "This does not fit, and is rejected: "
_CITED = re.compile(r"\b(fact|rule) (\d+)\b")


@dataclass(frozen=True, slots=True)
class Cycle:
    """One working cycle: an operator was written for a goal, and carried out."""

    operator: str
    """Empty where what was written is none; `wrote` is that then."""
    wrote: tuple[str, ...] = ()
    """What carrying it out wrote, each text once."""
    rejected: tuple[str, ...] = ()
    """Those of them that do not fit what is stated."""
    following: tuple[str, ...] = ()
    """Goals that it led to."""


Log = Mapping[str, Cycle]
"""Cycles by their goal."""


def told(log: Log, goals: Iterable[str], memory: WorkingMemory) -> tuple[Thought, ...]:
    """The cycles from goals on, depth first, a goal that comes again told once."""
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
    """What a buffer was found to say, and what was rejected; subgoals and what rules need are told as goals."""
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
