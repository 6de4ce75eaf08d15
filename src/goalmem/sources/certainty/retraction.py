"""What is taken back: at once, in the next turns, or later, by whoever said it or by what came of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from goalmem.language import lexicon
from goalmem.language.sentences import CLAUSE_BREAK
from goalmem.language.words.doubts import MISTAKEN, NOT_SO, QUERY, RETRACTED_WITHIN, RETRACTION
from goalmem.language.words.verbs import CALLING_OFF, COMPLETELY, FALLING_THROUGH
from goalmem.records import Fact, Modality, Turn
from goalmem.sources.certainty.later_statements import BEHIND, MOST, Statements
from goalmem.sources.certainty.topics import topics_of
from goalmem.sources.state.terse_changes import terse_change, values_of_kind

SHORT = 12
"""Words of a turn that only retracts the previous one."""
INNER_RETRACTION = re.compile(r"\W(?:no,? wait|wait,? no|i mean|scratch that|no,? sorry)\b", re.IGNORECASE)
UNNAMED_EVENTS = frozenset(
    "it that this thing everything deal plan plan sale purchase offer contract arrangement project idea all".split()
)
"""Subjects by which something just told may be meant."""
SAYING = re.compile(
    r"\b(?:said|says?|saying|told|tell(?:s|ing)?|announced?|wrote|claimed?|swore|texted|promised|posted)\b[^.!?]*$",
    re.IGNORECASE,
)
"""A verb of saying before what was said."""


@dataclass
class Retractions:
    """Which statements of a space are taken back."""

    statements: Statements
    _found: dict[tuple[str, bool], bool] = field(default_factory=dict)

    def is_taken_back(self, fact: Fact, *, revalued: bool = True) -> bool:
        """True if the same turn, one of the next, or a later one about the same takes a fact back.

        With `revalued`, also if the next turn only gives another value of the same kind.
        """
        key = fact.id, revalued
        if key not in self._found:
            turn = self.statements.turn_of(fact)
            at_once = turn is not None and self._is_taken_back_at_once(fact, turn, revalued=revalued)
            self._found[key] = at_once or self._is_corrected(fact) or self._fell_through(fact)
        return self._found[key]

    def _is_taken_back_at_once(self, fact: Fact, turn: Turn, *, revalued: bool) -> bool:
        rest = turn.content[fact.end :]
        if fact.kind == "possession":  # the rest of the sentence about a mentioned possession is no retraction
            rest = rest[len(CLAUSE_BREAK.split(rest)[0]) :]
        if RETRACTED_WITHIN.match(rest) or INNER_RETRACTION.search(fact.text):
            return True
        if "?" in rest:
            return False  # The next turn answers this question.
        behind = self.statements.turns_behind(turn)
        for n, other in enumerate(behind):
            asked = n and "?" in behind[0].content  # "no" may answer this question
            if n and (asked or not (other.speaker == turn.speaker != behind[0].speaker)):
                break
            if len(other.content.split()) <= SHORT and (
                RETRACTION.match(other.content) or (revalued and _is_revalued(fact, other)) or _is_queried(fact, other)
            ):
                return True
        return False

    def _fell_through(self, fact: Fact) -> bool:
        """True if what a fact tells is said later to have come to nothing: `I moved to Ulm`, `The move fell through`."""
        turn, verb = self.statements.turn_of(fact), fact.predicate.split(" ")[0]
        if turn is None:
            return False
        for told in self._failures:
            event = told.arg("subject" if told.predicate in FALLING_THROUGH else "object")
            if event is None or not self.statements.is_after(told, fact):
                continue
            behind = self.statements.turn_of(told)
            near = behind is not None and behind.session == turn.session and behind.position - turn.position <= BEHIND
            named = {event.head, *lexicon.related(event.head, "v")}
            if (near and event.head in UNNAMED_EVENTS) or any(v == verb or lexicon.same_verb(v, verb) for v in named):
                return True
        return False

    @cached_property
    def _failures(self) -> list[Fact]:
        """The statements that something came to nothing or was called off."""
        told = (
            f for verb in (*FALLING_THROUGH, *CALLING_OFF) for f in self.statements.told(predicate=verb, newest=MOST)
        )
        return [
            f
            for f in told
            if f.polarity
            and f.modality is Modality.ASSERTED
            and (f.predicate != "fall" or any(a.text in COMPLETELY for a in f.args))
        ]

    def _is_corrected(self, fact: Fact) -> bool:
        """True if the speaker of a fact says later that they were wrong about something that it names."""
        named = {w for a in fact.args for w in (a.entity.casefold(), a.head.casefold()) if w}
        topics = list(dict.fromkeys([*topics_of(fact), *(a.entity for a in fact.args if a.entity)]))
        return any(
            MISTAKEN.search(told.text) is not None
            and ((whose := told.arg("subject")) is None or whose.resolved == "speaker")
            and any(re.search(rf"\b{re.escape(n)}\b", told.text.casefold()) for n in named)
            for later in self.statements.later(fact, topics)
            for told in later.facts
            if told.speaker == fact.speaker
        )


def _is_revalued(fact: Fact, other: Turn) -> bool:
    """True if a turn only gives a value of the kind that a fact gives."""
    change = terse_change(other)
    return change is not None and values_of_kind(fact.text, change.kind, fact.said.replace(tzinfo=None)) > 0


def _is_queried(fact: Fact, other: Turn) -> bool:
    """True if another speaker asks if it is not another value of a kind that a fact gives: `Isn't it on Saturday?`."""
    if other.speaker == fact.speaker or QUERY.match(other.content) is None:
        return False
    said = fact.said.replace(tzinfo=None)
    return any(
        values_of_kind(other.content, k, said) and values_of_kind(fact.text, k, said)
        for k in ("day", "amount", "colour")
    )


def is_called_untrue(fact: Fact, content: str) -> bool:
    """True if the words behind what somebody said say that it is not so: `I said I was fine, but I wasn't`. `content`: of the turn."""
    return (
        NOT_SO.match(content, max(0, fact.end)) is not None and SAYING.search(content[: max(0, fact.start)]) is not None
    )
