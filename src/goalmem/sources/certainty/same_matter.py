"""Whether a later statement about the same subject may end a fact, whatever its words: `is off the cigarettes` after `is a smoker`.

It may if its tense, particles or adverbs tell of a change, and if the two predicates are about the same matter: their embeddings are more
alike than those of unrelated predicates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from goalmem.language import lexicon
from goalmem.language.lexnames import VerbKind
from goalmem.language.terms import STOP_WORDS, terms_of
from goalmem.language.verb_forms import is_over, is_perfect, is_under_way
from goalmem.language.words.attributes import BECOMING, STATIVE_COPULAS
from goalmem.language.words.doubts import ANEW, CHANGED, COMPLETIVE, ENDING_THINGS, NO_MORE
from goalmem.language.words.verbs import REPORTING, REPORTS
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.certainty.topics import PLACES, PRONOUNS, Topic, is_liking, names
from goalmem.sources.numbers import number_in

APART = "is at work,bought brown shoes,loves jazz,needs a wash,drove to Leeds,has a new bike,sings on Fridays".split(
    ","
)
"""Unrelated predicates: their mean cosine is the zero of the scale, whatever the embedder."""
ALIKE = 0.07
"""Least similarity of two predicates about the same matter: 0 is that of unrelated predicates, 1 that of equal ones. Chosen on 90 pairs."""
GOTTEN = re.compile(r"\b(?:got|gets|getting)\s+\w+(?:ed|en)\b", re.IGNORECASE)
"""The get-passive, which tells of a change (Quirk et al. 1985, section 3.66)."""
BACK = re.compile(r"\bback\b(?!\s+(?:from|at|in|home|here|there|by|before)\b)", re.IGNORECASE)
"""`back with her ex`, `back on meat`; not `back from Malta`."""

LOCATIVE = frozenset(
    "in at on near by under behind beside inside around above over below beneath within about during before after next".split()
)
"""Roles of the place, time or topic of an event."""
UNRELATED = frozenset(
    "subject object indirect attribute complement time manner frequency duration degree because".split()
)
"""Roles that are no relation of their own to what they name."""
FROM = re.compile(r"\b(?:from|since|as of|starting|these days|now)\b", re.IGNORECASE)
"""Words for a time that lasts."""
NAMED = re.compile(r"(?:(?:the|a|an|my|our|your|his|her|their)\s+)?[A-Z]")
"""Words that name something."""


@dataclass(frozen=True)
class SameMatter:
    """Compares two statements about one subject."""

    cosine: Callable[[str, str], float]
    """The cosine of two phrases' vectors."""

    @cached_property
    def unrelated(self) -> float:
        """The mean cosine of unrelated predicates."""
        found = [self.cosine(a, b) for a, b in combinations(APART, 2)]
        return sum(found) / len(found)

    def ended(self, told: Fact, fact: Fact, topics: Sequence[Topic]) -> bool:
        """True if a later statement about the same person or thing may have ended what the fact says."""
        if told.modality not in (Modality.ASSERTED, Modality.PLANNED) or told.predicate in {"", *REPORTS, *REPORTING}:
            return False
        if told.turn == fact.turn:
            return False  # "I'm not a vegetarian any more, I eat meat now"
        if is_liking(fact) or is_over(fact.text, fact.predicate):
            return False
        shared = {a.entity for a in fact.args if a.entity} | {t for t in topics if isinstance(t, str)}
        things = [t for t in topics if not isinstance(t, str)]
        meant = [a for a in told.args if (a.entity or a.text) in shared or any(names(a, t) for t in things)]
        if all(a.role in LOCATIVE for a in meant):
            return False
        own, other = rest_of(fact, fact.args[:1]), rest_of(told, meant)
        again = (told.predicate, told.polarity) == (fact.predicate, fact.polarity)
        lasting = told.predicate == "be" or is_since(told)
        if again and (elsewhere(told, fact) or (lasting and names_rival(told, fact))):
            return True
        if content(own) & content(other):
            if any(a.role == "instead of" and content(a.text) & content(own) for a in told.args):
                return True
            return (gives_up(told) and not again) or (number(own) != number(other) != "" != number(own))
        return tells_change(told) and (self.alike(own, other) or names_rival(told, fact))

    def alike(self, one: str, other: str) -> bool:
        """True if two predicates are about the same matter."""
        if not one or not other:
            return False
        return self.cosine(one, other) - self.unrelated >= ALIKE * (1 - self.unrelated)


def marks_change(told: Fact, naming: Iterable[Argument] = ()) -> bool:
    """True if an adverb says that something is not as it was, or if the thing itself is called new."""
    found = {m.group().casefold() for m in CHANGED.finditer(told.text)}
    return bool(found - {"new"}) or ("new" in found and any("new" in a.text.casefold().split() for a in naming))


def elsewhere(told: Fact, fact: Fact) -> bool:
    """True if the same is said of another place, of now or in general: `sleeps on the sofa`, not `slept` or `sleeps there on Sundays`.

    Since some time, a place of the same kind is another, too: `on the complaints line` after `on the billing line`.
    """
    since = FROM.search(told.text)
    limited = any(a.role in ("time", "frequency") for a in told.args) and since is None
    if limited:
        return False
    placed, now = ([a for a in f.args if a.role in PLACES and a.type != "time" and a.head] for f in (fact, told))
    alike = {a.head for a in placed} & {a.head for a in now}
    if alike:
        return since is not None and not {content(a.text) for a in placed} & {content(a.text) for a in now}
    return bool(placed and now) and not is_over(told.text, told.predicate)


def is_since(told: Fact) -> bool:
    """True if an adverb or a phrase says that something is so from some time on: `now`, `since the flood`."""
    return marks_change(told) or any(a.role == "since" or a.text.casefold().startswith("since ") for a in told.args)


def names_rival(told: Fact, fact: Fact) -> bool:
    """True if another name stands in the same relation: `signed for Ware` after `plays for Harlow`."""
    lately = is_since(told)
    own = {a.role: a for a in fact.args if a.role not in UNRELATED and NAMED.match(a.text)}
    rivals = (a for a in told.args if a.role in own and NAMED.match(a.text) and (lately or a.role not in LOCATIVE))
    return any(not {*rival.text.split()} & {*own[rival.role].text.split()} for rival in rivals)


def tells_change(told: Fact) -> bool:
    """True if tense, particles or adverbs say that something has begun, is going on now, or is over."""
    head, *particles = told.predicate.split()
    moves = lexicon.supersenses(head, "v")[:1] == (VerbKind.MOTION,)
    return (
        not told.polarity
        or ANEW.search(told.text) is not None
        or (not moves and BACK.search(told.text) is not None)
        or bool(COMPLETIVE & {*particles})
        or any(a.role in ("off", "out of") for a in told.args)
        or (head in BECOMING - STATIVE_COPULAS and told.arg("attribute") is not None)
        or GOTTEN.search(told.text) is not None
        or is_perfect(told.text, told.predicate)
        or is_under_way(told.text, told.predicate)
    )


def gives_up(told: Fact) -> bool:
    """True if a clause says that something is over, or that somebody has left it."""
    out = any(a.role in ("out of", "off") for a in told.args)
    return out or NO_MORE.search(told.text) is not None or told.predicate in ENDING_THINGS


def content(phrase: str) -> frozenset[str]:
    """The stems of the content words of a phrase, without numbers."""
    return frozenset(t for w in re.findall(r"[^\W\d_]+", phrase) if w not in STOP_WORDS for t in terms_of(w))


def number(phrase: str) -> str:
    """The first number of a phrase, in digits or in a word; empty if it has none."""
    return next((str(n) for w in re.findall(r"[\w.]+", phrase) if (n := number_in(w)) is not None), "")


def rest_of(fact: Fact, left_out: Iterable[Argument]) -> str:
    """The text of a fact without some of its arguments."""
    text, at = fact.text, fact.start
    for a in sorted(left_out, key=lambda a: -a.start):
        if at <= a.start < a.end <= at + len(text) and a.text.casefold() not in PRONOUNS - {"it"}:
            text = text[: a.start - at] + text[a.end - at :]
    text = re.sub(r"^\W*['’]?(?:s|m|re)\b", "is", text)
    return re.sub(r"^\W+|\s+(?=\s)", "", text).casefold().strip(" .,;!")
