"""Repairs of the parser's tree, each of one construction that it attaches wrongly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from goalmem.language.clause_attachment import (
    attach_actor,
    attach_condition,
    attach_genitive,
    attach_next_subject,
    attach_participle,
    attach_predicate,
    attach_proviso,
    attach_stranded,
    attach_subject,
    part_subjects,
)
from goalmem.language.coordinate_attachment import (
    attach_conjunct,
    attach_contrast,
    attach_listed,
    attach_not_only,
    attach_second_circumstance,
    attach_second_receiver,
    attach_second_thing,
    attach_source,
)
from goalmem.language.gapping import mark_gaps
from goalmem.language.phrase_attachment import (
    attach_after_price,
    attach_amount_spent,
    attach_compared,
    attach_creditor,
    attach_object,
    attach_owned,
    attach_title,
    correct_lemma,
    join_compound,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["attached"]


def attached(doc: Doc) -> Doc:
    """The same document, its tree repaired."""
    parsed = [word.head.i for word in doc]
    for word in doc:
        attach_actor(word)
        attach_next_subject(word)
        part_subjects(word)
    mark_gaps(doc)
    for word in doc:
        correct_lemma(word)
        attach_contrast(word)
        attach_title(word)
        attach_amount_spent(word)
        attach_object(word)
        attach_conjunct(word)
        attach_listed(word)
        attach_source(word)
        attach_second_thing(word)
        attach_second_receiver(word)
        attach_second_circumstance(word)
        join_compound(word)
        attach_after_price(word)
        attach_subject(word)
        attach_predicate(word)
        attach_participle(word)
        attach_stranded(word)
        attach_creditor(word)
        attach_owned(word)
        attach_condition(word)
        attach_proviso(word)
        attach_not_only(word)
        attach_compared(word)
        attach_genitive(word)
    _undo_circles(doc, parsed)
    return doc


def _undo_circles(doc: Doc, parsed: Sequence[int]) -> None:
    """Put words that were attached in a circle, from which no root can be reached, back to where the parser had them."""
    rooted = [word.head.i == word.i for word in doc]
    waiting = list(range(len(doc)))
    while waiting:
        path = dict.fromkeys([waiting[-1]])
        place = waiting[-1]
        while not rooted[place] and (place := doc[place].head.i) not in path:
            path[place] = None
        if rooted[place]:
            waiting.pop()
            for word in path:
                rooted[word] = True
        else:  # Each word is put back once at most.
            for word in path:
                doc[word].head = doc[parsed[word]]
