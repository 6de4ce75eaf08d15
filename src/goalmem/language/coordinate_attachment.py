"""Repairs of coordination: what is coordinated with what, and which circumstance belongs to which."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING

from goalmem.language.gapping import ORPHAN
from goalmem.language.lexicon import is_known
from goalmem.language.phrase_segments import kind_of

if TYPE_CHECKING:
    from spacy.tokens import Token

DETERMINING = frozenset({"det", "poss", "nummod"})
TO_VERB = 4
"""Levels of the tree between a conjunct and its verb."""


def attach_contrast(no: Token) -> None:
    """In `Ana won, not Tom` and `Leo is my boss, not Ida`, the last word is excluded, and neither the verb denied nor the boss called Ida."""
    doc = no.doc
    if (
        no.lower_ != "not"
        or not 1 < no.i < len(doc) - 1
        or doc[no.i - 1].text not in (",", "–", "—")
        or no.dep_ == "preconj"
    ):
        return
    name = next((t for t in doc[no.i + 1 : no.sent.end] if t.pos_ in ("PROPN", "NOUN", "PRON")), None)
    if name is None or any(t.pos_ in ("VERB", "AUX", "PUNCT") for t in doc[no.i + 1 : name.i]):
        return
    behind = name.right_edge.i + 1
    ends = behind >= no.sent.end or doc[behind].is_punct
    of_verb = name.head.pos_ in ("VERB", "AUX") and name.dep_ in ("appos", "npadvmod", "oprd", "dep")
    of_predicate = name.dep_ == "appos" and name.head.dep_ in ("attr", "acomp") and name.head.pos_ != "PROPN"
    if ends and name.head.i < no.i and (of_verb or of_predicate):
        no.head, no.dep_, name.dep_ = name, "cc", "dep"


def attach_conjunct(word: Token) -> None:
    """In `allergic to nuts and shellfish`, a noun that is taken for a verb is coordinated with the noun before it."""
    named = is_known(word.lower_, "n") and not is_known(word.lower_, "v")
    if word.dep_ != "conj" or word.pos_ != "VERB" or not named or any(word.children):
        return
    noun = next((t for t in reversed(word.doc[word.head.i : word.i]) if t.dep_ == "pobj"), None)
    if noun is not None and all(t.dep_ in ("cc", "punct", "conj") for t in word.doc[noun.i + 1 : word.i]):
        word.head, word.tag_, word.pos_ = noun, "NN", "NOUN"


def attach_listed(thing: Token) -> None:
    """In `a latte, a scone, and a tea`, the second of three indefinite things is one of a list, no apposition to the first."""
    first = thing.head
    last = next((t for t in thing.children if t.dep_ == "conj" and any(c.dep_ == "cc" for c in thing.children)), None)
    if thing.dep_ != "appos" or last is None or any(t.pos_ == "PROPN" for t in (first, thing, last)):
        return
    if all(any(d.lower_ in ("a", "an", "some") or d.pos_ == "NUM" for d in t.lefts) for t in (first, thing, last)):
        thing.dep_ = "conj"


def attach_source(prep: Token) -> None:
    """In `borrowed a drill and a saw from Tom`, both came from Tom."""
    last = prep.head
    if prep.dep_ != "prep" or prep.lower_ not in ("from", "to") or last.dep_ != "conj":
        return
    first = next((t for t in last.conjuncts if t.dep_ == "dobj"), None)
    if first is None or first.i > last.i:
        return
    named = any(t.dep_ == "pobj" and t.pos_ in ("PROPN", "PRON") for t in prep.children)
    if named and not any(t.dep_ == "prep" for t in first.children):
        prep.head = first.head


def attach_second_thing(thing: Token) -> None:
    """In `lent the drill to Tom and the saw to Leo`, the saw stands beside the drill, and only the saw went to Leo."""
    behind = thing.doc[thing.i + 1] if thing.i + 1 < len(thing.doc) else None
    before = thing.left_edge.i - 1
    if thing.dep_ != "conj" or not _is_determined(thing) or before < 1 or thing.doc[before].dep_ != "cc":
        return
    if behind is None or behind.dep_ not in ("prep", "dative"):
        return
    verb = _verb_above(thing)
    first = next((t for t in verb.children if t.dep_ == "dobj"), None) if verb is not None else None
    if first is None or not _is_determined(first):
        return
    named = thing.doc[before - 1]
    prep = named.head
    alike = prep.lower_ == behind.lower_ and {prep.dep_, behind.dep_} <= {"prep", "dative"}
    if (
        not alike
        or named.dep_ != "pobj"
        or _is_determined(named)
        or not first.i < prep.i
        or prep.head not in (first, verb)
    ):
        return
    for noun, of in ((first, prep), (thing, behind)):
        of.head, of.dep_ = noun, prep.dep_
    thing.head = first
    if thing.pos_ != "NOUN":
        thing.pos_, thing.tag_, thing.lemma_ = "NOUN", "NN", thing.lower_


def attach_second_circumstance(thing: Token) -> None:
    """In `drink coffee in the morning and tea at night`, tea stands beside coffee, and is drunk only at night.

    What `gapping` has not made a clause of is left out.
    """
    doc, first = thing.doc, thing.head
    prep = first.head
    behind = doc[thing.i + 1] if thing.i + 1 < len(doc) else None
    if thing.dep_ != "conj" or first.dep_ != "pobj" or prep.dep_ != "prep" or behind is None or behind.dep_ != "prep":
        return
    verb = _verb_above(thing)
    other = next((t for t in behind.children if t.dep_ == "pobj"), None)
    given = doc[prep.i - 1] if prep.i else None
    if verb is None or other is None or given is None or kind_of(thing) == kind_of(first):
        return
    timed = kind_of(first) == kind_of(other) == "time"
    acts = next((t for t in verb.lefts if t.dep_ == "nsubj"), given) if given == verb else given
    alike = kind_of(first) == kind_of(other) != "" or kind_of(acts) == kind_of(thing) != ""
    alike |= all(t.pos_ == "PROPN" for t in (acts, first, thing, other))
    if not timed and not (alike and prep.lower_ == behind.lower_):
        return
    if given.dep_ == "dobj" and given.head == verb and prep.head in (given, verb):
        thing.head, prep.head, behind.head = given, given, thing
        before = doc[thing.left_edge.i - 1]
        before.head = given if before.dep_ == "cc" else before.head
    elif given.dep_ == "pobj" and timed:
        thing.dep_ = behind.dep_ = ORPHAN
    elif given == verb:  # `Ana works at Selkon and Tom at Orbit`
        before = doc[thing.left_edge.i - 1]
        before.head = verb if before.dep_ == "cc" else before.head
        thing.head, thing.dep_, behind.head = verb, ORPHAN, thing


def attach_second_receiver(who: Token) -> None:
    """In `gave Ida a lamp and Max a clock`, only Max got the clock."""
    behind = who.doc[who.i + 1] if who.i + 1 < len(who.doc) else None
    if (
        who.dep_ != "conj"
        or who.doc[who.left_edge.i - 1].dep_ != "cc"
        or behind is None
        or behind.dep_ not in DETERMINING
    ):
        return
    verb = _verb_above(who)
    if verb is None:
        return
    objects = [t for t in verb.children if t.dep_ in ("dative", "dobj") and t.i < who.i]
    pairs = ((a, b) for a, b in pairwise(objects) if b.dep_ == "dobj" and b.left_edge.i == a.i + 1)
    receiver, given = next(pairs, (None, None))
    beside = (*who.children, *verb.children)
    second = next((t for t in beside if t.left_edge.i == who.i + 1 and t.dep_ in ("appos", "npadvmod", "dobj")), None)
    if receiver is None or given is None or second is None or not (_is_determined(given) and _is_determined(second)):
        return
    second.head, second.dep_ = given, "conj"
    for noun, of in ((given, receiver), (second, who)):
        of.head, of.dep_ = noun, "dative"


def _verb_above(noun: Token) -> Token | None:
    """The verb a few levels above a conjunct: with more there are more than two pairs."""
    return next((t for t in islice(noun.ancestors, TO_VERB) if t.pos_ == "VERB"), None)


def _is_determined(noun: Token) -> bool:
    return any(t.dep_ in DETERMINING for t in noun.lefts)


def attach_not_only(joined: Token) -> None:
    """In `not only Tom but also Ana came`, Ana is coordinated with Tom, and both came."""
    verb = joined.head
    if joined.dep_ not in ("nsubj", "nsubjpass") or not joined.left_edge.i or verb.i < joined.i:
        return
    first = next((t for t in verb.lefts if t.dep_ == joined.dep_ and t.i < joined.i), None)
    if first is None or not any(t.dep_ == "preconj" for t in first.lefts):
        return
    if any(t.dep_ == "cc" and t.lower_ == "but" for t in first.rights):
        joined.head, joined.dep_ = first, "conj"
