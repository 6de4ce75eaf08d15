"""Names within longer names: Ana is short for Ana Lopez, York not for New York (condition 1 of unification)."""

from __future__ import annotations

import re

from goalmem.language.terms import WORD_PART, terms_of
from goalmem.language.words.pronouns import DEFINITE
from goalmem.logic.unify import FramePart

SHORT_NAME = 0.95
"""Score of a short name for a longer one."""


def share_name(wanted: str, held: str) -> bool:
    """True if all words of one name are in the other."""
    asked, told = {*wanted.split()}, {*held.split()}
    return asked <= told or told <= asked


def is_short_for(name: str, longer: str, type_: str) -> bool:
    """True if a name is a short one for a longer: one name of a person, or a make. York is not New York, and Oxford not Oxford Brookes.

    Who is asked for by a longer name than was told may be another.
    """
    short, words = name.split(), longer.split()
    if type_ == "person":
        return len(short) == 1 and name in words
    return len(short) < len(words) and words[: len(short)] == short and type_ not in ("place", "organization", "work")


def ends_at(part: FramePart, end: int) -> bool:
    """True if a name inside a phrase is not before a noun that it modifies: an English teacher is not English, nor is the Paris office Paris."""
    behind = re.match(r"[ -](\w+)", part.text[end:])
    return behind is None or not terms_of(behind[1])


def said_of_name(part: FramePart) -> list[str]:
    """What the words of a part say of a name behind them: `fluent` of `fluent Dutch`, `blue` of `the blue Ford`; nothing after a possessive."""
    before, found, _ = part.text.partition(part.entity)
    plain = found and before[1:] == before[1:].casefold()
    words = WORD_PART.findall(before.casefold()) if plain else []
    return [] if words and words[0] in DEFINITE - {"the"} else [w for w in words if terms_of(w)]
