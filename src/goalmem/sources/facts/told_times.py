"""The times that facts tell: an hour, a day that comes again, another event; and if they suit the goal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from goalmem.language.lexicon import is_known
from goalmem.language.times_grammar import CLOCK
from goalmem.language.times_within import is_bare_date, is_read_within
from goalmem.language.verb_forms import is_just_done, is_over
from goalmem.language.words.modifiers import TIME_MARKS
from goalmem.language.words.verbs import BOOKING
from goalmem.logic.evaluate import PAIRED, covers
from goalmem.logic.interval import Grain, Interval
from goalmem.logic.terms import Aggregate, Binding, Derivation, Goal, Value, Variable
from goalmem.logic.unify import Frame
from goalmem.records import Fact, Modality, Turn
from goalmem.sources.assertion import ends_elsewhere
from goalmem.sources.facts.match import Match
from goalmem.sources.facts.space_facts import SpaceFacts
from goalmem.sources.facts.tense import PLANNED, is_habit
from goalmem.sources.spans import sentence_around
from goalmem.sources.unplaced_times import has_other_time
from goalmem.sources.values import HABITUAL, RECURRING, counted_value, said_day, tells_new_time, time_value

DAY_ASKED = re.compile(r"\b(?:what|which) (?:exact )?(?:day|date)s?\b", re.IGNORECASE)
"""Questions for a day or date."""
NEARLY = re.compile(
    r"(?:right|just|shortly|straight|soon|immediately|long|the (?:day|night|morning|evening|week|month|year))"
)
"""Words before `after` or `before` that say how long."""
THEN = re.compile(r"^[\s,]*(?:(?:and|but)\s+)?(?:then\s+|afterwards?\s+)?", re.IGNORECASE)
"""Words that join what happened next."""
BARE_HOUR = re.compile(r"\d{1,2}(?:[:.]\d\d)?")
UNTIL_WHEN = re.compile(r"\W*(?:until|till|up to) (?:when|what|which)\b", re.IGNORECASE)
"""Questions for the end of something."""
SAID_SCORE = 0.6
"""Score of a time that is only the day of the statement. It is `likely` at most (`proof.status`): of 164 such times offered by passages of
held-out conversations none was right, so passages no longer offer them."""
CLAUSE_OF_TIME = re.compile(r"\b(?:when|whenever|while|once|after|before|until|till|since|as)\s+$", re.IGNORECASE)
JUST_DONE = 0.75
"""The same where it is told as just done."""
READ_WITHIN = 0.7
"""Score of a date that is read within a period set by a sentence before it."""


def recurring(fact: Fact, turn: Turn) -> str:
    """The times at which something recurs: `tuesdays and thursdays`, `6 every day`; empty if it does not recur."""
    args = [a for a in fact.args if a.start >= 0 and a.role != "subject"]
    for found in RECURRING.finditer(turn.content, fact.start):
        behind = found.start() >= fact.end and turn.content[fact.end : found.start()].isspace()
        if behind or any(a.start < found.end() and found.start() < a.end for a in args):
            hours = (a for a in args if a.role == "at" and not turn.content[a.end : found.start()].strip())
            hour = next((a for a in hours if a.end <= found.start()), None)
            start = found.start() if hour is None else hour.start
            return re.sub(r"^on\s+", "", turn.content[start : found.end()], flags=re.IGNORECASE)
    return ""


def timetabled(fact: Fact, turn: Turn) -> str:
    """The hour at which something regularly happens: `6.30 in the morning` of `the pool opens at 6.30 in the morning`; empty if it has none.

    What *is* at an hour has a day, too, which is not said.
    """
    regular = fact.modality is Modality.ASSERTED or is_from_then_on(fact, turn)
    if fact.predicate == "be" or not regular or is_over(fact.text, fact.predicate):
        return ""
    hour = next((a for a in fact.args if a.role == "at" and a.type in ("quantity", "time")), None)
    found = CLOCK.search(turn.content, hour.start, fact.end) if hour is not None else None
    if found is None and hour is not None and BARE_HOUR.fullmatch(hour.text):
        return hour.text
    if found is None:
        return ""
    return found.group() if "." in found.group()[:-1] else found.group().rstrip(".")


def is_from_then_on(fact: Fact, turn: Turn) -> bool:
    """True if the time of a fact is that from which on it regularly happens: `from Monday the shop closes at 8`."""
    told = rf"\b(?:from|starting|as of|since)\s+(?:the\s+)?{re.escape(fact.when_text)}"
    first, last = sentence_around(turn.content, fact.start, fact.end)
    return fact.when is not None and re.search(told, turn.content[first:last], re.IGNORECASE) is not None


def by_event(fact: Fact, turn: Turn) -> str:
    """The other event that a fact is dated by: `right after the festival`, `while I was in the shower`; empty if there is none."""
    told = next((a for a in fact.args if a.role in TIME_MARKS and a.start >= 0), None)
    if told is None or not fact.polarity or fact.modality not in PLANNED:
        return ""
    if is_known(f"{fact.predicate} {told.role}", "v"):
        return ""  # `looked after the cat`
    mark = re.search(
        rf"(?:{NEARLY.pattern}\s+)?\b{told.role}\s+$", turn.content[fact.start : told.start], re.IGNORECASE
    )
    return turn.content[fact.start + mark.start() : told.end] if mark is not None else ""


def without_time(activity: Value, fact: Fact, asked: Frame) -> Value:
    """An activity without the clause of time that the question names: `called Ana` of `called Ana after I ate`."""
    roles = {p.role for p in asked.constants if p.role in TIME_MARKS}
    told = next((a for a in fact.args if a.role in roles and a.start >= fact.start), None)
    if told is None:
        return activity
    text = re.sub(rf"\s+{told.role}\s+{re.escape(told.text)}$", "", activity.text)
    if activity.text in fact.text and fact.text.index(activity.text) + fact.start < told.end < fact.end:
        behind = THEN.sub("", fact.text[told.end - fact.start :])
        text = behind.strip(" ,.;!") or text
    return replace(activity, text=text, key=text.casefold())


def by_goal(matches: list[Match], goal: Goal) -> list[Match]:
    """The matches whose times suit the goal: a time that is another event only where it is the answer, which the day of saying is then not."""

    def is_event(match: Match) -> bool:
        return any(b.variable.type == "time" and is_marked(b) for b in match.bindings)

    asks = goal.aggregate is Aggregate.ONE and not goal.constraints
    if not asks or not any(map(is_event, matches)):
        return [m for m in matches if not is_event(m)]
    return [m for m in matches if not any(b.derivation is Derivation.SAID for b in m.bindings)]


def is_marked(binding: Binding) -> bool:
    """True for a time in words that name another event."""
    words = binding.span.casefold().split()
    return binding.derivation is Derivation.QUOTED and any(w in TIME_MARKS for w in words)


def starts_range(value: str, text: str) -> bool:
    """True if words name a number as the start of a range: the 9 of `from 9 to 5`, which 5 does not replace."""
    return re.search(rf"\bfrom {re.escape(value)} ?(?:to|until|till|[-–]) ?\d", text, re.IGNORECASE) is not None


def counted_back(binding: Binding, fact: Fact) -> Binding:
    """A time as `counted_value` gives it; any other binding is unchanged."""
    if binding.derivation is not Derivation.TIME:
        return binding
    return replace(binding, value=counted_value(binding.value, fact.when_text, fact.said))


def coarse(bindings: Sequence[Binding], goal: Goal) -> bool:
    """True if a question for a day gets a longer time: `the week of 3 March`."""
    if DAY_ASKED.search(goal.question) is None:
        return False
    spans = (b.value.interval for b in bindings if b.variable == goal.answer)
    return any(i is not None and i.end - i.start > timedelta(days=1) for i in spans)


def loose(match: Match, goal: Goal, *, just_done: bool) -> bool:
    """True if a time is only the day of the statement, but would be measured or compared as the time of an event that had not just happened."""
    measured = goal.aggregate in PAIRED and not just_done
    return measured and any(b.derivation is Derivation.SAID for b in match.bindings)


def denies_less_time(goal: Goal, match: Match) -> bool:
    """True if something is denied for a time that is shorter than the one asked for: who did not smoke in March may have smoked that year."""
    told = {b.variable.name: b.value for b in match.bindings}
    return match.opposed and not all(covers(c, told) for c in goal.constraints)


def tells_no_end(goal: Goal, match: Match) -> bool:
    """True if it is asked until when something lasts, and a fact tells only when it is."""
    times = (b.value.interval for b in match.bindings if b.variable == goal.answer and b.value.interval is not None)
    return UNTIL_WHEN.match(goal.question) is not None and any(t.grain is not Grain.SPAN for t in times)


@dataclass(frozen=True)
class EventTimes:
    """The times of facts, by their turns."""

    facts: SpaceFacts

    def binding(self, variable: Variable, fact: Fact) -> tuple[Binding, float] | None:
        """The time of the fact: as stated, otherwise no later than the day on which it was said."""
        if tells_new_time(fact):
            return None
        turn = self.facts.turn(fact.turn)
        hour = timetabled(fact, turn) if turn is not None and fact.polarity else ""
        told = (
            Binding(variable, Value(hour, hour.casefold(), "time"), Derivation.QUOTED, hour, fact.turn)
            if hour
            else None
        )
        if told is not None and turn is not None and is_from_then_on(fact, turn):
            return told, 1.0
        if fact.when is not None:
            shown = time_value(fact.when, fact.when_text)
            return Binding(variable, shown, Derivation.TIME, fact.when_text, fact.turn), self._placed(fact, fact.when)
        if turn is not None and fact.polarity and (again := recurring(fact, turn)):
            return Binding(variable, Value(again, again.casefold(), "time"), Derivation.QUOTED, again, fact.turn), 1.0
        if told is not None:
            return told, 1.0
        if fact.modality is Modality.PLANNED or (turn is not None and not turn.dated):
            return None
        if HABITUAL.search(fact.text) or is_habit(fact):
            return None
        if any(a.role == "time" and is_bare_date(a.text) for a in fact.args) and fact.predicate not in BOOKING:
            return None
        if turn is not None and has_other_time(turn.content, fact.start, fact.end, whole=fact.kind == "possession"):
            return None
        if any(a.role == "at" and a.type == "quantity" for a in fact.args) and not is_over(fact.text, fact.predicate):
            return None  # `The match is at two` gives an hour and leaves the day open.
        day = said_day(fact.said)
        sure = JUST_DONE if self.just_done(fact) else SAID_SCORE
        return Binding(variable, Value(str(day), str(day), "time", day), Derivation.SAID, "", fact.turn), sure

    def event(self, variable: Variable, fact: Fact) -> Binding | None:
        """The event that a fact is dated by as its time: `right after the festival`; None if there is none."""
        turn = self.facts.turn(fact.turn)
        event = by_event(fact, turn) if turn is not None and fact.when is None else ""
        if not event:
            return None
        return Binding(variable, Value(event, event.casefold(), "time"), Derivation.QUOTED, event, fact.turn)

    def _placed(self, fact: Fact, when: Interval) -> float:
        """How sure it is when a fact was: less where a sentence before it set the week, the month or the year."""
        turn = self.facts.turn(fact.turn)
        told = turn is not None and is_read_within(turn.content, fact.start, fact.when_text, when, fact.said)
        return READ_WITHIN if told else 1.0

    def just_done(self, fact: Fact) -> bool:
        """True if an event had just happened when it was told, and not when something else did: `when I just moved there`."""
        turn = self.facts.turn(fact.turn) if is_just_done(fact.text, fact.predicate) else None
        return turn is not None and CLAUSE_OF_TIME.search(turn.content, 0, fact.start) is None

    def lasts_otherwise(self, match: Match, goal: Goal) -> bool:
        """True if a duration ends when it was told, and not when the other event of the question happened."""
        turn = self.facts.turn(match.fact.turn)
        told = next((b for b in match.bindings if b.variable == goal.answer and b.variable.type == "duration"), None)
        if turn is None or told is None or not goal.constraints:
            return False
        start = turn.content.find(told.span, match.fact.start)
        return start >= 0 and ends_elsewhere(goal.question, turn.content, start, start + len(told.span))
