"""Likes and dislikes, whatever they are said with: `can't stand`, `be into`, `be a fan of`, `my favorite … is`."""

from __future__ import annotations

from dataclasses import replace

from goalmem.language.annotations import Clause, Part, Reading
from goalmem.language.phrases import span
from goalmem.language.words.modifiers import KEEN
from goalmem.language.words.nouns import FANS
from goalmem.language.words.verbs import ATTITUDES, BEARING

__all__ = ["preferences"]


def preferences(reading: Reading) -> None:
    """Marks clauses that say what somebody likes, and adds the plain preference where it is said in other words."""
    for clause in list(reading.clauses):
        if clause.predicate in ATTITUDES and (clause.part("object") or clause.part("complement")):
            clause.kind = "preference"
        found = _liked(clause)
        if found is not None:
            reading.clauses.append(found)


def _liked(clause: Clause) -> Clause | None:
    subject, attribute, obj = clause.part("subject"), clause.part("attribute"), clause.part("object")
    if clause.head is None or subject is None:
        return None
    if clause.predicate in BEARING and obj and not clause.polarity:
        return _preference(clause, subject, "hate", obj, polarity=True)
    if clause.predicate != "be":
        return None
    into = clause.part("into")
    if into and subject.type == "person":
        return _preference(clause, subject, "like", into)
    if attribute is None:
        return None
    liked = clause.part(KEEN.get(attribute.head, "")) if attribute.head in KEEN else None
    if liked:
        return _preference(clause, subject, "like", liked)
    if attribute.head in FANS:
        return _fan(clause, subject, attribute)
    return _favorite(clause, subject, attribute)


def _fan(clause: Clause, subject: Part, attribute: Part) -> Clause | None:
    token = attribute.token
    if token is None:
        return None
    for prep in token.children:
        if prep.lower_ == "of":
            for target in prep.children:
                if target.dep_ == "pobj":
                    first, last = span(target)
                    start, end = target.doc[first].idx, target.doc[last].idx + len(target.doc[last])
                    text = target.doc.text[start:end]
                    entity = text if target.pos_ == "PROPN" else ""
                    liked = Part("object", text, start, end, target.lemma_.lower(), target, entity)
                    return _preference(clause, subject, "like", liked)
    return None


def _favorite(clause: Clause, subject: Part, attribute: Part) -> Clause | None:
    """`My favorite color is blue`, `Blue is my favorite color`: somebody likes blue."""
    for holder, liked in ((subject, attribute), (attribute, subject)):
        owner, _, what = holder.entity.partition("'s favorite ")
        if what and not liked.entity.startswith(f"{owner}'s favorite"):
            who = Part("subject", "", -1, -1, owner.lower(), None, owner, "person", "owner")
            return _preference(clause, who, "like", liked)
    return None


def _preference(clause: Clause, subject: Part, predicate: str, liked: Part, *, polarity: bool | None = None) -> Clause:
    """The plain preference, meant and dated as the clause it is read from."""
    obj = replace(liked.as_("object"))
    return Clause(
        None,
        predicate,
        kind="preference",
        parts=[subject.as_("subject"), obj],
        tense=clause.tense,
        past_habit=clause.past_habit,
        polarity=clause.polarity if polarity is None else polarity,
        modality=clause.modality,
        meant=clause.meant,
        when=clause.when,
        when_text=clause.when_text,
        start=min(p.start for p in (*clause.parts, obj) if p.start >= 0),
        end=max(p.end for p in (*clause.parts, obj)),
    )
