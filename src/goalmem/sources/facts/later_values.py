"""If a value that a turn gives still holds, or later words replace it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from goalmem.language.times import find_times
from goalmem.logic.terms import Aggregate, Binding, Goal, Variable
from goalmem.records import Turn
from goalmem.sources.certainty.outdated import (
    LaterChanges,
    bare_question,
    courting_question,
    is_correction,
    is_of_another_kind,
)
from goalmem.sources.evidence_store import TurnFinder
from goalmem.sources.facts.space_facts import SpaceFacts
from goalmem.sources.facts.told_times import starts_range

LATER = 24
"""Turns found for a question, among which changes are searched."""


@dataclass
class LaterValues:
    """What later turns of a space leave of a value."""

    facts: SpaceFacts
    searcher: TurnFinder
    at: datetime
    """When the question is asked."""
    asker: str
    """The person that `I` refers to in the question."""
    given_anew: Callable[[str, Variable, Turn, str, Sequence[str]], float] | None = None
    """The probability that one of the turns that were found for a question gives its value anew, without saying of what
    (`sources.passages.succession`); None where no turn is read."""
    _outdating: dict[str, LaterChanges] = field(default_factory=dict)
    """By question."""

    def outdated(self, question: str, turn: Turn, value: str, *, surely: bool) -> tuple[Turn, str] | None:
        """The later turn and sentence that replace an earlier value; None if it still holds."""
        for asked in filter(None, (bare_question(question), "" if surely else courting_question(question))):
            if asked not in self._outdating:
                found = self.searcher.rank(question, space=self.facts.space, k=LATER, at=self.at, asker=self.asker)
                turns = [t for r in found if (t := self.facts.turn(r.turn)) is not None]
                self._outdating[asked] = LaterChanges(asked, turns)
            changes = self._outdating[asked]
            while (later := changes.by(turn, value, surely=surely)) is not None:
                # A date that is computed from words of the turn itself is in none of its words.
                computed = later[0].id == turn.id and (
                    bool(find_times(value, turn.at)) or starts_range(value, later[1])
                )
                computed = computed and not is_correction(later[1])
                if not computed and not is_of_another_kind(question, later[1]):
                    return later
                changes = replace(changes, turns=[t for t in changes.turns if t.id != later[0].id])
        return None

    def told_otherwise(self, goal: Goal, bindings: Iterable[Binding], *, surely: bool = True) -> str:
        """The later words after which a goal's value no longer holds; empty if it holds, and for several values.

        Without `surely`, also words after which it may no longer hold.
        """
        answer = next((b for b in bindings if b.variable == goal.answer), None)
        turn = self.facts.turn(answer.turn) if answer is not None and goal.aggregate is Aggregate.ONE else None
        if turn is None or answer is None:
            return ""
        later = self.outdated(goal.question, turn, answer.value.text, surely=surely)
        return later[1] if later is not None else ""

    def likely_given_anew(self, goal: Goal, bindings: Iterable[Binding]) -> float:
        """The probability that a later turn gives a goal's value anew, without saying of what."""
        answer = next((b for b in bindings if b.variable == goal.answer), None)
        turn = self.facts.turn(answer.turn) if answer is not None and goal.aggregate is Aggregate.ONE else None
        if self.given_anew is None or turn is None or answer is None:
            return 0.0
        found = self.searcher.rank(goal.question, space=self.facts.space, k=LATER, at=self.at, asker=self.asker)
        held = answer.span or answer.value.text
        return self.given_anew(goal.question, answer.variable, turn, held, [r.turn for r in found])
