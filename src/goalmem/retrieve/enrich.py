"""The enriched document: what language analysis found in a turn, as searchable terms beside its words.

Retaining v2 (the enriched synthetic documents of its README) searches entities, noun phrases, predicates, trigrams and
preferences as extra text. Here each is a term in a name space of its own, so that "Paris" the entity never counts as the
word, and what is said of "she" is found under her name. All of it derives from the `Extraction` alone and can be rebuilt.

| term | of | example |
| --- | --- | --- |
| `e:` | an entity that is named | `e:new york` |
| `n:` | the head of a noun phrase, each pair of its neighbouring words, the whole | `n:bike`, `n:mountain bike` |
| `p:` | a predicate; a denied one also as `p:!` | `p:adopt`, `p:!go` |
| `t:` | subject, predicate and object, whole and in pairs | `t:maya|adopt|dog`, `t:maya|adopt|`, `t:|adopt|dog` |
| `f:` | what somebody likes (`+`) or dislikes (`-`) | `f:+sushi` |
| `m:` | a theme of the whole turn | `m:reminiscence` |
| `k:` | a kind of fact that it holds, a way in which one is meant | `k:preference`, `k:planned` |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np

from goalmem.language.terms import hash_term, terms_of, words_of
from goalmem.language.words.verbs import DISLIKING_INDEXED, LIKING_INDEXED, RECALLING
from goalmem.records import Argument, Extraction, Fact, Modality

MOST_FEATURES = 128
"""Distinct terms stored for one turn, 1 KB. Of a longer turn the trigrams are dropped first, from its end. 47 % of LongMemEval's turns are
longer, nearly all of them the assistant's; 384 terms for those find no more and double the index."""
KEY_WORDS = 4
"""Stems in the key of a name or phrase. A longer span is a clause, which no two people word in the same way."""
REMINISCENCE = "m:reminiscence"
KINDS = frozenset({"clause", "identity", "possession", "preference", *(modality.value for modality in Modality)})
"""Kinds and modalities of facts."""

_CIRCUMSTANCES = frozenset({"subject", "time", "manner", "frequency", "owner"})
"""Roles of circumstances, which are no objects of trigrams."""
_SELF = frozenset({"speaker", "addressee"})


def turn_features(extraction: Extraction) -> bytes:
    """A turn's distinct terms as little-endian uint64 hashes, at most `MOST_FEATURES`, as a store keeps them."""
    terms = list(dict.fromkeys(terms_of_turn(extraction)))[:MOST_FEATURES]
    return np.array([hash_term(term) for term in terms], dtype="<u8").tobytes()


def terms_of_turn(extraction: Extraction) -> Iterator[str]:
    """Yield the terms, those for names and descriptions first, trigrams last; may contain duplicates."""
    facts = extraction.facts
    for fact in facts:
        yield kind_term(fact.kind)
        yield kind_term(fact.modality.value)
    for mention in extraction.mentions:
        yield from entity_term(mention.entity)
    for fact in facts:
        for argument in fact.args:
            yield from _participant_terms(argument)
    for fact in facts:
        yield from predicate_terms(fact.predicate, negated=not fact.polarity)
        yield from _liking_terms(fact)
        if _reminisces(fact):
            yield REMINISCENCE
    for fact in facts:
        if fact.modality is not Modality.QUESTION:  # a question is no statement
            yield from _fact_triples(fact)


def kind_term(kind: str) -> str:
    """The term of a kind of fact."""
    return "k:" + kind


@lru_cache(maxsize=4_096)
def key_of(text: str) -> str:
    """The stems of a name, a head or a predicate, joined; empty if only stop words are left (`she`, `be`, `it`)."""
    return " ".join(terms_of(text)[:KEY_WORDS])


def entity_term(name: str) -> list[str]:
    """The term of an entity: its whole name, case-insensitive."""
    words = words_of(name)[:KEY_WORDS]
    return ["e:" + " ".join(words)] if words else []


def noun_terms(phrase: str, head: str) -> list[str]:
    """The terms of a noun phrase: its head, each pair of adjacent words, and the whole if it has three or four."""
    stems, top = terms_of(phrase), key_of(head)
    found = ["n:" + top] if top else []
    found += ["n:" + " ".join(pair) for pair in pairwise(stems)]
    if 2 < len(stems) <= KEY_WORDS:
        found.append("n:" + " ".join(stems))
    return found


def predicate_terms(predicate: str, *, negated: bool) -> list[str]:
    """The terms of a predicate. A denied one also has the positive term; `be`, `have` and `do` mean too little for a term."""
    key = key_of(predicate)
    if not key:
        return []
    return ["p:" + key, "p:!" + key] if negated else ["p:" + key]


def preference_terms(liked: str, head: str, *, positive: bool) -> list[str]:
    """The terms of something liked or disliked, by its head and as a whole."""
    keys = dict.fromkeys(key for key in (key_of(head), key_of(liked)) if key)
    return [f"f:{'+' if positive else '-'}{key}" for key in keys]


def triple_terms(subject: str, predicate: str, object_: str) -> list[str]:
    """The terms of a triple of keys: the whole and each pair; an empty key is open."""
    triples = {
        (subject, predicate, object_),
        (subject, predicate, ""),
        ("", predicate, object_),
        (subject, "", object_),
    }
    return sorted("t:" + "|".join(triple) for triple in triples if sum(map(bool, triple)) > 1)


def _participant_terms(argument: Argument) -> Iterator[str]:
    if argument.resolved in _SELF:
        return
    if argument.entity:
        yield from entity_term(argument.entity)
    if argument.role not in ("complement", "manner", "frequency", "time"):
        yield from noun_terms(argument.text, argument.head)


def _liking_terms(fact: Fact) -> Iterator[str]:
    verb = fact.predicate.partition(" ")[0]
    if fact.kind != "preference" or verb not in LIKING_INDEXED | DISLIKING_INDEXED:
        return
    for argument in fact.args:
        if argument.role in ("object", "complement"):
            yield from preference_terms(
                argument.text, argument.head, positive=(verb in LIKING_INDEXED) == fact.polarity
            )


def _reminisces(fact: Fact) -> bool:
    """True if a fact recalls the past: `I remember when we …`, `I miss those days`, `we used to …`."""
    if fact.modality is Modality.FORMER:
        return True
    return fact.modality is Modality.ASSERTED and fact.predicate in RECALLING


def _fact_triples(fact: Fact) -> Iterator[str]:
    subjects = [key for a in fact.args if a.role == "subject" for key in _keys(a)] or [""]
    predicate = key_of(fact.predicate)
    objects = [key for a in fact.args if a.role not in _CIRCUMSTANCES for key in _keys(a)] or [""]
    for subject in subjects:
        for object_ in objects:
            yield from triple_terms(subject, predicate, object_)


def _keys(argument: Argument) -> Iterable[str]:
    """A participant by name and by head: `Ines` and `sister`; a speaker only by name."""
    if argument.resolved in _SELF:
        return [key_of(argument.entity)]
    named = argument.entity if "'s " not in argument.entity else ""
    return dict.fromkeys(key for key in (key_of(named), key_of(argument.head)) if key)
