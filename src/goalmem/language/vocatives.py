"""Who is spoken to by name: `Leo, do you smoke?`, `Do you smoke, Leo?` (vocatives: Quirk et al. 1985, section 10.53)."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.annotations import TurnReading
from goalmem.language.entities import addressed
from goalmem.language.words.nouns import NAMES_TOO
from goalmem.language.words.pronouns import SECOND_WRITTEN

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

OPENING = frozenset(
    "hi hey hello hiya yo so ok okay well and but oh ah um now then dear morning evening good thanks sorry please yes no yeah wow wait listen"
    " also btw welcome congrats".split()
)
"""Words before a name at the start."""
ASIDE = frozenset(",!:–—-")
"""Marks that set a name apart behind it."""
LONGEST = 4
"""Tokens before a name at the start."""
RARE = 2
"""Uses of a noun in the texts that WordNet's senses are counted in, up to which a capitalized one is taken for a name."""
DEFAULTS = frozenset({"user", "assistant"})
"""Speakers without a name, who may be called anything."""


def find_vocatives(reading: TurnReading) -> None:
    """Annotate in which sentences somebody else is addressed than the one spoken to otherwise.

    A name holds until the next one.
    """
    if reading.other() in DEFAULTS or not reading.turn.author:
        return
    name = ""
    for sentence in reading.doc.sents:
        name = _at_start(reading, sentence) or _at_end(reading, sentence) or name
        if name:
            reading.spoken_to[sentence.start] = name


def _at_start(reading: TurnReading, sentence: Span) -> str:
    for token in islice(sentence, LONGEST):
        after = token.doc[token.i + 1].text[0] if token.i + 1 < len(token.doc) else ""
        apart = after in ASIDE or (token.i and token.nbor(-1).text == "@") or token.text[0] == "@"
        if apart and (name := _named(reading, token)):
            return name if _speaks_to(sentence, token) else ""
        if token.lower_ not in OPENING and token.text[0] not in "@,!" and not token.is_space:
            return ""
    return ""


def _speaks_to(sentence: Span, name: Token) -> bool:
    """True if a sentence is a question, an order, about `you`, or nothing but a call; false for `Oscar, my guinea pig`."""
    behind = [t for t in sentence if t.i > name.i + 1 and t.is_alpha]
    if not behind or "?" in sentence.text or sentence.root.tag_ == "VB":
        return True
    return any(t.lower_ in SECOND_WRITTEN for t in behind)


def _at_end(reading: TurnReading, sentence: Span) -> str:
    words = [t for t in sentence if not t.is_space and t.text[0] not in "?!."]
    if len(words) < LONGEST or words[-2].text != "," or words[-1].dep_ == "conj":
        return ""
    before = words[-3]
    described = before.pos_ == "NOUN" and lexicon.coarse_type(before.lemma_) in ("person", "animal")
    return "" if described or before.pos_ == "PROPN" else _named(reading, words[-1])


def _named(reading: TurnReading, token: Token) -> str:
    """The participant or the other person whom a word names; empty if it names neither."""
    text = token.text.lstrip("@")
    known = next((s for s in reading.speakers if s.casefold() == text.casefold()), "") or addressed(reading, text)
    if known:
        return known if known != reading.turn.speaker else ""
    if lexicon.is_given_name(text):
        return text[:1].upper() + text[1:]
    called = reading.canonical(text)
    placed = token.ent_type_ == "GPE" and lexicon.coarse_type(text) == "place"
    return called if called != text or (token.pos_ == "PROPN" and not placed and _may_name(text)) else ""


def _may_name(text: str) -> bool:
    """True for a capitalized word that is a name, if an ordinary noun as well: `Leo` and `Ben`, not `Cool` and `Doctor`."""
    word = text.lower()
    rare = lexicon.coarse_type(word) == "person" and lexicon.tagged_uses(word) <= RARE
    rare = rare and not any(lexicon.is_a(word, kind) for kind in ("worker", "man", "woman", "relative"))
    return (
        text[:1].isupper() and not text.isupper() and (word in NAMES_TOO or (rare and not lexicon.is_known(word, "v")))
    )
