"""The several things that a question asks about: the members of a coordination, the clauses beside the main one.

`How many days passed between the day I planted the tree and the day I pruned it?` needs two memories, and no text is near
to both. Each part is given as said, and as the question narrowed to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goalmem.language.terms import terms_of
from goalmem.questions.intent import is_frame, is_measure, is_our_talk, wants_advice

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["Part", "parts_of"]

MOST_PARTS = 6
"""A longer list is one thing ("everything I own"): its members are not asked for one by one."""
_NOUNS, _VERBS = frozenset({"NOUN", "PROPN"}), frozenset({"VERB", "AUX"})
_BESIDE = frozenset({"relcl", "advcl"})
"""Labels of clauses that tell of something of their own."""
_MODIFIERS = frozenset({"compound", "amod", "nmod", "poss", "det", "nummod", "quantmod", "aux"})
"""Coordinated modifiers make one thing: `a salt and pepper shaker`."""
_BEFORE_MARK = re.compile(r"\s+([,;?!.])")
_EDGES = " ,;:.'\"‘’“”"
_LINKS = frozenset({"conj", "cc", "preconj"})


@dataclass(frozen=True, slots=True)
class Part:
    """One of several things asked about."""

    text: str
    """Its own words: `the day I planted the tree`, `Hawaii`."""
    query: str
    """The question narrowed to it: `How many days did I spend in Hawaii?`."""


def parts_of(doc: Doc) -> tuple[Part, ...]:
    """The parts in the order said, two at least; empty when the question asks about one thing."""
    found: dict[str, Part] = {}
    for sentence in doc.sents if len(doc) else ():
        words = list(sentence)
        if _tells(words):
            for part in _coordinated(words) or _clauses(words) or [_whole(words)]:
                found.setdefault(part.text, part)
    return tuple(found.values()) if 2 <= len(found) <= MOST_PARTS else ()


def _whole(words: list[Token]) -> Part:
    text = _written(words)
    return Part(text, text)


def _coordinated(words: list[Token]) -> list[Part]:
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
        parts.append(Part(_written(mine), _written(rest)))
    return parts


def _is_list(members: list[Token]) -> bool:
    """Whether what is coordinated are several things or several clauses, each with words of its own."""
    if len(members) < 2 or members[0].dep_ in _MODIFIERS or any(is_frame(t) for t in members):
        return False
    alike = any(all(t.pos_ in kind for t in members) for kind in (_NOUNS, _VERBS, {"ADP"}))
    if members[0].pos_ in _VERBS:
        return alike and all(_has_own_noun(_own(t)) for t in members)
    return alike and all(_tells(_own(t)) for t in members)


def _clauses(words: list[Token]) -> list[Part]:
    """The main clause and those beside it."""
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
    """A clause without the word that hangs it on another: `when`, `after`, `that`."""
    start = next((n for n, t in enumerate(words) if t.dep_ != "mark" and t.tag_ not in ("WRB", "WDT", "TO")), 0)
    return words[start:]


def _antecedent(clause: Token) -> list[Token]:
    """The noun that a relative clause tells of, with what stands before it."""
    if clause.dep_ != "relcl":
        return []
    noun = clause.head
    return [t for t in noun.subtree if t.i <= noun.i]


def _has_own_noun(clause: Iterable[Token]) -> bool:
    """Whether a clause names something, besides its antecedent."""
    return any(_names(t) for t in clause)


def _tells(words: Iterable[Token]) -> bool:
    """Whether words name something, or say what somebody did: not `how many days passed`, not `can you tell me`."""
    return any(_names(t) or _acts(t) for t in words)


def _names(token: Token) -> bool:
    if token.pos_ not in _NOUNS or not terms_of(token.text) or token.ent_type_ in ("DATE", "TIME"):
        return False
    return not (is_measure(token) or is_our_talk(token) or wants_advice(token))


def _acts(verb: Token) -> bool:
    """A verb of its own meaning whose subject is somebody or something, or shared with the verb before."""
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
    """Whether a word only holds the members together: `and`, `both`, the commas between them."""
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
