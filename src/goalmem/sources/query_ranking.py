"""Turns ranked by goals, and by what a chat model guesses that somebody may have said.

A question asks for a kind ("which sports?") what was told as an instance ("my kickboxing class"). A model that names some
instances finds such turns, as hypothetical documents do (Gao and others 2023, HyDE). A guess says where to look and
nothing else: what is found is read, and proves, as if the question's own words had found it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from goalmem.questions.asked import passage_question
from goalmem.retrieve.search import Ranked
from goalmem.sources.passages import PassageSource
from goalmem.sources.ranking import READING_WEIGHT, GoalRanking, scaled

__all__ = ["QueryRanking"]

OF_QUERY = 60
"""Turns looked at for one guess: as many as for the question itself."""
READ_MORE = 20
"""Turns that only guesses find and that are read to be ranked, as all others are: as many as an answer may name."""
DEEP = 400
"""Turns of the ranking by goals that a guess may bring forward."""
QUERY_WEIGHT = 0.5
"""What the best guess counts beside the question's own words, both on [0, 1]: one of them that is right is enough, and
most are not."""


@dataclass
class QueryRanking:
    """A ranking by goals, with guesses added on the same scale."""

    goals: GoalRanking
    queries: Sequence[str]
    _found: list[Ranked] = field(default_factory=list)

    def ranked(self, k: int, passages: PassageSource | None) -> list[Ranked]:
        """The `k` turns that the question needs most. The rank of a turn does not depend on `k`."""
        if not self._found:
            held = {r.turn: r for r in self.goals.ranked(DEEP, passages)}
            guessed: dict[str, float] = {}
            for query in self.queries:
                for r in scaled(self._search(query)):
                    guessed[r.turn] = max(guessed.get(r.turn, 0.0), QUERY_WEIGHT * r.score)
            total = {t: (held[t].score if t in held else 0.0) + guessed.get(t, 0.0) for t in {**held, **guessed}}
            for turn, present in self._read(guessed.keys() - held.keys(), guessed, passages).items():
                total[turn] += READING_WEIGHT * present
            ordered = sorted(total, key=lambda turn: (-total[turn], turn))
            self._found = [Ranked(t, round(total[t], 6), held[t].signals if t in held else {}) for t in ordered]
        return self._found[:k]

    def _search(self, query: str) -> list[Ranked]:
        memory = self.goals.memory
        return list(memory.searcher.rank(query, space=memory.space, k=OF_QUERY, at=memory.at))

    def _read(
        self, new: Collection[str], guessed: Mapping[str, float], passages: PassageSource | None
    ) -> dict[str, float]:
        """How surely a turn answers, for the best of those that only guesses found."""
        asked = next((of for g in self.goals.goals for a in g.atoms if (of := passage_question(a))), None)
        if passages is None or asked is None:
            return {}
        best = sorted(new, key=lambda turn: (-guessed[turn], turn))[:READ_MORE]
        return dict(zip(best, passages.read(asked[0], best), strict=True))
