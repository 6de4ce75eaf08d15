"""Relations as words: what a name in a graph says in plain language."""

from __future__ import annotations

import re
from functools import lru_cache

from goalmem.graph.protocol import INVERSE, Hop

__all__ = ["hop_text", "hop_words", "relation_text"]

BOUNDARIES = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""Between words: what is no letter or digit, and camel case."""
SEGMENTS = 2
"""Parts of a dotted name (Freebase's domain.type.property) that say what it means; the domain before them is broad."""
BACKWARDS = "of which it is"
"""Said before a relation that is taken from object to subject."""


@lru_cache(65_536)
def relation_text(name: str) -> str:
    """`people.person.place_of_birth` as "person place of birth", an IRI by its last part, `directedBy` as "directed by"."""
    tail = re.split(r"[/#]", name.rstrip("/#"))[-1] or name
    parts = [part for part in tail.split(".") if part]
    words = [w.lower() for part in parts[-SEGMENTS:] for w in BOUNDARIES.split(part) if w]
    distinct = [word for place, word in enumerate(words) if not place or word != words[place - 1]]
    return " ".join(distinct) or name


def hop_words(hop: Hop) -> tuple[str, ...]:
    """The words of the relation's name, whichever way it is taken."""
    return tuple(relation_text(hop.relation).split())


@lru_cache(65_536)
def hop_text(text: str) -> str:
    """A hop as the graph writes it (`~directed_by`), in words; what a hypothesis names may be any text."""
    plain = relation_text(text.removeprefix(INVERSE))
    return f"{BACKWARDS} {plain}" if text.startswith(INVERSE) else plain
