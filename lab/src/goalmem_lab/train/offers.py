"""What a memory offers as answers to the questions of a life: the words that a judge is asked about in use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from goalmem.engine.events import silent
from goalmem.io.chat_messages import parse_when
from goalmem.logic.terms import Variable
from goalmem.memory import Memory
from goalmem.questions.whole_question import passage_question
from goalmem.retrieve.search import RankedTurn
from goalmem.sources.passages.effort import FOR_ONE, FOUND
from goalmem.sources.passages.source import PassageSource
from goalmem.sources.passages.span_values import Proposal
from goalmem_lab.train.chance import chance
from goalmem_lab.train.lives import YES_NO, Claim, Label, Life, one_line
from goalmem_lab.train.token_overlap import best_f1

RIGHT = 0.67
"""Token F1 with an accepted answer from which a reading is right."""
ANOTHER = 0.5
"""Token F1 up to which a reading is another answer; between the two it is one that is cut otherwise."""
NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
MORE = 0.35
"""Share of the questions that were written only to be read for (`lab/lives/questions`) of which an epoch sees the offers."""
WRONG = 5
"""Wrong offers of a question that become claims, at most."""


@dataclass(frozen=True, slots=True)
class Inquired:
    """A question as it is put to passages, with the turns that are read for it."""

    passages: PassageSource
    question: str
    variable: Variable
    turns: Sequence[RankedTurn]


@contextmanager
def remembered(life: Life) -> Iterator[tuple[Memory, Mapping[str, str]]]:
    """A memory of all that is said in a life, and the ids of its turns by their names (`s01:3`)."""
    with Memory() as memory:
        ids: dict[str, str] = {}
        for session in life.content["sessions"]:
            stored = memory.add(session["messages"], session=session["session"], at=session["at"])
            ids |= {f"{session['session']}:{place}": turn for place, turn in enumerate(stored.turns)}
        yield memory, ids


def last_moment(life: Life) -> str:
    """When the last question of a life is asked, or the last session begins: when the others are asked."""
    moments = (
        each.get("asked_at") or each.get("at") for key in ("sessions", "questions") for each in life.content[key]
    )
    return max(map(str, filter(None, moments)))


def inquired(memory: Memory, asked: Mapping[str, Any], when: str) -> Inquired | None:
    """A question of a life as a memory puts it to its passages; None where it does not."""
    pipeline = memory._parts.pipeline
    asker = pipeline.asker("default", str(asked.get("asker") or ""))
    at = parse_when(str(asked.get("asked_at") or when), "The question")
    inquiry = pipeline.inquiry(str(asked["question"]), "default", at, silent, asker=asker)
    whole = (goal.atoms[0] for goal in reversed(inquiry.goals) if len(goal.atoms) == 1)
    reading = next(filter(None, map(passage_question, whole)), None)
    if inquiry.passages is None or reading is None:
        return None
    return Inquired(inquiry.passages, *reading, inquiry.ranking.turns(FOUND))


def offered_claims(
    lives: Sequence[Life], seed: int, report: Callable[[int, int], None] = lambda done, all_: None
) -> list[Claim]:
    """For each question with its own words as the answer, or none: what is offered, entailed where it is right; the same for the same seed."""
    random_ = chance(seed)
    claims: list[Claim] = []
    for done, life in enumerate(lives, 1):
        last = last_moment(life)
        own = [asked for asked in life.content["questions"] if not _is_told_by_yes_or_no(asked)]
        more = [asked for asked in life.reading if random_.random() < MORE]
        with remembered(life) as (memory, _):
            for asked in (*own, *more):
                found = inquired(memory, asked, last)
                if found is None:
                    continue
                right, wrong = _judged(found, answers_of(asked))
                claims += right
                claims += random_.sample(wrong, min(WRONG, len(wrong)))
        report(done, len(lives))
    return claims


def _is_told_by_yes_or_no(asked: Mapping[str, Any]) -> bool:
    return bool(asked["answers"]) and asked["answers"][0].lower() in YES_NO


def answers_of(asked: Mapping[str, Any]) -> Sequence[str]:
    """The accepted answers to a question of a life; none where it has no answer."""
    if "answers" in asked:
        return tuple(asked["answers"])
    return (one_line(asked["quote"]),) if asked.get("quote") else ()


def _judged(found: Inquired, answers: Sequence[str]) -> tuple[list[Claim], list[Claim]]:
    """What is offered for a question as claims: right ones, and others."""
    judged = found.passages.judged
    offered, _ = judged.likeliest(found.question, found.variable, found.turns)
    right: list[Claim] = []
    wrong: list[Claim] = []
    for _, proposal, _ in offered[: FOR_ONE.judged]:
        pair = judged.judge.pair(found.question, proposal)
        if is_right(answers, proposal):
            right.append(Claim(*pair, Label.ENTAILED))
        elif not answers or best_f1(proposal.span, answers) <= ANOTHER:
            wrong.append(Claim(*pair, Label.UNSUPPORTED))
    return right, wrong


def is_right(answers: Sequence[str], proposal: Proposal) -> bool:
    """Whether a proposal shares most words with an accepted answer, and no number of it is another."""
    return any(
        best_f1(text, [answer]) >= RIGHT and (numbers_in(text) == numbers_in(answer) or not numbers_in(answer))
        for answer in answers
        for text in (proposal.value.text, proposal.span)
    )


def numbers_in(text: str) -> frozenset[str]:
    """The numbers of a text, as digits say them."""
    return frozenset(NUMBER.findall(text.replace(",", "")))
