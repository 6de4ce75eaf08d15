"""The features of a question: its names, its statements, what it asks for, and the several things it asks about.

Read from the dependency parse of the question alone (labels of spaCy's English models, which are ClearNLP's), so that they are known before
anything is searched. `parts_of` splits it into the things it asks about.

`How many days passed between the day I planted the tree and the day I pruned it?` needs two memories, and no text is near both. Each part
is given in its own words, and as the question narrowed to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
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

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


ASKER, ADDRESSEE = "I", "you"
"""Names in a triple of the person who asks and the one who is asked; only the caller knows who they are."""

_BARE = frozenset({"DET", "PRON", "PUNCT", "SPACE", "AUX", "CCONJ", "SCONJ", "PART", "INTJ", "ADV"})
_OBJECTS = frozenset({"dobj", "dative", "attr", "oprd", "nsubjpass", "acomp"})
_SUBJECTS = frozenset({"nsubj", "csubj"})
_SHARING = frozenset({"conj", "xcomp", "pcomp", "advcl"})
"""Labels of verbs that may share their subject with the verb above."""
_NO_THING = frozenset({"PRON", "DET", "ADP", "ADV"})
MOST_TRIPLES = 64
"""Triples read from one question; a longer list of things is no question."""


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
class ClauseTriple:
    """Subject, predicate, object: names as written, other nouns by their lemma, `ASKER`, `ADDRESSEE`, or empty if asked for."""

    subject: str
    predicate: str
    object: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class QuestionAnatomy:
    """The features of a question."""

    noun_phrases: tuple[NounPhrase, ...] = ()
    names: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    """Lemmas of the nouns that give the kind of answer: `day` of "how many days", `restaurant` of "which restaurant"."""
    predicates: tuple[Predicate, ...] = ()
    triples: tuple[ClauseTriple, ...] = ()
    parts: tuple[QuestionPart, ...] = ()
    """The several things that the question asks about; empty for one thing."""
    asks_recommendation: bool = False
    """True if it wants a suggestion, for which known preferences matter."""
    about_assistant: bool = False
    """True if it asks what the assistant said or did earlier."""
    reminiscence: bool = False
    """True if it recalls the past for its own sake: nostalgia, the old days."""


def read_question(doc: Doc) -> QuestionAnatomy:
    """Read the features of a parsed question. Other texts have no features of what is asked."""
    return QuestionAnatomy(
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
    """True if a noun phrase only gives the kind of answer: `total number`, `the past two months`, `any tips`."""
    if _is_time(root) or is_our_talk(root) or wants_advice(root):
        return True
    return is_measure(root) and not any(t.pos_ in ("NOUN", "PROPN") for t in words if t.i != root.i)


def _is_bare(token: Token) -> bool:
    """True if a word of a noun phrase names nothing: `the`, `my`, `which`, a quotation mark, `many` of "how many"."""
    if token.dep_ == "case":
        return _closes_quotation(token)
    return token.pos_ in _BARE or token.tag_ in WH or token.is_quote or _counts(token)


def _closes_quotation(case: Token) -> bool:
    """True if a token parsed as a possessive apostrophe closes a quotation: `the 'Coastal Cleanup' event`."""
    return case.lower_ == "'" and any(t.text in ("'", "‘") for t in case.doc[: case.i])


def _is_time(token: Token) -> bool:
    """True if a noun is a time (`October`, `the past two months`), which the calendar reads."""
    return token.ent_type_ in ("DATE", "TIME") and (token.pos_ in ("PROPN", "NUM") or is_measure(token))


def _counts(token: Token) -> bool:
    """True for `many` and `much` after `how`."""
    return token.lower_ in ("many", "much") and any(t.lower_ == "how" for t in token.children)


def _is_asked(token: Token) -> bool:
    """True if a noun follows a question word or a count: `which restaurant`, `how many days`."""
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
    """The run of adjacent proper nouns that begins here."""
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
    """Verbs with a meaning of their own: no auxiliary, no `can you remind me`."""
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


def _triples(doc: Doc) -> Iterator[ClauseTriple]:
    for verb in _verbs(doc):
        subjects = [_participant(t) for t in _subjects(verb)] or [""]
        objects = [_participant(t) for t in _objects(verb)] or [""]
        for subject in subjects:
            for object_ in objects:
                if sum(map(bool, (subject, object_))) + bool(terms_of(verb.lemma_)) > 1:
                    yield ClauseTriple(subject, _lemma(verb), object_, _negated(verb))
    for token in doc:
        quoted = any(t.dep_ == "case" and _closes_quotation(t) for t in token.children)
        if token.dep_ == "poss" and not quoted:
            owner, owned = _participant(token), _participant(token.head)
            if owner and owned:
                yield ClauseTriple(owner, "have", owned)


def _subjects(verb: Token) -> list[Token]:
    """The subjects of a verb: its own, the antecedent of its relative clause, or shared with the verb above."""
    while True:
        # If there are two, the first is the fronted one that is asked for.
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
    """The objects of a verb, of its prepositions, and the antecedent of a relative clause with a gap."""
    own = [t for t in verb.children if t.dep_ in _OBJECTS]
    own += [t for t in verb.children if t.dep_ in _SUBJECTS][:-1]
    # "Which dog did Omar adopt?": a fronted object may be attached to the auxiliary.
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
    """The name of a participant in a triple; empty for question words, pronouns and the kind of answer."""
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


MOST_PARTS = 6
"""A longer list is one thing ("everything I own"): its members are not asked about one by one."""
_NOUNS, _VERBS = frozenset({"NOUN", "PROPN"}), frozenset({"VERB", "AUX"})
_BESIDE = frozenset({"relcl", "advcl"})
"""Labels of clauses with a statement of their own."""
_MODIFIERS = frozenset({"compound", "amod", "nmod", "poss", "det", "nummod", "quantmod", "aux"})
"""Coordinated modifiers make one thing: `a salt and pepper shaker`."""
_BEFORE_MARK = re.compile(r"\s+([,;?!.])")
_EDGES = " ,;:.'\"‘’“”"
_LINKS = frozenset({"conj", "cc", "preconj"})


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """One of several things that a question asks about."""

    text: str
    """Its own words: `the day I planted the tree`, `Hawaii`."""
    query: str
    """The question narrowed to it: `How many days did I spend in Hawaii?`."""


def parts_of(doc: Doc) -> tuple[QuestionPart, ...]:
    """The parts in order, at least two; empty if the question asks about one thing."""
    found: dict[str, QuestionPart] = {}
    for sentence in doc.sents if len(doc) else ():
        words = list(sentence)
        if _tells(words):
            for part in _coordinated(words) or _clauses(words) or [_whole(words)]:
                found.setdefault(part.text, part)
    return tuple(found.values()) if 2 <= len(found) <= MOST_PARTS else ()


def _whole(words: list[Token]) -> QuestionPart:
    text = _written(words)
    return QuestionPart(text, text)


def _coordinated(words: list[Token]) -> list[QuestionPart]:
    """The members of the highest coordination of things or of clauses."""
    groups = [group for t in words if _is_list(group := [t, *(c for c in t.conjuncts if c.i > t.i)])]
    if not groups:
        return []
    members = min(groups, key=lambda group: (_depth(group[0]), group[0].i))
    own = [_own(member) for member in members]
    parts = []
    for mine in own:
        others = {t.i for other in own if other is not mine for t in other} - {t.i for t in mine}
        rest = [t for t in words if t.i not in others and not _joins(t, members)]
        parts.append(QuestionPart(_written(mine), _written(rest)))
    return parts


def _is_list(members: list[Token]) -> bool:
    """True if several things or several clauses are coordinated, each with words of its own."""
    if len(members) < 2 or members[0].dep_ in _MODIFIERS or any(is_frame(t) for t in members):
        return False
    alike = any(all(t.pos_ in kind for t in members) for kind in (_NOUNS, _VERBS, {"ADP"}))
    if members[0].pos_ in _VERBS:
        return alike and all(_has_own_noun(_own(t)) for t in members)
    return alike and all(_tells(_own(t)) for t in members)


def _clauses(words: list[Token]) -> list[QuestionPart]:
    """The main clause and the clauses beside it."""
    beside = [t for t in words if t.dep_ in _BESIDE and t.pos_ in _VERBS and _has_own_noun(t.subtree)]
    apart = {t.i for clause in beside for t in clause.subtree}
    main = [t for t in words if t.i not in apart]
    shared = {t.i for clause in beside for t in _antecedent(clause)}
    spans = [main] if _tells(t for t in main if t.i not in shared) else []
    for clause in beside:
        below = {t.i for other in beside if clause.is_ancestor(other) for t in other.subtree}
        spans.append(_antecedent(clause) + _unmarked([t for t in clause.subtree if t.i not in below]))
    telling = [span for span in spans if _tells(span)]
    return [_whole(span) for span in sorted(telling, key=lambda span: span[0].i)] if beside and len(telling) > 1 else []


def _unmarked(words: list[Token]) -> list[Token]:
    """A clause without its subordinating word: `when`, `after`, `that`."""
    start = next((n for n, t in enumerate(words) if t.dep_ != "mark" and t.tag_ not in ("WRB", "WDT", "TO")), 0)
    return words[start:]


def _antecedent(clause: Token) -> list[Token]:
    """The noun that a relative clause modifies, with the words before it."""
    if clause.dep_ != "relcl":
        return []
    noun = clause.head
    return [t for t in noun.subtree if t.i <= noun.i]


def _has_own_noun(clause: Iterable[Token]) -> bool:
    """True if a clause names something apart from its antecedent."""
    return any(_is_named(t) for t in clause)


def _tells(words: Iterable[Token]) -> bool:
    """True if words name something, or say what somebody did: not `how many days passed`, not `can you tell me`."""
    return any(_is_named(t) or _acts(t) for t in words)


def _is_named(token: Token) -> bool:
    if token.pos_ not in _NOUNS or not terms_of(token.text) or token.ent_type_ in ("DATE", "TIME"):
        return False
    return not (is_measure(token) or is_our_talk(token) or wants_advice(token))


def _acts(verb: Token) -> bool:
    """True for a verb with a meaning of its own and a named subject, its own or shared with the verb before."""
    if verb.pos_ != "VERB" or is_frame(verb) or not terms_of(verb.lemma_):
        return False
    subjects = [t for t in verb.children if t.dep_ in ("nsubj", "nsubjpass")]
    if any(is_measure(t) or t.tag_ in ("WP", "WDT") or t.lower_ in ("it", "there") for t in subjects):
        return False
    return bool(subjects) or verb.dep_ == "conj"


def _own(token: Token) -> list[Token]:
    """The words of a member without those coordinated with it."""
    branches = [child.subtree for child in token.children if child.dep_ not in _LINKS]
    return sorted([token, *(t for branch in branches for t in branch)], key=lambda t: t.i)


def _joins(token: Token, members: Collection[Token]) -> bool:
    """True if a word only joins the members: `and`, `both`, the commas between them."""
    places = [t.i for t in members]
    between = min(places) < token.i < max(places)
    return token.head.i in places and (token.dep_ in ("cc", "preconj") or (token.dep_ == "punct" and between))


def _depth(token: Token) -> int:
    return sum(1 for _ in token.ancestors)


def _written(words: Iterable[Token]) -> str:
    """The words as written, without marks at either end."""
    text, last = "", None
    kept = list(words)
    while kept and kept[-1].pos_ == "CCONJ":
        kept.pop()
    for word in kept:
        glued = last is not None and word.i == last.i + 1 and not last.whitespace_
        text += word.text if glued or not text else f" {word.text}"
        last = word
    return _BEFORE_MARK.sub(r"\1", " ".join(text.split())).strip(_EDGES)
