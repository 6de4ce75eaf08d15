"""Passages that exclude what a question asks: a winner did not lose, and a dog is no cat."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache, lru_cache

from goalmem.language.lexicon import coarse_type, gender, is_a, is_known, kinds_above, synonyms
from goalmem.language.morphology import singular
from goalmem.language.terms import terms_of
from goalmem.language.verb_forms import is_past, verb_bases
from goalmem.language.words.modifiers import NET
from goalmem.language.words.nouns import ANY_ANIMAL
from goalmem.language.words.pronouns import THIRD_PERSON
from goalmem.language.words.verbs import AVOIDING, ENDING_OR_AVOIDING, MOTION_TO_PLACES, NAMING, OPPOSITES, RESIDING
from goalmem.records import Fact
from goalmem.sources.assertion import facts_around
from goalmem.sources.numbers import number_in
from goalmem.sources.spans import sentence_around

OWNED = re.compile(r"(?:['’]s|s['’]|\bmy|\bour)\s+((?:[a-z]+\s+){0,2}[a-z]+)")
"""Words after a possessive in a question, in which nouns are looked up."""

NAMESAKE = re.compile(
    r"\b(?i:another|(?:an?|some|the)\s+(?:different|other|second))\s+(?:[a-z]+\s+(?:called|named)\s+)?([A-Z]\w+)|\b([A-Z]\w+)['’]s\s+namesake\b"
)
"""Another person of the same name."""
EACH = re.compile(r"\b(?:each|apiece|per|a piece)\b", re.IGNORECASE)
"""Words behind the price of one of several."""
PRICED = re.compile(
    r"\b(?:pay|paid|spend|spent)\b.*?\b(?:for|on) (?:the|my|our|an?) (?:[a-z]+ )??([a-z]+)\W*$|\b(?:the|my|our) ([a-z]+) costs?\b",
    re.IGNORECASE,
)
"""The thing whose price a question asks."""
INTENDED = re.compile(r"\bfor (?:the|my|our|\w+['’]s) (?:[a-z]+ )?([a-z]+)\W*$", re.IGNORECASE)
"""Whom or what something is for, at the end of a question."""
OCCUPYING = frozenset("work study volunteer".split())
"""Verbs whose place is no home."""
WORKING = frozenset({"work"})
GROWING_UP = frozenset({"bear", "grow up", "raise"})
"""Verbs whose place was a home, and need not be one any more."""
GAINING = frozenset({"for", "indirect"})
"""Roles of who or what gains by something."""
PAYING = frozenset({"pay", "spend"})
CACHED = 8192
COLOURS = frozenset({"colour", "color"})
"""Types of answers."""
ANY_THING = frozenset({"one", "ones", "thing", "shade", "colour", "color"})
"""Heads of phrases whose colour is that of something else."""
LOWER = re.compile(r"\b[a-z]+\b")
DEFINITE = re.compile(r"(?:the|my|our|this|that)\b", re.IGNORECASE)
WHO = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)


def speaks_of_another_being(question: str, sentence: str) -> bool:
    """True if a sentence is about another animal or relative than the one in the question, or about a namesake."""
    if any(name in question for found in NAMESAKE.findall(sentence) for name in found if name):
        return not NAMESAKE.search(question)
    said = {singular(word) for word in re.findall(r"[a-z]+", sentence.casefold())}
    for words in OWNED.findall(question):
        for noun in map(singular, words.split()):
            if noun not in said and any(_excludes(noun, other) for other in said):
                return True
    return False


def names_other_thing(question: str, facts: Sequence[Fact], start: int, end: int) -> bool:
    """True if the words name something else than the question asks the name of: his boat, not my brother."""
    words = re.findall(r"[a-z]+", question.casefold())
    if not {"name", "named", "called"} & {*words}:
        return False
    told = [f for f in facts if f.kind == "identity" or f.predicate in NAMING]
    of = [
        next((a.head for a in f.args if a.role == ("attribute" if f.kind == "identity" else "object")), "")
        for f in told
        if any(a.start < end and start < a.end for a in f.args if a.entity[:1].isupper())
    ]
    return bool(of) and not any(
        not h or h in THIRD_PERSON or h in words or any(is_a(h, w) or is_a(w, h) for w in words) for h in of
    )


def colours_another(question: str, type_: str, facts: Sequence[Fact], start: int, end: int) -> bool:
    """True if a colour is that of a thing beside the one in the question: `a blue seat for my car`."""
    if type_ not in COLOURS:
        return False
    asked = set(LOWER.findall(question))
    return any(
        any(a.head not in asked and a.head not in ANY_THING and a.start <= start and end < a.end for a in fact.args)
        and any(a.head in asked and not (a.start <= start and end <= a.end) for a in fact.args)
        for fact in facts_around(facts, start, end)
    )


def speaks_of_another_thing(question: str, passage: str, sentence: str, words: str) -> bool:
    """True if a sentence names, beside the words that may answer, a thing of the same kind as one in the question, of which the passage does
    not speak: who cooked lunch is not who cooked dinner, and the kitchen's colour is not the bathroom's.
    """
    said = set(terms_of(passage))
    asked = [w for w in LOWER.findall(question) if is_known(w) and terms_of(w) and said.isdisjoint(terms_of(w))]
    if not asked:
        return False
    others = set(LOWER.findall(sentence)).difference(LOWER.findall(f"{question} {words}"))
    return any(_is_beside(one, other) for one in asked for other in others if is_known(other))


@lru_cache(CACHED)
def _is_beside(one: str, other: str) -> bool:
    """True for two nouns right below the same kind: lunch and dinner. Of times there are rules of their own."""
    if "time" in (coarse_type(one), coarse_type(other)):
        return False
    apart = not is_a(one, other) and not is_a(other, one) and other not in synonyms(one, "n")
    return apart and not set(kinds_above(one, 1)).isdisjoint(kinds_above(other, 1))


def paid_for_other(question: str, facts: Sequence[Fact], start: int, end: int, text: str) -> bool:
    """True if an amount was paid for something else: `The sofa comes on Friday, I paid 90` does not give the price of a flat."""
    asked = PRICED.search(question)
    noun = (asked[1] or asked[2]).casefold() if asked is not None else ""
    paid = next((f for f in facts_around(facts, start, end) if f.predicate in PAYING), None)
    first, last = sentence_around(text, start, end)
    if "cost" in verb_bases(question) and NET.search(text, first, last):
        return True
    if noun and paid_for_several(noun, text[first:last]):
        return True
    if (
        not noun
        or paid is None
        or any(a.role in ("for", "on") for a in paid.args)
        or noun in text[first:last].casefold()
    ):
        return False
    before = [f for f in facts if first <= f.start < paid.start and f.kind == "clause"]
    things = [a.head for f in before[-1:] for a in f.args if a.role in ("subject", "object") and DEFINITE.match(a.text)]
    return bool(things) and not any(is_a(t, noun) or is_a(noun, t) for t in things)


def done_for_other(question: str, facts: Sequence[Fact], start: int, end: int) -> bool:
    """True if the question asks what was done for one, and the words say what was done for another: `for the shelter`, not the school."""
    asked = INTENDED.search(question)
    around = [f for f in facts if f.kind == "clause" and f.start <= start <= f.end + 1]
    others = [
        a
        for f in around
        for a in f.args
        if a.role in GAINING and DEFINITE.match(a.text) and not (a.start <= start and end <= a.end)
    ]
    if asked is None or not others:
        return False
    noun = asked[1].casefold()
    return not any(noun in a.text.casefold() or is_a(a.head, noun) or is_a(noun, a.head) for a in others)


def paid_for_several(noun: str, sentence: str) -> bool:
    """True if the sentence names several of a thing and not the price of each: `two lamps for 90 euros` does not give the price of one."""
    named = re.search(rf"\b((?:\w+\s+){{1,2}}){re.escape(noun)}e?s\b", sentence, re.IGNORECASE)
    return (
        named is not None
        and any(number_in(word) not in (None, 1.0) for word in named[1].split())
        and not EACH.search(sentence)
    )


def lives_there(question: str, type_: str, facts: Sequence[Fact], start: int, end: int) -> bool:
    """True if the words say where somebody lives, but the question asks for a place where nobody lives, like a hospital; or where somebody
    works, was born or did not move, but it asks where they live; or where somebody studies, but it asks where they work.
    """
    asked = verb_bases(question)
    home = bool(asked & RESIDING) or any(is_a(word, "housing") for word in asked)
    if home and not asked & OCCUPYING:
        around = [f for f in facts_around(facts, start, end) if f.kind == "clause"]
        beside = OCCUPYING if is_past(question) else OCCUPYING | GROWING_UP
        if around and all({f.predicate, f.predicate.partition(" ")[0]} & beside for f in around):
            return True
        if any(f.predicate in MOTION_TO_PLACES and not f.polarity for f in around):
            return True
    if "work" in asked and any(map(_studies, facts_around(facts, start, end))):
        return True
    homes = [f for f in facts if f.slot == "residence" and any(a.start <= start and end <= a.end for a in f.args)]
    noun = type_.split()[-1]
    place = noun == "place" or not is_known(noun) or any(is_a(noun, k) for k in ("location", "housing"))
    return bool(homes) and not place and not asked & RESIDING


def is_no_home_yet(question: str, facts: Sequence[Fact], start: int, end: int, at: datetime) -> bool:
    """True if the words are where somebody is to move after the time of asking, or moves at all, but the question asks where they live, or work, now."""
    asked = verb_bases(question)
    if is_past(question) or asked & MOTION_TO_PLACES or not asked & (RESIDING | WORKING):
        return False
    moves = [f for f in facts_around(facts, start, end) if f.predicate in MOTION_TO_PLACES]
    ahead = any(f.when is not None and f.when.start > at.replace(tzinfo=None) for f in moves)
    return ahead or (bool(moves) and bool(asked & WORKING))


def _studies(fact: Fact) -> bool:
    """True if a clause calls somebody a student."""
    said = fact.arg("attribute") if fact.predicate == "be" else None
    return said is not None and any(is_a(word, "student") for word in re.findall(r"[a-z]+", said.text.casefold()))


@cache
def _excludes(noun: str, other: str) -> bool:
    """True if nothing is both: two kinds of animals, neither a kind of the other, or relatives of different sex."""
    if {noun, other} & ANY_ANIMAL:
        return False
    if coarse_type(noun) == coarse_type(other) == "animal":
        return not is_a(noun, other) and not is_a(other, noun)
    sexes = gender(noun), gender(other)
    return coarse_type(noun) == "person" and "" not in sexes and sexes[0] != sexes[1]


WITH = re.compile(r"\bwith\b|\bw/(?!o)", re.IGNORECASE)
WITHOUT_SOMEBODY = re.compile(r"(?:without|w/o)\s", re.IGNORECASE)
WITHOUT = re.compile(r"(?:\bwithout|\bw/o)\s+(?:[a-z']+\s+){0,2}$", re.IGNORECASE)


@cache
def _opposites() -> dict[str, frozenset[str]]:
    """The stem of a verb -> the lemmas of its opposites."""
    found: dict[str, set[str]] = {}
    for pair in OPPOSITES:
        one, other = pair
        for verb, against in ((one, other), (other, one)):
            for stem in terms_of(verb):
                found.setdefault(stem, set()).add(against)
    return {stem: frozenset(lemmas) for stem, lemmas in found.items()}


def says_without(question: str, text: str, start: int) -> bool:
    """True if it is asked with whom or what something was, and a text says that it was without the words that begin at `start`."""
    without = WITHOUT.search(text, max(0, start - 40), start) or WITHOUT_SOMEBODY.match(text, start)
    return WITH.search(question) is not None and without is not None


def says_opposite(question: str, facts: Sequence[Fact], start: int, end: int) -> bool:
    """True if the verb of the clause around the words is an opposite of the question's verb."""
    of_object = (f for f in facts if any(a.role == "object" and a.start <= start and end <= a.end for a in f.args))
    held = [f for f in of_object if f.polarity]  # beside `gave up coffee`: does not drink coffee
    if held and all(f.predicate in (AVOIDING if is_past(question) else ENDING_OR_AVOIDING) for f in held):
        return not verb_bases(question) & {f.predicate.split()[0] for f in held}
    against: set[str] = set()
    # `Who sold Yusuf a lathe?` is answered by what Yusuf bought: the converse verb has another subject.
    bases = () if WHO.search(question) else sorted(verb_bases(question))
    for stem in (*terms_of(question), *(stem for base in bases for stem in terms_of(base))):
        against |= _opposites().get(stem, frozenset())
    around = [f.predicate for f in facts_around(facts, start, end)]
    return bool(against) and bool(around) and all(predicate in against for predicate in around)
