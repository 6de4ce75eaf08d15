"""Sentences as evidence: what a proof cites of a theory, by an id that is a hash of the words."""

from __future__ import annotations

import hashlib

from goalmem.logic.syntax import format_rule
from goalmem.logic.terms import Evidence
from goalmem.rules.terms import Clause

__all__ = ["RULE", "cited", "sentence_id", "sentence_of"]

RULE = "rule-"
"""What the id of a sentence begins with; no id of a turn does."""
_DIGITS = 24


def sentence_of(clause: Clause) -> str:
    """The sentence that states a clause; of one that no text states, the clause in NL-Logic."""
    return clause.text or f"{format_rule(clause.rule)}."


def sentence_id(text: str) -> str:
    """The id of a sentence: the same words have the same id everywhere."""
    return f"{RULE}{_hash(text)[:_DIGITS]}"


def cited(text: str) -> Evidence:
    """A whole sentence as evidence. Nobody says a rule at any time: it is in force as long as it is stated."""
    return Evidence(sentence_id(text), _hash(text), text, 0, len(text), "", "", "")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
