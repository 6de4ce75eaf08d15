"""Entity linking: finds the entities of a graph that a question is about.

Runs of the question's words are looked up as names, whole; words that no name holds are tried as misspelt; then names
that share the question's rarer words; and where all that finds nothing, names that mean something alike. A run is
worth what its words tell: function words next to nothing, words of the graph's relations and the kind that is asked
for ("which films …") little, names more than dictionary words; so the longest telling run wins, and a film called
"What" wins only where nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from math import log10
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from goalmem.graph.entity_names import NameWords, folded, respelt, words_of
from goalmem.graph.protocol import Graph, Nodes
from goalmem.language.lexicon import base_form, related, tagged_uses
from goalmem.language.terms import STOP_WORDS, terms_of
from goalmem.language.words.function_words import AFTER_NAMES_OF_GRAPHS
from goalmem.language.words.pronouns import POINTING
from goalmem.models.protocol import Embedder

LONGEST_NAME = 16
"""Words of a name that is looked for in a question."""
NAMESAKES = 50
"""Nodes of one name that are ranked among each other."""
HOLDING = 5000
"""Nodes looked up of those whose names hold a word."""
SHARING = 200
"""Names compared with a question, of those that hold most of its words."""
RESPELT = 0.9
"""Factor for a word corrected for spelling."""
PARTLY = 0.8
"""Factor for a name that occurs only partly in the question, in addition to the share that occurs."""
HALF = 0.5
"""Minimum share, by word weights, of a name that occurs only partly in the question."""
SAME_CASE = 1.05
"""Bonus for a name spelled exactly as in the graph, including punctuation, and case if it is significant."""
MEANT = 0.3
"""Factor for a name that is only similar in meaning, in addition to the cosine."""
EMBEDDED = 5000
"""Names that are embedded at most."""


class LinkableGraph(Graph, Protocol):
    """A graph that finds its nodes by words."""

    @property
    def index(self) -> NameWords:
        """Its nodes by the words of their names."""

    def names_of(self, nodes: Nodes) -> list[list[str]]:
        """Every name of each node."""

    def degrees(self, nodes: Nodes) -> Nodes:
        """Number of edges of each node, shape (n,); a graph may stop counting at some number."""


@dataclass(frozen=True, slots=True)
class Link:
    """An entity that a question may be about."""

    node: int
    identifier: str
    label: str
    span: tuple[int, int]
    """Characters that name it in the question; the whole question if it is only similar in meaning."""
    score: float
    """In (0, 1]: the share of the question's word weights that this name covers."""


@dataclass(frozen=True, slots=True)
class _NodeMatch:
    """Nodes that a run of tokens may name."""

    nodes: Nodes
    first: int
    last: int
    worth: float


class Linker:
    """Finds the topics of questions in one graph. Safe to use from several threads."""

    def __init__(self, graph: LinkableGraph, embedder: Embedder | None = None) -> None:
        """Without an embedder, only names that occur in the question are found."""
        self._graph = graph
        self._embedder = embedder
        self._meanings: tuple[Nodes, NDArray[np.float32]] | None = None

    def link(self, question: str, *, limit: int = 5) -> list[Link]:
        """At most so many entities that the question may be about, best first; empty if it names none.

        Names that differ only in case have the same score: the one spelled as in the question comes first, then the one
        with more edges.
        """
        asked = asked_of(question, self._graph.relations())
        if not asked.tokens:
            return []
        readings = [(asked, 0, len(asked.tokens)), *self._respelt(asked)]
        found = [found for reading in readings for found in self._whole(*reading)]
        if max((f.worth for f in found), default=0.0) < asked.telling:
            found += [found for reading in readings for found in self._partly(*reading)]
        return self._ranked(asked, found, limit) or self._alike(asked, limit)

    def _respelt(self, asked: QuestionWords) -> list[tuple[QuestionWords, int, int]]:
        """The question with one word that no name holds read as one that is nearly the same, and that word's place."""
        held = self._graph.index.holding([t.word for t in asked.tokens], limit=1)
        return [
            (asked.reading(place, word, RESPELT), place, place + 1)
            for place, token in enumerate(asked.tokens)
            if token.weight >= 1 and not len(held[place])
            for word in respelt(token.word, self._graph.index)
        ]

    def _whole(self, asked: QuestionWords, start: int, stop: int) -> list[_NodeMatch]:
        """Runs that are whole names, of those that hold any of these tokens."""
        runs = [(a, b) for a, b in asked.runs(LONGEST_NAME) if a < stop and b > start]
        nodes = self._graph.index.spelled([tuple(t.word for t in asked.tokens[a:b]) for a, b in runs])
        return [_NodeMatch(n, a, b, asked.worth(a, b)) for (a, b), n in zip(runs, nodes, strict=True) if len(n)]

    def _partly(self, asked: QuestionWords, start: int, stop: int) -> list[_NodeMatch]:
        """Names of which the question holds a good part, in one place; of those that hold any of these tokens."""
        telling = dict.fromkeys(t.word for t in asked.tokens[start:stop] if t.weight >= RESPELT)
        held = self._graph.index.holding(list(telling), limit=HOLDING)
        if not held:
            return []
        nodes, counts = np.unique(np.concatenate(held), return_counts=True)
        nodes = np.sort(nodes[np.argsort(-counts, kind="stable")[:SHARING]])
        found = []
        for node, names in zip(nodes, self._graph.names_of(nodes), strict=True):
            for name in names:
                share, worth, first, last = asked.share(words_of(name))
                if HALF <= share < 1 or (share == 1 and last - first > 1):
                    found.append(_NodeMatch(np.array([node]), first, last, PARTLY * share * worth))
        return found

    def _ranked(self, asked: QuestionWords, found: Sequence[_NodeMatch], limit: int) -> list[Link]:
        best = sorted(found, key=lambda f: -f.worth)[: 4 * limit]
        if not best:
            return []
        nodes = np.unique(np.concatenate([one.nodes[:NAMESAKES] for one in best]))
        names = dict(zip(nodes.tolist(), self._graph.names_of(nodes), strict=True))
        scored: dict[int, tuple[float, int, tuple[int, int]]] = {}
        for one in best:
            span = asked.tokens[one.first].start, asked.tokens[one.last - 1].end
            for node in one.nodes[:NAMESAKES].tolist():
                written = max(asked.written(name, span) for name in names[node])
                score = one.worth * (SAME_CASE if written else 1.0) / (SAME_CASE * asked.most)
                if node not in scored or score > scored[node][0]:
                    scored[node] = score, written, span
        degrees = dict(zip(nodes.tolist(), self._graph.degrees(nodes).tolist(), strict=True))
        order = sorted(scored, key=lambda n: (-scored[n][0], -scored[n][1], -degrees[n], n))[:limit]
        chosen = np.array(order, dtype=np.int64)
        return [
            Link(node, identifier, label, scored[node][2], scored[node][0])
            for node, identifier, label in zip(
                order, self._graph.identifiers(chosen), self._graph.labels(chosen), strict=True
            )
        ]

    def _alike(self, asked: QuestionWords, limit: int) -> list[Link]:
        """Names alike in meaning to the question's telling words; in graphs of few names alone."""
        if self._embedder is None:
            return []
        if self._meanings is None:
            nodes = _few_entities(self._graph)
            self._meanings = (
                nodes,
                self._embedder.embed(self._graph.labels(nodes)) if len(nodes) else np.empty((0, 1), np.float32),
            )
        nodes, vectors = self._meanings
        telling = " ".join(asked.question[t.start : t.end] for t in asked.tokens if t.weight >= HALF)
        if not len(nodes) or not telling:
            return []
        cosines = vectors @ self._embedder.embed([telling])[0]
        best = np.argsort(-cosines, kind="stable")[:limit]
        best = best[cosines[best] > 0]
        span = (0, len(asked.question))
        return [
            Link(int(node), identifier, label, span, float(MEANT * min(1.0, cosine)))
            for node, identifier, label, cosine in zip(
                nodes[best], self._graph.identifiers(nodes[best]), self._graph.labels(nodes[best]), cosines[best],
                strict=True,
            )
        ]  # fmt: skip


def _few_entities(graph: LinkableGraph) -> Nodes:
    """All entities of a small graph; empty for a larger one."""
    count = graph.size().entities
    if count > EMBEDDED:
        return np.empty(0, np.int64)
    nodes = np.arange(count, dtype=np.int64)
    return nodes[[kind == "entity" for kind in graph.kinds(nodes)]]


LONGEST_QUESTION = 256
"""Words of a question that are looked at."""
FUNCTION, KIND, RELATION, LEAST, NAME = 0.1, 0.2, 0.4, 0.5, 2.0
"""Word weights: function words; the requested type ("which films …"); words of the graph's relations; the commonest
dictionary words; unknown words, which are mostly names. Mainly their order matters.
"""
COMMONER = 0.5
"""Decrease of the weight for a word ten times as common (in WordNet's tagged texts)."""
PHRASE = 0.5
"""More for a run of several words: that they are a name by chance is rarer than for one."""
CAPITALISED = 1.0
"""More for a run whose words are capitalised where not all of the question is."""
QUOTED = 2.0
"""More for a run within quotation marks."""
_TOKEN = re.compile(r"\w+(?:['\u2019\u02bc]\w+)*|(?<!\S)[^\w\s]+(?!\S)")
"""A word, or a symbol by itself ("$")."""
_SEPARATOR = re.compile(r"[\W_]+")
_WH = frozenset("what which whose how".split())
_PUNCTUATION = frozenset(".,;:?!-\u2013\u2014\u2026()[]\"'")
_FUNCTION_WORDS = frozenset(word.replace("'", "") for word in STOP_WORDS) | AFTER_NAMES_OF_GRAPHS
"""With the modal verbs and focus adverbs that Snowball's list leaves out (Quirk et al. 1985, sections 2.34 and 8.116)."""
_QUOTES = ('"', "\u201c", "\u201d", "\u00ab", "\u00bb")


@dataclass(frozen=True, slots=True)
class Token:
    """A folded word of a question with its position and weight."""

    word: str
    start: int
    end: int
    weight: float
    capital: bool


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """A question's words."""

    question: str
    tokens: tuple[Token, ...]
    cased: bool
    """True if capitals are significant: not all words have one, and not none."""

    @property
    def most(self) -> float:
        """More than any run is worth."""
        return sum(t.weight for t in self.tokens) + PHRASE + CAPITALISED + QUOTED

    @property
    def telling(self) -> float:
        """Minimum weight of a run that covers most of the question: half of the total."""
        return sum(t.weight for t in self.tokens) / 2

    def runs(self, longest: int) -> Iterator[tuple[int, int]]:
        """First and behind last token of every run of at most so many."""
        count = len(self.tokens)
        return ((a, b) for a in range(count) for b in range(a + 1, min(a + longest, count) + 1))

    def reading(self, place: int, word: str, surety: float) -> QuestionWords:
        """The question with one word replaced, at a fraction of its weight."""
        token = self.tokens[place]
        other = replace(token, word=word, weight=surety * token.weight)
        return replace(self, tokens=(*self.tokens[:place], other, *self.tokens[place + 1 :]))

    def worth(self, first: int, last: int) -> float:
        """Total weight of a run of tokens."""
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
        """Number of characters of the question around a span that match the name exactly, including punctuation; 0 if
        none. Case is ignored if it is not significant; a match in case then gets a small bonus.
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
        """Share of a name's words, by weight, in the question's densest run of the same length.

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


def asked_of(question: str, relations: Sequence[str]) -> QuestionWords:
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
    return QuestionWords(question, tuple(tokens), 0 < capitals < len(tokens))


def _lessen_kinds(tokens: list[Token]) -> None:
    """In "the film Casablanca", the first noun is the type of the second."""
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
    """Words of relation names with all their forms and derivations: directed, direct, director."""
    words = {word for relation in relations for word in words_of(_SEPARATOR.sub(" ", relation))} - STOP_WORDS
    forms = {form for word in words for form in _forms(word)}
    return frozenset(forms.union(*map(related, forms)) if forms else forms)


@lru_cache(maxsize=4096)
def _forms(word: str) -> tuple[str, ...]:
    """The word and its possible base forms."""
    return tuple(dict.fromkeys((word, base_form(word), word.removesuffix("s"), *terms_of(word))))


def _weight(word: str, of_relations: frozenset[str], kind: bool) -> tuple[float, bool]:
    """The weight of a word, and whether the next word may still belong to the requested type."""
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
    """The weight of a word by its rarity."""
    uses = max(sum(tagged_uses(form, pos) for pos in "nva") for form in _forms(word))
    return max(LEAST, NAME - COMMONER * log10(1 + uses))
