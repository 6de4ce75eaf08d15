"""Relations of which one thing has one value: two values of it are a conflict, unless time settles which holds."""

from __future__ import annotations

import re

from goalmem.language.lexicon import base_form
from goalmem.language.verb_forms import forms_of
from goalmem.language.words.nouns import SINGLE_VALUED
from goalmem.language.words.verbs import ONCE
from goalmem.logic.terms import Goal
from goalmem.sources.values import one_only

__all__ = ["has_one_value"]

WORD = re.compile(r"[^\W\d_]+")


def has_one_value(goal: Goal) -> bool:
    """Whether what a goal asks for can have one value only, for one thing."""
    if goal.answer is None:
        return False
    if one_only(goal.answer.type):
        return True
    said = {w.casefold() for a in goal.atoms if goal.answer in a.variables for w in WORD.findall(a.read_as()[0])}
    once = any(said & forms_of(verb) for verb in ONCE)
    return once or not SINGLE_VALUED.isdisjoint(map(base_form, {*said, *goal.answer.type.split()}))
