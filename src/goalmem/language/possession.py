"""Possession: `my sister` -> Maya's sister."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.annotations import Referent, TurnReading
from goalmem.language.entities import noun_type
from goalmem.language.words.modifiers import OTHER_THAN_NAMED

if TYPE_CHECKING:
    from spacy.tokens import Token


def possessor(token: Token) -> Token | None:
    """The word that says whose the noun is: `my`, the `sister` of `my sister's dog`, the `me` of `a friend of mine`."""
    own = next((t for t in token.children if t.dep_ == "poss"), None)
    if own is not None:
        return own
    if token.dep_ in ("compound", "amod") and token.i + 1 == token.head.i and token.head.text[:1].isupper():
        return next((t for t in token.head.lefts if t.dep_ == "poss" and t.tag_ == "PRP$"), None)
    if token.dep_ == "conj" and not any(t.dep_ in ("det", "nummod") for t in token.lefts) and token.head.pos_ == "NOUN":
        return possessor(token.head)
    for prep in token.children:
        if prep.dep_ == "prep" and prep.lower_ == "of":
            return next(
                (t for t in prep.children if t.dep_ == "pobj" and (t.tag_ == "PRP$" or t.lower_ == "mine")), None
            )
    return None


def description(token: Token) -> str:
    """The head of a noun phrase with the modifiers that identify its referent: `sister`, `older sister`, `pottery
    class`.
    """
    kept = [
        f"{_least(t)}{t.lower_}" if t.pos_ != "PROPN" else t.text
        for t in token.lefts
        if ((t.dep_ == "compound" or _is_noun(t)) and t.ent_type_ not in ("DATE", "TIME"))
        or (
            t.dep_ == "amod"
            and (t.tag_ in ("JJR", "JJS") or t.lower_ in OTHER_THAN_NAMED or t.lower_ in ("favorite", "favourite"))
        )
    ]
    plural = token.tag_ in ("NNS", "NNPS")
    noun = token.lower_ if plural else token.lemma_.lower() if token.pos_ == "NOUN" else token.text
    return " ".join([*kept, noun]).replace("favourite", "favorite")


def _least(adjective: Token) -> str:
    """The `least` of `my least favorite`."""
    return "least " if any(t.lower_ == "least" for t in adjective.lefts) else ""


def _is_noun(modifier: Token) -> bool:
    """A noun before a noun that was tagged as an adjective: `accordion teacher`."""
    word = modifier.lower_
    return (
        modifier.dep_ == "amod" and lexicon.is_known(word) and not lexicon.is_known(word, "a") and modifier.tag_ == "JJ"
    )


def possessed(reading: TurnReading, token: Token) -> Referent | None:
    """The referent of a possessed noun, described by its owner (`Maya's sister`) or by its name if known."""
    if token.pos_ not in ("NOUN", "PROPN"):
        return None
    owner_token = possessor(token)
    if (
        owner_token is not None
        and token.ent_type_
        and owner_token.ent_type_ == token.ent_type_
        and token.ent_iob_ == "I"
    ):
        return None  # part of one name: St. Mary's Hospital
    owner = reading.referents.get(owner_token.i) if owner_token is not None else None
    if owner is None or not owner.entity:
        return None
    what = description(token)
    reading.owned[token.i] = (owner.entity, what)
    called = f"{owner.entity}'s {what}"
    canonical = reading.canonical(called)
    if canonical == called:
        canonical = _by_kind(reading, owner.entity, token) or called
    plural = token.tag_ in ("NNS", "NNPS")
    return Referent(
        canonical, noun_type(token), "owner" if canonical == called else "alias", lexicon.gender(token.lemma_), plural
    )


def _by_kind(reading: TurnReading, owner: str, token: Token) -> str:
    """The owner's only named one of that kind: `my dog` when only `Maya's beagle` has a name. Animals alone: the word
    for a relative or a thing is not changed so freely.
    """
    if token.tag_ != "NN" or noun_type(token) != "animal":
        return ""
    prefix = f"{owner.lower()}'s "
    names = {
        canonical
        for alias, canonical in reading.aliases.items()
        if alias.startswith(prefix) and lexicon.is_a(alias.removeprefix(prefix), token.lemma_)
    }
    return names.pop() if len(names) == 1 else ""
