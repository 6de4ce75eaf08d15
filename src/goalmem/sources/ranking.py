"""Which turns a question needs, found by its goals (Goal-Mem: targeted retrieval for each subgoal).

The question's own words find most; each subgoal finds what only it asks for; and reading says which of the turns found
answer at all. The three are added on one scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from goalmem.logic.terms import Atom, Goal
from goalmem.reasoners.asked import passage_question
from goalmem.retrieve.search import Ranked
from goalmem.sources.memory import MemorySource
from goalmem.sources.passages import PassageSource

__all__ = ["GoalRanking"]

DEEP = 60
"""Turns that are read to be ranked: past them the share of evidence still to be found falls under one in twenty."""
OF_SUBGOAL = 20
"""Turns looked at for one subgoal."""
SUBGOALS = 4
"""Subgoals that are searched for."""
SUBGOAL_WEIGHT = 0.25
"""What the best subgoal's score counts beside the question's own."""
READING_WEIGHT = 1.0
"""What it counts how surely a turn answers, beside how well the words of the question find it."""


@dataclass
class GoalRanking:
    """Ranks turns for one question. The rank of a turn does not depend on how many are asked for."""

    memory: MemorySource
    question: str
    goals: Sequence[Goal]
    """The readings of the question; none ranks by the question alone."""
    _found: list[Ranked] = field(default_factory=list)

    def turns(self, k: int) -> list[Ranked]:
        """The `k` turns to read, by words and subgoals alone."""
        return self.by_words()[:k]

    def by_words(self) -> list[Ranked]:
        """Turns by what the question and its subgoals find."""
        if not self._found:
            own = self._search(self.question, DEEP, self.memory.asker)
            best = {r.turn: r.score for r in scaled(own)}
            for text in self._subgoals():
                for r in scaled(self._search(text, OF_SUBGOAL)):
                    best[r.turn] = max(best.get(r.turn, 0.0), SUBGOAL_WEIGHT * r.score)
            signals = {r.turn: r.signals for r in own}
            ordered = sorted(best.items(), key=lambda p: (-p[1], p[0]))
            self._found = [Ranked(turn, score, signals.get(turn, {})) for turn, score in ordered]
        return self._found

    def ranked(self, k: int, passages: PassageSource | None) -> list[Ranked]:
        """The `k` turns that the question needs most, reading counted in where a reader is."""
        found = self.by_words()
        asked = next((a for g in self.goals for a in g.atoms if passage_question(a)), None)
        if passages is None or asked is None:
            return found[:k]
        read = self._present(passages, asked, found)
        ordered = sorted(found, key=lambda r: (-(r.score + READING_WEIGHT * read.get(r.turn, 0.0)), r.turn))
        return [
            Ranked(r.turn, r.score + READING_WEIGHT * read.get(r.turn, 0.0), {**r.signals, "reading": read[r.turn]})
            if r.turn in read
            else r
            for r in ordered[:k]
        ]

    def _present(self, passages: PassageSource, asked: Atom, found: Sequence[Ranked]) -> dict[str, float]:
        of = passage_question(asked)
        assert of is not None
        ids = [r.turn for r in found[:DEEP]]
        return dict(zip(ids, passages.read(of[0], ids), strict=True))

    def _subgoals(self) -> list[str]:
        """Subgoals as plain sentences, those of the first readings first, without the question itself."""
        atoms = dict.fromkeys(a for goal in self.goals for a in goal.atoms if not passage_question(a))
        return [self.memory.reader.read(atom).text for atom in list(atoms)[:SUBGOALS]]

    def _search(self, text: str, k: int, asker: str = "") -> list[Ranked]:
        memory = self.memory
        return list(memory.searcher.rank(text, space=memory.space, k=k, at=memory.at, asker=asker))


def scaled(found: Sequence[Ranked]) -> list[Ranked]:
    """Scores on [0, 1]: the best is 1, the worst of those found 0."""
    if not found:
        return []
    top, low = found[0].score, found[-1].score
    span = (top - low) or 1.0
    return [Ranked(r.turn, (r.score - low) / span, r.signals) for r in found]
