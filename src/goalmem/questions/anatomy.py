"""The anatomy of a question: what it names, what it says of it, what it asks for and of how many things.

Read off the dependency parse of the question alone (labels of spaCy's English models, that is ClearNLP's), so that it is
there before anything is searched. `structure.parts` takes it apart into the things it asks about.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from goalmem.language.answers import WH
from goalmem.language.entities import MEASURES
from goalmem.language.terms import terms_of
from goalmem.language.words.pronouns import FIRST_PERSON, SECOND_PERSON
from goalmem.questions.intent import (
    about_assistant,
    asks_recommendation,
    is_frame,
    is_measure,
    is_our_talk,
    reminiscence,
    wants_advice,
)
from goalmem.questions.parts import Part, parts_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["ADDRESSEE", "ASKER", "Anatomy", "NounPhrase", "Predicate", "Triple", "read_question"]

ASKER, ADDRESSEE = "I", "you"
"""How a triple names who asks and who is asked; who they are is known to the caller alone."""

_BARE = frozenset({"DET", "PRON", "PUNCT", "SPACE", "AUX", "CCONJ", "SCONJ", "PART", "INTJ", "ADV"})
_OBJECTS = frozenset({"dobj", "dative", "attr", "oprd", "nsubjpass", "acomp"})
_SUBJECTS = frozenset({"nsubj", "csubj"})
_SHARING = frozenset({"conj", "xcomp", "pcomp", "advcl"})
"""Labels of verbs that may have their subject in common with the verb above."""
_NO_THING = frozenset({"PRON", "DET", "ADP", "ADV"})
MOST_TRIPLES = 64
"""Triples read off one question; a longer list of things is no question."""


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun phrase without determiners, pronouns and question words: `new road bike`."""

    text: str
    head: str
    """Lower-case lemma of its head."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A verb of the question, by its lemma with the particle (`pick up`)."""

    lemma: str
    negated: bool


@dataclass(frozen=True, slots=True)
class Triple:
    """Who, does what, to what: names as written, other nouns by their lemma, `ASKER`, `ADDRESSEE`, or empty where asked for."""

    subject: str
    predicate: str
    object: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Anatomy:
    """A question taken apart."""

    noun_phrases: tuple[NounPhrase, ...] = ()
    names: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    """Lemmas of the nouns that say what sort of answer is wanted: `day` of "how many days", `restaurant` of "which restaurant"."""
    predicates: tuple[Predicate, ...] = ()
    triples: tuple[Triple, ...] = ()
    parts: tuple[Part, ...] = ()
    """The several things the question asks about; empty when it is one."""
    asks_recommendation: bool = False
    """It wants something suggested, to which preferences told earlier matter."""
    about_assistant: bool = False
    """It asks what the one asked said or did before."""
    reminiscence: bool = False
    """It turns to the past for its own sake: nostalgia, the old days."""


def read_question(doc: Doc) -> Anatomy:
    """Take a parsed question apart. Any text will do; what is no question has no parts asked for."""
    return Anatomy(
        noun_phrases=tuple(dict.fromkeys(_noun_phrases(doc))),
        names=tuple(dict.fromkeys(_names(doc))),
        asked=tuple(dict.fromkeys(t.lemma_.lower() for t in doc if _is_asked(t))),
        predicates=tuple(dict.fromkeys(_predicates(doc))),
        triples=tuple(dict.fromkeys(islice(_triples(doc), MOST_TRIPLES))),
        parts=parts_of(doc),
        asks_recommendation=asks_recommendation(doc),
        about_assistant=about_assistant(doc),
        reminiscence=reminiscence(doc),
    )


# -- nouns and names ---------------------------------------------------------------------------------------------------


def _noun_phrases(doc: Doc) -> Iterator[NounPhrase]:
    for chunk in doc.noun_chunks:
        words = [t for t in chunk if not _is_bare(t)]
        if not words or _is_empty(chunk.root, words):
            continue
        if terms_of(text := _text(words)):
            yield NounPhrase(text, chunk.root.lemma_.lower())


def _is_empty(root: Token, words: list[Token]) -> bool:
    """Whether a noun phrase only says what sort of answer is wanted: `total number`, `the past two months`, `any tips`."""
    if _is_time(root) or is_our_talk(root) or wants_advice(root):
        return True
    return is_measure(root) and not any(t.pos_ in ("NOUN", "PROPN") for t in words if t.i != root.i)


def _is_bare(token: Token) -> bool:
    """Whether a word of a noun phrase names nothing: `the`, `my`, `which`, a quotation mark, `many` of "how many"."""
    if token.dep_ == "case":
        return _closes_quotation(token)
    return token.pos_ in _BARE or token.tag_ in WH or token.is_quote or _counts(token)


def _closes_quotation(case: Token) -> bool:
    """Whether what is parsed as a possessive apostrophe closes a quotation: `the 'Coastal Cleanup' event`."""
    return case.lower_ == "'" and any(t.text in ("'", "‘") for t in case.doc[: case.i])


def _is_time(token: Token) -> bool:
    """Whether a noun is a time (`October`, `the past two months`), which the calendar reads."""
    return token.ent_type_ in ("DATE", "TIME") and (token.pos_ in ("PROPN", "NUM") or is_measure(token))


def _counts(token: Token) -> bool:
    """`many` and `much` with `how` before them."""
    return token.lower_ in ("many", "much") and any(t.lower_ == "how" for t in token.children)


def _is_asked(token: Token) -> bool:
    """Whether a noun stands with a question word or a count: `which restaurant`, `how many days`."""
    if token.pos_ not in ("NOUN", "PROPN"):
        return False
    return any(t.tag_ in ("WDT", "WP", "WP$") or _counts(t) for t in token.lefts)


def _names(doc: Doc) -> Iterator[str]:
    """Named entities, and proper nouns that the recogniser missed."""
    taken: set[int] = set()
    for entity in doc.ents:
        if entity.label_ not in MEASURES:
            words = [
                t for t in entity if t.pos_ not in _BARE and t.pos_ != "VERB" and t.dep_ != "case" and not t.is_quote
            ]
            if words:
                yield _text(words)
            taken |= {t.i for t in entity}
    for token in doc:
        if token.pos_ == "PROPN" and token.i not in taken and token.ent_type_ not in MEASURES and not token.is_quote:
            run = _name_run(token)
            taken |= {t.i for t in run}
            yield _text(run)


def _name_run(token: Token) -> list[Token]:
    """The proper nouns that stand next to one another from here on."""
    run = [token]
    while run[-1].i + 1 < len(token.doc) and token.doc[run[-1].i + 1].pos_ == "PROPN":
        run.append(token.doc[run[-1].i + 1])
    return run


def _text(words: list[Token]) -> str:
    """The words as written, one space where some were left out."""
    text = ""
    for word, following in zip(words, [*words[1:], None], strict=True):
        close = following is not None and following.i == word.i + 1 and not word.whitespace_
        text += word.text + ("" if following is None or close else " ")
    return text


# -- predicates and triples --------------------------------------------------------------------------------------------


def _verbs(doc: Doc) -> list[Token]:
    """Verbs that say something of their own: no auxiliary, no `can you remind me`."""
    return [
        t
        for t in doc
        if (t.pos_ == "VERB" or (t.pos_ == "AUX" and t.dep_ not in ("aux", "auxpass"))) and not is_frame(t)
    ]


def _lemma(verb: Token) -> str:
    particles = [t.lemma_.lower() for t in verb.children if t.dep_ == "prt"]
    return " ".join([verb.lemma_.lower(), *particles])


def _negated(verb: Token) -> bool:
    return any(t.dep_ == "neg" for t in verb.children)


def _predicates(doc: Doc) -> Iterator[Predicate]:
    for verb in _verbs(doc):
        if terms_of(verb.lemma_):
            yield Predicate(_lemma(verb), _negated(verb))


def _triples(doc: Doc) -> Iterator[Triple]:
    for verb in _verbs(doc):
        subjects = [_participant(t) for t in _subjects(verb)] or [""]
        objects = [_participant(t) for t in _objects(verb)] or [""]
        for subject in subjects:
            for object_ in objects:
                if sum(map(bool, (subject, object_))) + bool(terms_of(verb.lemma_)) > 1:
                    yield Triple(subject, _lemma(verb), object_, _negated(verb))
    for token in doc:
        quoted = any(t.dep_ == "case" and _closes_quotation(t) for t in token.children)
        if token.dep_ == "poss" and not quoted:
            owner, owned = _participant(token), _participant(token.head)
            if owner and owned:
                yield Triple(owner, "have", owned)


def _subjects(verb: Token) -> list[Token]:
    """Who does it: of its own, of the relative clause's antecedent, or shared with the verb above."""
    while True:
        # Of two the first is what is asked for, put in front.
        own = [t for t in verb.children if t.dep_ in _SUBJECTS][-1:]
        own += [o for t in verb.children if t.dep_ == "agent" for o in t.children if o.dep_ == "pobj"]
        if own and all(t.tag_ in WH for t in own) and verb.dep_ == "relcl":
            return _with_conjuncts([verb.head])
        if own or any(t.dep_ == "nsubjpass" for t in verb.children):
            return _with_conjuncts(own)
        above = verb.head.head if verb.dep_ == "pcomp" else verb.head
        if verb.dep_ not in _SHARING or above.i == verb.i or above.pos_ not in ("VERB", "AUX"):
            return [verb.head] if verb.dep_ == "acl" and verb.tag_ == "VBG" else []
        verb = above


def _objects(verb: Token) -> list[Token]:
    """What it is done to, with, in or about; of a relative clause with a gap the antecedent."""
    own = [t for t in verb.children if t.dep_ in _OBJECTS]
    own += [t for t in verb.children if t.dep_ in _SUBJECTS][:-1]
    # "Which dog did Omar adopt?": what is put in front may hang on the auxiliary.
    own += [t for aux in verb.children if aux.dep_ == "aux" for t in aux.children if t.dep_ in _SUBJECTS]
    gap = verb.dep_ == "relcl" and not any(t.dep_ in ("dobj", "attr") and t.tag_ not in WH for t in own)
    if gap and not all(t.tag_ in WH for t in verb.children if t.dep_ in _SUBJECTS):
        own.append(verb.head)
    if verb.dep_ == "acl" and verb.tag_ == "VBN":
        own.append(verb.head)
    places = [t for t in verb.children if t.dep_ in ("prep", "prt")]
    own += [o for t in places for o in t.children if o.dep_ == "pobj"]
    return _with_conjuncts(own)


def _with_conjuncts(tokens: list[Token]) -> list[Token]:
    return [other for t in tokens for other in (t, *(c for c in t.conjuncts if c.i > t.i))]


def _participant(token: Token) -> str:
    """What a triple calls it; empty for question words, pronouns and the sort of answer asked for."""
    if token.lower_ in FIRST_PERSON:
        return ASKER
    if token.lower_ in SECOND_PERSON:
        return ADDRESSEE
    if token.tag_ in WH or token.pos_ in _NO_THING or _is_time(token) or is_measure(token) or is_our_talk(token):
        return ""
    if token.pos_ == "PROPN":
        run = [t for t in token.lefts if t.dep_ == "compound" and t.pos_ == "PROPN"]
        return _text([*run, token])
    return token.lemma_.lower()
