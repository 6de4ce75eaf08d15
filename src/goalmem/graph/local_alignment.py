"""Alignment of a question's words with the hops of a walk, on any graph.

English names a chain of relations from the topic outward: in "who acted in films by the director of [topic]", the words
nearest to the topic mention the first hop. So each hop of a walk is aligned with the mention that it matches best, and
the next hop should match the nearest remaining one. If no mention of a relation remains, the walk should stop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from goalmem.cancellation import checkpoint
from goalmem.graph.local_model import GENERAL, MARK, question_words
from goalmem.graph.protocol import Hop
from goalmem.graph.relation_meaning import hop_text, hop_words, lemmas_of, meaning_of
from goalmem.graph.retriever import Vectors
from goalmem.language.lexicon import coarse_type, related, synonyms, tagged_uses
from goalmem.language.terms import STOP_WORDS, terms_of
from goalmem.language.words.modifiers import SHARING

FEATURES = tuple(GENERAL)
PLACES = {name: place for place, name in enumerate(FEATURES)}
ASKED = {"who": "person", "whom": "person", "whose": "person", "where": "place", "when": "time"}
"""Interrogatives that ask for one type of thing."""
OPEN = ("what", "which")
"""Interrogatives whose noun states the requested type."""
BEHIND = 1.5
"""Extra distance in words of a mention after the topic: in "the spouse of [topic] speaks", the first hop comes before
it.
"""
POSSESSIVE = frozenset({"'s", "s"})
NEARER = 0.02
"""Penalty per word of distance: of equally matching mentions, a hop is aligned with the nearest to the topic."""
MOST_NAMES = 2_000
"""Relations of a graph whose names are embedded for a question at most, as many as a question may compare; of more, those that share a
word with the question come first."""
MOST_RELATIONS = 150
"""Relations of a graph that a question's words are compared with at most, those whose names are most like the question."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Mentions:
    """The words of a question that may speak of a relation."""

    words: tuple[str, ...]
    places: tuple[int, ...]
    """Position of each mention in the question."""
    distances: tuple[float, ...]
    """Distance of each mention from the topic in words; from the end of the question if it does not name its topic."""
    type: str
    """Type that the interrogative asks for; empty if it is open."""
    asked: int | None
    """The mention of the requested type: `languages` in "which languages"; None if there is none."""
    shares: bool
    """True if it speaks of sameness."""


class QuestionAlignment:
    """The features of one masked question, with a cache of matches."""

    def __init__(self, masked: str, vectors: Vectors, relations: Sequence[Hop] = ()) -> None:
        """`relations`: forward hops of the graph, which its words may speak of even where they do not lead on."""
        self._vectors = vectors
        self.mentions = _mentions(question_words(masked))
        self._question = vectors.of([masked], query=True)[0]
        self._costs = NEARER * np.array(self.mentions.distances, dtype=np.float32)
        self._matches: dict[str, Floats] = {}
        self._words: dict[str, NDArray[np.int64]] = {}
        self._cosines: dict[Hop, float] = {}
        self._best = self._spoken(relations)

    def features(
        self, walked: Sequence[Hop], choices: Sequence[Hop | None], onward: Sequence[Hop] | None = None
    ) -> Floats:
        """Features of each choice after a walk, shape (len(choices), len(FEATURES)); None means to stop.

        `onward`: what leads on from where the walk is; without it all that may be chosen.
        """
        hops = [choice for choice in choices if choice is not None]
        onward = hops if onward is None else onward
        self._learn([*walked, *hops, *onward])
        free, taken = self._left(walked, onward)
        made = np.zeros((len(choices), len(FEATURES)), dtype=np.float32)
        nearest = self._nearest(free, hops)
        for row, choice in zip(made, choices, strict=True):
            if choice is None:
                self._stop(row, walked, onward, free, taken)
            else:
                self._hop(row, walked, choice, free, nearest)
        return made

    def _hop(self, row: Floats, walked: Sequence[Hop], hop: Hop, free: NDArray[np.bool_], nearest: int | None) -> None:
        match = self._match(hop)
        back = bool(walked) and hop == walked[-1].back
        asked = float(match[free].max()) if free.any() else 0.0
        row[PLACES["hop.cosine"]] = self._cosines[hop]
        row[PLACES["hop.nearest"]] = match[nearest] if nearest is not None else 0.0
        row[PLACES["hop.next"]] = asked
        row[PLACES["hop.named"]] = float(match.max()) if len(match) else 0.0
        row[PLACES["hop.unasked"]] = not asked
        found = relation_type(hop) if self.mentions.type else ""
        row[PLACES["hop.type"]] = bool(found) and found == self.mentions.type
        row[PLACES["hop.other type"]] = bool(found) and found != self.mentions.type
        row[PLACES["hop.back"]] = back
        row[PLACES["hop.back shared"]] = back and self.mentions.shares
        row[PLACES["hop.again"]] = hop in walked
        row[PLACES["hop.inverse"]] = hop.inverse

    def _stop(
        self, row: Floats, walked: Sequence[Hop], onward: Sequence[Hop], free: NDArray[np.bool_], taken: int
    ) -> None:
        hops = len(walked)
        row[PLACES["stop.at 1" if hops <= 1 else "stop.at 2" if hops == 2 else "stop.further"]] = 1.0
        left = [float(self._match(hop)[free].max()) for hop in onward] if free.any() else []
        row[PLACES["stop.left"]] = max(left, default=0.0)
        row[PLACES["stop.missed"]] = self.missed(walked, onward)
        went_back = any(after == before.back for before, after in pairwise(walked))
        row[PLACES["stop.shared"]] = self.mentions.shares and not went_back
        row[PLACES["stop.unasked"]] = (hops - taken) / hops if hops else 0.0
        found = relation_type(walked[-1]) if walked else ""
        if found and self.mentions.type:
            row[PLACES["stop.type"]] = 1.0 if found == self.mentions.type else -1.0
        asked = self.mentions.asked
        if walked and asked is not None and self._best[asked] > 0:
            row[PLACES["stop.asked"]] = 1.0 if self._answers(walked, onward) else -1.0

    def missed(self, walked: Sequence[Hop], onward: Sequence[Hop] = ()) -> float:
        """Confidence in [0, 1] that a word mentions a relation of the graph that the walk has not taken."""
        self._learn([*walked, *onward])
        free, _ = self._left(walked, onward)
        return float(self._best[free].max()) if free.any() else 0.0

    def _left(self, walked: Sequence[Hop], onward: Sequence[Hop]) -> tuple[NDArray[np.bool_], int]:
        """Mentions that no hop of the walk is aligned with, and the number of aligned hops.

        A relation of several words is aligned with a mention for each of them: "the river it stands on", for
        `stands_on_river`. Neighbouring mentions of the same relation are included.
        """
        free, taken = np.ones(len(self.mentions.words), dtype=bool), 0
        for hop in walked:
            match = np.where(free, self._match(hop), 0.0)
            words = self._words[hop.relation]
            chosen = [self._taken(np.where(words == word, match, 0.0)) for word in sorted(set(words.tolist()))]
            for place in chosen:
                if place is not None:
                    self._take(free, match, place)
            taken += any(place is not None for place in chosen)
        if self._answers(walked, onward):
            free[self.mentions.asked] = False
        return free, taken

    def _taken(self, match: Floats) -> int | None:
        """The best of the mentions that match; of alike ones the nearest to the topic."""
        if not len(match) or match.max() <= 0:
            return None
        return int(np.argmax(np.where(match > 0, match - self._costs, -np.inf)))

    def _take(self, free: NDArray[np.bool_], match: Floats, chosen: int) -> None:
        for step in (-1, 1):
            place = chosen
            while match[place] > 0:
                free[place] = False
                if not 0 <= place + step < len(match) or not self._adjacent(place, place + step):
                    break
                place += step

    def _answers(self, walked: Sequence[Hop], onward: Sequence[Hop]) -> bool:
        """True if the walk's end is of the requested type: "what instruments does she play".

        Relations are named after what they lead to (`plays_instrument`), not after where they come from. So it is where the
        last hop is so named, and where such a relation could be taken back from.
        """
        asked = self.mentions.asked
        if asked is None or not walked:
            return False
        named = [walked[-1], *(hop.back for hop in onward)]
        return any(not hop.inverse and self._matches[hop.relation][asked] > 0 for hop in named)

    def _adjacent(self, one: int, other: int) -> bool:
        return abs(self.mentions.places[one] - self.mentions.places[other]) == 1

    def _nearest(self, free: NDArray[np.bool_], hops: Sequence[Hop]) -> int | None:
        """The free mention nearest to the topic that speaks of any of these hops."""
        if not hops or not free.any():
            return None
        spoken = free & (np.max([self._match(hop) for hop in hops], axis=0) > 0)
        found = np.flatnonzero(spoken).tolist()
        return min(found, key=lambda place: (self.mentions.distances[place], place), default=None)

    def _match(self, hop: Hop) -> Floats:
        """Score of each mention for a hop: a weak match counts for more if no relation matches better."""
        match = self._matches[hop.relation]
        best = np.maximum(self._best, match)
        shown: Floats = np.divide(match, np.sqrt(best), out=np.zeros_like(match), where=best > 0)
        return shown

    def _spoken(self, relations: Sequence[Hop]) -> Floats:
        """Score of the best matching relation of each mention."""
        if len(relations) > MOST_NAMES:
            asked = frozenset[str]().union(*map(lemmas_of, self.mentions.words))
            relations = sorted(relations, key=lambda hop: asked.isdisjoint(hop_words(hop)))[:MOST_NAMES]
        if len(relations) > MOST_RELATIONS:
            alike = self._vectors.of([hop_text(str(hop)) for hop in relations]) @ self._question
            relations = [relations[i] for i in np.argsort(-alike, kind="stable")[:MOST_RELATIONS].tolist()]
        self._best = np.zeros(len(self.mentions.words), dtype=np.float32)
        self._learn(relations)
        self.spoken = tuple(relations)
        best: Floats = np.max([self._best, *(self._matches[hop.relation] for hop in relations)], axis=0)
        return best

    def _learn(self, hops: Sequence[Hop]) -> None:
        new = [hop for hop in dict.fromkeys(hops) if hop not in self._cosines]
        if not new:
            return
        texts = self._vectors.of([hop_text(str(hop)) for hop in new])
        words = self._vectors.of(self.mentions.words)
        self._vectors.of([word for hop in new for word in relation_content(hop)])
        for hop, likeness in zip(new, (texts @ self._question).tolist(), strict=True):
            checkpoint()
            if hop.relation not in self._matches:
                content = relation_content(hop)
                alike = (words @ self._vectors.of(content).T).tolist()
                near = np.array(
                    [
                        [kinship(word, other, cosine) for other, cosine in zip(content, row, strict=True)]
                        for word, row in zip(self.mentions.words, alike, strict=True)
                    ],
                    dtype=np.float32,
                ).reshape(len(self.mentions.words), len(content))
                self._ask_for(near, hop, content)
                self._matches[hop.relation] = near.max(axis=1)
                self._words[hop.relation] = near.argmax(axis=1)
            self._cosines[hop] = likeness  # last: what was cancelled before it is learned again

    def _ask_for(self, near: Floats, hop: Hop, content: Sequence[str]) -> None:
        """Raise, in place, the match of words that ask for a concept of the relation: `study` for `alma_mater`."""
        for part in meaning_of(hop.relation).required:
            column = next((content.index(word) for word in part.words if word in content), None)
            if column is None:
                continue
            for row, word in zip(near, self.mentions.words, strict=True):
                if any(lemmas_of(word) & concept.asks for concept in part.concepts):
                    row[column] = max(row[column], SYNONYM)


def _mentions(words: Sequence[str]) -> Mentions:
    topic = words.index(MARK) if MARK in words else len(words)
    places = [p for p, w in enumerate(words) if w not in (MARK, *POSSESSIVE) and w not in BROAD and w not in SHARING]
    asked = next((ASKED[word] for word in words if word in ASKED), "")
    owns = topic + 1 < len(words) and words[topic + 1] in POSSESSIVE
    distances = tuple(float(topic - p) if p < topic else p - topic + (-1.0 if owns else BEHIND) for p in places)
    shares = not SHARING.isdisjoint(words)
    return Mentions(tuple(words[p] for p in places), tuple(places), distances, asked, _noun(words, places), shares)


def _noun(words: Sequence[str], places: Sequence[int]) -> int | None:
    """The first mention after `what` or `which`, with only function words between."""
    for place, word in enumerate(words):
        if word in OPEN:
            after = next((n for n, p in enumerate(places) if p > place), None)
            if after is not None and not {MARK, *SHARING} & set(words[place : places[after]]):
                return after
    return None


# -- how near two words are ------------------------------------------------------------------------------------------

DERIVED = 0.9
"""`actor` to `act`."""
SYNONYM = 0.7
ALIKE = 0.7
"""Maximum score from vectors alone."""
NO_COSINE = 0.4
"""MiniLM gives unrelated English words cosines up to about this."""
LEAST = 0.35
"""Similarities below this count as 0."""
PARTS = ("n", "v")
OFTEN = 0.25
"""Share of a word's commonest part of speech that another needs to count, by WordNet's tagged uses."""
BROAD = STOP_WORDS | frozenset("has is was get got made make give".split())
"""Words that say nothing about a relation's topic."""
AGENT = "by"
"""A relation in the passive with an agent leads to who did it."""


def _nouns(word: str) -> tuple[str, ...]:
    """The nouns that a word is a form of: none for `founded`."""
    from goalmem.language.inflection import getAllLemmas

    return tuple(getAllLemmas(word).get("NOUN", ()))


@lru_cache(65_536)
def _stems(word: str) -> frozenset[str]:
    return frozenset(stem for lemma in lemmas_of(word) for stem in terms_of(lemma)) or frozenset({word})


def _usual(lemma: str) -> list[str]:
    """The parts of speech that a word is often used as: `dish` is a noun, though one may dish something up."""
    uses = {part: tagged_uses(lemma, part) for part in PARTS}
    return [part for part in PARTS if uses[part] >= OFTEN * max(uses.values())]


@lru_cache(65_536)
def _kin(word: str) -> Mapping[str, float]:
    """Stems similar to a word, with their similarity."""
    lemmas = sorted(lemmas_of(word))
    found: dict[str, float] = {}
    for grade, words in (
        (SYNONYM, {s for lemma in lemmas for part in _usual(lemma) for s in synonyms(lemma, part)}),
        (DERIVED, {r for lemma in lemmas for part in PARTS for r in related(lemma, part)}),
    ):
        found |= {stem: grade for other in words if " " not in other for stem in terms_of(other)}
    return found | dict.fromkeys(_stems(word), 1.0)


@lru_cache(262_144)
def _by_words(a: str, b: str) -> float:
    forth, back = _kin(a), _kin(b)
    return max([forth.get(s, 0.0) for s in _stems(b)] + [back.get(s, 0.0) for s in _stems(a)])


def kinship(a: str, b: str, cosine: float) -> float:
    """Similarity of two words in [0, 1]; `cosine` is that of their vectors. Values below `LEAST` become 0."""
    by_vectors = ALIKE * (cosine - NO_COSINE) / (1 - NO_COSINE)
    near = max(_by_words(a, b), by_vectors)
    return near if near >= LEAST else 0.0


def content_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """The content words; all words if there are none."""
    return tuple(word for word in words if word not in BROAD) or words


def relation_content(hop: Hop) -> tuple[str, ...]:
    """The content words of a relation."""
    return content_words(hop_words(hop))


@lru_cache(65_536)
def relation_type(hop: Hop) -> str:
    """The coarse type of a hop's end by the last noun of its name: `release_year` -> time; empty if unknown.

    Taken backwards, a relation's name says nothing of what it leads to.
    """
    words = hop_words(hop)
    if hop.inverse or not words:
        return ""
    if words[-1] == AGENT:
        return "person"
    nouns = [noun for word in reversed(content_words(words)) for noun in _nouns(word)]
    return next((found for noun in nouns if (found := coarse_type(noun))), "")
