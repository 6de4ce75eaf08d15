"""What happens while a question is reasoned about, told as it happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

EventKind = Literal[
    "question", "goal", "subgoals", "retrieval", "binding", "refinement", "hop", "walk", "model", "proof"
]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened."""

    kind: EventKind
    text: str
    """For people: the goal, the subgoal searched for, what was bound."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """Plain data for programs (docs/reasoning.md names what each kind carries)."""


Listener = Callable[[Event], None]
"""Is called in the thread that asks, in order. What it raises ends the asking."""


def silent(event: Event) -> None:
    """The listener of whoever does not listen."""
    del event
