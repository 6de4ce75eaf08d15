"""Whether a later turn gives a value anew: `swapped to 21A so I get a window`, after `seat 14C`.

What reader and judge find in such a turn says little alone: `Leo swapped to 21A` is read in the same way. A logistic regression over that and
over the words around the value decides; `goalmem eval plain --fit` fits it to plain conversations in which half of such turns are of
something else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import astuple, dataclass

from goalmem.language.lexicon import is_a, is_known
from goalmem.language.terms import STOP_WORDS, terms_of
from goalmem.language.words.pronouns import DEMONSTRATIVES, SUBJECTS
from goalmem.language.words.succession import (
    CHANGED_TO,
    CLAUSE_ENDS,
    CLOSE,
    CONCERNED,
    FROM_NOW,
    OF_ANOTHER,
    OVER,
    REPAIRS,
    SUPPOSED,
    UNDONE,
)
from goalmem.sources.certainty.answer_ranking import log, log_odds
from goalmem.sources.passages.texts import MOST_READ

AROUND = 400
"""Characters before and behind a value that are looked at."""
COMPARED = 1000
"""Characters of two turns whose vectors are compared."""
MOST_WORDS = 4
PRONOUNS = SUBJECTS | DEMONSTRATIVES | frozenset("them me us him her there".split())
ACTED_ON = re.compile(r"\b(?:me|us|it|i|we|them)\b", re.IGNORECASE)
"""Who or what somebody else may change something for."""
SPEAKERS = frozenset({"i", "we"})
LITTLE = frozenset("be get go come do make take let keep end".split())
"""Verbs of which the clause says what is meant."""
OWN = re.compile(r"\b(?:my|our)\s+(?P<who>[a-z]+)", re.IGNORECASE)
POSSESSIVE = re.compile(r"\b(?:\w+['’]s|his|hers?|theirs?)\b", re.IGNORECASE)
SHORTENED_IS = frozenset("it's that's he's she's there's let's what's who's here's".split())
WORD = re.compile(r"[A-Za-z][\w'’-]*")
SENTENCE_END = re.compile(r"(?<=[.!?])\s")
WEIGHTS = (
    0.262,
    0.543,
    -0.672,
    0.517,
    1.705,
    1.625,
    -0.077,
    -1.06,
    1.071,
    1.337,
    3.668,
    -0.947,
    -0.882,
    -0.795,
    -1.086,
    -0.551,
    -1.147,
    0.166,
    -0.399,
    -2.915,
    0.105,
    -0.986,
    -1.691,
)
"""Of `SuccessionFeatures`."""
BIAS = 1.219


@dataclass(frozen=True, slots=True)
class SuccessionFeatures:
    """What tells whether a later turn gives the value of an earlier one anew."""

    read: float
    """The logarithm of the share of the answer that the reader expects in the later value, behind the earlier turn."""
    entailed: float
    """The judge's log-odds that the later turn states the later value, behind the earlier turn."""
    words: float
    """The logarithm of the number of words of the later value."""
    of_numbers: bool
    """True if both values have digits, or neither has."""
    alike: float
    """Cosine of the two values."""
    near: float
    """Cosine of the two turns."""
    shared: float
    """Content words that the sentence shares with the earlier turn."""
    place: float
    """The logarithm of the later turn's rank for the question."""
    changed_to: bool
    from_now: bool
    repairs: bool
    supposed: bool
    """What follows in the turn, or the verb before the value, leaves open whether it was so."""
    undone: bool
    over: bool
    persons: float
    """Persons in the sentence who are neither in the question nor in the earlier turn, two at most."""
    of_persons: bool
    """True if the clause is of such a person, and not of what concerns the speaker."""
    of_another: bool
    concerns: bool
    """True if the sentence speaks of the speaker, or of `it`."""
    own: float
    """Content words of the clause alone."""
    first: bool
    """True if the value begins the turn: it is the topic, or the agent."""
    last: bool
    """True if nothing follows in the sentence."""
    of_subject: bool
    """True if the subject of the clause is one of whom nothing was said, and nobody else stands in it: `The dentist is on Friday`."""
    states: bool
    """True if the speaker says with another verb what they do: `I bought a coin`."""

    @property
    def measured(self) -> tuple[float, ...]:
        """As numbers."""
        return tuple(map(float, astuple(self)))


@dataclass(frozen=True, slots=True)
class Succeeded:
    """A value in a later turn, read behind an earlier turn."""

    question: str
    earlier: str
    """Text of the earlier turn."""
    held: str
    """The earlier value."""
    later: str
    """Text of the later turn."""
    start: int
    end: int
    """The later value in it."""
    read: float
    """The reader's score."""
    entailed: float
    """The judge's probability."""
    place: int
    """The rank of the later turn, from 1."""
    subject: str = ""
    """The head of the subject of the clause."""
    predicate: str = ""
    """The verb of the clause; both are empty if the value stands in no clause that was read."""

    def features(self, cosine: Callable[[str, str], float]) -> SuccessionFeatures:
        """The features."""
        value = self.later[self.start : self.end]
        before, behind = self.later[max(0, self.start - AROUND) : self.start], self.later[self.end : self.end + AROUND]
        head, tail = SENTENCE_END.split(before)[-1], SENTENCE_END.split(behind)[0]
        around = CLAUSE_ENDS.split(head)[-1], CLAUSE_ENDS.split(tail)[0]
        clause, sentence = value.join(around), f"{head}{value}{tail}"
        said = f"{self.question} {self.earlier[:MOST_READ]} {value}".casefold()
        known = frozenset(terms_of(said))
        persons, concerned = _persons_in(sentence, said), _concerns(clause, said)
        topic = frozenset(terms_of(self.earlier[:MOST_READ])) - frozenset(terms_of(value))
        return SuccessionFeatures(
            read=log(self.read),
            entailed=log_odds(self.entailed),
            words=math.log(max(1, len(value.split()))),
            of_numbers=has_digits(value) == has_digits(self.held),
            alike=cosine(value, self.held),
            near=cosine(self.earlier[:COMPARED], self.later[:COMPARED]),
            shared=min(MOST_WORDS, len(topic & frozenset(terms_of(sentence)))),
            place=math.log(self.place),
            changed_to=CHANGED_TO.search(head) is not None,
            from_now=FROM_NOW.search(tail) is not None,
            repairs=REPAIRS.search(sentence) is not None or REPAIRS.search(self.later[:AROUND]) is not None,
            supposed=SUPPOSED.search(behind) is not None or SUPPOSED.search(head) is not None,
            undone=UNDONE.search(behind) is not None,
            over=OVER.search(clause) is not None,
            persons=min(2, persons),
            of_persons=not concerned and (persons > 0 or _is_owned(sentence, said)),
            of_another=OF_ANOTHER.search(sentence) is not None,
            concerns=_concerns(sentence, said),
            own=min(MOST_WORDS, sum(not term.isdigit() for term in frozenset(terms_of(clause)) - known)),
            first=not self.later[: self.start].strip(),
            last=re.search(r"\w", tail) is None,
            of_subject=_is_new(self.subject, said) and ACTED_ON.search(clause) is None,
            states=self.subject in SPEAKERS and _is_new(self.predicate, said) and CHANGED_TO.search(head) is None,
        )


def succession(features: SuccessionFeatures) -> float:
    """The probability in (0, 1) that the later value takes the place of the earlier one."""
    return 1 / (1 + math.exp(-BIAS - sum(w * x for w, x in zip(WEIGHTS, features.measured, strict=True))))


def _concerns(text: str, said: str) -> bool:
    """True if a text speaks of the speaker or of `it`; `my brother` is another."""
    return CONCERNED.search(OWN.sub(lambda own: "" if _is_person(own["who"], said) else own.group(), text)) is not None


def _persons_in(sentence: str, said: str) -> int:
    """How many words of a sentence are persons of whom nothing was `said`: names, kin, and others around somebody."""
    return sum(_is_person(word.group(), said) for word in WORD.finditer(sentence))


def _is_person(word: str, said: str) -> bool:
    lower = word.casefold().replace("’", "'")
    base = lower.removesuffix("'s")
    if base in said:
        return False
    if base in CLOSE or (is_known(base) and is_a(base, "relative")):
        return True
    named = word[0].isupper() and not lower.startswith("i'") and lower not in SHORTENED_IS | {"i"}
    return named and base not in STOP_WORDS and not any(is_known(base, pos) for pos in "nvar")


def _is_owned(sentence: str, said: str) -> bool:
    """True if something of another is named: `Sal's lock`, `her locker`."""
    owners = (m.group().casefold().replace("’", "'") for m in POSSESSIVE.finditer(sentence))
    return any(o not in SHORTENED_IS and o.removesuffix("'s") not in said for o in owners)


def _is_new(word: str, said: str) -> bool:
    """True for a word of which nothing was said, that is no pronoun, and no verb that says little."""
    known = frozenset(terms_of(said))
    return bool(word) and word not in PRONOUNS and word not in LITTLE and known.isdisjoint(terms_of(word))


def has_digits(text: str) -> bool:
    """True if a text has a digit."""
    return any(map(str.isdigit, text))
