"""Verbs whose past looks like their present (`quit`, `put`, `set`), tagged by what else a sentence says of when.

A tagger takes `I quit smoking in March` for a habit. The simple present does not go with a time that may be gone, unless the sentence
looks ahead or tells what is repeated (Quirk et al. 1985, sections 4.5 and 4.14).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from goalmem.language.times import scan
from goalmem.language.words.modifiers import CONDITIONS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["agree"]

_AHEAD = re.compile(
    r"\b(?:next|coming|upcoming|tomorrow|tonight|soon|every|each|always|usually|often|sometimes|never|will|gonna|in (?:a|an|\d+) \w+)\b|'ll\b",
    re.IGNORECASE,
)


def agree(doc: Doc) -> Doc:
    """Tags such verbs as past, in place, where their sentence has a time, or a verb beside them, of the past."""
    for token in doc:
        if token.tag_ in ("VBP", "VB") and _is_finite(token) and _is_past(token.lower_, token.lemma_.lower()):
            sentence = token.sent.text
            joined = [t for t in (token.head, *token.conjuncts) if t.i != token.i]
            told = any(t.tag_ == "VBD" for t in joined if t.dep_ == "conj" or token.dep_ == "conj")
            if told or (not _AHEAD.search(sentence) and scan(sentence)):
                token.tag_ = "VBD"
    return doc


def _is_finite(token: Token) -> bool:
    """With a subject of its own or that of the verb it is joined to, and no auxiliary."""
    children = {t.dep_ for t in token.children}
    subject = "nsubj" in children or (token.dep_ == "conj" and any(t.dep_ == "nsubj" for t in token.head.children))
    conditional = any(t.dep_ == "mark" and t.lower_ in CONDITIONS for t in token.children)
    return subject and not conditional and not children & {"aux", "auxpass", "ccomp"}


@lru_cache(4096)
def _is_past(form: str, lemma: str) -> bool:
    from goalmem.language.inflection import getInflection

    return form in getInflection(lemma, "VBD")
