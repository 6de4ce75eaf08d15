"""Facts as events that begin or end where somebody or something is, where they live, or who has it (event calculus: Kowalski & Sergot
1986).

Only assertions begin or end anything; plans, wishes, suppositions and hearsay do not. `Either in the kitchen or the park` ends the previous
state without giving a new one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from goalmem.language import lexicon
from goalmem.language.words.changes import DROPPING, ENDING, GIVING, GOING, HAVING, LEAVING, REACHING, RESIDENT, TAKING
from goalmem.records import Fact, Modality
from goalmem.sources.similarity import Similarity
from goalmem.sources.state.event_places import (
    PASSING,
    has_there,
    home_or_there,
    is_long_ago,
    is_usual,
    moment_of,
    place_of,
    receiver_from,
    receiver_of,
)
from goalmem.sources.state.things import EventContext, Thing, fact_words, is_being, is_portable, is_thing, thing_of
from goalmem.sources.state.unknown_events import doubt_of, is_absence
from goalmem.sources.values import without_article

INTO = ("to", "into", "onto", "inside", "aboard")
WITHIN = (
    "in",
    "at",
    "inside",
    "on",
    "within",
    "under",
    "behind",
    "near",
    "beside",
    "into",
    "onto",
    "outside",
    "aboard",
)
OUT = ("from", "of", "out", "out of", "off")
GRIPS = re.compile(r"(?:hold|possession|control|rid|charge)\s+of\s+(?P<what>.+)", re.IGNORECASE)
RELEASED = re.compile(r"\blet(?:s|ting)?\s+go\s+of\b", re.IGNORECASE)
EITHER = re.compile(r"\b(?:either|or)\b", re.IGNORECASE)
ARRIVING = frozenset({"arrive", "land", "settle", "settle down", "relocate"})
"""Verbs of motion whose destination has `in` or `at` (51.1-1)."""
WAYS = frozenset("make wend find work fight force push thread weave pick feel inch edge".split())
"""Verbs of the way construction: `made her way to the attic` (Goldberg 1995, chapter 9)."""
PERSONAL = frozenset({"speaker", "addressee"})
INTRANSITIVE = frozenset({"go", "come"})
"""Verbs whose object is the action: `went shopping` (Quirk et al. 1985, section 16.38)."""


@dataclass(frozen=True, slots=True)
class StateEvent:
    """An event: what one fact begins or ends."""

    fact: Fact
    kind: str
    """`go`, `leave`, `be`, `not-be`, `may-be`, `take`, `give`, `drop`, `end`, `have`, `not-have`, `live`, `not-live`; `unsure`: the
    previous state has ended, `doubt`: it may have ended."""
    who: Thing
    """The subject; for `be`, it may be a thing."""
    moment: datetime
    """Orders events: the time in the fact, otherwise the time of the turn. Wall-clock."""
    what: Thing | None = None
    to: Thing | None = None
    """The receiver."""
    place: Thing | None = None

    @property
    def own(self) -> bool:
        """True if people say it about themselves."""
        subject = self.fact.arg("subject")
        return subject is not None and subject.resolved in PERSONAL

    @property
    def past(self) -> bool:
        """True for a past state."""
        return bool(re.search(r"\b(?:was|were|had|lived|resided|used to)\b", self.fact.text, re.IGNORECASE))


MOVING = frozenset({"move", "transfer", "relocate"})
"""Verbs whose object, if it is a being, changes its place."""
LEFT = frozenset({"leave", "leave behind", "drop"})
"""Verbs of what is left somewhere, perhaps by mistake: after a while it need not be there."""
SOMEBODY = Thing("", "somebody", "")
"""The agent of a passive."""


def events_of(facts: Sequence[Fact], similarity: Similarity) -> list[StateEvent]:
    """The events in facts, in the order of the conversation."""
    subjects = (s.entity for f in facts if (s := f.arg("subject")) is not None)
    acting = frozenset(similarity.canonical(n) for n in (*subjects, *(f.speaker for f in facts)) if n)
    context, found = EventContext(similarity, acting), list[StateEvent]()
    for n, fact in enumerate(facts):
        # Pronouns refer to what was just said; farther back, they are open.
        before = [f for f in facts[max(0, n - 6) : n] if f.start < fact.start or f.turn != fact.turn]
        found += events(fact, before, context)
        thing = fact.arg("object") or fact.arg("subject")
        if thing is not None and fact.kind == "clause" and is_thing(thing):
            context.thing = thing_of(thing, similarity)
    return found


def events(fact: Fact, before: Sequence[Fact], context: EventContext) -> Iterator[StateEvent]:
    """The events in one fact; two for `Mary and John went there`, none if it changes nothing."""
    doubtful = EITHER.search(fact.text) and (fact.predicate == "be" or fact.predicate in GOING)
    if fact.kind != "clause" or (fact.modality is not Modality.ASSERTED and not doubtful):
        return
    subjects = context.people_of(fact.arg("subject"), before)
    done_to = fact.arg("object") if fact.arg("subject") is None else None
    if done_to is not None:
        moved = fact.predicate in GOING and is_being(done_to, context)
        # `The ball was dropped in the yard`; `Ines was rushed to the clinic`.
        subjects = [thing_of(done_to, context.similarity)] if moved else [SOMEBODY]
    elif fact.predicate in MOVING and (carried := fact.arg("object")) is not None and is_being(carried, context):
        subjects = [thing_of(carried, context.similarity)]  # `They moved Nan to ward 11`.
    for who in subjects:
        made = event(fact, who, context, before, doubtful=bool(doubtful))
        if made is not None:
            yield made
    for who in context.meant_perhaps(fact.arg("subject"), before) if not subjects else ():
        made = event(fact, who, context, before, doubtful=bool(doubtful))
        if made is not None:
            yield replace(made, kind="unsure")


def event(
    fact: Fact, who: Thing, context: EventContext, before: Sequence[Fact], *, doubtful: bool
) -> StateEvent | None:
    """The event that a fact describes for its subject."""
    told = _FactReader(fact, who, context, before, doubtful=doubtful)
    return told.state() or ((told.change() or told.doubt()) if told.certain() else None)


def is_meant_for_another(fact: Fact, who: Thing) -> bool:
    """True if something is got for another person or a gathering, who may have it by now: `bought my son a bike`, `a cake for the party`."""
    whom = fact.arg("indirect") or fact.arg("for")
    if whom is None:
        return False
    if whom.role == "for" and lexicon.can_be(whom.head, "social gathering"):
        return True
    return whom.type == "person" and bool(whom.entity) and whom.entity.casefold() != who.key


class _FactReader:
    """Reads one fact as an event."""

    def __init__(
        self, fact: Fact, who: Thing, context: EventContext, before: Sequence[Fact], *, doubtful: bool
    ) -> None:
        self.fact, self.who, self.context, self.before, self.doubtful = fact, who, context, before, doubtful
        self.verb, self.what = self._phrasal(fact.predicate, context.thing_meant(fact.arg("object")))
        self.inside = place_of(fact, WITHIN, context)
        self.goal = place_of(fact, INTO, context)
        self.receiver = receiver_of(fact, context, before)
        given = fact.arg("indirect")
        if not (self.receiver or self.goal) and given is not None and self.verb in TAKING and given.resolved == "name":
            self.goal = thing_of(given, context.similarity)

    def _phrasal(self, verb: str, what: Thing | None) -> tuple[str, Thing | None]:
        """The verb and its object, with `let go of it`, `took hold of it` and `made her way` replaced by simple verbs."""
        released = self.fact.arg("of")
        if verb == "go" and released is not None and RELEASED.search(self.fact.text):
            return "let go", self.context.thing_meant(released)
        gripped = GRIPS.match(fact_words(self.fact))
        if what is not None and gripped is not None:
            held = without_article(gripped["what"]).casefold()
            return ("get rid" if what.head == "rid" else verb), Thing(held, held, held.split()[-1])
        if what is not None and what.head == "way" and verb in WAYS:
            return "go", None
        return verb, what

    def made(
        self, kind: str, *, thing: Thing | None = None, to: Thing | None = None, place: Thing | None = None
    ) -> StateEvent:
        """An event of a kind."""
        return StateEvent(self.fact, kind, self.who, moment_of(self.fact), thing, to, place)

    def certain(self) -> bool:
        """True if the fact says that something happened; for a choice of places, that it is one of them."""
        return self.fact.polarity and not is_usual(self.fact) and (not self.doubtful or self.verb in GOING)

    def state(self) -> StateEvent | None:
        """A state: a place, a home, or a possession."""
        not_ = "" if self.fact.polarity else "not-"
        where = self.inside or (home_or_there(self.fact) if self.verb == "be" else None)
        if self.verb in ("be", "stay", "remain") and where is not None:
            return self.made("may-be" if self.doubtful else f"{not_}be", place=where)
        if self.verb in RESIDENT and self.inside is not None:
            return self.made(f"{not_}live", place=self.inside)
        owner = self.fact.arg("with")
        if self.verb == "be" and self.who.key and owner is not None and is_being(owner, self.context):
            people = self.context.people_of(owner, self.before)
            kind, moment = f"{not_}have", moment_of(self.fact)
            return StateEvent(self.fact, kind, people[0], moment, self.who) if len(people) == 1 else None
        if self.verb in HAVING and self.what is not None and self.goal is None and is_portable(self.what, self.fact):
            return self.made(f"{not_}have", thing=self.what)
        return None

    def change(self) -> StateEvent | None:
        """A change."""
        if self.verb in REACHING and self.what is not None:
            return self.made("go", place=self.what)
        if self.verb in LEAVING and not (self.inside is not None or has_there(self.fact)):
            # `Left the milk`, `left the kitchen`: the state of the person decides which it is.
            return self.made("leave", thing=self.what, place=self.what or place_of(self.fact, OUT, self.context))
        if self.what is None or self.what.key == self.who.key:
            return self.motion() if self.verb in GOING else None
        return self.handling(self.what) if is_portable(self.what, self.fact) else None

    def handling(self, what: Thing) -> StateEvent | None:
        """What happens to a thing."""
        if self.verb in GIVING and self.receiver is not None:
            # Nobody gives to themselves: a pronoun was resolved wrongly.
            kind = "give" if self.receiver.key != self.who.key else "unsure"
            return self.made(kind, thing=what, to=self.receiver)
        if self.verb in GIVING and self.verb.endswith(" back"):
            return self.made("give-back", thing=what)
        if self.verb in GOING and self.goal is not None:
            return self.made("put", thing=what, place=self.goal)
        if self.verb in DROPPING:
            gone = self.verb in LEFT and is_long_ago(self.fact)
            return self.made("unsure" if gone else "drop", thing=what, place=None if gone else self.inside)
        if self.verb in ENDING or (self.verb in PASSING and self.goal is None):
            return self.made("end", thing=what)
        if self.verb in TAKING and is_meant_for_another(self.fact, self.who):
            return self.made("unsure", thing=what)
        if self.verb in TAKING:
            return self.made("take", thing=what, place=self.goal, to=receiver_from(self.fact, self.context))
        return None

    def doubt(self) -> StateEvent | None:
        """A state that may have ended, if nothing certain is said."""
        if self.verb in ("be", "go") and is_absence(self.fact):
            return self.made("unsure")
        what = self.what if self.what is not None and self.what.key != self.who.key else None
        if what is not None and self.verb.split()[0] not in INTRANSITIVE and lexicon.coarse_type(what.head) != "place":
            kind = doubt_of(self.fact, thing=True)
            being = what.name or lexicon.coarse_type(what.head) in ("person", "animal")
            return self.made(kind, thing=what) if kind and not (being and kind == "doubt") else None
        kind = doubt_of(self.fact, thing=False) if self.who.key else ""
        return self.made(kind) if kind else None

    def motion(self) -> StateEvent | None:
        """The destination of a movement."""
        goal = self.goal or (self.inside if self.verb in ARRIVING else None) or home_or_there(self.fact)
        return self.made("may-be" if self.doubtful else "go", place=goal) if goal is not None else None
