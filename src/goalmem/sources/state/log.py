"""What holds over time: events, and the periods that they begin and end by inertia (Kowalski & Sergot 1986; Shanahan 1999).

A state holds until something ends it. A thing is where its holder is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from goalmem.language.words.changes import SENDING, TAKING
from goalmem.sources.state.events import StateEvent
from goalmem.sources.state.things import Thing


@dataclass(frozen=True, slots=True)
class StatePeriod:
    """The state of an entity from one event until the next."""

    value: Thing | None
    """None if it is not known."""
    because: tuple[StateEvent, ...]
    """The events behind it, the one that began it last."""
    options: tuple[Thing, ...] = ()
    """The alternatives, if one of several is said to hold."""
    denied: tuple[str, ...] = ()
    """Keys of values that are said not to hold."""
    doubt: StateEvent | None = None
    """The event that may have ended it since."""

    @property
    def since(self) -> StateEvent:
        """The event that began it."""
        return self.because[-1]


Timeline = dict[str, list[StatePeriod]]


@dataclass
class StateLog:
    """Where everybody and everything was and lived, and who had what, in order."""

    at: Timeline = field(default_factory=lambda: defaultdict(list))
    home: Timeline = field(default_factory=lambda: defaultdict(list))
    holder: Timeline = field(default_factory=lambda: defaultdict(list))
    given: list[StateEvent] = field(default_factory=list)
    told: dict[str, int] = field(default_factory=dict)
    """By fact, its index in the order in which facts were said."""
    unclear: set[str] = field(default_factory=set)
    """Ambiguous keys."""
    unlisted: set[str] = field(default_factory=set)
    """People who took something that is not named, or not understood."""

    def put(self, timeline: Timeline, key: str, stay: StatePeriod) -> None:
        """Add a period; one with the same value extends the current one."""
        held = timeline[key]
        same = held and held[-1].value is not None and stay.value is not None and held[-1].value.key == stay.value.key
        if same:
            held[-1] = stay
        else:
            held.append(stay)

    def now(self, timeline: Timeline, key: str) -> StatePeriod | None:
        """The current period."""
        return timeline[key][-1] if timeline.get(key) else None

    def things_of(self, who: str) -> list[str]:
        """Keys of what somebody has."""
        return [t for t in self.holder if (s := self.now(self.holder, t)) and s.value and s.value.key == who]


def replay(events: Iterable[StateEvent]) -> StateLog:
    """Apply events in chronological order."""
    told = list(events)
    log = StateLog(told={e.fact.id: n for n, e in enumerate(told)})
    for event in _one_name_each(sorted(told, key=lambda e: e.moment), log):
        if event.kind == "take" and event.what is not None and event.what.new and event.what.key in log.holder:
            log.unclear.add(event.what.key)  # Another one of the kind.
        _apply(log, event)
    return log


def _one_name_each(events: Sequence[StateEvent], log: StateLog) -> list[StateEvent]:
    """Unify names: `the bike` is Maya's bike if no other is mentioned."""
    told = {t.key for e in events for t in (e.what, e.who) if t is not None}
    same: dict[str, Thing] = {}
    for key in told:
        whole = [t for e in events for t in (e.what, e.who) if t and t.key != key and t.key.endswith((f" {key}",))]
        if len({t.key for t in whole}) == 1:
            same[key] = whole[0]
        elif whole:
            log.unclear |= {key, *(t.key for t in whole)}
    return [
        replace(e, what=same.get(e.what.key, e.what) if e.what else None, who=same.get(e.who.key, e.who))
        for e in events
    ]


def _apply(log: StateLog, e: StateEvent) -> None:
    """Apply an event."""
    if e.what is None:
        _apply_to_place(log, e)
    elif e.kind == "leave":
        _left(log, e)
    else:
        _apply_to_thing(log, e, e.what)


def _apply_to_place(log: StateLog, e: StateEvent) -> None:
    who = e.who.key
    match e.kind:
        case "go" | "be" if e.place is not None:
            _moved(log, who, StatePeriod(e.place, (e,)))
            if e.kind == "go" and e.fact.slot == "residence" and e.place.name:
                log.put(log.home, who, StatePeriod(e.place, (e,)))
        case "not-be" | "may-be" if e.place is not None:
            _doubted(log, e, e.place)
        case "live" if e.place is not None:
            log.put(log.home, who, StatePeriod(e.place, (e,)))
        case "not-live" if e.place is not None:
            _ended(log, log.home, who, e, e.place.key)
        case "leave":
            _left(log, e)
        case "unsure":
            _moved(log, who, StatePeriod(None, (e,)))
            if who in log.holder:
                log.put(log.holder, who, StatePeriod(None, (e,)))
        case "doubt":
            if e.fact.predicate in TAKING:
                log.unlisted.add(who)
            for key in (who, *log.things_of(who)):
                _may_have_ended(log.at, key, e)


def _may_have_ended(timeline: Timeline, key: str, e: StateEvent) -> None:
    """Mark the current period as possibly ended."""
    if timeline.get(key):
        timeline[key][-1] = replace(timeline[key][-1], doubt=e)


def _apply_to_thing(log: StateLog, e: StateEvent, what: Thing) -> None:
    match e.kind:
        case "take" | "have":
            _had(log, e, what, e.who)
        case "give" if e.to is not None:
            log.given.append(e)
            if e.who.key:
                log.put(log.holder, what.key, StatePeriod(e.who, (e,)))
            _had(log, e, what, e.to, giver=e.who)
        case "give-back":
            _given_back(log, e, what)
        case "put":
            log.put(log.at, what.key, StatePeriod(e.place, (e,)))
        case "drop":
            _dropped(log, e, what)
        case "unsure":
            log.put(log.holder, what.key, StatePeriod(None, (e,)))
            log.put(log.at, what.key, StatePeriod(None, (e,)))
        case "doubt":
            _may_have_ended(log.holder, what.key, e)
            _may_have_ended(log.at, what.key, e)
        case "end":
            _ended(log, log.holder, what.key, e, e.who.key)
            log.put(log.at, what.key, StatePeriod(None, (e,)))
        case "not-have":
            _ended(log, log.holder, what.key, e, e.who.key)


def _moved(log: StateLog, who: str, stay: StatePeriod) -> None:
    """Move somebody, and everything they have."""
    log.put(log.at, who, stay)
    for thing in log.things_of(who):
        held = log.now(log.holder, thing)
        assert held is not None
        log.put(log.at, thing, StatePeriod(stay.value, (*held.because, *stay.because)))


def _doubted(log: StateLog, e: StateEvent, place: Thing) -> None:
    """Record that somebody is not at a place, or at one of several places."""
    stay = log.now(log.at, e.who.key)
    if e.kind == "may-be":
        again = stay is not None and stay.options and stay.since.fact.turn == e.fact.turn
        options = (*(stay.options if again and stay else ()), place)
        because = (*(stay.because if again and stay else ()), e)
        if again:
            log.at[e.who.key].pop()
        log.put(log.at, e.who.key, StatePeriod(None, because, options))
    elif stay is None or stay.value is None:
        left = tuple(o for o in stay.options if o.key != place.key) if stay is not None else ()
        denied = (*(stay.denied if stay is not None else ()), place.key)
        because = (*(stay.because if stay is not None else ()), e)
        log.put(log.at, e.who.key, StatePeriod(left[0] if len(left) == 1 else None, because, left, denied))
    elif stay.value.key == place.key:
        _moved(log, e.who.key, StatePeriod(None, (e,), denied=(place.key,)))


def _ended(log: StateLog, timeline: Timeline, key: str, e: StateEvent, value: str) -> None:
    """End the current period if it has this value."""
    stay = log.now(timeline, key)
    if stay is None or stay.value is None or stay.value.key == value:
        log.put(
            timeline, key, StatePeriod(None, (e,), denied=(*(stay.denied if stay and not stay.value else ()), value))
        )


def _left(log: StateLog, e: StateEvent) -> None:
    """`Left the milk` puts it down where its holder is; `left the kitchen` is a departure."""
    held = log.now(log.holder, e.what.key) if e.what is not None else None
    if e.what is not None and held is not None and held.value is not None and held.value.key == e.who.key:
        _dropped(log, e, e.what)
        return
    stay = log.now(log.at, e.who.key)
    gone = e.place.key if e.place is not None else stay.value.key if stay is not None and stay.value is not None else ""
    if stay is None or stay.value is None or stay.value.key == gone:
        _moved(log, e.who.key, StatePeriod(None, (e,), denied=(gone,) if gone else ()))
    home = log.now(log.home, e.who.key)
    if home is not None and home.value is not None and home.value.key == gone:
        log.put(log.home, e.who.key, StatePeriod(None, (e,), denied=(gone,)))


def _had(log: StateLog, e: StateEvent, what: Thing, who: Thing, giver: Thing | None = None) -> None:
    """Give somebody a thing, which is then where they are; with a place, they took it there."""
    if e.kind == "take" and e.place is not None:
        _moved(log, who.key, StatePeriod(e.place, (e,)))
    log.put(log.holder, what.key, StatePeriod(who, (e,)))
    stay = log.now(log.at, who.key)
    far = giver is not None and e.fact.predicate.split()[0] in SENDING
    if far and (stay is None or stay.value is None):
        log.put(log.at, what.key, StatePeriod(None, (e,)))
    elif (stay is None or stay.value is None) and giver is not None:
        stay = log.now(log.at, giver.key)
    if stay is not None and stay.value is not None:
        because = stay.because if e in stay.because else (e, *stay.because)
        log.put(log.at, what.key, StatePeriod(stay.value, because))


def _given_back(log: StateLog, e: StateEvent, what: Thing) -> None:
    """Return a thing to its previous holder, who may be unknown."""
    before = [s.value for s in log.holder.get(what.key, []) if s.value is not None and s.value.key != e.who.key]
    if before:
        back = replace(e, kind="give", to=before[-1])
        log.given.append(back)
        _had(log, back, what, before[-1], giver=e.who)
    else:
        _ended(log, log.holder, what.key, e, e.who.key)


def _dropped(log: StateLog, e: StateEvent, what: Thing) -> None:
    """Put a thing down at the stated place, otherwise where its holder is."""
    place = e.place
    because: tuple[StateEvent, ...] = (e,)
    if place is None or place.key == what.key:
        stay = next((s for k in (e.who.key, what.key) if (s := log.now(log.at, k)) and s.value), None)
        place = stay.value if stay is not None else None
        because = tuple(dict.fromkeys((*stay.because, e))) if stay is not None else (e,)
    log.put(log.at, what.key, StatePeriod(place, because))
    _ended(log, log.holder, what.key, e, e.who.key)
