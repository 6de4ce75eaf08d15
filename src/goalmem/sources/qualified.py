"""What a clause says besides what it is taken to say: whatever is not known to leave the statement as it stands makes it unsure."""

from __future__ import annotations

import re

from goalmem.language import lexicon
from goalmem.language.words.doubts import FORMERLY, NEUTRAL, PRIVATIVE
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
MERELY = re.compile(
    r"(?:\bam|\bis|\bare|['’](?:m|s|re))\s+(?:just|only|merely|basically|practically|such|kind of|sort of|almost)\b(?!\W+\d)",
    re.IGNORECASE,
)
"""Adverbs before what somebody is only likened to (downtoners: Quirk et al. 1985, section 8.111)."""
UNTIL = re.compile(r"(?:until|till?|through|for)\b", re.IGNORECASE)
"""Begins how long something lasts."""
UNDERWAY = re.compile(r"\bbeing\b|\b(?:is|are|was|were|am|'s|'re)\s+getting\b", re.IGNORECASE)


def qualified(fact: Fact, *, state: bool) -> str:
    """The words of a fact by which it holds only in part, once, in a story, or in a way that is not understood.

    `state`: whether it tells what is so, rather than what happened: how that is so, says whether it is.
    """
    subject = fact.arg("subject")
    if subject is not None and subject.text and subject.text in fact.text:
        behind = fact.text[fact.text.index(subject.text) + len(subject.text) :]
        if (found := EXCEPTED.match(behind.strip())) is not None:
            return found[0]
    if (idiom := _idiom(fact)) or not fact.polarity:
        return idiom or next(
            (a.text for a in fact.args if a.role == "because"), ""
        )  # What is denied may be the reason.
    for argument in fact.args:
        text = argument.text.casefold()
        if argument.role in ("in", "on", "at", "as", "for") and argument.type != "time" and is_fictive(argument.head):
            return argument.text
        fronted = (
            subject is not None and 0 <= argument.start < subject.start and argument.role in ("in", "on", "at", "as")
        )
        if state and fronted and argument.type != "time":
            return argument.text
        if state and argument.role == "time" and UNTIL.match(text):
            return argument.text
        if argument.role in ("with", "of", "in", "for") and text.startswith("no "):
            return argument.text
        if state and argument.role == "complement" and is_fictive(argument.text.split()[0].casefold()):
            return argument.text
        if state and argument.role == "in" and lexicon.is_mainly(argument.head, "body part"):
            return argument.text
        if state and argument.role in LESS:
            return f"{argument.role} {argument.text}"
        adverb = argument.role in ("manner", "frequency", "degree") and argument.type != "quantity"
        if adverb and text in PRIVATIVE:
            return argument.text
        if state and adverb and not {*re.findall(r"[a-z]+", text)} <= NEUTRAL and not re.search(r"\d", text):
            return argument.text
    found = FORMERLY.search(fact.text) if state else None
    found = found or (MERELY.search(fact.text) if state else None)
    found = found or (UNDERWAY.search(fact.text) if state else None)
    return found[0] if found is not None else ""


def _idiom(fact: Fact) -> str:
    """The verb with its object where both together are a word of their own: `kick the bucket`."""
    thing = fact.arg("object")
    phrase = f"{fact.predicate} {thing.text.casefold()}" if thing is not None else ""
    return phrase if phrase and lexicon.is_known(phrase, "v") else ""


def is_fictive(head: str) -> bool:
    """Whether a noun names something in which what is told need not be so: a game, a dream, a novel."""
    told = bool({*lexicon.supersenses(head, "n")[:1]} & TOLD)
    return told and any(lexicon.is_a(head, kind) or head == kind for kind in FICTIVE)
