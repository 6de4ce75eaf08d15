"""Split a question with two parts into two questions; what the second omits is taken from the first, or from its answer.

`Where and when did Ana marry?` asks where she did and when. `Who won the raffle, and with which number?` continues its own first half, as a
question continues the previous one (`questions.follow_up`); there, the answer of the first half is unknown: a variable that both share.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from goalmem.language.names import Names
from goalmem.language.words.function_words import ASKS_WHETHER
from goalmem.language.words.pronouns import INTERROGATIVES
from goalmem.logic.terms import Aggregate, Atom, Constraint, Goal, Variable
from goalmem.questions.follow_up import PreviousQuestion, complete_question

if TYPE_CHECKING:
    from spacy.tokens import Doc


LONGEST = 400
_AUX = "|".join(sorted(ASKS_WHETHER, key=lambda w: (-len(w), w)))
_PREPOSITION = r"(?:(?:at|in|on|for|from|to|with|by|about|of|since|until|under|through|over|during|into|behind) )?"
_WH = rf"{_PREPOSITION}(?:{'|'.join(sorted(INTERROGATIVES))})\b"
_PHRASE = rf"{_WH}(?: (?!(?:{_AUX}|and|or)\b)[\w-]+){{0,3}}?"
SHARED = re.compile(
    rf"^(?P<lead>[^?]*?[,:–-] )?(?P<one>{_PHRASE}),? (?:and|&) (?P<other>{_PHRASE})(?P<rest>(?:['’](?:s|re|d|ll)| (?:{_AUX})\b).+)$",
    re.IGNORECASE,
)
"""`Where and when did Ana marry`: two question words and one clause."""
FOLLOWED = re.compile(
    rf"^(?P<first>(?:[^?]*?[,:–-] )?{_WH}.*?[\w'’\"”)])(?:,? (?:and|&|but) (?:also )?|[?;]+ (?:(?:and|&|but) )?)(?P<then>{_WH}.*)$",
    re.IGNORECASE,
)
"""`Who won and with which number`: a question followed by another."""
ONE_THING = re.compile(r"\b(?:between|both|either|from when|the time|the day)\b", re.IGNORECASE)
"""Words after which `and` joins the sides of one thing."""
WHY_NOT = re.compile(rf"why (?!(?:{_AUX})\b)", re.IGNORECASE)
"""A reason for part of a clause alone: `why not me`."""
OPEN = "zyxwen"
"""Placeholder for the answer of the first question while the second is completed: no word of any language."""
_OPEN = re.compile(rf"(?:\bthe )?\b{OPEN}\b", re.IGNORECASE)
_MARK = re.compile(r"[\s?!.]+$")


@dataclass(frozen=True, slots=True)
class TwoParts:
    """The two questions; in the second, `OPEN` is the answer of the first."""

    first: str
    second: str


def two_parts(question: str, read: Callable[[str], Doc], names: Names, *, opens: bool = True) -> TwoParts | None:
    """The two questions in a text; None if it asks one. Without `opens`, the second is not about the answer of the first."""
    text = _MARK.sub("", " ".join(question.split()))
    if len(text) > LONGEST:
        return None
    if (m := SHARED.match(text)) is not None and not any(t.pos_ == "VERB" for t in read(m["one"])):
        lead = m["lead"] or ""
        return TwoParts(*(_upper(f"{lead}{asks}{m['rest']}?") for asks in (m["one"], m["other"])))
    found = FOLLOWED.match(text)
    if found is None or ONE_THING.search(found["first"]) or WHY_NOT.match(found["then"]):
        return None
    first, then = f"{_upper(found['first'])}?", f"{found['then']}?"
    whom = re.search(r"\b(?:who|whom)\b", first, re.IGNORECASE) is not None
    second = complete_question(
        then, PreviousQuestion(first, (OPEN.capitalize() if whom else OPEN) if opens else ""), read, names
    )
    if second == then and not any(t.pos_ in ("NOUN", "PROPN", "VERB") for t in read(then)):
        return None
    return TwoParts(first, _upper(second))


def goals_of_parts(question: str, first: Iterable[Goal], second: Iterable[Goal]) -> Iterator[Goal]:
    """Yield every reading of both questions as one goal, if each asks for one value."""
    others = [g for g in second if _asks_one(g)]
    for one in first:
        if not _asks_one(one) or one.answer is None:
            continue
        for other in others:
            goal = joined_goals(question, one, other, Aggregate.EACH)
            atoms = tuple(_filled(atom, one.answer) for atom in goal.atoms)
            if atoms == goal.atoms or one.answer.type != "time":  # Times are compared, and never put into words.
                yield replace(goal, atoms=atoms)


def joined_goals(question: str, a: Goal, b: Goal, aggregate: Aggregate) -> Goal:
    """Both goals as one, with the variables of the second renamed; the constraint names the two answers."""
    assert a.answer is not None
    assert b.answer is not None
    op = {Aggregate.DIFFERENCE: "minus", Aggregate.TOGETHER: "plus"}.get(aggregate, "beside")
    named = Constraint(a.answer.name, op, _second(b.answer).name)
    others = tuple(
        replace(c, left=f"{c.left}2", right=f"{c.right}2" if isinstance(c.right, str) else c.right)
        for c in b.constraints
    )
    atoms = tuple(
        Atom(tuple(_second(p) if isinstance(p, Variable) else p for p in t.parts), t.negated) for t in b.atoms
    )
    return Goal(question, (*a.atoms, *atoms), None, aggregate, (named, *a.constraints, *others))


def _asks_one(goal: Goal) -> bool:
    return goal.answer is not None and goal.aggregate in (Aggregate.ONE, Aggregate.LIST)


def _second(variable: Variable) -> Variable:
    return Variable(f"{variable.name}2", variable.type)


def _filled(atom: Atom, answer: Variable) -> Atom:
    """The atom with the answer's variable in place of `OPEN`."""
    parts: list[str | Variable] = []
    for part in atom.parts:
        if isinstance(part, Variable):
            parts.append(part)
            continue
        pieces = _OPEN.split(part)
        parts.append(pieces[0])
        for piece in pieces[1:]:
            parts += [answer, piece]
    return Atom(tuple(p for p in parts if p != ""), atom.negated)


def _upper(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
