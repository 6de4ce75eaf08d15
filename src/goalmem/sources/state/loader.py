"""Load the events of entities from a store: for each entity its latest facts, including those that pronouns add."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias, runtime_checkable

from goalmem.language.words.pronouns import PERSONAL_PRONOUNS, THING_PRONOUNS
from goalmem.records import Argument, Fact, Turn
from goalmem.sources.evidence_store import EvidenceStore
from goalmem.sources.similarity import Similarity
from goalmem.sources.state.events import StateEvent, events_of
from goalmem.sources.state.log import StateLog, replay
from goalmem.sources.state.unknown_events import may_change

NEWEST = 2_000
"""Facts loaded for an entity, the latest."""
CENTRES = 300
"""Latest turns about an entity whose neighbours are loaded, too. Earlier ones are ignored."""
MOST_TURNS = 1_500
"""Turns that name a thing. If there are more, the thing has no events."""
REACH = 2
"""Turns after a mention in which a pronoun may still refer to it, and before it for the mention's own antecedent."""
GAP = 10
"""Gap between two loaded turns up to which the turns between are loaded, too, instead of querying twice."""
ROUNDS = 40
"""Rounds of following pronouns."""

TurnRun: TypeAlias = tuple[str, int, int]
"""Session, first and last position of neighbouring turns."""


@runtime_checkable
class PhraseStore(Protocol):
    """A store that finds every turn with given words."""

    def phrase(self, space: str, phrase: str, *, limit: int = 100) -> list[str]:
        """Ids of turns in which these words are adjacent."""
        ...


@dataclass
class StateLoader:
    """Loads the events of entities from a store, by its indexes, including those that pronouns add."""

    store: EvidenceStore
    space: str
    similarity: Similarity
    until: datetime
    """Turns after this day are ignored."""
    complete: bool = True
    """False if an entity has more facts than are loaded."""
    since: datetime | None = None
    """Time from which on everything was loaded; None if everything was."""
    _facts: dict[str, Fact] = field(default_factory=dict)
    _turns: dict[str, Turn] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)
    """Turns whose facts were all loaded."""
    _centres: set[str] = field(default_factory=set)
    """Turns whose neighbours were loaded."""
    _loaded: set[str] = field(default_factory=set)
    """Keys of entities."""
    _events: dict[TurnRun, list[StateEvent]] = field(default_factory=dict)
    """By run of turns."""

    def log(self, *wanted: str, holders: bool = False, things: bool = False) -> StateLog:
        """The state log of some entities, given by name."""
        return replay(self.events(wanted, holders=holders, things=things))

    def events(self, wanted: Collection[str], *, holders: bool = False, things: bool = False) -> list[StateEvent]:
        """The events of some entities, in the order in which they were said.

        With `holders`, also those of everybody who had them; with `things`, those of everything they had.
        """
        keys = {self.similarity.canonical(w) for w in wanted}
        for key in sorted(keys):
            self._load(key)
        found = self._followed()
        linked = set[str]()
        for e in found:
            if e.what is None:
                continue
            people = {e.who.key, *((e.to.key,) if e.to else ())} - {""}
            if holders and any(_is_same(e.what.key, key) for key in keys):
                linked |= people
            if things and people & keys:
                linked.add(e.what.key)
        for key in sorted(linked):
            self._load(key)
        return self._followed()

    def runs_of(self, head: str) -> list[tuple[list[Fact], list[Turn]]]:
        """The facts of turns that contain a noun, and of following turns as far as they continue the topic, run by run; with the turns."""
        if not isinstance(self.store, PhraseStore) or not head:
            self.complete = False
            return []
        self._read_newest(self._said_with(head, self.store))
        run_of = self._runs()
        by_run = self._by_run(run_of)
        turns: dict[TurnRun, list[Turn]] = defaultdict(list)
        for turn in sorted((self._turns[t] for t in run_of if t in self._turns), key=lambda t: t.position):
            if turn.at.date() <= self.until.date() and (self.since is None or turn.at >= self.since):
                turns[run_of[turn.id]].append(turn)
        return [(by_run[run], turns[run]) for run in dict.fromkeys((*by_run, *turns))]

    def contents(self) -> dict[str, str]:
        """The text of the loaded turns."""
        return {id_: turn.content for id_, turn in self._turns.items()}

    def _followed(self) -> list[StateEvent]:
        """The events, including those of pronouns whose antecedents are pronouns."""
        for _ in range(ROUNDS):
            found = self._told()
            by_pronoun = {
                e.fact.turn for e in found if self._loaded & _named(e) and any(is_open(a) for a in e.fact.args)
            } - self._centres
            if not by_pronoun:
                break
            self._read_around(by_pronoun)
        return found

    def _told(self) -> list[StateEvent]:
        """The events of all loaded turns, separately for each run of turns: pronouns do not reach further."""
        by_run = self._by_run(self._runs())
        if self.since is not None:
            self._events.clear()
        for run, facts in by_run.items():
            if run not in self._events:
                self._events[run] = events_of(facts, self.similarity)
        return sorted((e for run in by_run for e in self._events[run]), key=lambda e: self._place(e.fact))

    def _by_run(self, run_of: Mapping[str, TurnRun]) -> dict[TurnRun, list[Fact]]:
        """The loaded facts of each run, in the order in which they were said."""
        by_run: dict[TurnRun, list[Fact]] = defaultdict(list)
        for fact in sorted(self._facts.values(), key=self._place):
            if self.since is None or fact.said >= self.since:
                by_run[run_of[fact.turn]].append(fact)
        return by_run

    def _runs(self) -> dict[str, TurnRun]:
        """The run of each loaded turn."""
        by_session: dict[str, dict[int, str]] = defaultdict(dict)
        for id_ in self._read & self._turns.keys():
            turn = self._turns[id_]
            by_session[turn.session][turn.position] = id_
        found = dict.fromkeys(self._read, ("", 0, 0))
        for session, turns in by_session.items():
            for first, last in runs(sorted(turns)):
                found |= {turns[p]: (session, first, last) for p in range(first, last + 1)}
        return found

    def _place(self, fact: Fact) -> tuple[object, ...]:
        turn = self._turns.get(fact.turn)
        return fact.said, turn.session if turn else "", turn.position if turn else 0, fact.start, fact.end, fact.id

    def _load(self, key: str) -> None:
        """Load the facts that name an entity, those of turns that contain its noun, and those after them."""
        if key in self._loaded:
            return
        self._loaded.add(key)
        said: dict[str, datetime] = {}
        for name in {key, *(a for a, c in self.similarity.aliases.items() if c.casefold() == key)}:
            some = self.store.facts(self.space, entity=name, newest=NEWEST)
            if len(some) >= NEWEST:
                self._cut(some[0].said)
            said |= {f.turn: f.said for f in some if may_change(f.predicate)}
        head = key.rpartition("'s ")[2].split()[-1:] if key else []
        if head and isinstance(self.store, PhraseStore) and (not said or "'s " in key):
            said |= self._said_with(head[0], self.store)
        self._read_newest(said)

    def _said_with(self, noun: str, store: PhraseStore) -> dict[str, datetime]:
        """The turns with a form of a noun, and when each was said."""
        named = [t for form in sorted({noun, *plurals(noun)}) for t in store.phrase(self.space, form, limit=MOST_TURNS)]
        self.complete &= len(named) < MOST_TURNS
        return {t.id: t.at for t in self.store.turns(self.space, named).values()}

    def _read_newest(self, said: Mapping[str, datetime]) -> None:
        """Load the latest of these turns, and their neighbours."""
        newest = sorted(said, key=lambda t: (said[t], t))
        if len(newest) > CENTRES:
            self._cut(said[newest[-CENTRES]])
        self._read_around(set(newest[-CENTRES:]))

    def _cut(self, since: datetime) -> None:
        """Ignore earlier statements: they were not loaded for every entity."""
        self.since = since if self.since is None else max(since, self.since)

    def _read_around(self, turns: set[str]) -> None:
        """Load the facts of turns and of their neighbours in the session, as far as pronouns reach."""
        new = turns - self._centres
        if not new:
            return
        self._centres |= new
        self._turns |= self.store.turns(self.space, new - self._turns.keys())
        places: dict[str, set[int]] = defaultdict(set)
        for id_ in new & self._turns.keys():
            turn = self._turns[id_]
            places[turn.session] |= set(range(max(0, turn.position - REACH), turn.position + REACH + 1))
        around = set(new)
        for session, positions in places.items():
            for first, last in runs(sorted(positions), GAP):
                some = self.store.session_turns(self.space, session, first=first, last=last)
                self._turns |= {t.id: t for t in some}
                around |= {t.id for t in some}
        unread = around - self._read
        self._read |= around
        day = self.until.date()
        for fact in self.store.facts(self.space, turns=sorted(unread)) if unread else ():
            if fact.said.date() <= day:
                self._facts[fact.id] = fact


def _named(e: StateEvent) -> set[str]:
    """The keys of the entities in an event."""
    return {t.key for t in (e.who, e.what, e.to) if t is not None}


def _is_same(a: str, b: str) -> bool:
    """True if one key may be a longer name of the other: `Maya's bike` of `bike`."""
    return a == b or a.endswith(f" {b}") or b.endswith(f" {a}")


def plurals(noun: str) -> tuple[str, ...]:
    """Possible plurals of a noun."""
    ends = (
        (f"{noun[:-1]}ies",) if noun.endswith("y") else (f"{noun}es",) if noun.endswith(("s", "x", "ch", "sh")) else ()
    )
    return (f"{noun}s", *ends)


def is_open(argument: Argument) -> bool:
    """True if an argument is an unresolved pronoun."""
    return not argument.entity and argument.text.casefold() in THING_PRONOUNS | PERSONAL_PRONOUNS


def runs(positions: Sequence[int], gap: int = 0) -> list[tuple[int, int]]:
    """Ranges of numbers in which at most `gap` numbers are missing between two neighbours."""
    found: list[tuple[int, int]] = []
    for p in positions:
        if found and p <= found[-1][1] + 1 + gap:
            found[-1] = (found[-1][0], p)
        else:
            found.append((p, p))
    return found
