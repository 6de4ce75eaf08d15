"""A clause as a sentence states it, without its place in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from goalmem.rules.grammar.reference import Fold, Referents
from goalmem.rules.terms import SLOT, Literal

__all__ = ["Said", "said"]

IS_A = re.compile(rf"{SLOT} is (an? [^{SLOT}]+?)( of {SLOT})?")


@dataclass(frozen=True, slots=True)
class Said:
    """A clause as a sentence states it."""

    head: Literal
    body: tuple[Literal, ...] = ()
    folds: tuple[Fold, ...] = ()


def said(head: Literal, body: Sequence[Literal], referents: Referents) -> Said:
    """The clause; what its condition only says is there (`owns a dog`) becomes part of the predicate."""
    folds = list(referents.folds)
    literals = list(dict.fromkeys(body))
    for kind in [b for b in literals if IS_A.fullmatch(b.predicate) and not b.negated]:
        variable, *owner = kind.terms
        uses = [b for b in literals if variable in b.terms and b is not kind]
        if isinstance(variable, str) or any(not isinstance(o, str) for o in owner):
            continue
        if len(uses) != 1 or uses[0].negated or variable in head.terms or uses[0].terms.count(variable) > 1:
            continue
        place = uses[0].terms.index(variable)
        if not place:
            continue
        fold = _folded(uses[0].predicate, place, kind.predicate)
        terms = (*uses[0].terms[:place], *owner, *uses[0].terms[place + 1 :])
        literals[literals.index(uses[0])] = Literal(fold.predicate, terms)
        literals.remove(kind)
        folds.append(fold)
    return Said(head, tuple(literals), tuple(folds))


def _folded(predicate: str, place: int, kind: str) -> Fold:
    found = IS_A.fullmatch(kind)
    assert found is not None
    pieces = predicate.split(SLOT)
    words = SLOT.join(pieces[: place + 1]) + found[1] + (found[2] or "") + SLOT.join(pieces[place + 1 :])
    return Fold(words, predicate, place, found[1].split(" ", 1)[1], bool(found[2]))
