"""Durations that end when they are told, where a question asks for one that ends with another event."""

from __future__ import annotations

import re

UNTIL_EVENT = re.compile(
    r"\bhow (?:long|many \w+) had\b.*\b(?:when|before|until|by the time|at the time)\b", re.IGNORECASE
)
UNTIL_NOW = re.compile(r"\b(?:have|has)\b|['’](?:ve|s)\b", re.IGNORECASE)
"""The perfect: up to the time of speaking (Quirk et al. 1985, section 4.20)."""
AGO = re.compile(r"\W*(?:ago|now)\b", re.IGNORECASE)


def ends_elsewhere(question: str, text: str, start: int, end: int) -> bool:
    """True if a question asks how long something had lasted when something else happened, and a text how long until it was said.

    `I have been taking lessons for six weeks` does not answer *How long had I been taking lessons when I bought the amp?*
    """
    if UNTIL_EVENT.search(question) is None:
        return False
    before = text[max(text.rfind(mark, 0, start) for mark in ".!?\n") + 1 : start]
    return UNTIL_NOW.search(before) is not None or AGO.match(text, end) is not None
