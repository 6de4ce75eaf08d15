"""A turn as passages: what is embedded.

A vector of a whole message blurs it: the one sentence that answers ("by the way, I adopted a dog") drowns in the rest. So each
passage has a vector of its own, and the best passage speaks for its turn. Measured on LongMemEval's development half, sentences
instead of whole turns: every evidence session among the first five for .937 of the questions instead of .889.
"""

from __future__ import annotations

import re

__all__ = ["passages"]

LEAST_WORDS = 8
"""A shorter sentence joins the next: "Yes, really!" means nothing alone. Measured on LongMemEval: 8 is better than 16."""
MOST_PASSAGES = 6
"""Passages of one turn; those of a longer turn are longer. Bounds what an essay costs to embed, to keep and to scan."""

_BOUNDARY = re.compile(r"(?<=[.!?…。！？])\s+|\n+")


def passages(text: str) -> list[str]:
    """Runs of sentences that together are the text; one passage at least."""
    sentences = [sentence for sentence in map(str.strip, _BOUNDARY.split(text)) if sentence]
    sizes = [len(sentence.split()) for sentence in sentences]
    least = max(LEAST_WORDS, -(-sum(sizes) // MOST_PASSAGES))
    found: list[str] = []
    open_from, words = 0, 0
    for number, size in enumerate(sizes):
        words += size
        if words >= least:
            found.append(" ".join(sentences[open_from : number + 1]))
            open_from, words = number + 1, 0
    rest = " ".join(sentences[open_from:])
    if rest and found:
        found[-1] += f" {rest}"
    elif rest or not found:
        found.append(rest)
    return found
