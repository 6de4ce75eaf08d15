"""Verb forms (lemminflect) and their tense and aspect."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from goalmem.language.lexicon import base_form
from goalmem.language.terms import LETTERS, WORD
from goalmem.language.words.function_words import MODALS, PAST_HELPERS
from goalmem.language.words.verbs import CLITICS, CONTRACTIONS, STATES, STATIVE_PARTICIPLES

if TYPE_CHECKING:
    from spacy.tokens import Token


HAVE = frozenset({"have", "has", "ve", "having"})
WAS = frozenset({"was", "were", "wasn", "weren"})
PAST_AUXILIARIES = WAS | {"had", "hadn", "did", "didn"}
PRESENT_BE = frozenset({"am", "is", "are", "m", "re", "s", "im", "hes", "shes", "theyre"})
BEING = PRESENT_BE | {"be", "been", "being", "get", "gets", "getting"}
IRREGULAR = frozenset("saw found fell felt left wound ground bound".split())
"""Pasts that are, hardly ever meant so, base forms of other verbs."""
NOT_JUST_NOW = frozenset({"had", "d", "then", "almost", "nearly"})
"""Words with which `just` is not about the time of speaking, or of nothing that happened."""
LINKED = 4
"""Words between an auxiliary and its verb, its subject and adverbs included."""


def contracted(token: Token) -> str:
    """The word in lower case, a contracted verb with its apostrophe where that was left out: `'m` of `im`."""
    word = token.lower_
    return f"'{word}" if word in CONTRACTIONS and token.pos_ in ("VERB", "AUX") else word


@lru_cache(4096)
def forms_of(verb: str) -> frozenset[str]:
    """All forms of a verb, contracted ones of be and have included."""
    from goalmem.language.inflection import getAllInflections

    forms = {f for group in getAllInflections(verb).values() for f in group}
    contracted = {clitic for clitic, full in CLITICS.items() if verb in full & {"be", "have"}}
    return frozenset({verb, *forms, *contracted})


@lru_cache(4096)
def inflected(verb: str, tag: str) -> frozenset[str]:
    """The forms of a verb, or an adjective, that have a tag of the Penn Treebank."""
    from goalmem.language.inflection import getInflection

    found: tuple[str, ...] = getInflection(verb, tag)
    return frozenset(found)


@lru_cache(4096)
def is_over(text: str, predicate: str) -> bool:
    """True if a clause is only about the past: `I lived there`, `we had had a dog`, `have finished reading`; not `has lived`."""
    verb = predicate.split(" ")[0]
    doing = inflected(verb, "VBG")
    words = [m.group().casefold() for m in LETTERS.finditer(text)]
    past = inflected(verb, "VBD") | (WAS if verb == "be" else frozenset())
    plain = inflected(verb, "VB") | inflected(verb, "VBP") | {verb}
    for place, word in enumerate(words):
        before = words[max(0, place - LINKED) : place]
        if word in doing and before[-1:] in (["finished"], ["completed"]):
            return True
        if word in past and word not in plain:
            # `has lived` started in the past and continues; `is married` is a state
            return "had" in before or not (HAVE | BEING) & {*before}
        if word in forms_of(verb) and word not in past and PAST_AUXILIARIES & {*before}:
            return True
    return False


@lru_cache(4096)
def is_unmarked_past(text: str, predicate: str) -> bool:
    """True if a verb whose past is its base form stands without an auxiliary: `Ann put it there`, who `puts` it there in the present.

    The subject has to be singular, and in the third person.
    """
    verb = predicate.split(" ")[0]
    words = [m.group().casefold() for m in LETTERS.finditer(text)]
    if not verb or verb not in words or verb not in inflected(verb, "VBD"):
        return False
    before = words[: words.index(verb)][-LINKED:]
    return not any(word in MODALS or word in BEING or word in HAVE or word in ("do", "does", "to") for word in before)


@lru_cache(4096)
def is_of_any_tense(text: str, predicate: str) -> bool:
    """True if a verb stands in a form that is its present and its past: `I read Dune`."""
    verb = predicate.split(" ")[0]
    either = inflected(verb, "VBD") & {verb, *inflected(verb, "VB")}
    words = [m.group().casefold() for m in LETTERS.finditer(text)]
    return any(
        word in either and not (PAST_AUXILIARIES | HAVE | BEING) & {*words[:n][-LINKED:]}
        for n, word in enumerate(words)
    )


@lru_cache(4096)
def is_simple_present(text: str, predicate: str) -> bool:
    """True if a clause is in the simple present: `she waters the plants`; not `I read it`, which may be in the past."""
    verb = predicate.split(" ")[0]
    forms = (inflected(verb, "VBZ") | inflected(verb, "VBP") | {verb}) - inflected(verb, "VBD")
    words = [m.group().casefold() for m in LETTERS.finditer(text)]
    place = next((n for n, word in enumerate(words) if word in forms), None)
    if place is None:
        return False
    before = words[max(0, place - LINKED) : place]
    return not any(
        word in MODALS or word in BEING or word in HAVE or word in ("do", "does", "did", "to") for word in before
    )


def is_under_way(text: str, predicate: str) -> bool:
    """True if a clause is about an activity in progress: `I'm buying an island`."""
    doing = inflected(predicate.split(" ")[0], "VBG")
    words = [m.group().casefold() for m in LETTERS.finditer(text)]
    for place, word in enumerate(words):
        if word in doing:
            before = words[max(0, place - LINKED) : place]
            return bool(PRESENT_BE & {*before}) and not {"been", "was", "were"} & {*before}
    return False


@lru_cache(4096)
def is_perfect(text: str, predicate: str) -> bool:
    """True if a clause is in the present perfect: `has tied the knot`; not `had tied` or `has to tie`."""
    done = inflected(predicate.split(" ")[0], "VBN")
    words = [m.group().casefold() for m in LETTERS.finditer(text)]

    def has_before(at: int) -> bool:
        contracted = "s" in words[max(0, at - 2) : at] and words[at] not in STATIVE_PARTICIPLES
        return contracted or bool(HAVE & {*words[max(0, at - LINKED) : at]})

    return any(word in done and has_before(at) for at, word in enumerate(words))


@lru_cache(4096)
def is_just_done(text: str, predicate: str) -> bool:
    """True if a clause is about an event that had just happened when it was told: `I just launched it`, `I've just downloaded it`.

    Not for a state: `I just wanted it`, nor for what had just happened at another time: `I had just launched it`.
    """
    verb = predicate.split(" ")[0]
    if verb in STATES:
        return False
    words = [m.group().casefold() for m in LETTERS.finditer(text)]
    plain = {verb, *inflected(verb, "VB"), *inflected(verb, "VBP")}
    past = inflected(verb, "VBD") - plain
    done = inflected(verb, "VBN")
    if NOT_JUST_NOW & {*words}:
        return False
    return any(
        before == "just" and (word in past or (word in done and HAVE & {*words[:n][-LINKED:]}))
        for n, (before, word) in enumerate(pairwise(words), 1)
    )


@lru_cache(4096)
def verb_bases(text: str) -> frozenset[str]:
    """The base forms that the words of a text have, were they verbs."""
    from goalmem.language.inflection import getLemma

    words = {m.group().casefold() for m in WORD.finditer(text)}
    return frozenset(base for w in words for base in (*getLemma(w, "VERB"), base_form(w)))


@lru_cache(4096)
def verb_of(word: str) -> str:
    """The base form of a word as a verb: the likeliest, if there are several; the word itself, if it is none."""
    from goalmem.language.inflection import getLemma

    found: tuple[str, ...] = getLemma(word, "VERB")
    return found[0] if found else word


PARTS_OF_SPEECH = ("NOUN", "VERB", "ADJ", "ADV")


def lemmas_of(text: str) -> frozenset[str]:
    """The base forms that the words of a text have as nouns, verbs, adjectives and adverbs, and what its clitics stand for."""
    from goalmem.language.inflection import getLemma

    words = {m.group().casefold() for m in WORD.finditer(text)}
    clitics = [CLITICS[c] for c in re.findall(r"['’](\w+)\b", text.casefold()) if c in CLITICS]
    return frozenset({*set().union(*clitics), *(b for w in words for pos in PARTS_OF_SPEECH for b in getLemma(w, pos))})


@lru_cache(4096)
def is_past(text: str) -> bool:
    """True if a question or statement is in the past tense, by an auxiliary or a verb."""
    from goalmem.language.inflection import getInflection, getLemma

    words = [m.group().casefold() for m in WORD.finditer(text)]
    if PAST_HELPERS & set(words) or "ever" in words or "before" in words or "used" in words:
        return True
    return any(
        b != w and w in getInflection(b, "VBD") and (w not in getLemma(w, "VERB") or w in IRREGULAR)
        for before, w in zip(["", *words], words, strict=False)
        if before not in BEING  # `getting married`
        for b in getLemma(w, "VERB")
    )
