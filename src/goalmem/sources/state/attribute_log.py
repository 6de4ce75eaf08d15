"""The present, former and first values of an attribute, when it changed and how often: the settings of a topic, in order, by inertia."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from goalmem.language.times import find_times
from goalmem.language.words.attributes import CLOSED, OPEN
from goalmem.questions.attributes import AttributeQuestion
from goalmem.records import Fact
from goalmem.sources.state.answers import DOUBTFUL, SURE, StateAnswer
from goalmem.sources.state.attribute_events import ANY, AttributeValue, attribute_values
from goalmem.sources.state.attribute_text import AttributeTopic, attribute_alone, key_of, topic_of
from goalmem.sources.state.loader import StateLoader
from goalmem.sources.state.terse_changes import with_terse_values
from goalmem.sources.state.things import Thing

ALIKE = {"price": (ANY,), ANY: ("price", "day", "version"), "version": (ANY,)}
"""Attributes that need not be named: something that costs 40 may be said to be 40."""
DONE = frozenset({"done", "finished", "completed", "complete"})
ENDED = frozenset(CLOSED.values()) | DONE
GOING_ON = frozenset({*OPEN.values(), "active", "pending", "started", "in progress"})


@dataclass(frozen=True, slots=True)
class _ValuePeriod:
    """The period that one setting begins."""

    setting: AttributeValue
    because: tuple[Fact, ...]
    doubtful: bool = False

    @property
    def key(self) -> str:
        return self.setting.key


def attribute_answers(asked: AttributeQuestion, loader: StateLoader, at: datetime) -> list[StateAnswer]:
    """The answers to a question at a given time, from the loader's settings."""
    return list(_AttributeAnswers(asked, loader, at.replace(tzinfo=None)).answers())


def is_left_open(asked: AttributeQuestion, loader: StateLoader, at: datetime) -> bool:
    """True if the value is unknown after a change; for the value before, if only a state and no change is mentioned."""
    return asked.form in ("now", "before") and _AttributeAnswers(asked, loader, at.replace(tzinfo=None)).is_left_open()


@dataclass
class _AttributeAnswers:
    asked: AttributeQuestion
    loader: StateLoader
    at: datetime

    def __post_init__(self) -> None:
        named = topic_of(self.asked.subject)
        self.topic = attribute_alone(named) if named is not None else None
        kind = self.asked.attribute
        self.kind = kind if kind != ANY or self.topic is None else self.topic.attribute or ANY
        self.sure = True

    def answers(self) -> Iterator[StateAnswer]:
        """Yield the answers; none if everything is in sentences and nothing changed, or if it is unclear which topic is meant."""
        if self.topic is None or not self.topic.words:
            return
        stays = self._stays(self._settings())
        if not any(s.setting.change or s.setting.outside_sentence for s in stays) or not self.loader.complete:
            return
        if self.asked.form in ("first", "often", "changed") and self.loader.since is not None:
            return  # Earlier statements were not read.
        yield from getattr(self, f"_{self.asked.form}")(stays)

    def is_left_open(self) -> bool:
        """True if the current value is open or only `likely`, or if there is none before a change."""
        if self.topic is None or not self.topic.words:
            return False
        stays = self._stays(self._settings())
        if not stays or not self.loader.complete or self.loader.since is not None:
            return False
        if self.asked.form == "now":
            return not stays[-1].key or (len(stays) > 1 and not (self.sure and not stays[-1].doubtful))
        return len(stays) == 1 and not stays[0].setting.change and not stays[0].doubtful

    def _settings(self) -> list[AttributeValue]:
        """The settings of the topic until the time of the question, in chronological order."""
        assert self.topic is not None
        runs = self.loader.runs_of(self.topic.head)
        contents = self.loader.contents()
        told = [s for facts, turns in runs for s in with_terse_values(attribute_values(facts, contents), turns)]
        topic = self._one_topic(told)
        if topic is None:
            return []
        own = [s for s in told if self._means(s, topic)]
        kinds = self._kinds(own)
        found = (s for s in own if s.attribute in kinds and (s.attribute == self.kind or self._may_be(s)))
        return sorted(found, key=lambda s: s.moment)

    def _kinds(self, own: Sequence[AttributeValue]) -> set[str]:
        """The attributes in question: for an unnamed one, the only attribute mentioned."""
        if self.kind != ANY:
            return {self.kind, "", *ALIKE.get(self.kind, ())}
        told = {s.attribute for s in own if s.attribute in ALIKE[ANY] or s.attribute == ANY}
        if self.asked.form in ("changed", "often"):
            told = {s.attribute for s in own if s.change and s.attribute}
        return {"", *told} if len(told) == 1 else set()

    def _may_be(self, setting: AttributeValue) -> bool:
        """True if a value without an attribute may be one of the attribute in question: a price and a version are numbers."""
        return self.kind not in ("price", "version") or not setting.key or any(c.isdigit() for c in setting.key)

    def _one_topic(self, told: Sequence[AttributeValue]) -> AttributeTopic | None:
        """The topic meant: the named one, otherwise the only one with a longer name, which is less certain."""
        assert self.topic is not None
        topics = {s.topic.words: s.topic for s in told if s.topic.words}
        owner = self.topic.owner
        longer = [
            t
            for w, t in topics.items()
            if w > self.topic.words and t.head == self.topic.head and (not owner or t.owner == owner)
        ]
        if self.topic.attribute and self.topic.words == {self.topic.head}:
            longer += list({s.topic.words: s.topic for s in told if s.attribute == self.topic.attribute}.values())
        if self.topic.words in topics:
            return self.topic
        if len(longer) != 1:
            return None
        self.sure = False
        return longer[0]

    def _means(self, setting: AttributeValue, topic: AttributeTopic) -> bool:
        """True if a setting is about the topic, or about something that may be it."""
        words = setting.topic.words
        return words == topic.words or (words < topic.words and setting.topic.head == topic.head)

    def _stays(self, settings: Sequence[AttributeValue]) -> list[_ValuePeriod]:
        """The periods in order, including those of open values."""
        found: list[_ValuePeriod] = []
        ambiguous = len({s.topic.words for s in settings}) > 1
        for s in settings:
            if s.moment > self.at >= s.fact.said.replace(tzinfo=None):
                continue  # It is in the future.
            if s.was and not found:
                found.append(_ValuePeriod(replace(s, key=key_of(s.was), text=s.was, change=False), s.because))
            elif s.was and found[-1].key and not _same(found[-1].key, key_of(s.was)):
                found[-1] = replace(found[-1], doubtful=True)
            self._continue(found, s, loose=ambiguous and self.topic is not None and s.topic.words < self.topic.words)
        return found

    def _continue(self, found: list[_ValuePeriod], s: AttributeValue, *, loose: bool) -> None:
        """Apply a setting to the periods; `loose`: it may be about another topic."""
        now = found[-1] if found else None
        if s.ends:
            if now is not None and now.key and _same(now.key, s.ends):
                found.append(_ValuePeriod(s, s.because))
        elif s.former:
            if now is None:
                found.append(_ValuePeriod(s, s.because, doubtful=True))
            elif not _same(now.key, s.key):
                found[-1] = replace(now, doubtful=True)
        elif loose and not s.key:
            found[-1:] = [replace(now, doubtful=True)] if now is not None else []
        elif now is not None and now.key and _same(now.key, s.key):
            kept = replace(s, change=now.setting.change, moment=now.setting.moment, was=now.setting.was)
            found[-1] = _ValuePeriod(kept, s.because, loose)
        else:
            told = now.because if now is not None and not s.key else ()
            found.append(_ValuePeriod(s, (*told, *s.because), loose or s.unsure))

    def _answer(self, stay: _ValuePeriod, *more: Fact, sure: bool = True) -> StateAnswer:
        worth = SURE if sure and self.sure and not stay.doubtful else DOUBTFUL
        because = tuple(dict.fromkeys((*stay.because, *more)))
        value = Thing(stay.key, stay.setting.text, "") if stay.setting.text else None
        return StateAnswer(value, because, worth)

    def _now(self, stays: Sequence[_ValuePeriod]) -> Iterator[StateAnswer]:
        last = stays[-1]
        if not self.asked.value:
            if last.key:
                yield self._answer(last)
            return
        wanted = self.asked.value.casefold()
        if not last.key:
            return
        told = replace(self._answer(last), value=None)
        if _same(last.key, wanted) or {last.key, wanted} <= DONE:
            yield told
        elif (last.key in GOING_ON and wanted in ENDED) or (last.key in ENDED and wanted in GOING_ON):
            yield replace(told, opposed=True)

    def _before(self, stays: Sequence[_ValuePeriod]) -> Iterator[StateAnswer]:
        """The value before the last period of a given value; without one, before the last change."""
        wanted, last = self.asked.before.casefold(), len(stays) - 1
        if wanted:
            wanted = self._day(wanted) or wanted
            last = next((n for n in reversed(range(len(stays))) if _same(stays[n].key, wanted)), 0)
        if last > 0 and stays[last - 1].key:
            yield self._answer(
                stays[last - 1], *stays[last].because, sure=not stays[last].doubtful or bool(stays[last].key)
            )

    def _first(self, stays: Sequence[_ValuePeriod]) -> Iterator[StateAnswer]:
        """The value said first, unless it is said to be the result of a change."""
        if stays[0].key and not stays[0].setting.change:
            yield self._answer(stays[0], sure=not stays[0].setting.was)

    def _changes(self, stays: Sequence[_ValuePeriod]) -> list[_ValuePeriod]:
        return [s for n, s in enumerate(stays) if n or s.setting.change]

    def _often(self, stays: Sequence[_ValuePeriod]) -> Iterator[StateAnswer]:
        changes = self._changes(stays)
        because = tuple(dict.fromkeys(f for s in stays for f in s.because))
        sure = self.sure and all(s.key and not s.doubtful for s in stays)
        sure = sure and not (stays[0].setting.change or stays[0].setting.was)
        yield StateAnswer(None, because, SURE if sure else DOUBTFUL, number=len(changes))

    def _changed(self, stays: Sequence[_ValuePeriod]) -> Iterator[StateAnswer]:
        """The day of the last change: as stated, otherwise the day of the statement, which is `likely` at most."""
        changes = self._changes(stays)
        if changes:
            last = changes[-1]
            dated = bool(last.setting.fact.when_text) and self.kind != "day" and last.setting.attribute != "day"
            day = f"{last.setting.moment:%-d %B %Y}"
            worth = SURE if dated and self.sure and not last.doubtful else DOUBTFUL
            yield StateAnswer(Thing(day.casefold(), day, ""), last.because, worth)

    def _at(self, stays: Sequence[_ValuePeriod]) -> Iterator[StateAnswer]:
        """The value at a time: at its end, if nothing changed during it."""
        found = find_times(self.asked.time, self.at, False)
        if len(found) != 1:
            return
        when = found[0].interval
        held = [s for s in stays if s.setting.moment < when.end]
        within = [s for s in held if s.setting.moment >= when.start and s is not held[0]]
        if held and held[-1].key and (not within or "as of" in self.asked.time.casefold()):
            yield self._answer(held[-1], *(f for s in stays[len(held) : len(held) + 1] for f in s.because))

    def _day(self, words: str) -> str:
        """A day in the form used in settings."""
        found = find_times(words, self.at, None) if self.kind in ("day", ANY) else []
        return str(found[0].interval).casefold() if len(found) == 1 else ""


def _same(a: str, b: str) -> bool:
    """True if two values are the same: `45` and `45 euros`."""
    if a == b:
        return True
    short, long = sorted((a.split(), b.split()), key=len)
    return bool(short) and short[0][:1].isdigit() and short == long[: len(short)]
