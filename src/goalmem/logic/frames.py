"""A statement as predicate, participants and time, which unification compares.

An atom is text; a frame is that text parsed (the memory source parses with spaCy). The logic itself never reads text.
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
    """For a variable: a second type that its value must have."""
    owned: str = ""
    """For a variable: it stands for the owner of this noun (`(x:person)'s birthday`)."""

    @property
    def words(self) -> frozenset[str]:
        """Lemmas of the part's content words."""
        return frozenset((self.head, *self.modifiers))


@dataclass(frozen=True, slots=True)
class Frame:
    """The predicate and the parts of one statement."""

    predicate: str
    parts: tuple[FramePart, ...]
    polarity: bool = True
    when: Interval | None = None
    when_text: str = ""
    time: Variable | None = None
    """Variable for the time of the event, if the goal has one."""

    @property
    def constants(self) -> tuple[FramePart, ...]:
        """Parts that are no variables."""
        return tuple(p for p in self.parts if p.variable is None)

    @property
    def unknowns(self) -> tuple[FramePart, ...]:
        """Parts that are variables."""
        return tuple(p for p in self.parts if p.variable is not None)
