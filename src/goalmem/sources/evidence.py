"""Evidence out of a turn."""

from __future__ import annotations

import hashlib

from goalmem.logic.terms import Evidence
from goalmem.records import Turn

__all__ = ["evidence_of"]


def evidence_of(turn: Turn, start: int, end: int) -> Evidence:
    """A span of a turn, with the hash of the whole turn."""
    content = turn.content
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    return Evidence(turn.id, digest, content[start:end], start, end, turn.speaker, turn.at.isoformat(), turn.session)
