"""A question's words, and how much each tells about what it is asked of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from math import log10

from goalmem.graph.entity_names import folded, words_of
from goalmem.language.lexicon import base_form, related, tagged_uses
from goalmem.language.terms import STOP_WORDS, terms_of
from goalmem.language.words.function_words import AFTER_NAMES_OF_GRAPHS
from goalmem.language.words.pronouns import POINTING

__all__ = ["Asked", "Token", "asked_of"]

LONGEST_QUESTION = 256
"""Words of a question that are looked at."""
FUNCTION, KIND, RELATION, LEAST, NAME = 0.1, 0.2, 0.4, 0.5, 2.0
"""What a word tells: function words; the kind that is asked for ("which films …"); words of the graph's relations;
the commonest words of the dictionary; words that are in none, which are mostly names. Only their order matters much."""
COMMONER = 0.5
"""By how much less a word tells that is ten times as common (in WordNet's tagged texts)."""
PHRASE = 0.5
"""More for a run of several words: that they are a name by chance is rarer than for one."""
CAPITALISED = 1.0
"""More for a run whose words are capitalised where not all of the question is."""
QUOTED = 2.0
"""More for a run within quotation marks."""
_TOKEN = re.compile(r"\w+(?:['\u2019\u02bc]\w+)*|(?<!\S)[^\w\s]+(?!\S)")
"""A word, or what stands alone and holds none ("$")."""
_SEPARATOR = re.compile(r"[\W_]+")
_WH = frozenset("what which whose how".split())
_PUNCTUATION = frozenset(".,;:?!-\u2013\u2014\u2026()[]\"'")
_FUNCTION_WORDS = frozenset(word.replace("'", "") for word in STOP_WORDS) | AFTER_NAMES_OF_GRAPHS
"""With the modal verbs and focus adverbs that Snowball's list leaves out (Quirk et al. 1985, sections 2.34 and 8.116)."""
_QUOTES = ('"', "\u201c", "\u201d", "\u00ab", "\u00bb")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a question, folded, where it stands, and what it tells."""

    word: str
    start: int
    end: int
    weight: float
    capital: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A question's words."""

    question: str
    tokens: tuple[Token, ...]
    cased: bool
    """True where capitals mean something: neither all words have one, nor none."""

    @property
    def most(self) -> float:
        """More than any run is worth."""
        return sum(t.weight for t in self.tokens) + PHRASE + CAPITALISED + QUOTED

    @property
    def telling(self) -> float:
        """What a run is worth that leaves little of the question to be explained: half of what all words tell."""
        return sum(t.weight for t in self.tokens) / 2

    def runs(self, longest: int) -> Iterator[tuple[int, int]]:
        """First and behind last token of every run of at most so many."""
        count = len(self.tokens)
        return ((a, b) for a in range(count) for b in range(a + 1, min(a + longest, count) + 1))

    def reading(self, place: int, word: str, surety: float) -> Asked:
        """The question with another word at a place, which tells so much of what the word there does."""
        token = self.tokens[place]
        other = replace(token, word=word, weight=surety * token.weight)
        return replace(self, tokens=(*self.tokens[:place], other, *self.tokens[place + 1 :]))

    def worth(self, first: int, last: int) -> float:
        """What a run of tokens tells."""
        run = self.tokens[first:last]
        worth = sum(t.weight for t in run)
        if last - first > 1 and any(t.weight >= LEAST for t in run):
            worth += PHRASE
        begins = run[0].capital or run[0].word[0].isdigit()
        proper = begins and all(t.capital or t.weight <= FUNCTION or t.word[0].isdigit() for t in run)
        if self.cased and proper and any(t.capital for t in run[first == 0 :]):
            worth += CAPITALISED
        before, after = self.question[: run[0].start].rstrip(), self.question[run[-1].end :].lstrip()
        if before.endswith(_QUOTES) and after.startswith(_QUOTES):
            worth += QUOTED
        return worth

    def written(self, name: str, span: tuple[int, int]) -> int:
        """How much of the question around a span is the name as it is written, in characters, punctuation and all; 0 if it is
        not. Without regard to case where that means nothing; then one that is the same even so counts a little more.
        """
        first = max(0, span[0] - max(0, len(name) - (span[1] - span[0])))
        around = self.question[first : span[0] + len(name)]
        held = self._holds(around, name, span[0] - first)
        if self.cased or held:
            return 2 * len(name) * held
        return (2 * len(name) - 1) * self._holds(around.lower(), name.lower(), span[0] - first)

    @staticmethod
    def _holds(around: str, name: str, start: int) -> bool:
        return 0 <= around.find(name) <= start

    def share(self, name: Sequence[str]) -> tuple[float, float, int, int]:
        """How much of a name, by what its words tell, stands in the question in the densest run as long as it.

        With what the question's words there tell, and the first and behind the last of them.
        """
        weights = {word: FUNCTION if word in _FUNCTION_WORDS else _telling(word) for word in name}
        total = sum(weights.values())
        best = (0.0, 0.0, 0, 1)
        for first, token in enumerate(self.tokens):
            if token.word not in weights:
                continue
            held: dict[str, int] = {}
            for place in range(first, min(first + len(name) + 1, len(self.tokens))):
                if self.tokens[place].word in weights:
                    held.setdefault(self.tokens[place].word, place)
            share = sum(weights[word] for word in held) / total
            known = max(weights[word] for word in held) >= 1
            if known and share > best[0]:
                worth = sum(self.tokens[place].weight for place in held.values())
                best = (share, worth, first, max(held.values()) + 1)
        return best


def asked_of(question: str, relations: Sequence[str]) -> Asked:
    """The words of a question about a graph with these relations."""
    of_relations = _of_relations(tuple(relations))
    tokens: list[Token] = []
    kind = False
    for match in islice(_TOKEN.finditer(question), LONGEST_QUESTION):
        for word in words_of(match[0]) or (folded(match[0]),):
            weight, kind = _weight(word, of_relations, kind)
            tokens.append(Token(word, *match.span(), weight, match[0][0].isupper()))
    _lessen_kinds(tokens)
    capitals = sum(t.capital for t in tokens)
    return Asked(question, tuple(tokens), 0 < capitals < len(tokens))


def _lessen_kinds(tokens: list[Token]) -> None:
    """In "the film Casablanca" the first noun says what kind of thing the second names."""
    for place in range(len(tokens) - 2):
        before, kind, name = tokens[place : place + 3]
        common = LEAST <= kind.weight < NAME and not kind.capital
        named = name.capital or (name.weight >= LEAST and not _is_mostly_verb(name.word))
        if before.word in POINTING and common and named:
            tokens[place + 1] = replace(kind, weight=KIND)


def _is_mostly_verb(word: str) -> bool:
    return sum(tagged_uses(form, "v") - tagged_uses(form) for form in _forms(word)) > 0


@lru_cache(maxsize=64)
def _of_relations(relations: tuple[str, ...]) -> frozenset[str]:
    """The words of relations' names with all their forms, and what is derived from them: directed, direct, director."""
    words = {word for relation in relations for word in words_of(_SEPARATOR.sub(" ", relation))} - STOP_WORDS
    forms = {form for word in words for form in _forms(word)}
    return frozenset(forms.union(*map(related, forms)) if forms else forms)


@lru_cache(maxsize=4096)
def _forms(word: str) -> tuple[str, ...]:
    """The word, and what it may be a form of."""
    return tuple(dict.fromkeys((word, base_form(word), word.removesuffix("s"), *terms_of(word))))


def _weight(word: str, of_relations: frozenset[str], kind: bool) -> tuple[float, bool]:
    """What a word tells, and whether the next may still be of the kind that is asked for."""
    if not word[0].isalnum():
        return (FUNCTION if word[0] in _PUNCTUATION else LEAST), False
    if word in _FUNCTION_WORDS or word in _WH:
        return FUNCTION, word in _WH or (kind and word == "of")
    if not of_relations.isdisjoint(_forms(word)):
        return RELATION, kind
    telling = _telling(word)
    return (KIND, True) if kind and telling < NAME else (telling, False)


@lru_cache(maxsize=4096)
def _telling(word: str) -> float:
    """How much a word tells by how rare it is in general."""
    uses = max(sum(tagged_uses(form, pos) for pos in "nva") for form in _forms(word))
    return max(LEAST, NAME - COMMONER * log10(1 + uses))
