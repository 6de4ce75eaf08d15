"""What a turn is found by in the database: its words and terms as lexemes of a tsvector."""

from __future__ import annotations

from base64 import b64encode

from goalmem.store.words import words

__all__ = ["EVERY_WORD", "MORE", "lexemes", "term_lexeme"]

MOST_LEXEME_BYTES = 500_000
"""Of a turn's lexemes: half of what a tsvector may hold (postgresql.org/docs, 11.3 Limitations)."""
MORE = "*"
"""The lexeme of a turn that has more words than are indexed; no word is written so."""
EVERY_WORD = f"!'{MORE}{MORE}'"
"""A tsquery that every turn matches."""


def lexemes(content: str, terms: bytes) -> str:
    """What a turn is found by in the database, written as a tsvector: its words for phrases, its terms for candidates."""
    found = {f"'{word}'" for word in words(content)} | {
        term_lexeme(terms[at : at + 8]) for at in range(0, len(terms), 8)
    }
    size, kept = 0, []
    for lexeme in sorted(found):
        size += len(lexeme.encode())
        if size > MOST_LEXEME_BYTES:
            kept.append(f"'{MORE}'")
            break
        kept.append(lexeme)
    return " ".join(kept)


def term_lexeme(term: bytes) -> str:
    """The lexeme of a term, 8 bytes; a mark before it keeps it apart from every word."""
    return f"'={b64encode(term)[:11].decode()}'"
