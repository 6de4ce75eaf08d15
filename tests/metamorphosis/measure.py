"""Asks instances, each of a memory that holds its turn alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from goalmem import Memory
from tests.metamorphosis.instances import Instance


@dataclass(frozen=True)
class Outcome:
    """What was answered to an instance, and whether that gives its value."""

    instance: Instance
    status: str
    text: str
    said: bool


def outcomes(memory: Memory, asked: Iterable[Instance], prefix: str = "") -> list[Outcome]:
    """The outcome of each instance; every one in a space of its own."""
    found = []
    for n, instance in enumerate(asked):
        space = f"{prefix}{n}"
        memory.add([{"role": "user", "name": instance.speaker, "content": instance.turn}], space=space)
        answer = memory.ask(instance.question, space=space)
        known = answer.status != "unknown"
        found.append(Outcome(instance, answer.status, answer.text, instance.says(known, answer.text)))
    return found


def rate(found: Iterable[Outcome]) -> float:
    """Share of instances whose value was answered."""
    said = [o.said for o in found]
    return sum(said) / len(said)


def rates(found: Iterable[Outcome]) -> dict[str, float]:
    """The same by kind."""
    by_kind: defaultdict[str, list[Outcome]] = defaultdict(list)
    for outcome in found:
        by_kind[outcome.instance.kind].append(outcome)
    return {kind: rate(of_kind) for kind, of_kind in by_kind.items()}
