"""Attaches expressions of time to clauses and resolves them."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from goalmem.language import lexicon
from goalmem.language.annotations import Clause, Part, Referent, TurnReading
from goalmem.language.clauses import dependents, finite_form, has_got, is_asked
from goalmem.language.entities import noun_type
from goalmem.language.gapping import GAP, ORPHAN
from goalmem.language.identity import description
from goalmem.language.phrases import part
from goalmem.language.tense import FROM, Side, lies_ahead, side_of
from goalmem.language.times import Expression, find_times, scan
from goalmem.language.times_following import following_times, is_counted_on
from goalmem.language.times_resolution import ResolutionContext
from goalmem.language.times_within import Periods, SaidTime
from goalmem.language.words.verbs import ACQUIRING, BOOKING, ENDING_HABITS, RESCHEDULING
from goalmem.logic.interval import Interval
from goalmem.records import Modality

if TYPE_CHECKING:
    from spacy.tokens import Span, Token


TO_VERB = 3
"""Levels of the tree between a time and the first phrase of its clause."""
_FOR = re.compile(r"\bfor(?: the)? $", re.IGNORECASE)


def find_expressions(reading: TurnReading) -> None:
    """Notes the expressions of time with the word that carries each."""
    for expression in scan(reading.text):
        words = reading.doc.char_span(expression.start, expression.end, alignment_mode="expand")
        if words is not None and not reading.is_quoted(words.root):
            reading.times.append((expression, words.root))


def fill_times(reading: TurnReading) -> None:
    """Gives each clause its time: an argument in role `time`, and the interval, read with the clause's tense."""
    clauses = {c.head.i: c for c in reading.clauses if c.head is not None}
    clauses |= {c.remnant.i: c for c in reading.clauses if c.remnant is not None}
    dated: dict[int, Expression] = {}
    periods = Periods(reading.doc, reading.turn.at) if reading.dated else None
    for expression, root in sorted(reading.times, key=lambda t: _is_of_name(t[1])):
        clause = _clause_of(root, clauses) or _clause_before(root, clauses)
        if clause is None or (clause.remnant is None and _is_orphan(root)):
            continue
        if clause.tense == "past" and is_counted_on(expression.text):
            continue
        _drop_parts(reading, expression, root, clause)
        clause.parts.append(_time_part(reading, expression, root))
        ahead = _lies_ahead(reading, clause, expression)
        when = expression.resolve(reading.turn.at, ahead)
        if periods is not None:
            told = clause.polarity and clause.modality in (Modality.ASSERTED, Modality.PLANNED)
            when = periods.place(SaidTime(expression, root, clause.head, when, ahead, told))
        if _is_aimed_at(reading, clause, expression) or _is_left(reading, clause, expression):
            when = None
        before = clause.when
        shorter = when is not None and (before is None or when.end - when.start < before.end - before.start)
        told = when is not None and _is_told_behind(clause, dated.get(id(clause)), expression)
        beside = before is not None and (
            _is_of_name(root) or _is_told_behind(clause, expression, dated.get(id(clause)))
        )
        if told or (shorter and not beside):
            clause.when, clause.when_text = when, expression.text
            dated[id(clause)] = expression
        _schedule(reading, clause)
    for clause in reading.clauses:
        if clause.when is None:
            _lasting(reading, clause)
    for clause in reading.clauses:
        _share(clause)
    if reading.dated and _follow(reading, clauses):
        for clause in reading.clauses:
            _share(clause)


def _follow(reading: TurnReading, clauses: dict[int, Clause]) -> bool:
    """Give a time to what happened `the next day` or `two years later`: counted from the time told just before. True if there is any."""
    found = False
    for time in following_times(reading.text):
        words = reading.doc.char_span(time.start, time.end, alignment_mode="expand")
        clause = _clause_of(words.root, clauses) if words is not None else None
        if words is None or clause is None or clause.head is None or clause.when is not None:
            continue
        if reading.is_quoted(words.root) or not (time.sure or _is_single(words.root.sent)):
            continue
        base = _told_before(reading, words[0], clause)
        when = time.resolve(base) if base is not None else None
        if when is not None:
            expression = Expression(time.start, time.end, time.text, partial(_known, when))
            _drop_parts(reading, expression, words.root, clause)
            clause.parts.append(_time_part(reading, expression, words.root))
            clause.when, clause.when_text, found = when, time.text, True
    return found


def _known(when: Interval, _: ResolutionContext) -> Interval:
    return when


def _is_single(sent: Span) -> bool:
    """True for a sentence with one verb."""
    return sum(t.pos_ == "VERB" or (t.pos_ == "AUX" and t.dep_ not in ("aux", "auxpass")) for t in sent) == 1


def _told_before(reading: TurnReading, first: Token, clause: Clause) -> Interval | None:
    """The time of the last statement before a word, in its sentence or the one before; None if that has none."""
    start = first.sent.start
    sentences = [first.sent] if start == 0 else [reading.doc[start - 1].sent, first.sent]
    told = [
        c
        for sent in sentences
        for c in reading.clauses_in(sent)
        if c is not clause and c.verb.i < first.i and c.link in ("", "conj", "parataxis") and not c.light
    ]
    last = max(told, key=lambda c: c.verb.i, default=None)
    known = last is not None and last.polarity and last.modality in (Modality.ASSERTED, Modality.PLANNED)
    return last.when if last is not None and known else None


def _is_orphan(root: Token) -> bool:
    """True within a clause whose verb is not repeated and that is not read."""
    return any(t.dep_ == ORPHAN or t.dep_.startswith(GAP) for t in (root, *islice(root.ancestors, TO_VERB)))


def _is_told_behind(clause: Clause, first: Expression | None, second: Expression | None) -> bool:
    """In `so tired today, the meeting is on Friday`, what stands behind the verb is when the meeting is."""
    if clause.predicate != "be" or first is None or second is None or clause.head is None:
        return False
    return first.start < clause.head.idx < second.start


def _is_of_name(root: Token) -> bool:
    """`the Ash Wednesday service`, `the Sunday mass`: the time is part of a name."""
    return root.dep_ in ("compound", "nmod") and root.head.ent_type_ not in ("DATE", "TIME")


def _is_aimed_at(reading: TurnReading, clause: Clause, expression: Expression) -> bool:
    """`I booked the ferry for 3 June`: not when it was booked."""
    booked = clause.predicate in BOOKING and not clause.passive
    return booked and _FOR.search(reading.text, max(0, expression.start - 10), expression.start) is not None


def _clause_of(token: Token, clauses: dict[int, Clause]) -> Clause | None:
    while token.i not in clauses:
        if token.head.i == token.i:
            return None
        token = token.head
    return clauses[token.i]


def _schedule(reading: TurnReading, clause: Clause) -> None:
    """`we fly on 3 August`: a future in the present tense is a plan; `the wedding is in June` is a fact."""
    ahead = clause.when is not None and clause.when.start > reading.turn.at.replace(tzinfo=None)
    if ahead and clause.tense == "present" and clause.predicate != "be" and clause.modality is Modality.ASSERTED:
        clause.modality = clause.meant = Modality.PLANNED


def _clause_before(token: Token, clauses: dict[int, Clause]) -> Clause | None:
    """`I broke my wrist. Two weeks ago.`: a sentence that is a time alone dates the one before it."""
    sent = token.sent
    if sent.start == 0 or any(
        t.pos_ in ("NOUN", "PROPN", "VERB") and t.ent_type_ not in ("DATE", "TIME") for t in sent
    ):
        return None
    clause = clauses.get(token.doc[sent.start - 1].sent.root.i)
    return clause if clause is not None and not clause.part("time") else None


def _drop_parts(reading: TurnReading, expression: Expression, root: Token, own: Clause) -> None:
    """Remove a time that was taken for a participant ("in [March]")."""
    verbless = [own] if own.head is None else []
    for clause in (*reading.clauses_in(root.sent), *verbless):
        clause.parts = [
            p
            for p in clause.parts
            if p.token is None or not expression.start <= p.token.idx < expression.end or p.role == "complement"
        ]


def _is_left(reading: TurnReading, clause: Clause, expression: Expression) -> bool:
    """`The meeting was moved from Monday to Thursday`: on Monday it is no longer."""
    return (
        clause.predicate in RESCHEDULING
        and FROM.search(reading.text, max(0, expression.start - 10), expression.start) is not None
    )


def _time_part(reading: TurnReading, expression: Expression, root: Token) -> Part:
    text = reading.turn.content[expression.start : expression.end]
    return Part("time", text, expression.start, expression.end, root.lemma_.lower(), root, type="time")


def _lies_ahead(reading: TurnReading, clause: Clause, expression: Expression) -> bool | None:
    """The side of the day of saying on which a time of a clause lies; None where the day is unknown."""
    if not reading.dated:
        return None
    ahead = (
        clause.modality
        in (Modality.PLANNED, Modality.WISH, Modality.HYPOTHETICAL, Modality.CONDITIONAL, Modality.COMMAND)
        or clause.meant is Modality.PLANNED
    )
    side = Side(True) if ahead and clause.tense != "past" else side_of(reading.doc, expression)
    if not side and clause.tense:
        side = Side(clause.tense != "past")
    return lies_ahead(expression, reading.turn.at, side)


def _lasting(reading: TurnReading, clause: Clause) -> None:
    """`have lived here for 4 years`: since then."""
    head, length = clause.head, clause.part("for")
    if head is None or length is None or length.token is None or clause.modality is not Modality.ASSERTED:
        return
    perfect = any(t.lemma_ == "have" and t.tag_ in ("VBP", "VBZ") for t in head.children if t.dep_ == "aux")
    if perfect and length.type in ("time", "quantity"):
        found = find_times(f"the past {length.text}", reading.turn.at)
        if found:
            clause.when, clause.when_text = found[0].interval, f"for {length.text}"


def _share(clause: Clause) -> None:
    """`started taking classes in May`: both; `Yesterday I ran and swam`: both, when the time comes first."""
    above = clause.matrix
    if above is None or clause.head is None or above.head is None:
        return
    together = clause.link == "advcl" and clause.head.tag_ == "VB" and above.part("to") is not None
    if (clause.link == "xcomp" or together) and clause.modality is above.modality:
        if clause.when is None and above.when is not None:
            clause.when, clause.when_text = above.when, above.when_text
        elif above.when is None and clause.when is not None:
            above.when, above.when_text = clause.when, clause.when_text
            above.parts.extend(replace(p) for p in clause.parts if p.role == "time")
    elif clause.link == "conj" and clause.when is None and above.when is not None:
        first = above.part("time")
        if first is not None and first.token is not None and first.token.i < above.head.i:
            clause.when, clause.when_text = above.when, above.when_text


def acquired(reading: TurnReading, token: Token) -> Referent | None:
    """`I adopted a dog` -> Maya's dog, so that it can be spoken of, and named, later on. Animals alone: they are named."""
    verb = token.head
    if token.dep_ != "dobj" or token.tag_ != "NN" or verb.lemma_ not in ACQUIRING or noun_type(token) != "animal":
        return None
    subject = next((t for t in dependents(verb) if t.dep_ == "nsubj"), None)
    owner = reading.referents.get(subject.i) if subject is not None else None
    if (
        owner is None
        or not owner.entity
        or not _happened(verb)
        or not any(t.lower_ in ("a", "an") for t in token.lefts)
    ):
        return None
    what = description(token)
    reading.owned[token.i] = (owner.entity, what)
    return Referent(f"{owner.entity}'s {what}", "animal", "owner", lexicon.gender(token.lemma_))


def _happened(verb: Token) -> bool:
    """A plain past or perfect, or a present possession; neither asked nor denied."""
    finite = finite_form(verb)
    if finite is None or finite.tag_ == "MD" or is_asked(verb) or any(t.dep_ == "neg" for t in dependents(verb)):
        return False
    return (
        finite.tag_ == "VBD"
        or verb.lemma_ in ("have", "own")
        or has_got(verb)
        or (finite.lemma_ == "have" and verb.tag_ == "VBN")
    )


def endings(reading: TurnReading) -> None:
    """`quit smoking`, `gave up smoking cigars` -> does not smoke, where the activity is parsed as a noun."""
    for clause in list(reading.clauses):
        subject, obj = clause.part("subject"), clause.part("object")
        if (
            clause.predicate in ENDING_HABITS
            and subject
            and obj
            and obj.token is not None
            and clause.modality is Modality.ASSERTED
        ):
            found = _activity(reading, obj.token)
            if found:
                reading.clauses.append(_ended(clause, subject, *found))


def _activity(reading: TurnReading, token: Token) -> tuple[str, list[Part]] | None:
    """The verb of a noun in -ing, and its object."""
    if token.pos_ != "NOUN":
        return None
    verb = _verb(token)
    if verb:
        return verb, []
    for modifier in token.lefts:
        if modifier.dep_ in ("compound", "amod") and _verb(modifier):
            return _verb(modifier), [part(reading, token, "object")]
    return None


def _verb(token: Token) -> str:
    stem = token.lower_.removesuffix("ing")
    if stem == token.lower_ or len(stem) < 2:
        return ""
    candidates = (f"{stem}e", stem, stem[:-1]) if stem[-1] != stem[-2] else (stem[:-1], stem)
    linked = lexicon.related(token.lower_, "v")
    return next((c for c in candidates if c in linked), "") or next(
        (c for c in candidates if lexicon.is_known(c, "v")), ""
    )


def _ended(clause: Clause, subject: Part, verb: str, objects: list[Part]) -> Clause:
    spans = [p for p in clause.parts if p.start >= 0]
    return Clause(
        None,
        verb,
        parts=[subject, *objects],
        tense="present",
        polarity=not clause.polarity,
        when=clause.when,
        when_text=clause.when_text,
        start=min(p.start for p in spans),
        end=max(p.end for p in spans),
    )
