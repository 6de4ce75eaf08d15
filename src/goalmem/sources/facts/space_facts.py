"""The turns and the facts of a space, each loaded once, and what they are cited by."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from goalmem.logic.terms import Derivation, Evidence
from goalmem.records import Fact, Turn
from goalmem.sources.evidence_store import EvidenceStore, evidence_of
from goalmem.sources.facts.match import Match, is_terse
from goalmem.sources.spans import sentence_around


@dataclass
class SpaceFacts:
    """The turns and the facts of a space."""

    store: EvidenceStore
    space: str
    _turns: dict[str, Turn] = field(default_factory=dict)
    _facts: dict[str, list[Fact]] = field(default_factory=dict)
    """By turn."""

    def turn(self, turn_id: str) -> Turn | None:
        """A turn of the space; cached."""
        if turn_id not in self._turns:
            self._turns |= self.store.turns(self.space, [turn_id])
        return self._turns.get(turn_id)

    def of_turns(self, turns: Sequence[str]) -> list[Fact]:
        """The facts of turns. Each turn's are loaded once, since subgoals of one question find many of the same turns."""
        new = [turn for turn in turns if turn not in self._facts]
        self._facts |= {turn: [] for turn in new}
        for fact in self.store.facts(self.space, turns=new) if new else ():
            self._facts[fact.turn].append(fact)
        return [fact for turn in turns for fact in self._facts[turn]]

    def cited(self, match: Match) -> tuple[Evidence, ...]:
        """The fact's span, and the span of its time if that is elsewhere in the turn, or of the fact that gives its amount anew."""
        own = self.evidence(match.fact)
        if match.since is not None:
            return own, self.evidence(match.since)
        turn = self.turn(match.fact.turn)
        if (asked := self.answered(match.fact)) is not None:
            return own, asked
        times = (b.span for b in match.bindings if b.variable.type == "time" and b.derivation is not Derivation.SAID)
        when = next((span for span in times if span not in own.quote), "")
        start = turn.content.find(when) if turn is not None and when else -1
        if start < 0:
            return (own,)
        return own, replace(own, quote=when, start=start, end=start + len(when))

    def answered(self, fact: Fact) -> Evidence | None:
        """The words in the previous turn that a terse answer refers to. None for any other fact."""
        turn = self.turn(fact.turn) if is_terse(fact) else None
        place = turn.position - 1 if turn is not None else -1
        if turn is None or place < 0:
            return None
        before = self.store.session_turns(self.space, turn.session, first=place, last=place)
        if not before or before[0].speaker == turn.speaker:
            return None
        content = before[0].content
        at = max(content.rfind("?"), 0) or max(len(content.rstrip()) - 1, 0)
        return evidence_of(before[0], *sentence_around(content, at, at + 1))

    def evidence(self, fact: Fact) -> Evidence:
        """The span of a fact, with the hash of its turn."""
        turn = self.turn(fact.turn)
        if turn is not None:
            return evidence_of(turn, fact.start, fact.end)
        # The turn was forgotten since the fact was read; verification will say so.
        digest = hashlib.sha256(fact.text.encode()).hexdigest()
        return Evidence(fact.turn, digest, fact.text, fact.start, fact.end, fact.speaker, fact.said.isoformat())
