"""What became of a rule text that was added."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from goalmem.logic.syntax import format_atom
from goalmem.rules.compiled import ground
from goalmem.rules.program import World
from goalmem.rules.terms import Clause, Unread
from goalmem.rules.wellfounded import denied

__all__ = ["RuleReport", "contradictions"]


@dataclass(frozen=True, slots=True)
class RuleReport:
    """What `add_rules` kept. By the time it is returned, the sentences are on disk."""

    ids: tuple[str, ...]
    """The id of every sentence of the text that was read, known before or new, in order."""
    new: int
    """How many of them were new."""
    clauses: tuple[Clause, ...]
    """What they state."""
    unread: tuple[Unread, ...]
    """What could not be read and was left out, each with the reason."""
    contradictions: tuple[str, ...]
    """Statements that the space's facts both state and deny; their answer is then unknown."""
    world: World


def contradictions(clauses: Iterable[Clause]) -> tuple[str, ...]:
    """Statements that facts both state and deny, in the order in which they are stated."""
    facts = {ground(c.head): c.head for c in clauses if not c.body and c.head.ground}
    return tuple(format_atom(said.atom) for held, said in facts.items() if not held[1] and denied(held) in facts)
