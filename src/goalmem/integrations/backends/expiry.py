"""Facts of systems that know when one stopped being true (Graphiti, Zep)."""

from __future__ import annotations

from datetime import UTC, datetime

from goalmem.io.dates import read_moment

__all__ = ["has_ended"]


def has_ended(expired: object, invalid: object, now: datetime) -> bool:
    """Whether a fact is known to be true no longer.

    `expired`: when the system learned that it is superseded, if it is. `invalid`: from when on it is not true, as a moment or in
    text, without a zone as UTC; what is no moment says nothing.
    """
    until = read_moment(invalid)
    if until is not None and until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return bool(expired) or (until is not None and until <= now)
