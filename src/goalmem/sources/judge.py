"""The bundled judge of what was read: how much of the question is said where the answer stands.

It shares nothing with the reader that proposes: it compares words, and looks at whether the sentence states anything. Words alone
certify little, so that what it judges is at best likely (docs/reasoning.md, Statuses); a trained judge may take its place.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from goalmem.extract.lexicon import base_form, related, synonyms
from goalmem.models.protocol import Excerpt, Statement, Verdict
from goalmem.retrieve.words import terms_of

__all__ = ["WordJudge"]

WEIGHTS = (2.384, 0.19, -0.803)
"""Of the share of the question said in the sentence or the turn it replies to; of that said in the sentence itself; and of the
sentence being a question. Logistic regression on the six best readings of each of 725 questions of lives/train (4,140 pairs, of which 5.6 %
are right; cross-validated by conversation AUROC .67). `goalmem eval weigh` makes such features."""
BIAS = -3.453
LATIN = re.compile(r"[^\W\d_]+")
CACHED = 8192


class WordJudge:
    """`Judge` by the words of the question, their synonyms and what is derived from them (WordNet)."""

    name = "words-1"

    def judge(self, pairs: Sequence[tuple[Statement, Excerpt]]) -> list[Verdict]:
        """A verdict for each pair; contradiction is not judged."""
        return [verdict(statement, excerpt) for statement, excerpt in pairs]


def verdict(statement: Statement, excerpt: Excerpt) -> Verdict:
    """The probability that an excerpt states an answer, by how much of the question it says."""
    asked = asked_terms(statement.question)
    own = {*terms_of(f"{excerpt.speaker}: {excerpt.text}")}
    both = own | {*terms_of(excerpt.before)}
    clues = (share(asked, both), share(asked, own), float(excerpt.text.rstrip().endswith("?")))
    entailed = 1 / (1 + math.exp(-BIAS - sum(w * x for w, x in zip(WEIGHTS, clues, strict=True))))
    return Verdict(entailed, 0.0, 1 - entailed)


@lru_cache(CACHED)
def asked_terms(question: str) -> tuple[frozenset[str], ...]:
    """For each content word of a question the stems by which it may be said."""
    words = dict.fromkeys(w.casefold() for w in LATIN.findall(question))
    return tuple(meanings(word) for word in words if terms_of(word))


@lru_cache(CACHED)
def meanings(word: str) -> frozenset[str]:
    """Stems of a word, its synonyms and what is derived from it."""
    lemma = base_form(word)
    others = (*synonyms(lemma, "v"), *synonyms(lemma, "n"), *related(lemma))
    return frozenset(term for other in (word, *others) for term in terms_of(other))


def share(asked: Sequence[frozenset[str]], said: set[str]) -> float:
    """The share in [0, 1] of what is asked that is said; 0 where nothing particular is asked."""
    return sum(bool(meant & said) for meant in asked) / max(1, len(asked))
