"""The start and the end of what is told to last from one time to another: the course that runs from May to July ends in July.

Each range gives two further clauses, with the verbs for the beginning and the end of the subject (VerbNet 55.1 begin, 55.4 complete).
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

from goalmem.language import lexicon
from goalmem.language.annotations import Clause, Part, TurnReading
from goalmem.language.calendar import day
from goalmem.language.clauses import is_asked
from goalmem.language.times import scan
from goalmem.language.words.attributes import SCALING
from goalmem.logic.interval import Interval
from goalmem.records import Modality

LASTING = frozenset({"be", "run", "last", "take place", "go on", "continue", "hold"})
"""Verbs of events, which begin and end (55 aspectual; 47.1 exist)."""
BEINGS = ("person", "animal")
_CLOCK = r"(?:\d{1,2}(?:[:.]\d\d)?(?: ?[ap](?:m\b|\.m\.)| o'clock)?|noon|midnight)"
_HOURS = re.compile(
    rf"from (?P<first>{_CLOCK}) ?(?:to|until|till|[-–]) ?(?P<last>{_CLOCK})(?=\W*$|[.,;!?](?:\s|$)|\s(?:on|every|each|in|and|but|most|daily|with|because|during|when|this|today)\b)",
    re.IGNORECASE,
)
_SIDES = re.compile(
    r"(?:from |between )?(?P<first>.+?) ?(?:\b(?:to|until|till|through|and)\b|[-–—]) ?(?P<last>.+)", re.IGNORECASE
)
_MOMENT = timedelta(microseconds=1)


def ranges(reading: TurnReading) -> None:
    """Add when something starts and ends, for each range of times that is told."""
    for clause in list(reading.clauses):
        subject = clause.part("subject")
        told = clause.polarity and clause.modality in (Modality.ASSERTED, Modality.PLANNED)
        if clause.head is None or not told or subject is None or clause.passive or is_asked(clause.head):
            continue
        verbs = _verbs(clause, subject)
        if verbs is not None:
            reading.clauses += _hours(reading, clause, subject, verbs) or _dates(reading, clause, subject, verbs)


def _verbs(clause: Clause, subject: Part) -> tuple[str, str] | None:
    """The verbs for the start and the end of what a clause tells; None if it is nothing that lasts."""
    attribute = clause.part("attribute")
    if clause.predicate == "open" or (attribute is not None and attribute.head == "open"):
        return "open", "close"
    if attribute is not None or clause.predicate.split()[0] in SCALING - {"go", "run"}:
        return None
    if subject.type in BEINGS:
        return ("start", "finish") if lexicon.is_known(clause.predicate) else None
    return ("start", "end") if clause.predicate in LASTING else None


def _hours(reading: TurnReading, clause: Clause, subject: Part, verbs: tuple[str, str]) -> list[Clause]:
    """From one hour to another: `The shop is open from 8 to 18`, `I work from 9 to 5`."""
    start = clause.part("from")
    found = _HOURS.match(reading.text, max(0, start.start - len("from "))) if start is not None else None
    if found is None or clause.tense == "past":
        return []
    parts = _beside(clause, subject, verbs)
    clause.parts = [_alone(p, found.start()) for p in clause.parts]
    return [
        _built(clause, verb, [*parts, _at(reading, *found.span(side))], found.end())
        for verb, side in zip(verbs, ("first", "last"), strict=True)
    ]


def _dates(reading: TurnReading, clause: Clause, subject: Part, verbs: tuple[str, str]) -> list[Clause]:
    """From one date to another: `The course runs from May to July`."""
    time, when = clause.part("time"), clause.when
    sides = _SIDES.fullmatch(time.text) if time is not None else None
    if time is None or when is None or sides is None or subject.type in BEINGS:
        return []
    if not time.text.lower().startswith(("from ", "between ")) and clause.predicate not in LASTING - {"be"}:
        return []
    ends = [_placed(sides["first"], when.start), _placed(sides["last"], when.end - _MOMENT)]
    if ends[1] is None:
        return []
    ends = [e if e is not None else day(when.start) for e in ends]
    parts = _beside(clause, subject, verbs)
    found = []
    for verb, side, end in zip(verbs, ("first", "last"), ends, strict=True):
        start = time.start + sides.start(side)
        told = replace(time, text=sides[side], start=start, end=start + len(sides[side]))
        made = _built(clause, verb, [*parts, told], time.end)
        made.when, made.when_text = end, sides[side]
        found.append(made)
    return found


def _placed(text: str, at: datetime) -> Interval | None:
    """The date that begins or ends a range, near that day."""
    found = scan(text)
    return found[0].resolve(at, False) if found and found[0].start == 0 else None


def _beside(clause: Clause, subject: Part, verbs: tuple[str, str]) -> list[Part]:
    """The subject, and of what somebody does, the noun for it: who works from 9 to 5 starts work at 9."""
    if verbs[1] != "finish":
        return [subject]
    doing = clause.predicate
    kept = [p for p in clause.parts if p.role in ("in", "at", "with", "for") and p.type not in ("time", "quantity")]
    return [subject, Part("object", "", -1, -1, doing, None, doing, "event"), *kept]


def _alone(part: Part, end: int) -> Part:
    """The `open` of `open from 8 to 18`."""
    if part.role != "attribute" or not part.start < end < part.end:
        return part
    text = part.text[: end - part.start].rstrip()
    return replace(part, text=text, end=part.start + len(text), modifiers=())


def _at(reading: TurnReading, start: int, end: int) -> Part:
    text = reading.turn.content[start:end]
    return Part("at", text, start, end, text.split()[-1].lower(), type="time")


def _built(clause: Clause, verb: str, parts: list[Part], end: int) -> Clause:
    first = min([clause.verb.idx, *(p.start for p in parts if p.start >= 0)])
    return Clause(
        None,
        verb,
        parts=parts,
        tense=clause.tense,
        modality=clause.modality,
        meant=clause.meant,
        start=first,
        end=max([clause.verb.idx + len(clause.verb), end]),
    )
