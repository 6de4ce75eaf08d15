"""A statement and an excerpt as the two texts that a judging model reads, the same when it is trained and when it judges."""

from __future__ import annotations

from goalmem.models.protocol import Excerpt, Statement

__all__ = ["excerpt_text", "statement_text"]

SHOWN_BEFORE = 300
"""Characters of the turn before that are shown, from its end."""
SHOWN = 900
"""Characters of the turn itself."""


def statement_text(statement: Statement) -> str:
    """A whole statement as it is; a question with its answer behind it: `Where does Ines live? Oslo`."""
    return f"{statement.question} {statement.answer}" if statement.answer else statement.question


def excerpt_text(excerpt: Excerpt) -> str:
    """`Speaker (day): text`, on the line after the end of the turn that it replies to."""
    day = f" ({excerpt.said:%a} {excerpt.said.day} {excerpt.said:%B %Y})" if excerpt.said is not None else ""
    before = f"{excerpt.before[-SHOWN_BEFORE:]}\n" if excerpt.before else ""
    lead = f"{excerpt.speaker}{day}: " if excerpt.speaker else ""
    return f"{before}{lead}{excerpt.text[:SHOWN]}"
