"""Namings: `my sister Ines`, `Ines, my sister`, `a dog named Biscuit`, `his name is Biscuit`, `we called her Luna`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.annotations import Referent, TurnReading
from goalmem.language.clauses import is_asked
from goalmem.language.entities import noun_type
from goalmem.language.identity import possessor
from goalmem.language.name_masking import is_title
from goalmem.language.operators import has_negative_adverb
from goalmem.language.words.function_words import ALMOST, NEGATIVE_ADVERBS
from goalmem.language.words.modifiers import CONDITIONS
from goalmem.language.words.nouns import ANIMATE, ORGANISED
from goalmem.language.words.verbs import NAMING

SELDOM = frozenset("rarely seldom supposedly allegedly reportedly apparently presumably sometimes".split())
"""Adverbs with which somebody is not said to be what follows."""

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


LISTING = frozenset({",", ":", "-", "–", "—", "("})
"""What separates a group from the names of its members."""


GOING_BY = frozenset("full real actual first given proper whole".split())
"""Modifiers of a name that somebody is known by."""
NEAR = 30
"""Number of words before a pronoun among which another antecedent may be."""


def find_namings(reading: TurnReading) -> None:
    """Annotate which word of the turn names the referent of a description."""
    for described, name in _found(reading.doc):
        if (
            described.i != name.i
            and not is_name_here(reading, name)
            and not reading.is_quoted(name)
            and name.lower_ not in _speaker_words(reading)
        ):
            reading.named.append((described.i, name.i))
            reading.named_here.add(name.i)
            reading.named_at.setdefault(max(described.i, name.i), []).append((described.i, name.i))


def _speaker_words(reading: TurnReading) -> set[str]:
    return {word for s in reading.speakers for word in s.lower().split()}


def is_name_here(reading: TurnReading, token: Token) -> bool:
    """True when the word names something in this turn."""
    return token.i in reading.named_here


def _found(doc: Doc) -> Iterator[tuple[Token, Token]]:
    for token in doc:
        if token.lemma_ in NAMING:
            yield from _verb(token)
            yield from _contracted(token)
        elif token.dep_ == "compound":
            yield from _title(token)
        elif token.dep_ == "nsubj" and token.pos_ == "NOUN":
            yield from _beside(token)
    for token in doc:
        if token.lemma_ == "be" and not is_asked(token):
            yield from _copula(token)
        elif token.dep_ == "appos":
            yield from _apposition(token)
        if token.tag_ in ("NNS", "NNPS") and noun_type(token) in ANIMATE:
            yield from _listed(token)


def _is_proper(token: Token) -> bool:
    written = token.text[:1].isupper() or is_title(token)
    return token.pos_ == "PROPN" and written and token.ent_type_ not in ("DATE", "TIME")


def _apposition(token: Token) -> Iterator[tuple[Token, Token]]:
    """`my sister, Ines`; `Ines, my sister`; `my dogs, Max and Luna`."""
    head = token.head
    if head.head.lemma_ in NAMING and _unmeant(head.head):
        return
    one = all(any(t.lower_ in ("a", "an") for t in one.lefts) for one in (head, token))  # `a bike, a blue Gazelle`
    titled = is_title(token) or (noun_type(head) == "work" and token.left_edge.i == head.i + 1)  # `the film Up`
    known = one or titled or noun_type(head) in ANIMATE or possessor(head) is not None
    if head.pos_ == "NOUN" and _is_proper(token) and known:
        yield head, token
        yield from ((head, other) for other in token.conjuncts if _is_proper(other) and other.i > token.i)
    elif head.lower_ == "one" and _is_proper(token) and any(t.lower_ == "of" for t in head.children):
        yield head, token
    elif _is_proper(head) and token.pos_ == "NOUN" and noun_type(token) in ANIMATE:
        yield token, head


def _listed(group: Token) -> Iterator[tuple[Token, Token]]:
    """`two nephews, Tom and Ella.`: names behind a counted or owned plural, up to the sentence's end, however it was parsed."""
    behind = group.doc[group.i + 1 : group.sent.end]
    counted = any(t.dep_ in ("nummod", "poss") for t in group.lefts)
    if not counted or not len(behind) or behind[0].text not in LISTING:
        return
    names = [t for t in behind[1:] if not (t.is_punct or t.lower_ in ("and", "&"))]
    joined = any(t.lower_ in ("and", "&") for t in behind)
    if joined and len(names) > 1 and all(_is_proper(t) for t in names):
        alone = [t for t in names if not (t.dep_ == "compound" and t.head in names)]
        yield from ((group, name) for name in alone)


def _beside(token: Token) -> Iterator[tuple[Token, Token]]:
    """`my cat Bazooka can't`, where noun and name are parsed as two subjects of one verb."""
    name = token.nbor() if token.i + 1 < len(token.doc) else token
    same = name.head.i == token.head.i and name.dep_ == token.dep_
    if same and possessor(token) is not None and _is_proper(name) and noun_type(token) in ANIMATE:
        yield token, name


def _title(token: Token) -> Iterator[tuple[Token, Token]]:
    """`my sister Ines`, where the noun is parsed as part of the name."""
    name = token.head
    if name.dep_ in ("dobj", "oprd") and name.head.lemma_ in NAMING:
        return
    owned = any(t.dep_ in ("poss", "det") and t.lower_ not in ("the", "no") for t in name.lefts)
    ordinary = name.text.islower() and any(lexicon.is_known(w, p) for w in (name.lower_, name.lemma_) for p in "nva")
    proper = _is_proper(name) or (name.tag_ in ("NNP", "NNPS") and not ordinary)
    if token.pos_ == "NOUN" and token.i == name.i - 1 and owned and proper and noun_type(token) in ANIMATE:
        yield token, name


def _verb(token: Token) -> Iterator[tuple[Token, Token]]:
    """`a dog named Biscuit`; `we named our cat Oscar`; `we called her Luna`."""
    if (pair := _object_and_name(token)) is not None and not any(t.tag_ in ("MD", "TO") for t in token.children):
        if _is_done(token):
            yield pair
        return
    offered = [t for t in token.children if t.dep_ in ("oprd", "attr", "dobj") and t.i > token.i and _nameable(t)]
    given = min(offered, key=lambda t: (t.dep_ != "oprd", t.i), default=None)
    if given is None or _unmeant(token) or any(t.tag_ in ("MD", "TO") for t in token.children):
        return
    if token.dep_ in ("acl", "relcl") and token.tag_ == "VBN" and (noun_type(token.head) or is_title(given)):
        above = _being_above(token.head)
        yield from ((above, one) for one in _each(above, given))
        return
    if not _is_done(token):
        return
    if given.dep_ == "oprd":
        described = [t for t in token.children if t.dep_ in ("dobj", "nsubjpass") and t.i != given.i]
        yield from ((t, one) for t in described for one in _each(t, given))
    elif _is_proper(given):
        yield from ((t, given) for t in given.children if t.dep_ == "poss" and t.lower_ in ("her", "his", "its"))


def _contracted(verb: Token) -> Iterator[tuple[Token, Token]]:
    """`my sister's called Ines`, which is parsed as `my sister's Ines`."""
    if verb.dep_ != "amod" or verb.tag_ != "VBN" or verb.i < 2 or not _is_proper(verb.head):
        return
    described, mark = verb.nbor(-2), verb.nbor(-1)
    if mark.tag_ == "POS" and described.dep_ == "poss" and verb.head.dep_ == "ROOT" and verb.head.i == verb.i + 1:
        yield described, verb.head


def _unmeant(verb: Token) -> bool:
    """`We nearly called him Max`, `she calls him Max as a joke`: no name is given."""
    aims = (t for prep in verb.children if prep.lower_ in ("as", "for") for t in prep.children if t.dep_ == "pobj")
    return has_negative_adverb(verb) or any(t.lemma_ in ("joke", "laugh", "fun") for t in aims)


def _is_done(verb: Token) -> bool:
    """True if somebody is said to have named something, neither nearly, never, nor by hearsay."""
    kept = not _unmeant(verb) and all(t.lower_ not in ALMOST | NEGATIVE_ADVERBS for t in verb.children)
    supposed = any(t.dep_ == "mark" and t.lower_ in CONDITIONS for t in verb.children)
    if not kept or supposed or verb.dep_ in ("ccomp", "xcomp", "pcomp") or is_asked(verb):
        return False
    return verb.dep_ != "conj" or verb.head.pos_ != "VERB" or _is_done(verb.head)


def _object_and_name(verb: Token) -> tuple[Token, Token] | None:
    """`the ferret` and `Biscuit` of `We named the ferret Biscuit`, however the parser joins them: a determined noun, then a name."""
    at = verb.i + 1
    behind = verb.doc[at : verb.sent.end]
    if not len(behind) or not (behind[0].tag_ in ("DT", "PRP$") or behind[:2].text.endswith(("'s", "’s"))):
        return None
    name = next((t for t in behind[1:] if t.text[:1].isupper()), None)
    if name is None or name.pos_ not in ("PROPN", "NOUN") or name.ent_type_ in ("DATE", "TIME"):
        return None
    noun = name.nbor(-1)
    words = verb.doc[at + 1 : name.i]
    plain = all(t.is_alpha and t.pos_ in ("NOUN", "ADJ", "PROPN") for t in words)
    return (noun, name) if len(words) and plain and lexicon.coarse_type(noun.lower_) else None


def _each(described: Token, given: Token) -> list[Token]:
    """The name, and those joined with it where several are named: `my cats are called Miso and Tofu`."""
    several = described.tag_ in ("NNS", "NNPS")
    return [given, *(t for t in given.conjuncts if several and t.i > given.i and _is_proper(t))]


def _being_above(noun: Token) -> Token:
    """The `woman` of "a woman round the corner called Ines": the named referent is a being if there is one."""
    above = noun
    while noun_type(above) not in ANIMATE:
        if above.dep_ not in ("pobj", "prep", "compound", "poss") or above.head.i == above.i:
            return noun
        above = above.head
    return above


def _nameable(token: Token) -> bool:
    return token.pos_ in ("PROPN", "NOUN", "ADJ", "X") and not any(
        t.dep_ in ("det", "poss") and t.pos_ == "DET" for t in token.lefts
    )


def _copula(token: Token) -> Iterator[tuple[Token, Token]]:
    """`his name is Biscuit`, `my dog's name is Biscuit`; `Ines is my sister`, `my sister is Ines`."""
    subject = next((t for t in token.children if t.dep_ == "nsubj"), None)
    attribute = next((t for t in token.children if t.dep_ in ("attr", "acomp", "oprd")), None)
    open_ = any(t.dep_ == "neg" or t.tag_ == "MD" for t in token.children)
    if subject is None or attribute is None or open_ or _is_weak(token, attribute):
        return
    if subject.lemma_ == "name" and says_how_called(subject) and attribute.pos_ in ("PROPN", "NOUN", "ADJ"):
        yield from ((_just_told(whose) or whose, attribute) for whose in _whose(subject))
        return
    for described, name in ((attribute, subject), (subject, attribute)):
        owned = any(t.dep_ == "poss" for t in described.lefts)
        of_kind = any(t.lower_ in ("a", "an") for t in name.lefts)  # `my cat is a Siamese`
        if owned and _is_proper(name) and not of_kind and noun_type(described) in ANIMATE:
            if described.tag_ == "NN":
                yield described, name
            elif described.tag_ == "NNS" and all(map(_is_proper, name.conjuncts)):
                yield from ((described, one) for one in _each(described, name))


def _is_weak(be: Token, attribute: Token) -> bool:
    """True for `is no longer my boss`, `was almost my husband`, `is by no means my friend`, which name nobody."""
    adverbs = [t for t in (*be.children, *attribute.lefts) if t.dep_ in ("advmod", "npadvmod") and t.i < attribute.i]
    said = any(t.lower_ in ALMOST | NEGATIVE_ADVERBS | SELDOM or t.lower_ == "longer" for t in adverbs)
    return said or has_negative_adverb(be)


def _whose(name: Token) -> Iterator[Token]:
    """The `sister` of `my sister's name` and `the name of my sister`."""
    yield from (t for t in name.children if t.dep_ == "poss")
    of = (t for prep in name.children if prep.lower_ == "of" for t in prep.children if t.dep_ == "pobj")
    yield from (t for t in of if possessor(t) is not None)


def _just_told(pronoun: Token) -> Token | None:
    """The `boss` of `I have a boss, her name is Ines`: what the clause before introduces, if that is its only being."""
    before = pronoun.doc[: pronoun.i]
    if pronoun.tag_ != "PRP$" or pronoun.lower_ == "my" or len(before) < 2 or not before[-1].is_punct:
        return None
    start = before[-2].sent.start
    beings = [t for t in before[start:] if t.pos_ in ("NOUN", "PROPN") and noun_type(t) in ANIMATE]
    told = beings[0] if len(beings) == 1 else None
    indefinite = told is not None and any(t.lower_ in ("a", "an") for t in told.lefts)
    return told if indefinite and told is not None and told.tag_ == "NN" else None


def says_how_called(name: Token) -> bool:
    """True for the name that somebody is known by: not a maiden, middle, stage or user name."""
    return all(t.lower_ in GOING_BY for t in name.lefts if t.dep_ in ("amod", "compound", "nmod"))


def apply_namings(reading: TurnReading, at: Token) -> None:
    """Give the referent its name in referents and aliases, at the later of the two words."""
    for described_i, name_i in reading.named_at.get(at.i, ()):
        _apply(reading, described_i, name_i)


def _apply(reading: TurnReading, described_i: int, name_i: int) -> None:
    described, name = reading.doc[described_i], reading.doc[name_i]
    before, named = reading.referents.get(described_i), reading.referents.get(name_i)
    if before and before.resolved in ("speaker", "addressee"):
        return
    written = name.text.strip("\"'")
    title = named.entity if named and named.resolved in ("name", "alias") else written[:1].upper() + written[1:]
    noun = _members(described) if described.lower_ == "one" else described
    kind = (before.type if before else "") or noun_type(noun) or lexicon.coarse_type(noun.lower_)
    kind = "" if noun.lower_ in ORGANISED else kind
    gender = (before.gender if before else "") or lexicon.gender(described.lemma_)
    reading.referents[name_i] = Referent(title, kind, "name", gender)
    if kind in ANIMATE:
        reading.types[title] = kind
    if described.tag_ not in ("NNS", "NNPS"):
        _rename(reading, described_i, before, Referent(title, kind, "alias", gender))


def _is_clear(reading: TurnReading, pronoun_i: int, meant: Referent) -> bool:
    """True if a pronoun is unambiguous in context: `our son has a friend with a rat. He's called Spike`."""
    if meant.resolved not in ("pronoun", "presumed"):
        return False
    told = reading.doc[max(0, pronoun_i - NEAR) : pronoun_i]
    others = (
        t
        for t in told
        if t.pos_ == "NOUN"
        and noun_type(t) in ANIMATE
        and t.tag_ != "NNS"
        and lexicon.gender(t.lemma_) in ("", meant.gender)
        and ((r := reading.referents.get(t.i)) is None or r.entity not in (meant.entity, ""))
    )
    return next(others, None) is None


def _members(one: Token) -> Token:
    """The `residents` of "one of the residents"."""
    return next((t for prep in one.children if prep.lower_ == "of" for t in prep.children if t.dep_ == "pobj"), one)


def _rename(reading: TurnReading, described_i: int, before: Referent | None, after: Referent) -> None:
    owned = reading.owned.get(described_i)
    called = (
        f"{owned[0]}'s {owned[1]}"
        if owned
        else before.entity
        if before and _is_clear(reading, described_i, before)
        else ""
    )
    reading.referents[described_i] = after
    if not called:
        return
    reading.state(called, after.entity)
    for i in reading.referents.named(called):
        r = reading.referents[i]
        if r.entity == called:
            reading.referents[i] = replace(r, entity=after.entity, gender=r.gender or after.gender)
        else:
            reading.referents[i] = replace(r, entity=after.entity + r.entity.removeprefix(called))
