"""Sentence ends that a parser trained on edited text misses in chat: line ends and emoji."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

NAME = "goalmem_boundaries"


def boundaries(doc: Doc) -> Doc:
    """Starts a sentence after a line end, and after an emoji, `!` or `?` that a capital follows."""
    for before, token in pairwise(doc):
        ended = before.text[-1] in "!?" or is_emoji(before.text)
        if (before.is_space and "\n" in before.text) or (ended and token.text[:1].isupper()):
            token.is_sent_start = True
    return doc


def is_emoji(text: str) -> bool:
    """True for a token made of pictographs alone."""
    return not text.isascii() and all(unicodedata.category(c) in ("So", "Sk", "Mn", "Cf") for c in text)


def register(language: Language) -> None:
    """Puts `boundaries` before the parser, which keeps the starts it finds."""
    from spacy.language import Language as Registry

    if not Registry.has_factory(NAME):
        Registry.component(NAME, func=boundaries)
    language.add_pipe(NAME, before="parser")
