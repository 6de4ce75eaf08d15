"""Rank sessions by the turns found, and tell which speakers are people."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from goalmem.records import DOCUMENT, Hit

DAMPING = 0.3
"""Weight of each further turn of a session, relative to the previous one. Measured on LongMemEval's development half: 0.3 finds all
evidence sessions more often than 0 (best turn alone) and 0.5."""
TURNS = 3
"""Turns of a session that count."""


@dataclass(frozen=True, slots=True)
class SessionHit:
    """A session with those of its turns that were found, best first."""

    session: str
    score: float
    hits: tuple[Hit, ...]


def rank_sessions(hits: Sequence[Hit], k: int | None = None) -> list[SessionHit]:
    """The sessions of some hits (best first, as `search` returns them), best first; the first `k` if given.

    A session's score is that of its best turn plus decreasing shares of the next ones. For the first k sessions, search for several times k
    turns.
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


MACHINES = frozenset({"assistant", "system", "tool", DOCUMENT})
"""Roles that are not people."""


def only_name(people: Sequence[str]) -> str:
    """The only name; empty if there are none or several."""
    return people[0] if len(set(people)) == 1 else ""


def known_spelling(name: str, known: Collection[str]) -> str:
    """A name in its known spelling, ignoring case; unchanged if it is not known."""
    if name in known:
        return name
    return next((k for k in known if k.casefold() == name.casefold()), name)
