"""What can have one value at a time, so that a later statement of it replaces an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from goalmem.language import lexicon
from goalmem.language.annotations import Clause, Part
from goalmem.language.words.function_words import LOCATIVE
from goalmem.language.words.nouns import OCCUPATIONS, PARTNERED
from goalmem.language.words.verbs import ATTITUDES, HABITS, RESIDING
from goalmem.records import Modality

__all__ = ["slot"]


def slot(clause: Clause, parts: Sequence[Part]) -> str:
    """The slot of the clause with these participants; what used to be, and what is planned, has none."""
    if clause.modality is not Modality.ASSERTED or clause.past_habit:
        return ""
    clause = replace(clause, parts=list(parts))
    return (
        _residence(clause)
        or _work(clause)
        or _favorite(clause)
        or _attribute(clause)
        or _attitude(clause)
        or _count(clause)
        or _habit(clause)
    )


def _residence(clause: Clause) -> str:
    if clause.predicate not in RESIDING or not any(clause.part(r) for r in LOCATIVE):
        return ""
    lives = clause.predicate in ("live", "reside")
    return "residence" if (clause.tense != "past" or not lives) else ""


def _work(clause: Clause) -> str:
    attribute, obj = clause.part("attribute"), clause.part("object")
    if clause.predicate == "work" and clause.tense != "past" and any(clause.part(r) for r in ("at", "as", "for")):
        return "employment"
    if (
        clause.predicate in ("start", "begin", "get", "take", "land", "accept")
        and obj
        and obj.head in ("job", "position")
    ):
        return "employment" if clause.polarity else ""
    if clause.predicate in ("be", "become") and attribute and attribute.token is not None and clause.kind == "clause":
        person = clause.tense != "past" or clause.predicate == "become"
        articles = [t.lower_ for t in attribute.token.lefts if t.dep_ in ("det", "poss")]
        placed = any(clause.part(r) for r in ("at", "for"))
        if (
            person
            and attribute.type == "person"
            and (placed or articles in (["a"], ["an"], []))
            and any(lexicon.is_a(attribute.head, o) for o in OCCUPATIONS)
        ):
            return "employment"
    return ""


def _favorite(clause: Clause) -> str:
    subject = clause.part("subject")
    for p in (subject, clause.part("attribute")):
        at = p.entity.find("favorite ") if p is not None else -1
        if clause.predicate == "be" and p is not None and at >= 0:
            return p.entity[at:]
    return ""


def _attribute(clause: Clause) -> str:
    subject, attribute = clause.part("subject"), clause.part("attribute")
    if clause.predicate == "turn" and any(p.type == "quantity" and p.head.isalnum() for p in clause.parts):
        return "age"
    if clause.predicate not in ("be", "get", "become") or subject is None or attribute is None:
        return ""
    if subject.head == "name":
        return "name"
    if subject.head == "age" or ("old" in (attribute.head, *attribute.modifiers) and "year" in attribute.modifiers):
        return "age"
    if attribute.head in PARTNERED and clause.tense != "past":
        return "relationship"
    return ""


def _attitude(clause: Clause) -> str:
    obj = clause.part("object")
    named = obj is not None and (obj.entity or obj.token is None or obj.token.pos_ != "PRON")
    if clause.predicate in ATTITUDES and named and clause.tense != "past":
        return f"like {_what(clause)}"
    return ""


def _what(clause: Clause) -> str:
    obj = clause.part("object") or clause.part("attribute")
    return (obj.entity or " ".join([*obj.modifiers, obj.head])).lower() if obj else ""


def _count(clause: Clause) -> str:
    obj = clause.part("object")
    if clause.predicate not in ("have", "own") or obj is None or obj.token is None or clause.tense != "present":
        return ""
    return f"count {obj.head}" if any(t.dep_ == "nummod" for t in obj.token.children) else ""


def _habit(clause: Clause) -> str:
    """A standing state or habit, keyed by what it is about, so that its denial replaces it."""
    head, obj = clause.head, clause.part("object")
    if (
        head is None
        or obj is None
        or obj.conjuncts
        or (obj.token is not None and obj.token.pos_ == "PRON")
        or clause.kind != "clause"
        or clause.predicate not in HABITS
    ):
        return ""
    simple = head.tag_ in ("VBP", "VBZ", "VB") and clause.tense == "present"
    ended = not clause.polarity and head.tag_ == "VBG"
    return f"{clause.predicate} {_what(clause)}" if simple or ended else ""
