"""A judge whose verdicts are kept: for one question, what finds an answer and what checks it ask of the same words."""

from __future__ import annotations

from collections.abc import Sequence

from goalmem.models.protocol import Excerpt, Judge, Statement, Verdict

__all__ = ["VerdictCache"]


class VerdictCache:
    """`Judge` that asks another of each pair once. It grows with every pair, and so is made for one question."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._verdicts: dict[tuple[Statement, Excerpt], Verdict] = {}

    @property
    def name(self) -> str:
        """That of the judge who is asked."""
        return self._judge.name

    @property
    def digest(self) -> str:
        """That of the judge who is asked; empty for one that has none."""
        return str(getattr(self._judge, "digest", ""))

    def judge(self, pairs: Sequence[tuple[Statement, Excerpt]]) -> list[Verdict]:
        """A verdict for each pair; raises as the judge who is asked."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._verdicts]
        if new:
            self._verdicts.update(zip(new, self._judge.judge(new), strict=True))
        return [self._verdicts[pair] for pair in pairs]
