"""Third-person pronouns and "the dog" -> the one mention they can mean; left open where more than one can be meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.annotations import WINDOW, Referent, TurnReading
from goalmem.language.entities import is_genitive_name, name, noun_type
from goalmem.language.words.nouns import ANIMATE, PLURAL_THINGS, TANGIBLE
from goalmem.language.words.pronouns import ABSOLUTE, THIRD_PERSON

if TYPE_CHECKING:
    from spacy.tokens import Token


TO_VERB = 4
"""Levels of the tree between `whose` and the verb of its clause."""
FORWARD_WORDS = 8
"""Maximum words of a noun phrase that introduces a topic by itself."""
FARTHEST_SENTENCES, FARTHEST_TOKENS = 20, 400
"""Search window for an antecedent: sentences before, and tokens at the end of an earlier turn. Nearly all are in the
same or the previous sentence (Hobbs 1978: 98 of 100).
"""
OF = "'s"
FARTHEST_NOUN = 30
"""Words between a possession and `mine`, `hers`."""
AT_HOME_OF = frozenset("at to round around near outside over".split())
"""Prepositions before a place that is named by whose it is."""
LIKENED_TO = frozenset("compare prefer similar equal identical next close relate link".split())
"""Words whose `to` names something that is compared."""
SENTENCES_BACK = 2
"""`it` and `they` reach this many sentences back: their antecedent is nearly always that near, and many things compete."""


def pronoun(reading: TurnReading, token: Token) -> Referent | None:
    """The antecedent of he, she, it, they, when exactly one recent mention fits gender, number and animacy."""
    return _antecedent(reading, token) if token.lower_ not in ABSOLUTE or _is_behind_of(token) else None


def _is_behind_of(token: Token) -> bool:
    """True in `a friend of hers`."""
    return token.dep_ == "pobj" and token.head.lower_ == "of"


def _antecedent(reading: TurnReading, token: Token) -> Referent | None:
    if (
        token.lower_ not in THIRD_PERSON
        or token.pos_ not in ("PRON", "DET")
        or token.dep_ == "expl"
        or reading.is_quoted(token)
    ):
        return None
    gender, plural = THIRD_PERSON[token.lower_]
    put_forward = _put_forward(reading, token)
    if put_forward is not None:
        return put_forward
    near = gender == "thing" or plural
    groups = _mentions(reading, token, WINDOW if not near else 1, SENTENCES_BACK if near else None)
    if gender == "thing" and _expletive(token):
        return None
    excluded = _subject_of_same(reading, token)
    for group in groups:
        apart = excluded | _of_other_gender(group, gender)
        fitting = {r.entity: r for r in group if r.entity not in apart and _fits(reading, r, gender, plural)}
        sure = _of_gender(group, fitting, gender)
        chosen = sure or fitting
        if len(chosen) == 1 and "" not in chosen:
            found = next(iter(chosen.values()))
            likelier = found.type == "person" and gender in ("male", "female")  # than a dog
            rivals = [r for e, r in fitting.items() if e != found.entity and not (likelier and r.type == "animal")]
            how = "presumed" if rivals else "pronoun"
            return Referent(found.entity, found.type, how, found.gender or (gender if not near else ""), plural)
        if chosen:
            return None
    return None


def absolute(reading: TurnReading, token: Token) -> Referent | None:
    """The possession that `mine`, `hers` or `Ana's` alone is: her car, after somebody's car in the same sentence (Quirk et al. 1985, section 6.29)."""
    word = token.lower_
    if token.dep_ == "poss" or _is_behind_of(token) or (word not in ABSOLUTE and not is_genitive_name(token)):
        return None
    if word not in ABSOLUTE and _is_at_home_of(token):
        return None
    first = max(token.sent.start, token.i - FARTHEST_NOUN)
    noun = next((i for i in range(token.i - 1, first - 1, -1) if i in reading.owned), None)
    owner = _owner_of_absolute(reading, token) if noun is not None else None
    if noun is None or owner is None or not owner.entity:
        return None
    called = f"{owner.entity.removesuffix(OF)}'s {reading.owned[noun][1]}"
    return Referent(reading.canonical(called), noun_type(reading.doc[noun]), "owner")


def _is_at_home_of(token: Token) -> bool:
    """True for a place: `I left my coat at Noor's` (the local genitive; Quirk et al. 1985, section 5.125)."""
    if token.dep_ != "pobj":
        return False
    above = token.head.head.lemma_.lower()
    return token.head.lower_ in AT_HOME_OF and not (token.head.lower_ == "to" and above in LIKENED_TO)


def _owner_of_absolute(reading: TurnReading, token: Token) -> Referent | None:
    word = token.lower_
    if word in ("mine", "ours"):
        return Referent(reading.turn.author, "person") if reading.turn.author else None
    if word == "yours":
        return Referent(reading.addressee(token), "person")
    return _antecedent(reading, token) if word in ABSOLUTE else name(reading, token)


def whose(reading: TurnReading, token: Token) -> Referent | None:
    """The noun that a relative clause with `whose` describes: `Ana, whose husband is a cook`."""
    if token.tag_ != "WP$":
        return None
    above = next((t for t in islice(token.ancestors, TO_VERB) if t.dep_ == "relcl"), None)
    found = reading.referents.get(above.head.i) if above is not None and above.head.i < token.i else None
    return replace(found, resolved="pronoun") if found is not None and found.entity else None


def _of_gender(group: Sequence[Referent], fitting: Mapping[str, Referent], gender: str) -> dict[str, Referent]:
    """Those of the mentions that are known to have the gender, by a noun or by a pronoun for them."""
    known = {r.entity for r in group if gender in ("male", "female") and r.gender == gender}
    return {entity: r for entity, r in fitting.items() if entity in known}


def _of_other_gender(group: Sequence[Referent], gender: str) -> set[str]:
    """Those who are called he or she there, if it is the other of the two that is asked about: Tom of `Tom and his aunt`."""
    other = {"male": "female", "female": "male"}.get(gender)
    return {r.entity for r in group if other and r.entity and r.gender == other}


def _put_forward(reading: TurnReading, token: Token) -> Referent | None:
    """`The lemon cake. It's my favourite.`: the topic introduced by the previous sentence."""
    if token.dep_ != "nsubj" or token.head.lemma_ != "be" or token.i != token.sent.start or token.i == 0:
        return None
    before = token.doc[token.i - 1].sent
    words = [t for t in before if not t.is_punct and not t.is_space]
    if (
        before.root.pos_ not in ("NOUN", "PROPN")
        or len(words) > FORWARD_WORDS
        or any(t.pos_ in ("VERB", "AUX") for t in words)
    ):
        return None
    if not words or (words[0].lower_ not in ("the", "a", "an") and before.root.pos_ != "PROPN"):
        return None
    known = reading.referents.get(before.root.i)
    if known is not None and known.entity:
        return replace(known, resolved="pronoun")
    first = words[1] if words[0].pos_ == "DET" and len(words) > 1 else words[0]
    text = reading.text[first.idx : words[-1].idx + len(words[-1])]
    return Referent(text, noun_type(words[-1]), "pronoun")


def _subject_of_same(reading: TurnReading, token: Token) -> set[str]:
    """A plain pronoun is never its own clause's subject (binding principle B, Chomsky 1981): "he sat on him"."""
    if token.tag_ == "PRP$" or token.lower_.endswith(("self", "selves")) or token.dep_ in ("nsubj", "nsubjpass"):
        return set()
    verb = token.head
    while (verb.pos_ == "ADP" or verb.dep_ == "xcomp") and verb.head.i != verb.i:  # a preposition may be the root
        verb = verb.head
    subjects = [t.i for t in verb.children if t.dep_ in ("nsubj", "nsubjpass")]
    return {reading.referents[i].entity for i in subjects if i in reading.referents}


def _expletive(token: Token) -> bool:
    """The `it` of "it's important to rest", "it breaks my heart that …", "it was when …"."""
    return token.dep_ in ("nsubj", "nsubjpass", "expl") and any(
        t.dep_ in ("ccomp", "xcomp", "csubj", "advcl")
        or (t.dep_ == "acomp" and any(c.dep_ in ("xcomp", "ccomp") for c in t.children))
        for t in token.head.children
    )


def _fits(reading: TurnReading, r: Referent, gender: str, plural: bool) -> bool:
    here = r.resolved == "name" and r.entity != reading.turn.speaker  # who is spoken of by name
    if (r.entity in reading.speakers and not here) or r.plural != plural or r.resolved in ("speaker", "addressee"):
        return False
    if gender == "thing":
        return r.type in TANGIBLE if r.entity else r.type not in ("person", "time")
    if plural:
        return r.type in PLURAL_THINGS if r.entity else r.type not in ("time", "quantity")
    return (r.type in ANIMATE or (r.type == "" and r.resolved == "name")) and r.gender in ("", gender)


def _mentions(reading: TurnReading, token: Token, turns: int, sentences: int | None) -> Iterator[list[Referent]]:
    """Mentions before the token, nearest sentence first, then the earlier turns' sentences."""
    left = sentences if sentences is not None else FARTHEST_SENTENCES
    start = token.sent.end
    known = _described(reading)
    while start and left > 0:
        sent, left = reading.doc[start - 1].sent, left - 1
        start = sent.start
        yield list(_in(reading, reading, start, min(sent.end, token.i), known))
    for earlier in reversed(list(reading.previous)[-turns:]):
        if sentences is not None and left <= 0:
            return
        left -= 1
        end = len(earlier.doc)
        yield list(_in(reading, earlier, max(0, end - FARTHEST_TOKENS), end, _described(earlier)))


def _described(reading: TurnReading) -> set[str]:
    """The nouns by which something known is called."""
    return {reading.doc[i].lemma_ for i in reading.referents if reading.doc[i].pos_ == "NOUN"}


def _in(now: TurnReading, reading: TurnReading, start: int, end: int, known: set[str]) -> Iterator[Referent]:
    """The referent of the words from `start` to `end` by its current name; a noun with an unknown referent has none,
    unless an entity is called by it ("I got a dog. My dog …").
    """
    for token in reading.doc[start:end]:
        referent = reading.referents.get(token.i)
        if (referent is None and token.pos_ != "NOUN") or _is_said_of(token) or _is_within_name(reading, token):
            continue
        if referent is not None:
            yield replace(referent, entity=now.canonical(referent.entity)) if now is not reading else referent
        elif token.lemma_ in known:
            continue
        elif token.dep_ not in ("compound", "npadvmod"):
            yield Referent("", noun_type(token), "", lexicon.gender(token.lemma_), token.tag_ == "NNS")


def _is_within_name(reading: TurnReading, token: Token) -> bool:
    """True for the Fiat of `a Fiat Panda`."""
    return token.dep_ == "compound" and token.head.pos_ == "PROPN" and token.head.i in reading.referents


def _is_said_of(token: Token) -> bool:
    """True for a noun that only describes somebody: `Ann isn't Bob's wife, she …` continues about Ann, `my aunt is a nurse` about her."""
    if token.pos_ != "NOUN":
        return False
    one = any(t.lower_ in ("a", "an") for t in token.lefts)
    if one and (token.dep_ == "appos" or (token.dep_ == "pobj" and token.head.lower_ == "as")):
        return True
    if one and token.dep_ == "attr" and any(t.dep_ == "nsubj" for t in token.head.children):
        return True
    subject = next((t for t in token.head.children if t.dep_ == "nsubj"), None)
    named = subject is not None and (subject.pos_ in ("PROPN", "PRON") or subject.text[:1].isupper())
    return named and token.dep_ == "attr" and token.head.lemma_ == "be"


def anaphor(reading: TurnReading, token: Token) -> Referent | None:
    """`the dog` -> the only recently mentioned one of that kind."""
    if token.pos_ != "NOUN" or token.tag_ != "NN" or reading.is_quoted(token):
        return None
    if not any(t.dep_ == "det" and t.lower_ in ("the", "this", "that") for t in token.lefts):
        return None
    kind = lexicon.coarse_type(token.lemma_)
    if token.lemma_ == "place":
        return _that_place(reading, token)
    if kind not in ANIMATE or any(
        t.dep_ in ("relcl", "acl", "prep", "appos", "amod", "compound") for t in token.children
    ):
        return None
    for group in _mentions(reading, token, WINDOW, None):
        fitting = {r.entity: r for r in group if r.entity and _is_kind(reading, r, token.lemma_)}
        if len(fitting) == 1:
            found = next(iter(fitting.values()))
            return Referent(found.entity, found.type, "pronoun", found.gender)
        if fitting:
            return None
    return None


def _that_place(reading: TurnReading, token: Token) -> Referent | None:
    """`that place` -> the only place named just before."""
    for group in _mentions(reading, token, 1, SENTENCES_BACK):
        found = {r.entity: r for r in group if r.entity and r.type == "place"}
        if found:
            return Referent(next(iter(found)), "place", "pronoun") if len(found) == 1 else None
    return None


def _is_kind(reading: TurnReading, r: Referent, noun: str) -> bool:
    """The entity is described by this noun, or by a narrower one."""
    names = [r.entity, *(alias for alias, canonical in reading.aliases.items() if canonical == r.entity)]
    words = [n.rsplit("'s ", 1)[1].rsplit(" ", 1)[-1] for n in names if "'s " in n]
    return any(lexicon.is_a(w, noun) for w in words)
