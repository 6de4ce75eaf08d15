"""What follows from the order in which things are told to have happened.

Of `Freya arrived before Magnus`: Magnus arrived after Freya. Of `I finished the report and then called Stefan`: I called Stefan after I finished the report (Allen 1983, "Maintaining knowledge about
temporal intervals": before and after are converses).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from goalmem.language.annotations import Clause, Part, TurnReading
from goalmem.language.clauses import is_asked
from goalmem.records import Modality

CONVERSE = {"before": "after", "after": "before"}
THEN = frozenset({"then", "afterwards", "afterward"})
"""Adverbs that order a clause behind the one before."""
FACING = frozenset("appear come go stand speak kneel bow sit lie testify perform put place".split())
"""Verbs with which `before` somebody may be in front of them."""


def orders(reading: TurnReading) -> None:
    """Add what follows from the orders that are told in a turn."""
    by_verb = {c.head.i: c for c in reading.clauses if c.head is not None and c.kind == "clause"}
    for clause in list(by_verb.values()):
        if not _is_told(clause):
            continue
        if (first := _before_then(clause, by_verb)) is not None:
            reading.clauses.append(_joined(reading, clause, first))
        for role in CONVERSE:
            other = clause.part(role)
            if other is None or other.token is None:
                continue
            if _is_contrasted(clause, other):
                reading.clauses += _turned(clause, other, role)


def _is_told(clause: Clause) -> bool:
    """True for an event of the past that is told as so."""
    plain = clause.modality is Modality.ASSERTED and clause.polarity and not clause.light and not clause.past_habit
    return clause.head is not None and plain and clause.tense == "past" and not is_asked(clause.head)


def _before_then(clause: Clause, by_verb: dict[int, Clause]) -> Clause | None:
    """The clause before one that begins with `then`; None for any other clause."""
    head = clause.verb
    then = any(t.lower_ in THEN and t.head.i == head.i and t.i < head.i for t in head.children)
    before = by_verb.get(head.head.i) if then and head.dep_ == "conj" else None
    return before if before is not None and _is_told(before) else None


def _joined(reading: TurnReading, clause: Clause, first: Clause) -> Clause:
    """The clause, after the first one."""
    spans = [(p.start, p.end) for p in first.parts if p.start >= 0]
    spans.append((first.verb.idx, first.verb.idx + len(first.verb)))
    start, end = min(s for s, _ in spans), max(e for _, e in spans)
    subject = first.part("subject")
    said = subject.entity if subject is not None and subject.start < 0 else ""
    when = Part("after", f"{said} {reading.text[start:end]}".strip(), start, end, first.verb.lemma_.lower(), first.verb)
    kept = [p for p in clause.parts if p.role != "after" and p.text.casefold() not in THEN]
    return _stated(clause, [*kept, when], start, end)


def _is_contrasted(clause: Clause, other: Part) -> bool:
    """True if the other one of `Freya arrived before Magnus` is somebody who did the same."""
    subject = clause.part("subject")
    people = subject is not None and subject.type == other.type == "person"
    return people and bool(other.entity) and other.resolved == "name" and clause.predicate not in FACING


def _turned(clause: Clause, other: Part, role: str) -> Iterator[Clause]:
    """The order from the other side, and what it excludes."""
    subject = clause.part("subject")
    assert subject is not None
    rest = [p for p in clause.parts if p not in (subject, other)]
    for one, mark, two, polarity in (
        (other, CONVERSE[role], subject, True),
        (other, role, subject, False),
        (subject, CONVERSE[role], other, False),
    ):
        parts = [one.as_("subject"), *rest, two.as_(mark)]
        yield replace(_stated(clause, parts, other.start, other.end), polarity=polarity)


def _stated(clause: Clause, parts: list[Part], start: int, end: int) -> Clause:
    spans = [(p.start, p.end) for p in parts if p.start >= 0]
    spans += [(start, end), (clause.verb.idx, clause.verb.idx + len(clause.verb))]
    return Clause(
        None,
        clause.predicate,
        parts=parts,
        passive=clause.passive,
        tense=clause.tense,
        when=clause.when,
        when_text=clause.when_text,
        start=min(s for s, _ in spans),
        end=max(e for _, e in spans),
    )
