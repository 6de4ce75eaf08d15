"""The words of an answer: where they begin, whether they say anything, and which are the same in other words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from goalmem.language.lexicon import coarse_type
from goalmem.language.terms import terms_of
from goalmem.language.verb_forms import verb_bases
from goalmem.language.words.function_words import LOCATIVE_SAID
from goalmem.language.words.nouns import NO_CONTENT
from goalmem.language.words.pronouns import SUBJECTS
from goalmem.logic.terms import Evidence, Value
from goalmem.sources.certainty.answer_ranking import OfferFeatures
from goalmem.sources.numbers import OF_NUMBER, number_in
from goalmem.sources.passages.participants import stems_and_verbs
from goalmem.sources.passages.span_values import Proposal, is_person
from goalmem.sources.passages.type_fit import MEASURED

ALIKE = 0.75
"""F1 of words from which two values are one."""
REASONED = frozenset({"reason", "manner", "activity", "time", "clause"})
"""Types of answers that are clauses."""
CHOICE = re.compile(r"\bor\b|^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", re.IGNORECASE)
INDEFINITE = frozenset(terms_of(NO_CONTENT))
"""Words that say that there is something, and not what."""
RankedOffer = tuple[float, Proposal, OfferFeatures]
"""Preference, proposal and its clue."""


def answer_start(question: str, type_: str, text: str, start: int, end: int) -> int:
    """Where an answer begins behind what only repeats the question: `Ghent` of `I live in Ghent`, `a book` of `gave Ysolde a book`.

    That is all up to an inflected verb of the question's (but for people), or a pronoun with words of the question; before a place a preposition, too.
    """
    if type_ in REASONED:
        return start
    asked, verbs = stems_and_verbs(question), verb_bases(question)
    words = list(re.finditer(r"[^\W_]+(?:['’-][^\W_]+)*", text[start:end]))
    place = coarse_type(type_.split()[-1]) == "place"
    told = (
        [n for n, word in enumerate(words[:-1], 1) if _inflected(word.group()) & verbs] if not is_person(type_) else []
    )
    if type_.startswith(OF_NUMBER) or type_ in MEASURED:
        # A plural is no verb behind the number that it is counted by: `4 days because of wind`.
        told = [n for n in told if number_in(" ".join(w.group() for w in words[:n])) is None]
    opens = bool(told) or (bool(words) and words[0].group().casefold() in SUBJECTS)
    for n, word in enumerate(words[max(told, default=0) :], max(told, default=0)):
        said = word.group().casefold()
        repeats = opens and (
            said in SUBJECTS
            or (bool(stems_and_verbs(said)) and stems_and_verbs(said) <= asked)
            or bool(_inflected(said) & verbs)
        )
        if not repeats and not (place and said in LOCATIVE_SAID):
            return start + word.start() if n else start  # The sign before a first word is of it: `£45`.
    return start


def _inflected(word: str) -> frozenset[str]:
    """The base forms of a word that is a verb in another form."""
    return verb_bases(word) - {word.casefold()}


def answer_words(span: str, value: Value) -> str:
    """An answer in the words that were read; what stands for it where none were."""
    return span or value.text


def places(text: str, words: str, cited: Evidence) -> list[tuple[int, int]]:
    """Where words stand in a cited sentence; the whole sentence where no words are named."""
    if not words:
        return [(cited.start, cited.end)]
    starts = (m.start() for m in re.finditer(re.escape(words), text) if cited.start <= m.start() < cited.end)
    return [(start, start + len(words)) for start in starts]


def says_nothing(question: str, words: str) -> bool:
    """Whether words name nothing that the question does not name itself: `new games` for `Which games did Ann play?`.

    Where the question offers a choice, its own words answer.
    """
    told = terms_of(words)
    return not CHOICE.search(question) and bool(told) and set(told) <= {*terms_of(question), *INDEFINITE}


def best_of_each(offered: Iterable[RankedOffer]) -> list[RankedOffer]:
    """The best proposal of each value, best first; one that is cut a little otherwise than a better one adds nothing."""
    kept: list[RankedOffer] = []
    for one in sorted(offered, key=lambda o: (-o[0], o[1].turn, o[1].start, o[1].value.key)):
        if not any(alike(one[1], other) for _, other, _ in kept):
            kept.append(one)
    return kept


def alike(one: Proposal, other: Proposal) -> bool:
    """Whether two values share most of their words."""
    words, others = set(one.value.key.split()), set(other.value.key.split())
    return 2 * len(words & others) >= ALIKE * (len(words) + len(others))


def nested(one: Proposal, other: Proposal) -> bool:
    """Whether one value is a part of the other."""
    words, others = set(one.value.key.split()), set(other.value.key.split())
    return words <= others or words >= others
