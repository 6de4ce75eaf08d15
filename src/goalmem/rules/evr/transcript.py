"""What networks said while they judged a statement: their working cycles, also those that led nowhere, told in order (EVR, A.5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from goalmem.rules.evr.language import alternatives
from goalmem.rules.monologue import Thought
from goalmem.rules.working_memory import Operator, WorkingMemory

__all__ = ["Cycle", "Log", "told"]

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
