"""What a clause says besides what it is taken to say: whatever is not known to leave the statement as it stands makes it unsure."""

from __future__ import annotations

import re

from goalmem.language import lexicon
from goalmem.language.words.doubts import FORMERLY, NEUTRAL
from goalmem.records import Fact

__all__ = ["qualified"]

TOLD = frozenset({4, 9, 10})
"""Lexicographer files of WordNet (lexnames(5WN)) for what is done, thought, and said, written, played or shown."""
FICTIVE = (
    "game",
    "dream",
    "fiction",
    "story",
    "performance",
    "dramatic composition",
    "model",
    "imagination",
    "simulation",
    "musical composition",
    "movie",
    "joke",
)
LESS = frozenset({"without", "except", "besides", "minus", "plus", "per", "excluding", "including"})
"""Prepositions that add to what is told, or take from it."""
EXCEPTED = re.compile(r"\b(?:except|but|apart from|aside from|save for|other than|bar)\b", re.IGNORECASE)
UNDERWAY = re.compile(r"\bbeing\b|\b(?:is|are|was|were|am|'s|'re)\s+getting\b", re.IGNORECASE)


def qualified(fact: Fact, *, state: bool) -> str:
    """The words of a fact by which it holds only in part, once, in a story, or in a way that is not understood.

    `state`: whether it tells what is so, rather than what happened: how that is so, says whether it is.
    """
    if not fact.polarity:
        return ""
    for argument in fact.args:
        text = argument.text.casefold()
        if argument.role in ("in", "on", "at", "as", "for") and argument.type != "time" and is_fictive(argument.head):
            return argument.text
        if state and argument.role in LESS:
            return f"{argument.role} {argument.text}"
        adverb = argument.role in ("manner", "frequency", "degree") and argument.type != "quantity"
        if state and adverb and not {*re.findall(r"[a-z]+", text)} <= NEUTRAL and not re.search(r"\d", text):
            return argument.text
    found = FORMERLY.search(fact.text) if state else None
    found = found or (UNDERWAY.search(fact.text) if state else None)
    subject = fact.arg("subject")
    if found is None and subject is not None and subject.text and subject.text in fact.text:
        behind = fact.text[fact.text.index(subject.text) + len(subject.text) :]
        found = EXCEPTED.match(behind.strip())
    return found[0] if found is not None else ""


def is_fictive(head: str) -> bool:
    """Whether a noun names something in which what is told need not be so: a game, a dream, a novel."""
    told = bool({*lexicon.supersenses(head, "n")[:1]} & TOLD)
    return told and any(lexicon.is_a(head, kind) or head == kind for kind in FICTIVE)
