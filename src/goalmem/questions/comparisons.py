"""Questions for one of two things that are compared: `Who is older, Ana or Tom?` is answered by who is older than the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from goalmem.logic.terms import Aggregate, Atom, Goal, Variable
from goalmem.questions.decompose import goals_of
from goalmem.questions.syntax import read_question, sides
from goalmem.questions.wh import EITHER
from goalmem.questions.wording import normalise

if TYPE_CHECKING:
    from spacy.tokens import Doc


Analyze = Callable[[str], "Doc"]
_DEGREE = r"(?:(?:more|less)(?: [a-z]+)?|better|worse|(?:much )?[a-z]+er)"
CHOICE = re.compile(
    rf"^(?P<head>(?:Who|What|Which)\b[^,;:]*? {_DEGREE})\s*[,:;]\s*(?P<pair>.+? or .+)\?$", re.IGNORECASE
)
"""`Who is older, Ana or Tom?`, `What do I like better, tea or coffee?`"""
WHETHER = re.compile(rf"^(?P<be>Is|Are|Was|Were) (?P<pair>.+? or .+?) (?P<degree>{_DEGREE})\?$", re.IGNORECASE)
"""`Is Ana or Tom older?`"""
CHOICE_OF_ORDER = re.compile(
    r"^(?P<head>(?:Who|Which)\b[^,;:]*?) (?P<order>first|earlier|last|later)\s*[,:;]\s*(?P<pair>.+? or .+)\?$",
    re.IGNORECASE,
)
"""`Who arrived first, Ana or Tom?`, which may have been told as `Ana arrived before Tom`."""
ORDER = {"first": "before", "earlier": "before", "last": "after", "later": "after"}
THE_ONE = re.compile(
    r"\bthe (?P<degree>[a-z]+er|more [a-z]+|less [a-z]+)(?: one)? of (?:the two|them|the pair)\?$", re.IGNORECASE
)
"""`Who is the younger of the two?`"""
PREFERRING = re.compile(r"\bprefer$", re.IGNORECASE)
OF_TWO = frozenset({"two", "pair", "one"})
"""Words for the two that the question does not name."""
_OWN = re.compile(r"\b(?:my|our)\b", re.IGNORECASE)
_ME = re.compile(r"(?:me|i|us|we)", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|an?|this|that) ", re.IGNORECASE)


def goals_of_comparison(text: str, analyze: Analyze, *, asker: str, anchor: datetime) -> list[Goal]:
    """Goals whose answer is one of the two; empty for any other question."""
    asked = normalise(text)
    if (m := THE_ONE.search(asked)) is not None:
        plain = f"{asked[: m.start()]}{m['degree']}?"
        return [_of_other(g) for g in _goals(plain, plain, analyze, asker, anchor)]
    return [
        goal
        for head, one, other in _pairs(asked)
        for goal in (_choice(g, one, asker) for g in _goals(f"{head} {other}?", asked, analyze, asker, anchor))
    ]


def _of_other(goal: Goal) -> Goal:
    """The goal with the other one of the two, whoever that is."""
    type_ = goal.answer.type if goal.answer is not None else "thing"
    parts = (*goal.atoms[0].parts, " than ", Variable("y", type_))
    return replace(goal, atoms=(Atom(parts, goal.atoms[0].negated),))


def _than(head: str) -> str:
    """`to` behind `prefer`."""
    return "to" if PREFERRING.search(head) else "than"


def _pairs(asked: str) -> Iterator[tuple[str, str, str]]:
    """The question up to the second of its two things, with the one and the other in both orders."""
    head = ""
    if (m := CHOICE.match(asked)) is not None:
        head = f"{m['head']} {_than(m['head'])}"
    elif (m := WHETHER.match(asked)) is not None:
        head = f"Which {m['be'].lower()} {m['degree']} than"
    elif (m := CHOICE_OF_ORDER.match(asked)) is not None:
        head = f"{m['head']} {ORDER[m['order'].lower()]}"
    for one, other in sides(m["pair"], "or") if m is not None else ():
        yield head, one.strip(), other.strip()
        yield head, other.strip(), one.strip()


def _goals(question: str, asked: str, analyze: Analyze, asker: str, anchor: datetime) -> Iterator[Goal]:
    read = read_question(question, analyze)
    if read is None:
        return
    for goal in goals_of(read, asker=asker, anchor=anchor):
        if goal.answer is not None and goal.aggregate is Aggregate.ONE and len(goal.atoms) == 1:
            yield replace(goal, question=asked)


def _choice(goal: Goal, one: str, asker: str) -> Goal:
    """The goal with that thing as the only answer."""
    named = asker if _ME.fullmatch(one) else _OWN.sub(lambda _: f"{asker}'s", _ARTICLE.sub("", one))
    answer = Variable(goal.answer.name, f"{EITHER}{named}") if goal.answer is not None else None
    parts = tuple(answer if p == goal.answer and answer is not None else p for p in goal.atoms[0].parts)
    return replace(goal, atoms=(Atom(parts, goal.atoms[0].negated),), answer=answer, aggregate=Aggregate.LIST)
