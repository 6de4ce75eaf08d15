"""Parts of a frame that are clauses: `I went out` of `I did my laundry before I went out`.

Two of them say the same if they have the same words: the same verb in any form, the same people, the same things.
"""

from __future__ import annotations

import re
from dataclasses import replace

from goalmem.language.lexicon import is_known
from goalmem.language.terms import WORD_PART, terms_of
from goalmem.language.verb_forms import forms_of
from goalmem.language.words.function_words import NEGATIVES
from goalmem.language.words.modifiers import TIME_MARKS
from goalmem.language.words.pronouns import FIRST_PERSONAL, PERSONAL_PRONOUNS, POSSESSIVES
from goalmem.logic.unify import FramePart

DETERMINED = POSSESSIVES | frozenset("the a an this that these those".split())
"""Words that open a noun phrase rather than a clause."""
ME = re.compile(r"\b(?:i|we|me|us)\b(?:['’](?:m|d|ve|ll|re))?", re.IGNORECASE)
MINE = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)


def is_clause(part: FramePart) -> bool:
    """True for a clause of time."""
    words = WORD_PART.findall(part.text.casefold())
    verbal = part.variable is None and not part.entity and is_known(part.head, "v")
    return part.role in TIME_MARKS and verbal and len(words) > 1 and words[0] not in DETERMINED - {"my", "our"}


def with_people(part: FramePart, subject: str, speaker: str) -> FramePart:
    """A clause with the name of the speaker for `I`, and with the `subject` of the clause around it if it has none: `going out`."""
    if not is_clause(part):
        return part
    text = MINE.sub(f"{speaker}'s", ME.sub(speaker, part.text)) if speaker else part.text
    first = WORD_PART.findall(text.casefold())[0]
    if first.endswith("ing") and first in forms_of(part.head) and subject:
        text = f"{subject} {text}"
    return replace(part, named=text)


def same_clause(goal: FramePart, fact: FramePart) -> bool:
    """True if two clauses say the same."""
    asked, told = _content(goal), _content(fact)
    return goal.role == fact.role and goal.head == fact.head and asked == told


def _content(part: FramePart) -> tuple[frozenset[str], bool]:
    """The words of a clause without those of its verb, and whether it is denied."""
    text = part.named or part.text
    words = WORD_PART.findall(text.casefold())
    verb = {t for form in forms_of(part.head) for t in terms_of(form)}
    others = PERSONAL_PRONOUNS - FIRST_PERSONAL
    people = {w for w in words if w in others or w in POSSESSIVES}
    denied = not NEGATIVES.isdisjoint(words) or "n't" in text
    return frozenset({*terms_of(text)} - verb | people), denied
