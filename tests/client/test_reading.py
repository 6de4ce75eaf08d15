"""What a server writes, a client reads back as it was."""

import json
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from goalmem.logic.interval import Grain, Interval
from goalmem.records import Argument, Fact, HistoryEntry, Hit, Modality, Turn
from goalmem.schema import models, rows

text = st.text(max_size=30)
names = st.text(min_size=1, max_size=12)
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime(1000, 1, 2), datetime(2999, 1, 1), timezones=zones | st.just(UTC))
places = st.integers(-1, 10_000)
turns = st.builds(
    Turn,
    id=names,
    space=st.just("maya"),
    session=names,
    position=st.integers(0, 2**40),
    speaker=names,
    role=st.sampled_from(["user", "assistant", "system", "tool"]),
    text=text,
    at=moments,
    caption=text,
    external_id=text,
    dated=st.booleans(),
)
arguments = st.builds(Argument, text, text, places, places, text, text, text, text, st.tuples(text, text) | st.just(()))
intervals = st.builds(
    Interval, st.just(datetime(2024, 4, 1)), st.just(datetime(2024, 5, 1)), st.sampled_from(list(Grain))
)
facts = st.builds(
    Fact,
    id=names,
    space=st.just("maya"),
    turn=names,
    text=text,
    start=places,
    end=places,
    statement=text,
    kind=text,
    predicate=text,
    args=st.lists(arguments, max_size=3).map(tuple),
    polarity=st.booleans(),
    modality=st.sampled_from(list(Modality)),
    speaker=text,
    said=moments,
    when=st.none() | intervals,
    when_text=text,
    slot=text,
)


def sent(row: object) -> object:
    return json.loads(rows.encoded(row))


@given(turns)
def test_turns(turn: Turn):
    assert rows.record(Turn, sent(rows.row(models.Turn, turn)), "maya") == turn


@given(facts, st.none() | names)
def test_facts_and_their_history(fact: Fact, later: str | None):
    assert rows.record(Fact, sent(rows.row(models.Fact, fact)), "maya") == fact
    entry = HistoryEntry(fact, later)
    assert rows.history_entry(sent(rows.entry_row(entry)), "maya") == entry


@given(turns, st.floats(-1e6, 1e6), st.dictionaries(names, st.floats(-1e6, 1e6), max_size=3))
def test_hits(turn: Turn, score: float, signals: dict[str, float]):
    hit = Hit(turn, score, signals)
    assert rows.hit(sent(rows.hit_row(hit)), "maya") == hit
