"""Answers of the state log: where somebody or something is or lives, who has it, and what was given to whom."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from goalmem.language import lexicon
from goalmem.language.lexnames import NounKind
from goalmem.language.morphology import singular
from goalmem.language.words.changes import FOR_MONEY_OR_TIME
from goalmem.questions.states import StateQuestion
from goalmem.records import Fact
from goalmem.sources.state.events import StateEvent
from goalmem.sources.state.loader import StateLoader
from goalmem.sources.state.log import StateLog, StatePeriod, Timeline
from goalmem.sources.state.things import Thing
from goalmem.sources.values import without_article

ONE = re.compile(r"(?:the|my|our|your|his|her|their|its|this|that|[\w-]+(?: [\w-]+)?['’]s?)\s", re.IGNORECASE)
"""Determiners of one thing in particular."""
TANGIBLE = NounKind.named("animal artifact object plant food substance person possession")
"""Kinds of things of which nobody else has the one that somebody has."""
SURE, DOUBTFUL = 1.0, 0.72
"""Scores of a state that holds until something ends it, and of one that may have ended or changed in the meantime;
the latter is `likely` at most."""
VISIT = timedelta(days=1)
"""How long somebody certainly stays where they went, if nothing else is said."""
ANY = re.compile(r"(?:an?|any|some|one)\s", re.IGNORECASE)
"""Begins an indefinite phrase."""
CONTAINERS = ("building", "house", "region", "district", "organization", "housing")
"""Kinds of places that contain other places."""


@dataclass(frozen=True, slots=True)
class StateAnswer:
    """One answer of a log of states or attributes."""

    value: Thing | None
    """None for yes and no."""
    because: tuple[Fact, ...]
    weight: float = SURE
    opposed: bool = False
    number: int | None = None
    """The number, if a count is asked for."""


def _state_answer(
    value: Thing | None,
    because: Sequence[StateEvent],
    weight: float = SURE,
    *,
    opposed: bool = False,
    number: int | None = None,
) -> StateAnswer:
    """An answer that rests on events."""
    return StateAnswer(value, tuple(dict.fromkeys(e.fact for e in because)), weight, opposed, number)


def may_be_several(thing: str) -> bool:
    """True unless words name one thing that one person has at a time: `the drill`, `Ann's car`; not `a car`, `Covid`, `the password`."""
    if ANY.match(thing) is not None or not ONE.match(thing):
        return True
    kinds = lexicon.supersenses(thing.casefold().split()[-1])
    return bool(kinds) and kinds[0] not in TANGIBLE


@dataclass
class StateAnswers:
    """One question, with the log of the entities it is about."""

    asked: StateQuestion
    loader: StateLoader
    at: datetime

    def __post_init__(self) -> None:
        self.subject, self.value, self.receiver = map(
            self._key, (self.asked.subject, self.asked.value, self.asked.receiver)
        )
        wanted = {k: None for key in self._wanted() if key for k in (key, singular(key))}
        form = self.asked.form
        self.log: StateLog = self.loader.log(*wanted, holders=form in ("at", "places"), things=form in ("had", "count"))
        self.subject = self._told(self.subject)
        if self.asked.form in ("given", "received", "gave"):
            self.value = self._told(self.value)

    def _wanted(self) -> tuple[str, ...]:
        if self.asked.form == "home":
            return (self.subject,)
        return (
            self.subject,
            self.receiver,
            self.value if self.asked.form in ("given", "received", "gave", "holder") else "",
        )

    def _key(self, words: str) -> str:
        return self.loader.similarity.canonical(without_article(words)) if words else ""

    def _told(self, key: str) -> str:
        """The log's key for a name: `bike` is Maya's bike if there is no other."""
        known = {*self.log.at, *self.log.holder, *self.log.home, *(e.what.key for e in self.log.given if e.what)}
        longer = {k for k in known if k.endswith(f" {key}")}
        shorter = {k for k in known if key.endswith(f" {k}")}
        if key in known or not key:
            return key
        if singular(key) in known:
            return singular(key)  # Facts name `the keys` by their head, `key`.
        return next(iter(longer or shorter)) if len(longer or shorter) == 1 else key

    def answers(self) -> Iterator[StateAnswer]:
        """Yield the answers; none if there are too many facts to read, or if it is unclear which thing is meant."""
        if not self.loader.complete or {self.subject, self.value} & self.log.unclear:
            return
        match self.asked.form:
            case "at" | "home" | "holder":
                yield from self._held()
            case "had" | "count" | "places" if self.loader.since is not None:
                return  # A list is only complete if everything was read.
            case "had" | "count":
                yield from self._had()
            case "places":
                stays = [s for s in self.log.at.get(self.subject, []) if s.value is not None]
                yield from (_state_answer(s.value, s.because) for s in stays)
            case _:
                yield from self._given()

    @property
    def timeline(self) -> Timeline:
        """The timeline that the question is about."""
        return {"at": self.log.at, "home": self.log.home}.get(self.asked.form, self.log.holder)

    def understands(self, event: StateEvent) -> bool:
        """True if the effect of an event on the question is known; for a thing that is carried along, its place at that time."""
        match self.asked.form:
            case "home":
                return event.kind in ("live", "not-live") or event.fact.slot == "residence"
            case "at":
                holder = {"take": event.who, "give": event.to}.get(event.kind)
                there = holder is None or self.log.now(self.log.at, holder.key) is not None
                return there and event.kind not in ("doubt", "unsure")
            case _:
                return event.kind not in ("doubt", "unsure", "put")

    def present(self) -> StatePeriod | None:
        """The current state of the subject."""
        return self.log.now(self.timeline, self.subject)

    def _held(self) -> Iterator[StateAnswer]:
        stay = self.present()
        if self.asked.before is not None:
            yield from self._before(self._key(self.asked.before))
        elif stay is not None and self.asked.whether:
            yield from self._whether(stay)
        elif stay is not None and stay.value is not None and (worth := self._worth(stay)):
            yield _state_answer(stay.value, stay.because, worth)

    def _before(self, key: str) -> Iterator[StateAnswer]:
        """The value before the last period of a given value; without one, before the current value."""
        stays = self.timeline.get(self.subject, [])
        last = next((n for n in reversed(range(len(stays))) if (v := stays[n].value) and key in ("", v.key)), None)
        if last is None:
            return
        if not key and stays[-1].value is None:
            last = len(stays)
        now = stays[last] if last < len(stays) else stays[-1]
        for stay in reversed(stays[:last]):
            if stay.value is not None and (now.value is None or stay.value.key != now.value.key):
                long = self.asked.form == "at" and now.since.moment - stay.since.moment > 2 * VISIT
                because = tuple(dict.fromkeys((*stay.because, *now.because)))
                yield _state_answer(stay.value, because, DOUBTFUL if long else SURE)
                return
            if stay.value is None and (stay.options or stay.since.kind == "unsure"):
                return

    def _whether(self, stay: StatePeriod) -> Iterator[StateAnswer]:
        worth = self._worth(stay)
        if stay.value is None:
            among = {o.key for o in stay.options}
            apart = min((self._apart(o) for o in stay.options), default=0.0)
            nobody = self.asked.form == "holder" and stay.since.kind == "drop"
            if self.value in stay.denied or nobody:
                yield _state_answer(None, stay.because, SURE, opposed=True)
            elif len(among) > 1 and self.value not in among and apart:
                yield _state_answer(None, stay.because, apart, opposed=True)
        elif not worth:
            return
        elif stay.value.key == self.value:
            yield _state_answer(None, stay.because, worth)
        elif not self._any_other() and (apart := self._apart(stay.value)):
            yield _state_answer(None, stay.because, min(worth, apart), opposed=True)

    def _any_other(self) -> bool:
        """True if the question is about any thing of a kind: an owner of one does not exclude other owners."""
        had = {s.value.key for s in self.timeline.get(self.subject, []) if s.value is not None}
        return self.asked.form == "holder" and self.value not in had and may_be_several(self.asked.subject)

    def _apart(self, place: Thing) -> float:
        """How surely a person in one place is not in the other in question, or a thing is not another."""
        if self.asked.form == "holder":
            return SURE
        others = [s.value for s in self.timeline.get(self.subject, []) if s.value is not None]
        if self.value in {o.key for o in others}:
            return SURE  # They went from one to the other.
        if place.name or self.asked.form == "home":
            return 0.0
        head = self.value.split()[-1]
        if lexicon.is_a(head, place.head) or lexicon.is_a(place.head, head) or head == place.head:
            return 0.0
        wide = [any(lexicon.is_a(h, kind) for kind in CONTAINERS) for h in (head, place.head)]
        return SURE if wide[0] == wide[1] else DOUBTFUL

    def _worth(self, stay: StatePeriod) -> float:
        """How surely a state still holds: people who told of going somewhere have usually come back since."""
        event = stay.since
        if event.past and event.kind in ("be", "have", "live"):
            return 0.0
        if self._told_later(stay) or stay.doubt is not None:
            return DOUBTFUL
        if (
            self.asked.form != "at"
            or event.kind == "drop"
            or (event.kind == "take" and event.place and event.who.key != self.subject)
        ):
            return SURE
        old = self.at - event.moment > VISIT
        if old and (event.own or event.fact.when_text) and event.kind != "be":
            return 0.0
        return DOUBTFUL if old or (event.own and event.kind == "go" and event.who.key == self.subject) else SURE

    def _told_later(self, stay: StatePeriod) -> bool:
        """True if something without a time was said before something with an earlier time: it is unclear which one is current."""
        told, fact = self.log.told, stay.since.fact
        stays = self.timeline.get(self.subject, [])
        return not fact.when_text and any(told[s.since.fact.id] > told[fact.id] for s in stays)

    def _had(self) -> Iterator[StateAnswer]:
        """What somebody has; nothing, if they are said to have had something, or to be there."""
        things = self.log.things_of(self.subject)
        if self.log.unclear & set(things):
            return
        stays = {t: s for t in things if (s := self.log.now(self.log.holder, t)) is not None}
        stays = {t: s for t, s in stays.items() if not (s.since.kind == "have" and s.since.past)}
        parted = [
            e
            for stays_ in self.log.holder.values()
            for a, b in pairwise(stays_)
            if a.value is not None and a.value.key == self.subject
            for e in (*a.because, *b.because)
        ]
        about = self.log.now(self.log.at, self.subject)
        own = any(e.own for s in stays.values() for e in s.because) or (about is not None and about.since.own)
        unsure = own or self.subject in self.log.unlisted or any(s.doubt for s in stays.values())
        worth = DOUBTFUL if unsure else SURE
        because = tuple(dict.fromkeys(e for s in stays.values() for e in s.because))
        if stays and self.asked.form == "count":
            yield _state_answer(None, because, worth, number=len(stays))
        elif stays:
            yield from (_state_answer(s.since.what, s.because, worth) for s in stays.values())
        elif parted or (about is not None and not own):
            number = 0 if self.asked.form == "count" else None
            told = tuple(dict.fromkeys(parted)) or (about.because if about is not None else ())
            yield _state_answer(None, told, worth if parted else DOUBTFUL, number=number)

    def _given(self) -> Iterator[StateAnswer]:
        """The last time that something was given in this way; one clause may tell of several: `gave me a lamp and a clock`."""
        last: StateEvent | None = None
        for e in reversed(self.log.given):
            assert e.what is not None
            assert e.to is not None
            if self.asked.form != "received" and e.fact.predicate in FOR_MONEY_OR_TIME:
                continue
            if last is not None and (last.fact.turn, last.moment) != (e.fact.turn, e.moment):
                return
            sides = ((self.subject, e.who.key), (self.receiver, e.to.key), (self.value, e.what.key))
            if all(not wanted or wanted == key for wanted, key in sides):
                answer = {"received": e.to, "gave": e.who}.get(self.asked.form)
                answer = answer or (e.who if not self.asked.subject else e.to if not self.asked.receiver else e.what)
                yield _state_answer(answer, (e,))
                last = e
