"""The subjects that clauses share or leave out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goalmem.language.annotations import Clause, Part, TurnReading
from goalmem.language.clauses import is_asked, subject_of
from goalmem.language.phrases import implied_part, part
from goalmem.language.words.function_words import ABSENCE
from goalmem.language.words.modifiers import DOUBTFUL
from goalmem.language.words.verbs import OFFERED, STATIVE, SUBJECT_CONTROL

if TYPE_CHECKING:
    from spacy.tokens import Token


SOME = frozenset("few several many most both all some others".split())
"""Quantifiers that can be a subject without their noun."""
COMPLEMENT = ("xcomp", "ccomp")


def share_subject(reading: TurnReading, clause: Clause) -> None:
    """Give a clause without a subject that of its matrix clause, or the one that chat omits."""
    found = _shared(reading, clause)
    if found is None:
        return
    role = "object" if clause.passive and not clause.part("object") else "subject"
    if clause.link != "conj" or not (clause.passive and clause.part("object")):
        clause.parts.insert(0, found.as_(role))


def _shared(reading: TurnReading, clause: Clause) -> Part | None:
    head, above = clause.verb, clause.matrix
    if clause.passive and (subject_of(head) is not None or (clause.link == "acl" and clause.part("object"))):
        return None
    if clause.link in ("csubj", "csubjpass", "nsubj"):
        return _speaker(reading, head) if above is not None and _lived(head, above) else None
    if above is None or (clause.link in ("parataxis", "dep") and not _sequel(head, above)):
        return _dropped(reading, clause)
    if any(t.dep_ == "expl" for t in head.children):
        return None
    source = above.part("subject")
    if source is not None and source.token is not None and source.token.i == head.head.i and clause.link == "acl":
        return None
    if source is not None and source.head == "it" and not source.entity and clause.link in (*COMPLEMENT, "advcl"):
        return _speaker(reading, head) if is_speaker_experience(above) or _diary(head) else None
    return _controller(clause, above)


def _sequel(head: Token, above: Clause) -> bool:
    """`He went out, then dropped it`: a verb of the same tense, which `then` joins to the one before."""
    joined = head.i > 0 and head.nbor(-1).lower_ in ("then", "afterwards", "later")
    return joined and above.head is not None and head.tag_ == above.verb.tag_ == "VBD" and above.verb.i < head.i


def _controller(clause: Clause, above: Clause) -> Part | None:
    """The matrix clause's object for "asked me to go", else its subject; the patient when it is passive."""
    source = above.part("subject")
    given, affected = above.part("indirect"), above.part("object")
    if affected is not None and affected.type in ("time", "quantity"):
        affected = None  # "spent three weeks painting"
    if (
        clause.link == "pcomp"
        and clause.verb.head.lower_ in ABSENCE
        and affected is not None
        and affected.type == "person"
    ):
        return affected  # "kept me from moving"
    if clause.link in COMPLEMENT and above.verb.lemma_ not in SUBJECT_CONTROL:
        return (affected or given or source) if above.passive else (given or affected or source)
    if above.passive and not clause.passive and clause.link == "conj":
        return affected or source
    return source


def _speaker(reading: TurnReading, head: Token) -> Part | None:
    said = reading.turn.author and not reading.is_quoted(head)
    return implied_part(reading.turn.author, "subject", "speaker") if said else None


def _lived(head: Token, above: Clause) -> bool:
    """`Organizing the camp was fun`: about a past activity of the speaker."""
    return head.tag_ == "VBG" and above.verb.tag_ == "VBD"


def is_speaker_experience(above: Clause) -> bool:
    """`it was great [to meet Anna]`: an evaluation whose infinitive is about the speaker."""
    subject, attribute = above.part("subject"), above.part("attribute")
    extraposed = above.predicate == "be" and subject is not None and subject.head == "it" and not subject.entity
    excessive = attribute is not None and re.match(r"(?:far |much )?too\b", attribute.text, re.IGNORECASE)
    return extraposed and attribute is not None and attribute.head not in DOUBTFUL and not excessive


def _diary(head: Token) -> bool:
    """`Researching agencies – it's been a dream`: a participle that starts the sentence."""
    return head.tag_ == "VBG" and head.left_edge.i == head.sent.start


def _dropped(reading: TurnReading, clause: Clause) -> Part | None:
    """Chat leaves out its I ("Went hiking", "Gonna sell it", "Love it!") and, in questions and orders, its you."""
    head = clause.verb
    if clause.link not in ("", "parataxis", "ccomp", "dep") or reading.is_quoted(head):
        return None
    named = _named_before(head)
    if named is not None:
        return part(reading, named, "subject")
    if any(t.lower_ in SOME for t in head.doc[head.sent.start : head.i]):
        return None  # "a few more joined"
    first = next((t for t in (*head.lefts, head) if t.dep_ in ("aux", "auxpass", "ROOT") or t.i == head.i), head)
    if is_asked(head):
        yours = head.lower_ in OFFERED and first.tag_ in ("VBD", "VBN", "VBP", "VB")
    elif _of_speaker(clause, first):
        return _speaker(reading, head)
    else:
        yours = first.tag_ in ("VB", "VBP") and head.dep_ == "ROOT"
    return implied_part(reading.other(), "subject", "addressee") if yours and reading.other() else None


def _named_before(head: Token) -> Token | None:
    """A name at the start of the sentence that is not part of its predicate: `Dave from next door fixed it`."""
    first = head.doc[head.sent.start]
    apart = any(t.is_punct for t in head.doc[head.sent.start : head.i])
    is_name = first.pos_ == "PROPN" and first.dep_ == "npadvmod" and first.ent_type_ not in ("DATE", "TIME")
    return first if is_name and not apart and first.head.i == head.i and head.tag_ in ("VBD", "VBZ") else None


def _of_speaker(clause: Clause, first: Token) -> bool:
    head = clause.verb
    alone = first.i == head.i
    if head.lemma_ in STATIVE and first.tag_ in ("VB", "VBP", "NN", "NNP"):
        return True
    if first.tag_ == "VBD" or (first.tag_ == "VBN" and alone and not clause.passive):
        return True
    if (first.tag_ == "VBP" and not alone and first.lower_ not in ("do", "let")) or first.lower_ == "been":
        return True
    return head.lower_ in ("gon", "wan", "got") or (head.tag_ == "VBG" and alone and head.n_rights > 0)
