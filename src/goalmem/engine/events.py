"""Events that report the progress of an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

EventKind = Literal[
    "question", "goal", "subgoals", "retrieval", "binding", "refinement", "hop", "walk", "model", "proof"
]


@dataclass(frozen=True, slots=True)
class Event:
    """One event."""

    kind: EventKind
    text: str
    """For people: the goal, the subgoal searched for, the value that was bound."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """Plain data for programs (docs/reasoning.md lists the fields of each kind)."""


Listener = Callable[[Event], None]
"""Called in the thread that asks, in order. An exception that it raises ends the call."""


def silent(event: Event) -> None:
    """Ignore an event."""
    del event
