"""The turns that a memory of a life finds for its questions, and what of them answers: what a reader sees in use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goalmem.errors import GoalmemError
from goalmem.memory import Memory
from goalmem.models.minilm_judge import excerpt_text
from goalmem.sources.passages.texts import ReadPassage
from goalmem_lab.train.chance import chance
from goalmem_lab.train.distil_data import Answering
from goalmem_lab.train.examples import Example
from goalmem_lab.train.lives import YES_NO, Life, one_line
from goalmem_lab.train.offers import inquired, last_moment, remembered

OPEN = frozenset({"open", "unanswerable", "false-premise"})
"""Types of questions without an answer."""
MANY = frozenset({"update", "listing", "counting", "multi-hop"})
"""Types of questions whose answer, or a part of it, other turns may say, too."""
WITHOUT, NEAREST = 3, 12
"""Turns without an answer that an epoch sees of a question, at most, and of how many that are found first."""


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """A turn as reader and judge are shown it, and what of it answers the question that found it."""

    passage: str
    own: int
    """Where its own words begin in the passage."""
    excerpt: str
    answering: Answering
    span: tuple[int, int] | None
    """Of the passage, in characters."""


@dataclass(frozen=True, slots=True)
class AskedTurns:
    """A question with the turns that are found for it, best first."""

    question: str
    turns: Sequence[FoundTurn]


@dataclass(frozen=True, slots=True)
class Gold:
    """What is known of the answer to a question."""

    turn: str | None
    """Id of the turn that is quoted."""
    quote: str
    cited: frozenset[str]
    """Ids of all turns that are evidence."""
    answers: Sequence[str]
    """In lower case."""
    type: str

    @classmethod
    def of(cls, asked: Mapping[str, Any], ids: Mapping[str, str]) -> Gold:
        """`ids`: of the turns by their names."""
        quoted = asked.get("span") or asked
        quote, turn = one_line(quoted.get("quote") or ""), ids.get(quoted.get("turn") or "")
        answers = asked.get("answers") or ([quote] if quote else [])
        cited = {ids.get(each["turn"]) for each in asked.get("evidence") or ()} | {turn}
        return cls(
            turn,
            quote,
            frozenset(each for each in cited if each),
            [" ".join(answer.lower().split()) for answer in answers],
            str(asked.get("type") or ("open" if "open" in asked else "reading")),
        )

    def marks(self, turn: str, text: str) -> tuple[Answering, tuple[int, int] | None]:
        """Whether a turn answers, and with which of its characters."""
        if self.type in OPEN:
            return Answering.NO, None
        start = text.find(self.quote) if turn == self.turn and self.quote else -1
        if start >= 0:
            return Answering.MARKED, (start, start + len(self.quote))
        if turn in self.cited:
            said = next(filter(None, (_said(a, text) for a in self.answers if a not in YES_NO)), None)
            return (Answering.MARKED, said) if said else (Answering.UNKNOWN, None)
        return (Answering.UNKNOWN if self.type in MANY else Answering.NO), None

    def said_in(self, passage: str) -> bool:
        """Whether a passage holds the words of an answer."""
        return self.type not in OPEN and any(_said(answer, passage) for answer in self.answers)


def _said(answer: str, text: str) -> tuple[int, int] | None:
    """Where a text says an answer as whole words."""
    lower = text.lower()
    if len(answer) < 2 or len(lower) != len(text):
        return None
    found = re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", lower)
    return found.span() if found else None


def found_turns(life: Life) -> Iterator[AskedTurns]:
    """The questions of a life with the turns that the product finds for each; questions that it does not read with passages are left out."""
    last = last_moment(life)
    with remembered(life) as (memory, ids):
        for asked in (*life.content["questions"], *life.reading):
            found = _found(memory, asked, last, Gold.of(asked, ids))
            if found is not None:
                yield found


def _found(memory: Memory, asked: Mapping[str, Any], when: str, gold: Gold) -> AskedTurns | None:
    try:
        put = inquired(memory, asked, when)
    except GoalmemError:
        return None
    if put is None:
        return None
    texts = put.passages.texts
    passages = texts.passages_of([ranked.turn for ranked in put.turns])
    excerpts = texts.excerpts([passage.turn.id for passage in passages])
    turns = [_turn(p, excerpt_text(e), gold) for p, e in zip(passages, excerpts, strict=True)]
    return AskedTurns(texts.worded(put.question), turns)


def _turn(passage: ReadPassage, excerpt: str, gold: Gold) -> FoundTurn:
    answering, span = gold.marks(passage.turn.id, one_line(passage.turn.content))
    if answering is Answering.NO and gold.said_in(passage.text):
        answering = Answering.UNKNOWN
    shifted = None if span is None else (passage.shift + span[0], passage.shift + span[1])
    return FoundTurn(passage.text, passage.shift, excerpt, answering, shifted)


def found_examples(
    lives: Sequence[Life], seed: int, report: Callable[[int, int], None] = lambda done, all_: None
) -> list[Example]:
    """For each question the turns with its marked answer, and a few of those that are found and hold none; the same for the same seed."""
    random_ = chance(seed)
    made: list[Example] = []
    for done, life in enumerate(lives, 1):
        for asked in found_turns(life):
            marked = [t for t in asked.turns if t.answering is Answering.MARKED and t.span is not None]
            without = [t for t in asked.turns if t.answering is Answering.NO][:NEAREST]
            made += (Example(asked.question, t.passage, (t.span,)) for t in marked if t.span is not None)
            drawn = random_.sample(without, min(WITHOUT, len(without)))
            made += (Example(asked.question, t.passage, ()) for t in drawn)
        report(done, len(lives))
    return made
