"""The statements of a space in the order in which they were said: which of them, later than another, are about the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from goalmem.records import Fact, Turn
from goalmem.sources.certainty.topics import Topic
from goalmem.sources.evidence_store import EvidenceStore, said_by
from goalmem.sources.state.loader import PhraseStore

MOST = 300
"""Statements or turns that name a thing or have a verb. If there are more, only the newest count."""
BEHIND = 2
"""Turns behind a statement in its session that may be about it without naming anything."""


@dataclass(frozen=True)
class Statements:
    """The statements of one space that were said by a given day."""

    store: EvidenceStore
    space: str
    until: datetime | None = None
    """The day of the question; None includes all statements."""
    _turns: dict[str, Turn | None] = field(default_factory=dict, repr=False, compare=False)
    """The turns read so far: every statement is compared with many others."""

    def told(
        self,
        *,
        entity: str | None = None,
        predicate: str | None = None,
        slot: str | None = None,
        newest: int | None = None,
    ) -> list[Fact]:
        """Facts with an entity, verb or slot, in the order in which they were said."""
        found = self.store.facts(self.space, entity=entity, predicate=predicate, slot=slot, newest=newest)
        return self.in_order(f for f in found if self.is_told(f.said))

    def in_order(self, facts: Iterable[Fact]) -> list[Fact]:
        """Facts in the order in which they were said: by time, and by their place in the session where several turns have one time."""
        told = sorted(facts, key=lambda f: (f.said, f.turn, f.start, f.id))
        ordered: list[Fact] = []
        for _, same in groupby(told, key=lambda f: f.said):
            held = list(same)
            if len(turns := {f.turn for f in held}) > 1:
                self._read(turns)
                held.sort(key=self._place)
            ordered += held
        return ordered

    def _read(self, turns: Iterable[str]) -> None:
        new = [turn for turn in turns if turn not in self._turns]
        found = self.store.turns(self.space, new) if new else {}
        self._turns.update({turn: found.get(turn) for turn in new})

    def _place(self, fact: Fact) -> tuple[str, int, int]:
        turn = self.turn_of(fact)
        return (turn.session, turn.position, fact.start) if turn is not None else ("", 0, fact.start)

    def is_told(self, said: datetime) -> bool:
        """True if something was said by the day of the question, in the question's time zone."""
        return self.until is None or said_by(said, self.until)

    def turn_of(self, fact: Fact) -> Turn | None:
        """The turn of a fact; None if it was forgotten."""
        self._read((fact.turn,))
        return self._turns[fact.turn]

    def beside(self, fact: Fact) -> list[Fact]:
        """The facts of a fact's turn."""
        return self.store.facts(self.space, turns=[fact.turn])

    def is_after(self, told: Fact, fact: Fact) -> bool:
        """True if one fact was said after another: at a later time, or behind it in the same turn or session."""
        if told.turn == fact.turn:
            return (told.start, told.end) > (fact.start, fact.end)
        if told.said != fact.said:
            return told.said > fact.said
        later, turn = self.turn_of(told), self.turn_of(fact)
        return later is not None and turn is not None and follows(later, turn)

    def turns_behind(self, turn: Turn) -> list[Turn]:
        """The next turns of the session that were said by the day of the question."""
        first = turn.position + 1
        found = self.store.session_turns(self.space, turn.session, first=first, last=turn.position + BEHIND)
        return [t for t in found if self.is_told(t.at)]

    def later(self, fact: Fact, topics: Iterable[Topic]) -> Iterator[LaterTurn]:
        """What was said later in the turn of a fact, in the turns behind it, and in those that name one of its topics."""
        own = self.turn_of(fact)
        if own is None:
            return
        ids = {own.id, *(t.id for t in self.turns_behind(own))}
        for topic in topics:
            ids |= self._naming(topic if isinstance(topic, str) else topic.head)
            if isinstance(topic, str):
                ids |= {f.turn for f in self.store.facts(self.space, entity=topic, newest=MOST)}
        told: dict[str, list[Fact]] = {turn: [] for turn in ids}
        for f in self.store.facts(self.space, turns=ids):
            told[f.turn].append(f)
        yield LaterTurn(own, tuple(f for f in told[own.id] if self.is_after(f, fact)), is_own=True)
        for turn in self.store.turns(self.space, sorted(ids)).values():
            if follows(turn, own) and self.is_told(turn.at):
                yield LaterTurn(turn, tuple(told[turn.id]))

    def _naming(self, word: str) -> set[str]:
        """The turns that contain a word or its plural."""
        if not isinstance(self.store, PhraseStore):
            return set()
        return {t for form in (word, f"{word}s") for t in self.store.phrase(self.space, form, limit=MOST)}


@dataclass(frozen=True)
class LaterTurn:
    """A later turn with its facts, or the rest of the same one."""

    turn: Turn
    facts: tuple[Fact, ...]
    is_own: bool = False

    def tells_of(self, topic: Topic) -> bool:
        """True if another turn, which asks nothing, contains the name or noun of a topic."""
        return not self.is_own and "?" not in self.turn.content and names_in(topic, self.turn.content)

    def denies(self, noun: str) -> bool:
        """True if another turn says that there is no such thing: `no penicillin allergy after all`."""
        found = re.search(
            rf"\bno (?:more |longer (?:an? )?)?(?:[\w-]+ )?{re.escape(noun)}s?\b", self.turn.content, re.IGNORECASE
        )
        return not self.is_own and "?" not in self.turn.content and found is not None


def names_in(topic: Topic, text: str) -> bool:
    """True if a text contains the name or noun of a topic, or its plural."""
    word = topic if isinstance(topic, str) else topic.head
    return re.search(rf"\b{re.escape(word)}s?\b", text, re.IGNORECASE) is not None


def follows(later: Turn, turn: Turn) -> bool:
    """True if a turn was said at a later time than another, or at the same time behind it in the session."""
    if later.at != turn.at:
        return later.at > turn.at
    return later.session == turn.session and later.position > turn.position
