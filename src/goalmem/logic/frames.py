"""A statement taken apart: predicate, participants, time. What unification compares.

An atom is text; a frame is that text read once by whoever can read (the memory source reads with spaCy). Logic itself
never reads text: it compares frames.
"""

from __future__ import annotations

from dataclasses import dataclass

from goalmem.logic.interval import Interval
from goalmem.logic.terms import Variable


@dataclass(frozen=True, slots=True)
class FramePart:
    """One participant of a frame: a constant, or a variable to bind."""

    role: str
    text: str
    start: int
    end: int
    head: str
    entity: str = ""
    type: str = ""
    resolved: str = ""
    modifiers: tuple[str, ...] = ()
    variable: Variable | None = None
    kind: str = ""
    """Of a variable: a second type that what it stands for must have."""
    owned: str = ""
    """Of a variable: it stands for the owner of this noun (`(x:person)'s birthday`)."""

    @property
    def words(self) -> frozenset[str]:
        """Lemmas of the part's content words."""
        return frozenset((self.head, *self.modifiers))


@dataclass(frozen=True, slots=True)
class Frame:
    """Predicate and parts of one statement."""

    predicate: str
    parts: tuple[FramePart, ...]
    polarity: bool = True
    when: Interval | None = None
    when_text: str = ""
    time: Variable | None = None
    """Variable for when it happens, where the goal has one."""

    @property
    def constants(self) -> tuple[FramePart, ...]:
        """Parts that are no variables."""
        return tuple(p for p in self.parts if p.variable is None)

    @property
    def unknowns(self) -> tuple[FramePart, ...]:
        """Parts that are variables."""
        return tuple(p for p in self.parts if p.variable is not None)
