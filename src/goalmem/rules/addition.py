"""Adding a rule text to a space: read, checked against what the space holds, and kept whole or not at all; and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from goalmem.errors import InputError, RuleError
from goalmem.logic.syntax import format_atom
from goalmem.records import StatedRule
from goalmem.rules.compiled import ground
from goalmem.rules.program import World
from goalmem.rules.stored import sentence_from, sentences_read
from goalmem.rules.terms import Clause, RuleReader, Unread
from goalmem.rules.theory import unreadable
from goalmem.rules.wellfounded import denied

__all__ = ["RuleReport", "RuleStore", "keep_rules"]


class RuleStore(Protocol):
    """Where rules are kept."""

    def rules(self, space: str) -> Sequence[StatedRule]:
        """Every sentence of a space, in order."""
        ...

    def add_rules(self, space: str, rules: Sequence[StatedRule]) -> list[str]:
        """Keep sentences; returns the ids that were new."""
        ...


def keep_rules(
    store: RuleStore, text: str, space: str, world: World, reader: RuleReader, *, partial: bool, longest: int
) -> RuleReport:
    """Read a text and keep its sentences.

    Raises:
        InputError: the text is too long, or there is no such world.
        UnreadableRulesError: a sentence cannot be read, and `partial` is not set.
        RuleError: nothing in it could be read, or the space holds rules of another world.
        StoreError: nothing was kept.
    """
    if world not in ("closed", "open"):
        raise InputError(f"There is no world {world!r}.", "Choose closed or open.")
    if len(text) > longest:
        raise InputError(
            f"The rule text has {len(text):,} characters; {longest:,} are taken at once.",
            "Add it in parts, each of whole sentences, or set max_rule_characters.",
        )
    reading = reader.read(text)
    if reading.unread and (not partial or not reading.clauses):
        raise unreadable(reading.unread)
    sentences = sentences_read(reading, world, reader.name)
    if not sentences:
        raise RuleError("The text states no rule and no fact.", "Write sentences like “Big people are rough.”")
    ids = tuple(s.id for s in sentences)
    kept = [sentence_from(row) for row in store.rules(space)]
    read = frozenset(ids)
    other = [s for s in kept if s.world != world and s.id not in read]
    if other:
        raise RuleError(
            f"The space {space!r} holds rules of {'an open' if world == 'closed' else 'a closed'} world"
            f" (“{other[0].text}”).",
            "Keep rules of another world in a space of their own, or remove these first.",
        )
    new = store.add_rules(space, [s.row for s in sentences])
    every = [*(c for s in kept if s.id not in read for c in s.clauses), *reading.clauses]
    return RuleReport(ids, len(new), reading.clauses, reading.unread, contradictions(every), world)


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
