"""A question about a topic as words: which of them ask for a relation, which only restrict the type, and the role of
the topic beside a verb or noun.

Closed word classes ask for nothing. A relation must account for every other word, including negations, comparisons,
times and names beside the topic, which no walk can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from goalmem.graph.local_model import MARK, question_words
from goalmem.graph.relation_meaning import NamePart, lemmas_of, parts_of
from goalmem.language.lexicon import coarse_type, is_known, related, supersenses
from goalmem.language.lexnames import NounKind
from goalmem.language.words.empty_phrases import OPENERS_OF_GRAPHS
from goalmem.language.words.function_words import (
    BE_ALL,
    DETERMINERS_OF_GRAPHS,
    DO_HAVE_CAN,
    FUNCTION_OF_GRAPHS,
    RELATIONAL,
)
from goalmem.language.words.modifiers import FELLOWS, GRADES, SHARING
from goalmem.language.words.nouns import KINDS, KINDS_OF_GRAPHS, TIMES_OF_GRAPHS
from goalmem.language.words.pronouns import INTERROGATIVES, RELATIVES

SORTS = NounKind.named("animal artifact food group location object plant substance")
"""Kinds of nouns for sorts of things. Acts, amounts, possessions and states must be asked of a relation."""
CONTRACTED = {f"{word}'s": (word, "is") for word in ("who", "what", "where", "when", "that")}


class Role(Enum):
    """The topic's grammatical role relative to a word of the question."""

    NONE = "not beside it"
    AGENT = "active subject"
    PASSIVE = "passive subject"
    OBJECT = "direct object"
    BY = "after by"
    AFTER = "after another preposition"
    OWNER = "of it"
    HOLDER = "is it"


@dataclass(frozen=True, slots=True)
class WordMention:
    """A part of a question that asks for something."""

    part: NamePart
    place: int
    """Position of its first word."""
    kind: bool
    """True if it may only restrict the type: `film` in `the film [topic]`, `which film …`."""
    role: Role
    """Role of the topic beside it."""
    preposition: str
    """Preposition between it and the topic, or at the end of the question."""


@dataclass(frozen=True, slots=True)
class TopicQuestion:
    """What a question asks about its topic."""

    words: tuple[str, ...]
    mentions: tuple[WordMention, ...]
    interrogative: str
    """The first interrogative; empty if there is none."""
    grade: str
    """After `how`: `many`, `old`."""
    noun: NamePart | None
    """Noun after `what` or `which`: the requested type."""
    closed: bool
    """True if Yes or No answers it."""
    shares: bool
    passes: bool
    """True if it mentions intermediate entities: `films for the director of [topic]`."""
    related: tuple[tuple[int, NamePart], ...]
    """Its prepositions, with their places: they may ask for a relation (`the film with [topic]`), but need not."""
    located: frozenset[str]
    """Prepositions that it has, and `where`."""


@lru_cache(4_096)
def question_of(masked: str) -> TopicQuestion:
    """The question whose topic is masked (`graph.critic.TOPIC`)."""
    words = _opened(tuple(part for word in question_words(masked) for part in CONTRACTED.get(word, (word,))))
    return _Reader(words).read()


def _opened(words: tuple[str, ...]) -> tuple[str, ...]:
    for opener in OPENERS_OF_GRAPHS:
        start = tuple(opener.split())
        if words[: len(start)] == start:
            return words[len(start) - (start[-1] == "describe") :]
    return words


class _Reader:
    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words
        self.topic = words.index(MARK) if MARK in words else -1
        self.start = self._start()

    def read(self) -> TopicQuestion:
        words = self.words
        places = [i for i, w in enumerate(words) if w in INTERROGATIVES]
        first = places[0] if places else -1
        interrogative = words[first] if places else ""
        grade = words[first + 1] if interrogative == "how" and first + 1 < len(words) else ""
        nouns = self._nouns(self._copula(first)) if interrogative in ("what", "which") else ()
        mentions = tuple(
            self._mentions(frozenset(nouns), first if grade in GRADES and grade in ("many", "much") else -2)
        )
        head = next((n for n, after in pairwise(nouns) if after > n + 1), nouns[-1] if nouns else -1)
        noun = next((m.part for m in mentions if m.place <= head < m.place + len(m.part.words)), None)
        if noun is None and nouns:
            noun = parts_of([words[head]])[0]
        closed = bool(words) and words[0] in BE_ALL | DO_HAVE_CAN | {"could", "should", "would", "will", "may", "might"}
        located = frozenset(w for w in words if w in RELATIONAL or w == "where")
        related = tuple(
            (i, parts_of([w])[0]) for i, w in enumerate(words) if w in RELATIONAL and w in FUNCTION_OF_GRAPHS
        )
        shares = not SHARING.isdisjoint(words)
        passes = any(m.kind and self._passed(m.place, frozenset(nouns)) for m in mentions)
        return TopicQuestion(words, mentions, interrogative, grade, noun, closed, shares, passes, related, located)

    # -- the words that ask for something --------------------------------------------------------------------------------

    def _mentions(self, nouns: frozenset[int], many: int) -> list[WordMention]:
        found, place = [], 0
        while place < len(self.words):
            run = place
            while run < len(self.words) and self.words[run] != MARK:
                run += 1
            for part in parts_of(self.words[place:run]):
                if self._asks(part, place, many):
                    kind = self._is_kind(part, place, nouns)
                    found.append(
                        WordMention(part, place, kind, self._role(part, place), self._preposition(part, place))
                    )
                place += len(part.words)
            place = run + 1
        return found

    def _asks(self, part: NamePart, place: int, many: int) -> bool:
        if len(part.words) > 1:
            return True
        return part.words[0] not in FUNCTION_OF_GRAPHS and part.words[0] not in SHARING and place != many + 1

    def _is_kind(self, part: NamePart, place: int, nouns: frozenset[int]) -> bool:
        after = place + len(part.words)
        if len(part.words) == 1 and part.lemmas & KINDS_OF_GRAPHS:
            return True
        asked = place in nouns or (_may_be(part.words[-1], "NOUN") and self._is_described(place, after))
        return (asked and _is_sort(part)) or (0 <= self.topic == after and _is_sort(part, persons=False))

    def _is_described(self, place: int, after: int) -> bool:
        """True if a clause says of a noun which one is meant: `the bridge that crosses …`, `the dish invented by …`."""
        following = self.words[after : after + 2]
        if not following or place == 0 or self.words[place - 1] not in DETERMINERS_OF_GRAPHS:
            return False
        if following[0] in RELATIVES or (following[0] in RELATIONAL and following[1:] and following[1] in RELATIVES):
            return True
        return following[0] not in FUNCTION_OF_GRAPHS and following[0] != MARK and _is_participle(following[0])

    def _passed(self, place: int, nouns: frozenset[int]) -> bool:
        return place not in nouns and self.words[place + 1 : place + 2] in [(p,) for p in ("for", "by", "with", "of")]

    def _copula(self, first: int) -> int:
        """Position before the noun: of `what` in `what films`, of `the` in `what are the main languages`."""
        if self.words[first + 1 : first + 2] and self.words[first + 1] in BE_ALL and self.words[first + 1] != "'s":
            place = first + 2
            while place < len(self.words) and self.words[place] in (*DETERMINERS_OF_GRAPHS, "main", "primary"):
                place += 1
            return place - 1 if place > first + 2 and self.words[place : place + 1] != ("name",) else first
        return first

    def _nouns(self, first: int) -> tuple[int, ...]:
        """Positions of the nouns that follow `what` or `which`."""
        found: list[int] = []
        for place in range(first + 1, len(self.words)):
            word = self.words[place]
            if word in SHARING or (word == "of" and found):
                continue
            verb = found and (_is_participle(word) or word in BE_ALL | DO_HAVE_CAN) and not _may_be(word, "NOUN")
            if (
                word == MARK
                or (word in FUNCTION_OF_GRAPHS and word not in ("person", "people", "thing"))
                or verb
                or not _may_be(word, "NOUN")
            ):
                break
            if found and self.words[place - 1] != "of" and _ends_verb(word):
                break
            found.append(place)
        return tuple(found)

    # -- the topic's role --------------------------------------------------------------------------------------------

    def _start(self) -> int:
        """Start of the phrase that names the topic: `the film [topic]`."""
        start = self.topic
        while start > 0 and (
            self.words[start - 1] in ("the", "a", "an") or lemmas_of(self.words[start - 1]) & KINDS_OF_GRAPHS
        ):
            start -= 1
        return start

    def _preposition(self, part: NamePart, place: int) -> str:
        after = place + len(part.words)
        if after < len(self.words) and self.words[after] in RELATIONAL:
            return self.words[after]
        return ""

    def _role(self, part: NamePart, place: int) -> Role:
        if self.topic < 0 or (place > 0 and self.words[place - 1] in FELLOWS):
            return Role.NONE
        verb, after = _may_be(part.words[0], "VERB"), place + len(part.words)
        if place < self.topic:
            return self._role_before(verb, tuple(self.words[after : self.start]))
        between = self.words[self.topic + 1 : place]
        before = self.words[self.start - 1] if self.start > 0 else ""
        return self._role_after(verb, part.words[0], before, tuple(w for w in between if w not in SHARING))

    def _role_before(self, verb: bool, between: Sequence[str]) -> Role:
        following = (*self.words[self.topic + 1 : self.topic + 3], "", "")
        compound = not _is_participle(following[0]) or lemmas_of(following[1]) & KINDS_OF_GRAPHS
        if following[0] and following[0] not in FUNCTION_OF_GRAPHS | SHARING and compound:
            return Role.NONE  # `by the [topic] director`, `of [topic] written films`: the topic only says which
        if not between:
            return Role.OBJECT if verb else Role.NONE
        if len(between) > 1:
            return Role.NONE
        if between[0] == "by":
            return Role.BY
        if not verb or between[0] == "of":
            return Role.OWNER if between[0] in ("of", "for", "in", "on", "at", "with") else Role.NONE
        return Role.AFTER if between[0] in RELATIONAL else Role.NONE

    def _role_after(self, verb: bool, word: str, before: str, between: Sequence[str]) -> Role:
        if between and between[0] in ("s", "'s"):
            return Role.OWNER
        if before in RELATIONAL:
            return Role.NONE  # `the director of [topic] directed`: the topic is not the subject
        if between and between[0] in BE_ALL and set(between[1:]) & DETERMINERS_OF_GRAPHS:
            return Role.PASSIVE if verb and _is_participle(word) else Role.HOLDER
        if before in BE_ALL and between and set(between) <= DETERMINERS_OF_GRAPHS:
            return Role.HOLDER
        if not verb:
            return Role.NONE
        if before in BE_ALL and not between:
            return Role.AGENT if word.endswith("ing") else Role.PASSIVE
        if (before in DO_HAVE_CAN or before in RELATIVES) and not between:
            return Role.AGENT
        if between and between[0] in BE_ALL and len(between) == 1:
            return Role.AGENT if word.endswith("ing") else Role.PASSIVE
        return Role.AGENT if not between else Role.NONE


@lru_cache(16_384)
def _may_be(word: str, part: Literal["NOUN", "VERB"]) -> bool:
    from goalmem.language.inflection import getAllLemmas

    return bool(getAllLemmas(word).get(part)) or any(is_known(lemma, part[0].lower()) for lemma in lemmas_of(word))


def _is_sort(part: NamePart, *, persons: bool = True) -> bool:
    """True if a noun denotes a sort of thing by itself: a chef or a street, but not a producer (of something) or a
    budget (of something).
    """
    if len(part.words) > 1 or not _may_be(part.words[0], "NOUN"):
        return False
    nouns = [lemma for lemma in part.lemmas if is_known(lemma, "n")]
    senses = {supersenses(noun)[0] for noun in nouns if supersenses(noun)}
    acts = any(related(noun, "v") for noun in nouns)
    person = NounKind.PERSON in senses or any(coarse_type(noun) == "person" for noun in nouns)
    return bool(senses & SORTS) or (persons and person and not acts) or bool(part.lemmas & (TIMES_OF_GRAPHS | KINDS))


@lru_cache(16_384)
def _is_participle(word: str) -> bool:
    return _may_be(word, "VERB") and (word.endswith(("ed", "ing", "en", "wn")) or not is_known(word, "v"))


def _ends_verb(word: str) -> bool:
    return _may_be(word, "VERB") and word.endswith(("ed", "ing"))
