"""First and second person: who speaks, and to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalmem.language.annotations import Reading, Referent

if TYPE_CHECKING:
    from spacy.tokens import Token

__all__ = ["FIRST", "SECOND", "addressed", "speaker"]

FIRST = frozenset({"i", "me", "my", "mine", "myself", "im", "we", "us", "our", "ours", "ourselves"})
PLURAL = frozenset({"we", "us", "our", "ours", "ourselves"})
SECOND = frozenset({"you", "your", "yours", "yourself", "yourselves", "ya", "u", "ur"})
ABSOLUTE = frozenset({"mine", "ours", "yours"})
NICKNAME = 3
"""Least length of a name's beginning that stands for the name (`Mel` for Melanie)."""


def speaker(reading: Reading, token: Token) -> Referent | None:
    """I, me, my, we -> the speaker; you, your -> the other one of two. Not inside somebody else's words."""
    word = token.lower_
    if word == "'s" and token.tag_ == "PRP":
        word = "us"
    if word in ABSOLUTE and (token.dep_ != "pobj" or token.head.lower_ != "of"):
        return None  # what is mine is not me
    if (word not in FIRST and word not in SECOND) or reading.is_quoted(token):
        return None
    if word in FIRST:
        name, how = reading.turn.speaker, "speaker"
    else:
        name, how = reading.other(), "addressee"
    return Referent(name, "person", how, plural=word in PLURAL) if name else None


def addressed(reading: Reading, name: str) -> str:
    """The speaker whom a first name or nickname calls: `Mel` -> Melanie, when only one can be meant; else empty."""
    name = name.lower()
    if len(name) < NICKNAME:
        return ""
    called = [s for s in reading.speakers if s.lower().startswith(name)]
    return called[0] if len(called) == 1 else ""
