"""Statements that surely took the place of earlier ones: of several values of one subject, the latest holds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from goalmem.language.lexicon import is_mainly
from goalmem.language.terms import STOP_WORDS
from goalmem.language.verb_forms import is_over
from goalmem.language.words.doubts import DISMISSING, ENDING_WORK, NOW
from goalmem.language.words.verbs import CALLING_OFF, RESCHEDULING, SETTING_TIMES
from goalmem.records import Argument, Fact, Modality
from goalmem.sources.certainty.later_statements import MOST, Statements
from goalmem.sources.certainty.topics import PLACES, PRONOUNS
from goalmem.sources.evidence_store import EvidenceStore
from goalmem.sources.similarity import Similarity
from goalmem.sources.values import tells_new_time

MEASURES = frozenset({"quantity", "time"})
"""Types of what is counted or measured."""
STAYING = frozenset("be stay live sleep sit lie stand keep meet".split())
"""Verbs of location, of which one holds at a time (Levin 1993, 47.1 exist, 47.6 spatial configuration)."""
CHANGING_TO = (*sorted(RESCHEDULING), "transfer", "lower", "raise", "reduce", "increase", "drop", "cut", "go")
"""Verbs of changing `to` another value."""
COMPANY = ("with",)
"""Roles of those with whom somebody does something, which can be several: I play tennis with Tom, and with Ana."""
CLOCK = frozenset({"at", "from", "until", "by"})
"""Roles in which a bare number is an hour."""


@dataclass
class Slots:
    """Statements by slot: one subject has only one value in a slot at a time (`Fact.slot`)."""

    store: EvidenceStore
    space: str
    similarity: Similarity
    until: datetime | None = None
    """The day of the question: later statements replace nothing. None includes all statements."""
    _by_slot: dict[str, dict[str, list[Fact]]] = field(default_factory=dict)
    """Asserted statements by slot and subject, newest first."""
    _by_verb: dict[str, list[Fact]] = field(default_factory=dict)

    @cached_property
    def statements(self) -> Statements:
        """What was said by the day of the question."""
        return Statements(self.store, self.space, self.until)

    def superseded_by(self, fact: Fact) -> Fact | None:
        """The newest asserted statement that replaces this one or cancels what it arranges; None if it still holds."""
        if (newer := self._over_by(fact)) is not None:
            return newer
        altered = self.altered_by(fact)
        return altered[0] if altered is not None else None

    def _over_by(self, fact: Fact) -> Fact | None:
        """The statement that ended a fact as a whole."""
        return self._replaced_by(fact) or self.called_off_by(fact) or self.left_by(fact)

    def altered_by(self, fact: Fact) -> tuple[Fact, Argument] | None:
        """The newest statement that changes a number, time or place of a fact, and the argument that it changes.

        It has the same words and `now` (`I start work at 8 now`), or a verb of change (`They moved Nan to ward 11`).
        """
        values = [a for a in fact.args if a.role != "subject" and is_value(a)] if lasts(fact) else []
        if not values:
            return None
        again = ((f, self._given_another(f, fact)) for f in self._later(fact, fact.predicate) if NOW.search(f.text))
        told = (f for verb in CHANGING_TO for f in self._later(fact, verb))
        changed = ((f, next((v for v in values if self._changes(f, fact, v)), None)) for f in told)
        found = {f.id: (f, value) for f, value in (*again, *changed) if value is not None}
        ordered = self.statements.in_order(f for f, _ in found.values())
        return found[ordered[-1].id] if ordered else None

    def words_replaced_by(self, fact: Fact, start: int, end: int, *, whole: bool = True) -> Fact | None:
        """The statement that replaces these words of a fact: the number, time or place that contains them, or the whole fact."""
        altered = self.altered_by(fact)
        if altered is not None and altered[1].start < end and start < altered[1].end:
            return altered[0]
        return self._over_by(fact) if fact.slot and whole else None

    def annulled_by(self, fact: Fact) -> Fact | None:
        """The statement that cancels or reschedules what a fact arranges, so that its time no longer holds."""
        timed = any(a.type == "time" or a.role in CLOCK for a in fact.args if a.role != "subject" and is_value(a))
        altered = self.altered_by(fact) if timed else None
        return self.called_off_by(fact) or (altered[0] if altered is not None else None)

    def _changes(self, told: Fact, fact: Fact, value: Argument) -> bool:
        """True if a statement gives the new value of an argument of a fact."""
        coming = told.arg("to") or (told.arg("time") if tells_new_time(told) else told.arg("complement"))
        if (
            coming is None
            or (coming.role == "complement" and not coming.text.startswith("to "))
            or words_of(coming) == words_of(value)
            or not is_like(coming, value)
        ):
            return False
        theme = told.arg("object") or told.arg("subject")
        if theme is None or (value.role in PLACES and value.type not in MEASURES and fact.predicate not in STAYING):
            return False
        return any(self._names(theme, a) for a in fact.args if a is not value or a.role == "object")

    def _names(self, theme: Argument, argument: Argument) -> bool:
        """True if the changed thing is what an argument names, or what it is an amount of: `lisinopril` for `20 mg of lisinopril`."""
        if theme.entity and argument.entity:
            return self.similarity.corefer(theme.entity, argument.entity)
        said, own = words_of(theme), words_of(argument)
        return bool(said) and said <= own and (theme.head == argument.head or argument.type == "quantity")

    def _later(self, fact: Fact, verb: str) -> Iterator[Fact]:
        """Later assertions with a verb, newest first."""
        if verb not in self._by_verb:
            told = self.statements.told(predicate=verb, newest=MOST)
            self._by_verb[verb] = [f for f in told if f.polarity and f.modality is Modality.ASSERTED]
        return (f for f in reversed(self._by_verb[verb]) if self.statements.is_after(f, fact))

    def _given_another(self, told: Fact, fact: Fact) -> Argument | None:
        """The only number, time or place in which a statement with the same verb and subject differs from a fact."""
        who, whose = told.arg("subject"), fact.arg("subject")
        if who is None or whose is None:
            return None
        same = self.similarity.corefer(told.subject, fact.subject)
        if not same and not (who.head == whose.head and words_of(who) < words_of(whose)):
            return None
        new, old = ({a.role: a for a in f.args if a.role != "subject" and is_telling(a)} for f in (told, fact))
        if not new.keys() <= old.keys():
            return None
        other = [role for role in new if not says_as_much(new[role], old[role])]
        return old[other[0]] if len(other) == 1 and is_value(new[other[0]]) and is_value(old[other[0]]) else None

    def left_by(self, fact: Fact) -> Fact | None:
        """The statement that ended a job: the person quit or was dismissed."""
        subject = fact.arg("subject") or fact.arg("object")
        if fact.slot != "employment" or subject is None or not subject.entity:
            return None
        name, held = self.similarity.canonical(subject.entity), self.said_of(fact)
        told = self.statements.told(entity=subject.entity)
        return next((f for f in told if self._ends(f, name, held) and self.statements.is_after(f, fact)), None)

    def _ends(self, told: Fact, name: str, held: frozenset[str]) -> bool:
        """True if a statement says that somebody leaves a job or is dismissed; `held`: the names and nouns of the job."""
        if told.predicate not in ENDING_WORK or not told.polarity or told.modality is not Modality.ASSERTED:
            return False
        who, whom = told.arg("subject"), told.arg("object")
        if whom is not None and self.similarity.canonical(whom.entity) == name:
            return told.predicate in DISMISSING
        itself = who is not None and self.similarity.canonical(who.entity) == name and told.predicate not in DISMISSING
        what = [a for a in told.args if a.role in ("object", "from", "complement")]
        left = {self.similarity.canonical(a.entity) or a.head for a in what}
        left |= {a.head for a in what if "'s " in a.entity}  # "quit my job"
        timed = told.predicate == "leave" and any(a.role in ("at", "time") for a in told.args)
        return (
            itself
            and not (timed and not left)
            and (not left or bool(left & {*held}) or any(is_mainly(w, "occupation") for w in left))
        )

    def called_off_by(self, fact: Fact) -> Fact | None:
        """The statement that cancels a scheduled event: by its noun, or by a pronoun later in the same turn."""
        if fact.predicate not in SETTING_TIMES and fact.modality is not Modality.PLANNED:
            return None
        arranged = {a.head for a in fact.args if a.role in ("subject", "object")}
        for told in (f for verb in CALLING_OFF for f in self._later(fact, verb)):
            event = told.arg("object")
            by_pronoun = told.turn == fact.turn and event is not None and event.text.casefold() in PRONOUNS
            if event is not None and (by_pronoun or event.head in arranged):
                return told
        return None

    def _replaced_by(self, fact: Fact) -> Fact | None:
        if not fact.slot:
            return None
        if fact.slot not in self._by_slot:
            self._by_slot[fact.slot] = self._by_subject(self.statements.told(slot=fact.slot))
        about = self._by_slot[fact.slot].get(self.similarity.canonical(fact.subject), ())
        newest = next((f for f in about if f.polarity or self.said_of(f) == self.said_of(fact)), None)
        if newest is None or newest.turn == fact.turn or self.says_the_same(newest, fact):
            return None
        return newest if self.statements.is_after(newest, fact) else None

    def _by_subject(self, told: Sequence[Fact]) -> dict[str, list[Fact]]:
        found = defaultdict[str, list[Fact]](list)
        for fact in reversed(told):
            if fact.modality is Modality.ASSERTED:
                found[self.similarity.canonical(fact.subject)].append(fact)
        return found

    def says_the_same(self, a: Fact, b: Fact) -> bool:
        """True if two statements agree, so that the newer one replaces nothing."""
        same = (a.polarity, a.predicate) == (b.polarity, b.predicate)
        return same and self.said_of(a, *COMPANY) == self.said_of(b, *COMPANY)

    def said_of(self, fact: Fact, *besides: str) -> frozenset[str]:
        """The names and nouns in a statement other than its subject, and other than those in the roles `besides`."""
        others = (a for a in fact.args if a.role not in ("subject", "time", "manner", "frequency", *besides))
        return frozenset(self.similarity.canonical(a.entity) or a.head for a in others)


def lasts(fact: Fact) -> bool:
    """True if a statement describes a state that lasts until something else is said."""
    return (
        fact.polarity
        and fact.modality is Modality.ASSERTED
        and fact.kind == "clause"
        and not is_over(fact.text, fact.predicate)
    )


def is_like(new: Argument, old: Argument) -> bool:
    """True if two values are comparable: times, numbers of one unit, places."""
    if "quantity" in (new.type, old.type):
        return new.type == old.type and (new.head == old.head or (new.head.isdigit() and old.head.isdigit()))
    return (new.type == "time") == (old.type == "time")


def is_value(argument: Argument) -> bool:
    """True if an argument is a number, a time or a place."""
    return argument.type in MEASURES or argument.role in PLACES


def is_telling(argument: Argument) -> bool:
    """True if an argument says more than how or how often."""
    return argument.role not in ("manner", "frequency") or argument.type in MEASURES


def says_as_much(new: Argument, old: Argument) -> bool:
    """True if two arguments name the same; if they are no values, by their noun: `work` in `work at 9`."""
    values = is_value(new) or is_value(old)
    return words_of(new) == words_of(old) if values else (new.head, new.entity) == (old.head, old.entity)


def words_of(argument: Argument) -> frozenset[str]:
    """The content words of an argument."""
    return frozenset(re.findall(r"[\w.£$€]+", argument.text.casefold())) - STOP_WORDS - {"now"}
