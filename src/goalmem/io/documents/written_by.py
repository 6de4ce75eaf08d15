"""Who wrote a document, and when, where it says so itself."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from goalmem.io.chat_messages import FIRST_YEAR, LAST_YEAR, LONGEST_NAME
from goalmem.io.dates import read_moment

__all__ = ["author_in", "moment_in"]

SEVERAL = re.compile(r"[,;&\[]|\band\b|\bet al\b", re.IGNORECASE)


def author_in(said: str) -> str:
    """The one author that a field names; empty for several, of whom nobody knows which says `I`."""
    name = " ".join(said.split())
    return "" if SEVERAL.search(name) or len(name) > LONGEST_NAME else name


def moment_in(said: str) -> datetime | None:
    """The moment that a field names, of UTC where it has no zone; None when it names none."""
    found = read_moment(said)
    if found is None or not FIRST_YEAR <= found.year <= LAST_YEAR:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
