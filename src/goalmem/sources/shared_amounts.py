"""Amounts told of several things or people at once: `165 euros for the tent and the stove` is the price of neither."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set

from goalmem.language.inflection import getLemma
from goalmem.language.lexicon import coarse_type
from goalmem.records import Argument, Fact
from goalmem.sources.numbers import OF_NUMBER

SUMS = frozenset({"amount", "duration"})
"""Types of what is told of several at once, or summed over several events; a number of things is another."""
EACH = re.compile(r"\b(?:each|apiece|both|respectively)\b", re.IGNORECASE)
"""What makes an amount that of every single one."""


def is_share(type_: str, asked: Set[str], sentence: str, fact: Fact, amount: Argument, others: Iterable[Fact]) -> bool:
    """True if a question names one of several things that an amount was told of, and not the other.

    `asked` are the question's words in lower case, nouns in the singular; `sentence` is the one that the amount is in, `others` are the facts
    of the same turn.
    """
    if type_ not in SUMS and not type_.startswith(OF_NUMBER):
        return False
    if fact.predicate == "have" and coarse_type(amount.head) == "person":
        return False  # Children are of both.
    if EACH.search(sentence):
        return False
    return any(asked & _names(own) and not asked & _names(other) for own, other in _joined(fact, amount, others))


def words_asked(text: str) -> frozenset[str]:
    """The words of a question as `is_share` compares them."""
    words = re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text.casefold())
    return frozenset(lemma for word in words for lemma in (word, *getLemma(word, "NOUN")))


def _joined(fact: Fact, amount: Argument, others: Iterable[Fact]) -> Iterator[tuple[Argument, Argument]]:
    """Yield the arguments of a fact beside those of another with the same amount, where these differ."""
    for other in others:
        if other.predicate != fact.predicate or amount not in other.args or len(other.args) != len(fact.args):
            continue
        yield from (
            (a, b) for a, b in zip(fact.args, other.args, strict=True) if a.role == b.role and a.start != b.start
        )


def _names(argument: Argument) -> Set[str]:
    return {argument.head, argument.entity.casefold()} - {""}
