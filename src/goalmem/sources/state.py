"""What holds now, held before, and was given, as steps: each cites the events that it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

from goalmem.engine.step import NearMiss, Request, Step
from goalmem.language import lexicon
from goalmem.logic.terms import Atom, Binding, Derivation, Evidence, Value
from goalmem.questions.states import NOTHING, StateQuestion, state_question
from goalmem.rules.morphology import singular
from goalmem.sources.evidence_store import evidence_of
from goalmem.sources.frames import bound_atom
from goalmem.sources.memory import MemorySource
from goalmem.sources.state_events import Event, Thing
from goalmem.sources.state_loader import StateLoader
from goalmem.sources.state_log import Log, Stay, Timeline
from goalmem.sources.values import bare

__all__ = ["Holding", "StateSource", "holdings", "told_last"]

SURE, DOUBTFUL = 1.0, 0.72
"""What a stay is worth that holds until it is ended, and one that mostly has ended meanwhile: that is `likely` at best."""
VISIT = timedelta(days=1)
"""How long somebody who went somewhere is surely there, where nothing else is said."""
CONTAINERS = ("building", "house", "region", "district", "organization", "housing")
"""Kinds of place that have other places in them."""


@dataclass(frozen=True, slots=True)
class Holding:
    """One answer of the log."""

    value: Thing | None
    """None for yes and no."""
    because: tuple[Event, ...]
    weight: float = SURE
    opposed: bool = False
    number: int | None = None
    """How many, where it is counted."""


def holdings(asked: StateQuestion, loader: StateLoader, at: datetime) -> list[Holding]:
    """What the events that a loader reads come to as answers of a question that is asked at a time; best first."""
    return list(_Answering(asked, loader, at.replace(tzinfo=None)).answers())


def told_last(asked: StateQuestion, loader: StateLoader, at: datetime) -> str:
    """The words that say last how it stands with what is asked; empty where nothing is told of it."""
    stay = _Answering(asked, loader, at.replace(tzinfo=None)).present()
    if stay is not None:
        return stay.since.fact.text
    told = loader.events(())
    return told[-1].fact.text if told else ""


@dataclass
class StateSource:
    """The log of events of a space as a source of steps."""

    memory: MemorySource
    name: str = "state"
    closed: bool = False
    cost: int = 0
    exhaustive: bool = True
    _loaders: list[StateLoader] = field(default_factory=list)

    def loader(self, until: datetime | None = None) -> StateLoader:
        """What reads the events of this space; one for all that one question asks."""
        memory = self.memory
        if until is not None:
            return StateLoader(memory.store, memory.space, memory.wording, until)
        if not self._loaders:
            self._loaders.append(StateLoader(memory.store, memory.space, memory.wording, memory.at))
        return self._loaders[0]

    def steps(self, request: Request) -> Sequence[Step]:
        """What the log says of an atom; nothing of an atom that is none of its own."""
        atom = bound_atom(request.atom, request.substitution)
        asked = state_question(atom)
        return [self.step(atom, h) for h in holdings(asked, self.loader(), self.memory.at)] if asked is not None else []

    def step(self, atom: Atom, holding: Holding) -> Step:
        """An answer of the log as the engine takes it."""
        return Step(
            self.name,
            "fact",
            holding.weight,
            bindings=bindings_of(atom, holding),
            evidence=self.evidence(holding.because),
            negated=holding.opposed,
        )

    def evidence(self, events: Sequence[Event]) -> tuple[Evidence, ...]:
        """The words of events, each once, in order of telling."""
        facts = {(f.said, f.turn, f.start, f.end): f for f in (e.fact for e in events)}
        turns = self.memory.store.turns(self.memory.space, {f.turn for f in facts.values()})
        return tuple(evidence_of(turns[f.turn], f.start, f.end) for _, f in sorted(facts.items()) if f.turn in turns)

    def near_misses(self, request: Request) -> Sequence[NearMiss]:
        """What was said last, where it says that nothing more is known."""
        asked = state_question(bound_atom(request.atom, request.substitution))
        if asked is None or asked.before is not None:
            return ()
        stay = _Answering(asked, self.loader(), self.memory.at.replace(tzinfo=None)).present()
        if stay is None or stay.value is not None:
            return ()
        said = stay.since.fact
        evidence = self.evidence([stay.since])
        return [NearMiss("superseded", f"what was said last leaves it open: “{said.text}”", e, 0.95) for e in evidence]


def bindings_of(atom: Atom, holding: Holding) -> tuple[Binding, ...]:
    """What an answer binds."""
    if not atom.variables or holding.opposed:
        return ()
    (variable,) = atom.variables
    if holding.number is not None:
        text = str(holding.number) if holding.number else "none"
        value = Value(
            text, text if not holding.number else f"{holding.number}", "number", number=holding.number or None
        )
    elif holding.value is None:
        value = Value(NOTHING, NOTHING, variable.type)
    else:
        value = Value(holding.value.text, holding.value.key, variable.type)
    return (Binding(variable, value, Derivation.RESOLVED, "", holding.because[-1].fact.turn),)


@dataclass
class _Answering:
    """One question, and the log of what it is about."""

    asked: StateQuestion
    loader: StateLoader
    at: datetime

    def __post_init__(self) -> None:
        self.subject, self.value, self.receiver = map(
            self._key, (self.asked.subject, self.asked.value, self.asked.receiver)
        )
        wanted = {k: None for key in self._wanted() if key for k in (key, singular(key))}
        form = self.asked.form
        self.log: Log = self.loader.log(*wanted, holders=form in ("at", "places"), things=form in ("had", "count"))
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
        return self.loader.wording.canonical(bare(words)) if words else ""

    def _told(self, key: str) -> str:
        """The key by which the log knows something: `bike` as Maya's bike, where it is the only one."""
        known = {*self.log.at, *self.log.holder, *self.log.home, *(e.what.key for e in self.log.given if e.what)}
        longer = {k for k in known if k.endswith(f" {key}")}
        shorter = {k for k in known if key.endswith(f" {k}")}
        if key in known or not key:
            return key
        if singular(key) in known:
            return singular(key)  # Facts name `the keys` by their head, `key`.
        return next(iter(longer or shorter)) if len(longer or shorter) == 1 else key

    def answers(self) -> Iterator[Holding]:
        """The answers; none where too much is told to be read, or where it is open which thing is meant."""
        if not self.loader.complete or {self.subject, self.value} & self.log.unclear:
            return
        match self.asked.form:
            case "at" | "home" | "holder":
                yield from self._held()
            case "had" | "count" | "places" if self.loader.since is not None:
                return  # Of what is listed, all has to be read.
            case "had" | "count":
                yield from self._had()
            case "places":
                stays = [s for s in self.log.at.get(self.subject, []) if s.value is not None]
                yield from (Holding(s.value, s.because) for s in stays)
            case _:
                yield from self._given()

    @property
    def timeline(self) -> Timeline:
        """That which the question is about."""
        return {"at": self.log.at, "home": self.log.home}.get(self.asked.form, self.log.holder)

    def present(self) -> Stay | None:
        """What holds last of the subject."""
        return self.log.now(self.timeline, self.subject)

    def _held(self) -> Iterator[Holding]:
        stay = self.present()
        if self.asked.before is not None:
            yield from self._before(self._key(self.asked.before))
        elif stay is not None and self.asked.whether:
            yield from self._whether(stay)
        elif stay is not None and stay.value is not None and (worth := self._worth(stay)):
            yield Holding(stay.value, stay.because, worth)

    def _before(self, key: str) -> Iterator[Holding]:
        """What held before the last time that a value did; without one before what holds now."""
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
                yield Holding(stay.value, because, DOUBTFUL if long else SURE)
                return
            if stay.value is None and (stay.options or stay.since.kind == "unsure"):
                return

    def _whether(self, stay: Stay) -> Iterator[Holding]:
        worth = self._worth(stay)
        if stay.value is None:
            among = {o.key for o in stay.options}
            apart = min((self._apart(o) for o in stay.options), default=0.0)
            nobody = self.asked.form == "holder" and stay.since.kind == "drop"
            if self.value in stay.denied or nobody:
                yield Holding(None, stay.because, SURE, opposed=True)
            elif len(among) > 1 and self.value not in among and apart:
                yield Holding(None, stay.because, apart, opposed=True)
        elif not worth:
            return
        elif stay.value.key == self.value:
            yield Holding(None, stay.because, worth)
        elif apart := self._apart(stay.value):
            yield Holding(None, stay.because, min(worth, apart), opposed=True)

    def _apart(self, place: Thing) -> float:
        """How surely who is in one place is not in the other that is asked about, or who has a thing is another."""
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

    def _worth(self, stay: Stay) -> float:
        """How surely a stay still holds: somebody who told of going somewhere has mostly come back since."""
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

    def _told_later(self, stay: Stay) -> bool:
        """Whether what is told without a time was told before something of an earlier time: which holds now is not sure."""
        told, fact = self.log.told, stay.since.fact
        stays = self.timeline.get(self.subject, [])
        return not fact.when_text and any(told[s.since.fact.id] > told[fact.id] for s in stays)

    def _had(self) -> Iterator[Holding]:
        """What somebody has; that it is nothing, where they are told to have had something, or to be about."""
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
        worth = DOUBTFUL if own or any(s.doubt for s in stays.values()) else SURE
        because = tuple(dict.fromkeys(e for s in stays.values() for e in s.because))
        if stays and self.asked.form == "count":
            yield Holding(None, because, worth, number=len(stays))
        elif stays:
            yield from (Holding(s.since.what, s.because, worth) for s in stays.values())
        elif parted or (about is not None and not own):
            number = 0 if self.asked.form == "count" else None
            told = tuple(dict.fromkeys(parted)) or (about.because if about is not None else ())
            yield Holding(None, told, worth if parted else DOUBTFUL, number=number)

    def _given(self) -> Iterator[Holding]:
        """The last time that it was given so."""
        for e in reversed(self.log.given):
            assert e.what is not None
            assert e.to is not None
            sides = ((self.subject, e.who.key), (self.receiver, e.to.key), (self.value, e.what.key))
            if all(not wanted or wanted == key for wanted, key in sides):
                answer = {"received": e.to, "gave": e.who}.get(self.asked.form)
                answer = answer or (e.who if not self.asked.subject else e.to if not self.asked.receiver else e.what)
                yield Holding(answer, (e,))
                return
