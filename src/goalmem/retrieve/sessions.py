"""From turns found to sessions found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from goalmem.records import Hit

__all__ = ["SessionHit", "rank_sessions"]

DAMPING = 0.3
"""What each further turn of a session adds, as a share of the one before it. Measured on LongMemEval's development half: 0.3
finds all evidence sessions more often than 0 (best turn alone) and 0.5."""
TURNS = 3
"""Turns of a session that count."""


@dataclass(frozen=True, slots=True)
class SessionHit:
    """A session found, with those of its turns that were found, best first."""

    session: str
    score: float
    hits: tuple[Hit, ...]


def rank_sessions(hits: Sequence[Hit], k: int | None = None) -> list[SessionHit]:
    """The sessions of some hits (best first, as `search` returns them), best first; the first `k` when given.

    A session is worth its best turn and a falling share of its next ones. For the first k sessions search for several
    times k turns.
    """
    found: dict[str, list[Hit]] = {}
    for hit in hits:
        found.setdefault(hit.turn.session, []).append(hit)
    ranked = [SessionHit(session, _worth(own), tuple(own)) for session, own in found.items()]
    ranked.sort(key=lambda session: -session.score)
    return ranked[:k]


def _worth(hits: Sequence[Hit]) -> float:
    return sum(
        DAMPING**place * (hit.score if place == 0 else max(hit.score, 0.0)) for place, hit in enumerate(hits[:TURNS])
    )
