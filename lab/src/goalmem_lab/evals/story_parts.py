"""A generated story: what is told, and what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what the story comes to."""

    question: str
    gold: str
    """As the answer's text; empty where the story leaves it open."""


@dataclass
class Story:
    """What is told, by whom and when, and what is asked."""

    kind: str
    turns: list[tuple[str, str, datetime, str]] = field(default_factory=list)
    """Speaker, text, time, session."""
    asked: list[Asked] = field(default_factory=list)
