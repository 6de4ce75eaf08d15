"""What a verb implies about things and habits: who adopts a dog has one; who quits smoking does not smoke any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.annotations import Clause, Part, Reading, Referent
from goalmem.language.clauses import dependents, finite_form, has_got, is_asked
from goalmem.language.entities import noun_type
from goalmem.language.phrases import part
from goalmem.language.possession import description
from goalmem.language.words.verbs import ACQUIRING, ENDING_HABITS
from goalmem.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Token

__all__ = ["acquired", "endings"]


def acquired(reading: Reading, token: Token) -> Referent | None:
    """`I adopted a dog` -> Maya's dog, so that it can be spoken of, and named, later on. Animals alone: they are named."""
    verb = token.head
    if token.dep_ != "dobj" or token.tag_ != "NN" or verb.lemma_ not in ACQUIRING or noun_type(token) != "animal":
        return None
    subject = next((t for t in dependents(verb) if t.dep_ == "nsubj"), None)
    owner = reading.referents.get(subject.i) if subject is not None else None
    if (
        owner is None
        or not owner.entity
        or not _happened(verb)
        or not any(t.lower_ in ("a", "an") for t in token.lefts)
    ):
        return None
    what = description(token)
    reading.owned[token.i] = (owner.entity, what)
    return Referent(f"{owner.entity}'s {what}", "animal", "owner", lexicon.gender(token.lemma_))


def _happened(verb: Token) -> bool:
    """A plain past or perfect, or a present possession; neither asked nor denied."""
    finite = finite_form(verb)
    if finite is None or finite.tag_ == "MD" or is_asked(verb) or any(t.dep_ == "neg" for t in dependents(verb)):
        return False
    return (
        finite.tag_ == "VBD"
        or verb.lemma_ in ("have", "own")
        or has_got(verb)
        or (finite.lemma_ == "have" and verb.tag_ == "VBN")
    )


def endings(reading: Reading) -> None:
    """`quit smoking`, `gave up smoking cigars` -> does not smoke, where the activity is parsed as a noun."""
    for clause in list(reading.clauses):
        subject, obj = clause.part("subject"), clause.part("object")
        if (
            clause.predicate in ENDING_HABITS
            and subject
            and obj
            and obj.token is not None
            and clause.modality is Modality.ASSERTED
        ):
            found = _activity(reading, obj.token)
            if found:
                reading.clauses.append(_ended(clause, subject, *found))


def _activity(reading: Reading, token: Token) -> tuple[str, list[Part]] | None:
    """The verb of a noun in -ing, and what it is done to."""
    if token.pos_ != "NOUN":
        return None
    verb = _verb(token)
    if verb:
        return verb, []
    for modifier in token.lefts:
        if modifier.dep_ in ("compound", "amod") and _verb(modifier):
            return _verb(modifier), [part(reading, token, "object")]
    return None


def _verb(token: Token) -> str:
    stem = token.lower_.removesuffix("ing")
    if stem == token.lower_ or len(stem) < 2:
        return ""
    candidates = (f"{stem}e", stem, stem[:-1]) if stem[-1] != stem[-2] else (stem[:-1], stem)
    linked = lexicon.related(token.lower_, "v")
    return next((c for c in candidates if c in linked), "") or next(
        (c for c in candidates if lexicon.is_known(c, "v")), ""
    )


def _ended(clause: Clause, subject: Part, verb: str, objects: list[Part]) -> Clause:
    spans = [p for p in clause.parts if p.start >= 0]
    return Clause(
        None,
        verb,
        parts=[subject, *objects],
        tense="present",
        polarity=not clause.polarity,
        when=clause.when,
        when_text=clause.when_text,
        start=min(p.start for p in spans),
        end=max(p.end for p in spans),
    )
