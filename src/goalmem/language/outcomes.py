"""The state in which a change results, as a clause of its own: `has gone vegan`: is vegan; `they've put Ines on nights`: is on nights.

Only the present perfect says that the result still holds (resultative perfect: CGEL 3.5.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from goalmem.language import lexicon
from goalmem.language.annotations import Clause, Part, TurnReading
from goalmem.language.clauses import finite_form, is_asked, is_perfect
from goalmem.language.words.attributes import BECOMING, PLACING, STATIVE_COPULAS
from goalmem.language.words.doubts import NEUTRAL
from goalmem.records import Modality

INNER = {"into": "in", "onto": "on", "in": "in", "on": "on"}
"""Prepositions of a direction, and of the place reached (Quirk et al. 1985, section 9.15)."""
GIVING_UP = frozenset({"give up", "quit", "cut out"})
"""Verbs after which somebody takes a thing no longer (VerbNet 55.4)."""
CONSUMING = {"beverage": "drink", "food": "eat"}
"""By WordNet's kinds of what is taken: the verb of taking it (VerbNet 39.1)."""
STEPS = frozenset("year grade form class level stage group league division tier".split())
"""Nouns of steps that somebody is on one at a time, if a number follows."""
RISING = frozenset("go move step come drop".split())


def outcomes(reading: TurnReading) -> None:
    """Add the resulting state of each change that is said to be complete."""
    for clause in list(reading.clauses):
        reading.clauses += _given_up(clause)
        if clause.kind != "clause" or not _is_complete(clause):
            continue
        parts = _become(clause) or _placed(clause) or _risen(clause)
        if not parts or _is_limited(clause, parts):
            continue
        spans = [p for p in parts if p.start >= 0]
        if spans:
            start, end = min(p.start for p in spans), max(p.end for p in spans)
            reading.clauses.append(Clause(None, "be", parts=parts, tense="present", start=start, end=end))


def _is_complete(clause: Clause) -> bool:
    """True for an asserted clause in the present perfect."""
    head = clause.head
    if head is None or clause.modality is not Modality.ASSERTED or not clause.polarity or is_asked(head):
        return False
    finite = finite_form(head)
    has = finite is not None and finite.i < head.i and finite.lemma_ == "have" and finite.tag_ != "VBD"
    return has or is_perfect(head)


def _is_limited(clause: Clause, parts: list[Part]) -> bool:
    """True if more is said than that it is so now: `has often gone vegan`, `for Lent`, `partly`."""
    own = {p.start for p in parts}
    others = [
        p
        for p in clause.parts
        if p.start >= 0 and p.start not in own and p.role not in ("subject", "because", "because of")
    ]
    adverbs = [t.lower_ for t in clause.verb.subtree if t.dep_ in ("advmod", "npadvmod")]
    return not NEUTRAL.issuperset([*adverbs, *(w for p in others for w in p.text.casefold().split())])


def _given_up(clause: Clause) -> Iterator[Clause]:
    """Who gave up coffee does not drink it; nothing follows from who gave it up for a time, or gave up some of it."""
    subject, what = clause.part("subject"), clause.part("object")
    said = clause.modality is Modality.ASSERTED and clause.polarity and not clause.light and not clause.past_habit
    if clause.head is None or clause.predicate not in GIVING_UP or not said or is_asked(clause.head):
        return
    if subject is None or what is None or what.token is None or subject.type not in ("person", "animal"):
        return
    others = [p for p in clause.parts if p not in (subject, what) and p.role not in ("because", "because of", "time")]
    verb = next((v for kind, v in CONSUMING.items() if lexicon.is_a(what.head, kind)), "")
    if verb and what.text.casefold() in (what.head, what.token.lower_) and not others:
        start = min(clause.verb.idx, subject.start if subject.start >= 0 else clause.verb.idx)
        yield Clause(None, verb, parts=[subject, what], tense="present", polarity=False, start=start, end=what.end)


def _become(clause: Clause) -> list[Part]:
    """`has become a vegetarian`, `has gone vegan`."""
    subject, what = clause.part("subject"), clause.part("attribute") or clause.part("object")
    token = what.token if what is not None else None
    if (
        clause.predicate not in BECOMING - STATIVE_COPULAS | {"become"}
        or subject is None
        or what is None
        or token is None
    ):
        return []
    described = token.pos_ == "ADJ" or (what.type == "person" and not what.entity)
    return [subject, what.as_("attribute")] if described and token.tag_ != "VBG" else []


def _placed(clause: Clause) -> list[Part]:
    """`has put Ines on the day shift`, `has been moved onto the day shift`."""
    whom = clause.part("object")
    where = next((p for p in clause.parts if p.role in INNER and p.start > 0), None)
    if clause.predicate not in PLACING or whom is None or where is None:
        return []
    being = whom.type in ("person", "animal") or whom.resolved in (
        "name",
        "speaker",
        "addressee",
        "pronoun",
        "presumed",
    )
    return [whom.as_("subject"), where.as_(INNER[where.role])] if being else []


def _risen(clause: Clause) -> list[Part]:
    """`has gone up to year 6`."""
    subject, to = clause.part("subject"), clause.part("to") or clause.part("into")
    numbered = to is not None and to.head in STEPS and any(c.isdigit() for c in to.text)
    if clause.predicate.split()[0] not in RISING or subject is None or to is None or not numbered:
        return []
    return [replace(subject), to.as_("in")]
