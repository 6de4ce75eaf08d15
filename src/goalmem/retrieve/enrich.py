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
"""Distinct terms kept of one turn, 1 KB; of a longer turn the trigrams go first, from its end. Of LongMemEval's turns 47 % are
longer, nearly all of them the assistant's; keeping 384 of those finds no more and doubles the index."""
KEY_WORDS = 4
"""Stems of a name or a phrase that tell it apart; a longer span is a clause, and no two people word it alike."""
REMINISCENCE = "m:reminiscence"
KINDS = frozenset({"clause", "identity", "possession", "preference", *(modality.value for modality in Modality)})
"""Kinds of facts, and ways in which they are meant."""

_CIRCUMSTANCES = frozenset({"subject", "time", "manner", "frequency", "owner"})
"""Roles that are no object of a trigram: they say when or how, not with what."""
_SELF = frozenset({"speaker", "addressee"})


def turn_features(extraction: Extraction) -> bytes:
    """A turn's terms as little-endian uint64 hashes, distinct, at most `MOST_FEATURES`: what a store keeps of it."""
    terms = list(dict.fromkeys(terms_of_turn(extraction)))[:MOST_FEATURES]
    return np.array([hash_term(term) for term in terms], dtype="<u8").tobytes()


def terms_of_turn(extraction: Extraction) -> Iterator[str]:
    """The terms themselves, what names and describes first, trigrams last; may repeat."""
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
        if fact.modality is not Modality.QUESTION:  # what is asked is not said
            yield from _fact_triples(fact)


def kind_term(kind: str) -> str:
    """The term of a kind of fact."""
    return "k:" + kind


@lru_cache(maxsize=4_096)
def key_of(text: str) -> str:
    """The stems of a name, a head or a predicate, joined; empty when only stop words are left (`she`, `be`, `it`)."""
    return " ".join(terms_of(text)[:KEY_WORDS])


def entity_term(name: str) -> list[str]:
    """The term of an entity: its whole name, however it is capitalised."""
    words = words_of(name)[:KEY_WORDS]
    return ["e:" + " ".join(words)] if words else []


def noun_terms(phrase: str, head: str) -> list[str]:
    """The terms of a noun phrase: its head, each two neighbouring words, and the whole when it is of three or four."""
    stems, top = terms_of(phrase), key_of(head)
    found = ["n:" + top] if top else []
    found += ["n:" + " ".join(pair) for pair in pairwise(stems)]
    if 2 < len(stems) <= KEY_WORDS:
        found.append("n:" + " ".join(stems))
    return found


def predicate_terms(predicate: str, *, negated: bool) -> list[str]:
    """The terms of a predicate. What is denied is also about it; `be`, `have` and `do` say too little to be one."""
    key = key_of(predicate)
    if not key:
        return []
    return ["p:" + key, "p:!" + key] if negated else ["p:" + key]


def preference_terms(liked: str, head: str, *, positive: bool) -> list[str]:
    """The terms of a liking: what is liked by its head and as a whole."""
    keys = dict.fromkeys(key for key in (key_of(head), key_of(liked)) if key)
    return [f"f:{'+' if positive else '-'}{key}" for key in keys]


def triple_terms(subject: str, predicate: str, object_: str) -> list[str]:
    """The terms of keys that stand to each other so, the whole and each pair; an empty key is open."""
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
    """Whether somebody turns to the past: `I remember when we …`, `I miss those days`, `we used to …`."""
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
    """A participant under its name and under its head: `Ines` and `sister`; who speaks only under the name."""
    if argument.resolved in _SELF:
        return [key_of(argument.entity)]
    named = argument.entity if "'s " not in argument.entity else ""
    return dict.fromkeys(key for key in (key_of(named), key_of(argument.head)) if key)
