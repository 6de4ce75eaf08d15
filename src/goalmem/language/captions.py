"""What a shared picture shows, as a modest fact: the speaker shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goalmem.language.annotations import Clause, Part, Reading
from goalmem.language.entities import noun_type
from goalmem.language.phrases import implied_part
from goalmem.language.words.nouns import PICTURES

if TYPE_CHECKING:
    from spacy.tokens import Span

__all__ = ["shown"]

SHOWN = 8
"""Noun phrases of a caption that are read; the rest of a long caption stays searchable."""


def shown(reading: Reading) -> None:
    """(speaker, show, the scene) and (speaker, show, each noun phrase of the caption); the word for the picture itself is passed over."""
    if reading.caption is None or not reading.turn.author:
        return
    phrases = [c for c in reading.caption.noun_chunks if c.root.lemma_.lower() not in PICTURES][:SHOWN]
    for phrase in phrases:
        speaker = implied_part(reading.turn.author, "subject", "speaker")
        whole = phrase is phrases[0]
        reading.clauses.append(
            Clause(None, "show", parts=[speaker, _part(reading, phrase, whole=whole)], tense="present")
        )


def _part(reading: Reading, phrase: Span, *, whole: bool) -> Part:
    """The phrase; with all that follows it in the caption when it is the `whole` scene."""
    start = reading.offset + phrase.start_char
    end = reading.offset + len(reading.turn.caption) if whole else start + len(phrase.text)
    modifiers = tuple(
        t.lemma_.lower() for t in phrase if t.i != phrase.root.i and t.pos_ in ("NOUN", "PROPN", "ADJ", "NUM", "VERB")
    )
    return replace(
        Part("object", reading.turn.content[start:end], start, end, phrase.root.lemma_.lower()),
        type=noun_type(phrase.root),
        modifiers=modifiers,
    )
