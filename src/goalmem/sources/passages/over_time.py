"""Which of several readings is asked for where a value changed: the one of now, or a former one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from goalmem.language.inflection import getLemma
from goalmem.language.lexicon import coarse_type
from goalmem.language.terms import terms_of
from goalmem.language.words import any_of
from goalmem.language.words.modifiers import OTHER
from goalmem.language.words.nouns import CHANGING_TYPES
from goalmem.models.protocol import Verdict
from goalmem.questions.wh import CLOCK_TIME
from goalmem.records import Turn
from goalmem.sources.assertion import asks_before
from goalmem.sources.certainty.answer_ranking import AT_FIRST, EARLIER, LATEST
from goalmem.sources.numbers import OF_NUMBER, number_in
from goalmem.sources.passages.span_values import Proposal
from goalmem.sources.spans import sentence_around

BESIDE = 0.6
"""Least share of the best score for an answer that is about as good."""
NEAR, SAID_AT_ALL = 0.35, 0.5
"""Least share of the best score, and least probability by the judge, of an earlier or later value."""
CHANGED_MOST = 0.7
"""Highest score of a value that replaced others."""
EVER = datetime.min.replace(tzinfo=UTC)
WORD = re.compile(r"\w+|[.,;:!?]")
APART = any_of(OTHER)
Turns = Callable[[str], Turn | None]
"""The turn of an identifier; None if it was forgotten."""


@dataclass(frozen=True, slots=True)
class JudgedProposal:
    """A proposal with the judge's verdict, and the probability in (0, 1) that it is right."""

    proposal: Proposal
    verdict: Verdict
    score: float


def asked_for(found: Sequence[JudgedProposal], question: str, type_: str, turns: Turns) -> tuple[JudgedProposal, ...]:
    """The reading of the time that a question asks about, if its value may have changed; else none."""
    if (first := former_value(question)) or LATEST.search(question):
        return (_at_end(found, turns, first=first),)
    return (_newest(found, type_, turns),) if changes(type_) else ()


def changes(type_: str) -> bool:
    """True if a later value of a type replaces an earlier one: numbers, amounts, hours of the day."""
    return type_.startswith(OF_NUMBER) or type_ == CLOCK_TIME or type_.split()[-1] in CHANGING_TYPES


def former_value(question: str) -> bool:
    """True if a question asks for a former value: `originally`, `at first`; not for what was before something."""
    said = {m.group().casefold() for m in EARLIER.finditer(question)}
    return (
        asks_before(question) or AT_FIRST.search(question) is not None or bool(said - {"before", "first", "earliest"})
    )


def said_at(proposal: Proposal, turns: Turns) -> datetime:
    """The time of a proposal's turn."""
    turn = turns(proposal.turn)
    return turn.at if turn is not None else EVER


def place_said(proposal: Proposal, turns: Turns) -> tuple[datetime, str, int]:
    """Sort key: the time of a proposal's turn and, of turns with one time, its place in the session."""
    turn = turns(proposal.turn)
    return (turn.at, turn.session, turn.position) if turn is not None else (EVER, "", 0)


def number_of(proposal: Proposal) -> float | None:
    """The number of a proposal."""
    value = proposal.value
    return value.number if value.number is not None else number_in(value.text)


def _newest(found: Sequence[JudgedProposal], type_: str, turns: Turns) -> JudgedProposal:
    """Among readings nearly as good as the best, the latest: values that change are asked for as they are now.

    Of what is counted, a later and higher number need only be near the best: the count has grown.
    """
    best = found[0]
    counted = type_.removeprefix(OF_NUMBER) if type_.startswith(OF_NUMBER) else ""
    grown = [f for f in found if counted and _has_grown(counted, best, f, turns)]
    near = [f for f in found if f.score >= BESIDE * best.score]
    latest = max([*near, *grown], key=lambda f: (place_said(f.proposal, turns), f.score))
    return replace(latest, score=max(latest.score, best.score)) if latest in grown else latest


def _has_grown(noun: str, before: JudgedProposal, now: JudgedProposal, turns: Turns) -> bool:
    """True if a later turn tells a higher number of the things counted, in a sentence that names them and no other ones."""
    if now.score < NEAR * before.score or now.verdict.entailed < SAID_AT_ALL:
        return False
    fewer, more = (number_of(p.proposal) for p in (before, now))
    turn = turns(now.proposal.turn)
    if turn is None or fewer is None or more is None or fewer >= more:
        return False
    if place_said(now.proposal, turns) <= place_said(before.proposal, turns):
        return False
    return counts_these(noun, turn.content, now.proposal.start, now.proposal.end)


def counts_these(noun: str, content: str, start: int, end: int) -> bool:
    """True if the sentence around a number names the things (`bird species`), none other of the kind, and the number counts nothing else.

    `start` and `end` are the offsets of the number in `content`.
    """
    first, last = sentence_around(content, start, end)
    named = frozenset(terms_of(noun))
    if not named <= {*terms_of(content[first:last])} or APART.search(content, first, last) is not None:
        return False
    words = [m.group() for m in WORD.finditer(content, start, last)]
    number = next((i for i, word in enumerate(words) if number_in(word) is not None), 0)
    behind = next((word for word in words[number + 1 :] if number_in(word) is None), "")
    if not named.isdisjoint(terms_of(behind)):
        return True
    return not any(coarse_type(one) for one in getLemma(behind, "NOUN") if behind.isalpha() and one != behind)


def _at_end(found: Sequence[JudgedProposal], turns: Turns, *, first: bool) -> JudgedProposal:
    """Among readings near the best, the earliest or latest, if the question asks for it. The others are values that it changed from or
    to, and so support it.
    """
    near = [f for f in found if f.score >= NEAR * found[0].score and f.verdict.entailed >= SAID_AT_ALL]
    if len(near) != 2:
        return found[0]  # If there are more, some are about something else.
    best = (min if first else max)(near, key=lambda f: (place_said(f.proposal, turns), -f.score if first else f.score))
    others = [f.score for f in near if place_said(f.proposal, turns) != place_said(best.proposal, turns)]
    return replace(best, score=min(CHANGED_MOST, round(best.score + sum(others), 4))) if others else found[0]
