"""The span of a phrase, and the argument that it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from goalmem.language.annotations import Part, TurnReading
from goalmem.language.entities import is_genitive_name, noun_type
from goalmem.language.gapping import GAP, ORPHAN
from goalmem.language.name_masking import is_title
from goalmem.language.times_grammar import CLOCK

if TYPE_CHECKING:
    from spacy.tokens import Token


OUTSIDE = frozenset("relcl acl appos conj cc preconj parataxis advcl ccomp xcomp punct dep intj dative".split())
"""Dependents that are no part of an argument's span: they say something of their own."""
VERBLESS = (GAP, ORPHAN)
JOINING = frozenset("- ' \" $ # / % &".split())
"""Punctuation inside a phrase."""
NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "ADJ"})
CONTENT = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "VERB", "ADV"})
"""Parts of speech that say something (Universal Dependencies)."""

OF_HOUR = frozenset("half quarter five ten twenty".split())
"""Words that a clock time begins with: `half past six`."""


def part(reading: TurnReading, token: Token, role: str, *, whole: bool = False) -> Part:
    """The argument that a word heads, with those coordinated with it."""
    alone = _single(reading, token, role, whole=whole)
    if token.pos_ not in NOMINAL:
        return alone
    others = [t for t in token.conjuncts if t.i > token.i and t.dep_ == "conj" and t.pos_ in NOMINAL]
    _, named_to = reading.names.get(token.i, (0, 0))
    others = [t for t in others if t.i > named_to]  # `Button & Thread` is one name
    if token.tag_ in ("NNS", "NNPS"):  # `my friends Mark and Sarah`
        others += [reading.doc[name] for described, name in reading.named if described == token.i]
    if not others:
        return alone
    conjuncts = _of_one_kind([alone, *(_single(reading, t, role) for t in others)])
    return replace(conjuncts[0], conjuncts=tuple(conjuncts))


def _of_one_kind(conjuncts: list[Part]) -> list[Part]:
    """The conjuncts, a name whose type is not known with the type of the other names: *Ana* of "Ana, Ben and Carl"."""
    named = [c.token is not None and c.token.pos_ in ("PROPN", "PRON") for c in conjuncts]
    types = {c.type for c, is_name in zip(conjuncts, named, strict=True) if is_name and c.type}
    if not all(named) or len(types) != 1:
        return conjuncts
    (type_,) = types
    return [replace(c, type=c.type or type_) for c in conjuncts]


def implied_part(name: str, role: str, how: str) -> Part:
    """An implicit participant: the `I` of "Went hiking"."""
    return Part(role, "", -1, -1, name.lower(), None, name, "person", how)


def span(token: Token, *, whole: bool = False) -> tuple[int, int]:
    """First and last token of the phrase that a word heads.

    Without clauses, appositions and coordinated phrases, unless `whole`.
    """
    if whole:
        return token.left_edge.i, token.right_edge.i
    kept, open_ = {token.i}, [token]
    while open_:
        for t in open_.pop().children:
            if t.lower_ == "by" and token.dep_ == "dobj" and any(c.dep_ == "nsubjpass" for c in token.head.children):
                continue  # the agent: "was given a book by Anna"
            inner = t.dep_ in ("conj", "cc") and t.head.i != token.i
            if t.dep_.startswith(VERBLESS):
                continue
            if t.dep_ not in OUTSIDE or inner or (t.dep_ == "punct" and t.text in JOINING):
                kept.add(t.i)
                open_.append(t)
    first = last = token.i
    doc = token.doc
    while first and continues(doc[first - 1], doc[first]):
        first -= 1
        kept.add(first)
    while first - 1 in kept or (first - 2 in kept and doc[first - 1].is_punct):
        first -= 1
    while last + 1 in kept or (last + 2 in kept and doc[last + 1].is_punct):
        last += 1
    return _trimmed(token, first, last)


def continues(before: Token, token: Token) -> bool:
    """`555 0134`: two numbers side by side that the parser takes for two arguments are one."""
    numbers = before.pos_ == token.pos_ == "NUM" and before.dep_ in ("attr", "dobj", "pobj")
    return numbers and (before.head, before.dep_) == (token.head, token.dep_)


def _trimmed(token: Token, first: int, last: int) -> tuple[int, int]:
    """Without punctuation at the ends, a preposition whose object is a clause of its own, or the head's 's."""
    doc = token.doc
    while last > token.i and _is_loose(doc[last], '"%'):
        last -= 1
    while last > token.i and (doc[last].dep_ in ("prep", "cc", "mark") or _is_genitive(doc[last], token)):
        last -= 1
    while first < token.i and _is_loose(doc[first], '"$#'):
        first += 1
    return first, last


def _is_loose(word: Token, kept: str) -> bool:
    return word.is_space or (word.is_punct and word.text not in kept)


def _is_genitive(word: Token, head: Token) -> bool:
    return word.tag_ == "POS" and word.head.i == head.i and not is_genitive_name(head)


def _single(reading: TurnReading, token: Token, role: str, *, whole: bool = False) -> Part:
    clausal = token.pos_ in ("VERB", "AUX") and not reading.in_title(token)
    first, last = span(token, whole=whole or clausal)
    last = max(last, reading.names.get(token.i, (0, 0))[1])
    doc = reading.doc
    start, end = doc[first].idx, doc[last].idx + len(doc[last])
    title = reading.title_at(token)
    if title:
        start, end = min(start, title[0]), max(end, title[1])
    start, end = _unquoted(reading.text, start, end)
    if token.lower_ in OF_HOUR and (clock := CLOCK.match(reading.text, start)) is not None:
        end = max(end, clock.end())
    owners = [_owner(reading, t) for t in doc[first : last + 1]] if clausal else []
    referent = reading.referents.get(token.i)
    named = referent is not None and (referent.type or referent.resolved == "name")
    return Part(
        role,
        reading.turn.content[start:end],
        start,
        end,
        token.lemma_.lower(),
        token,
        referent.entity if referent else "",
        referent.type if referent and named else noun_type(token),
        referent.resolved if referent else "",
        (
            *(w for t in doc[first : last + 1] if t.i != token.i and t.pos_ in CONTENT for w in _modifiers(t)),
            *_restricted(token),
            *(word for owner in owners for word in owner.lower().split()),
        ),
    )


def _owner(reading: TurnReading, pronoun: Token) -> str:
    """Whose something is by a possessive pronoun: of `playing on my piano`, not of anybody else's."""
    referent = reading.referents.get(pronoun.i) if pronoun.tag_ == "PRP$" else None
    return referent.entity if referent is not None else ""


def _restricted(token: Token) -> Iterator[str]:
    """What a clause behind a noun with `no` or `any` restricts it by, which the phrase itself leaves out: `no brothers who can swim`."""
    if any(t.lower_ in ("no", "any", "neither") for t in token.lefts):
        yield from (
            t.lemma_.lower()
            for t in token.children
            if t.dep_ in ("relcl", "acl") or t.lower_ in ("except", "besides", "excepting")
        )


def _modifiers(token: Token) -> Sequence[str]:
    """Its lemma, or the words of a title; `computing` before a noun is unchanged, since taggers vary between verb and noun."""
    if is_title(token):
        return token.lemma_.split()
    before = token.tag_ == "VBG" and token.dep_ in ("amod", "compound")
    return (token.lower_ if before else token.lemma_.lower(),)


def _unquoted(text: str, start: int, end: int) -> tuple[int, int]:
    """Without a quotation mark that has no partner in the span."""
    if text.count('"', start, end) % 2:
        end -= text[end - 1] == '"'
        start += text[start] == '"'
    return start, max(start + 1, end)
