"""What a graph's relation says as a sentence, so that a triple can be unified with a goal as a fact is.

A relation's name is a verb with what belongs to it (`works for`), a participle (`directed by`), a noun (`genre`, `has_genre`)
or a preposition (`in`); which of these, its own words tell. A name that is read wrongly says nothing that a goal asks for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from goalmem.language.lexicon import base_form, is_known, tagged_uses
from goalmem.language.words.function_words import BE_FORMS, CIRCUMSTANTIAL_OF_GRAPHS, HAVE_FORMS
from goalmem.logic.terms import Atom, Variable

__all__ = ["OBJECT", "SUBJECT", "sentences_of"]

SUBJECT, OBJECT = Variable("s", "thing"), Variable("o", "thing")
"""Stand for the ends of a triple."""


def sentences_of(words: str) -> Iterator[Atom]:
    """Sentences that a relation of this name may say of its subject and object."""
    first, *rest = words.split() or [""]
    last = rest[-1] if rest else first
    if first in BE_FORMS:
        yield _sentence(SUBJECT, f" {words} ", OBJECT)
    elif first in HAVE_FORMS and rest:
        yield from _sentences_of_noun(rest)
    elif first in CIRCUMSTANTIAL_OF_GRAPHS:
        yield _sentence(SUBJECT, f" is {first} ", OBJECT)
        yield from _sentences_of_noun(rest)
    elif _is_participle(first) and last in CIRCUMSTANTIAL_OF_GRAPHS:
        yield _sentence(SUBJECT, f" was {words} ", OBJECT)
        yield _sentence(SUBJECT, f" {words} ", OBJECT)
    elif (not rest and _is_verb(first)) or (last in CIRCUMSTANTIAL_OF_GRAPHS and _is_verb_form(first)):
        yield _sentence(SUBJECT, f" {words} ", OBJECT)
    else:
        yield from _sentences_of_noun([first, *rest])


def _sentences_of_noun(words: list[str]) -> Iterator[Atom]:
    """`capital of`: the object has the subject as its capital; `genre`: the subject has the object as its genre."""
    words = [word for word in words if word]
    if words[-1:] == ["of"] and len(words) > 1:
        yield _sentence(OBJECT, f"'s {' '.join(words[:-1])} is ", SUBJECT)
    elif words:
        yield _sentence(SUBJECT, f"'s {' '.join(words)} is ", OBJECT)


def _sentence(subject: Variable, says: str, object_: Variable) -> Atom:
    return Atom((subject, says, object_))


@lru_cache(4096)
def _is_participle(word: str) -> bool:
    return "VBN" in _tags(word)


@lru_cache(4096)
def _is_verb_form(word: str) -> bool:
    """Whether a word may be a verb with an ending: `works`, `married`."""
    return bool(_tags(word) & {"VBZ", "VBD"})


@lru_cache(4096)
def _is_verb(word: str) -> bool:
    """Whether it is one by itself rather than a noun: `likes`, not `headquarters`."""
    nouns = max((tagged_uses(form, "n") for form in (word, base_form(word)) if is_known(form, "n")), default=0)
    return _is_verb_form(word) and (not is_known(word, "n") or tagged_uses(base_form(word), "v") > nouns)


def _tags(word: str) -> frozenset[str]:
    """The verb forms with an ending that a word is one of."""
    from goalmem.language.inflection import getAllInflections, getAllLemmas

    lemmas = getAllLemmas(word, upos="VERB").get("VERB", ()) if word.isalpha() else ()
    found: set[str] = set()
    for lemma in (lemma for lemma in lemmas if lemma != word):
        forms = getAllInflections(lemma, upos="VERB")
        found |= {tag for tag, words in forms.items() if word in words}
        # A regular verb's participle is listed as its past tense alone.
        found |= {"VBN"} if "VBN" not in forms and word in forms.get("VBD", ()) else set()
    return frozenset(found)
