"""First and second person: who speaks, and to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.annotations import Reading, Referent
from goalmem.language.words.nouns import KIN_CALLED
from goalmem.language.words.pronouns import ABSOLUTE, FIRST_PLURAL, FIRST_WRITTEN, SECOND_WRITTEN

if TYPE_CHECKING:
    from spacy.tokens import Token

__all__ = ["addressed", "relative", "speaker"]

CALLED = {word: noun for noun, words in KIN_CALLED.items() for word in words}
NICKNAME = 3
"""Least length of a name's beginning that stands for the name (`Mel` for Melanie)."""


def speaker(reading: Reading, token: Token) -> Referent | None:
    """I, me, my, we -> the speaker; you, your -> the other one of two. Not inside somebody else's words."""
    word = token.lower_
    if word == "'s" and token.tag_ == "PRP":
        word = "us"
    if word in ABSOLUTE and (token.dep_ != "pobj" or token.head.lower_ != "of"):
        return None  # what is mine is not me
    if (word not in FIRST_WRITTEN and word not in SECOND_WRITTEN) or reading.is_quoted(token):
        return None
    if word in FIRST_WRITTEN:
        name, how = reading.turn.author, "speaker"
    else:
        name, how = reading.other(), "addressee"
    return Referent(name, "person", how, plural=word in FIRST_PLURAL) if name else None


def relative(reading: Reading, token: Token) -> Referent | None:
    """`Mum`, `Dad` without a determiner -> the speaker's own; what an assistant says so is the other one's."""
    noun = token.lower_
    if (
        noun not in CALLED
        or token.pos_ not in ("NOUN", "PROPN")
        or token.tag_ in ("NNS", "NNPS")
        or reading.is_quoted(token)
    ):
        return None
    before = reading.doc[token.i - 1] if token.i else None
    behind = reading.doc[token.i + 1] if token.i + 1 < len(reading.doc) else None
    described = any(t.dep_ != "punct" for t in token.lefts) or token.dep_ in ("compound", "attr", "appos", "amod")
    joined = any(t is not None and t.pos_ == "PROPN" and t.lower_ not in CALLED for t in (before, behind))
    if described or joined or any(s.casefold() == noun for s in reading.speakers):
        return None
    own = reading.other() if reading.turn.role == "assistant" else reading.turn.author
    if not own:
        return None
    reading.owned.setdefault(token.i, (own, noun))
    called = f"{own}'s {noun}"
    known = reading.canonical(called)
    return Referent(known, "person", "owner" if known == called else "alias", lexicon.gender(CALLED[noun]))


def addressed(reading: Reading, name: str) -> str:
    """The speaker whom a first name or nickname calls: `Mel` -> Melanie, when only one can be meant; else empty."""
    name = name.lower()
    if len(name) < NICKNAME:
        return ""
    called = [s for s in reading.speakers if s.lower().startswith(name)]
    return called[0] if len(called) == 1 else ""
