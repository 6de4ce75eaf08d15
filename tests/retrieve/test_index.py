"""The in-memory index is always one state of the store, whoever writes."""

import threading
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goalmem.retrieve import index
from goalmem.retrieve.index import SpaceIndexes
from goalmem.store import open_store
from tests.retrieve.telling import Told, WordEmbedder, nearest

PLENTY = 1 << 30


def indexes(store, most_bytes=PLENTY):
    return SpaceIndexes(store, WordEmbedder.dimension, most_bytes=most_bytes)


def all_vectors(view):
    return view.vectors.dots_of(np.arange(len(view.vectors)), np.eye(view.vectors.dimension, dtype=np.float32))


def contents(view):
    """All that a view holds, without what depends on how it came about."""
    terms = sorted(
        (int(term), int(row), int(count))
        for segment in view.postings.segments
        for term in segment.terms
        for row, count in zip(*segment.find(int(term)), strict=True)
    )
    return (
        list(view.ids[: view.size]),
        [view.session_names.names[n] for n in view.sessions],
        [view.speaker_names.names[n] for n in view.speakers],
        [view.role_names.names[n] for n in view.roles],
        view.at.tolist(),
        view.previous.tolist(),
        view.lengths.tolist(),
        view.passages.tolist(),
        all_vectors(view).tolist(),
        terms,
    )


def test_an_unknown_space_is_empty(told):
    assert indexes(told.store).view("nobody").size == 0


def test_an_unchanged_space_is_not_read_again(told):
    told.say(("Maya", "I adopted a beagle."))
    held = indexes(told.store)
    assert held.view("s") is held.view("s")


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 4), st.booleans()), min_size=1, max_size=8))
def test_growing_and_rebuilding_give_the_same(calls):
    store = open_store(":memory:", model=WordEmbedder.name, dimension=WordEmbedder.dimension)
    told, held = Told(store), indexes(store)
    for session, turns, look in calls:
        told.say(*(("Maya", f"Turn {n} of many, said in {session}. It rains.") for n in range(turns)), session=session)
        if look:
            held.view("s")
    assert contents(held.view("s")) == contents(indexes(store).view("s"))
    store.close()


def test_what_another_process_adds_is_seen(opened):
    here, there = Told(opened()), Told(opened())
    here.say(("Maya", "I adopted a beagle."))
    assert here.found("beagle") == ["I adopted a beagle."]
    there.say(("Leo", "The beagle ate my shoe."))
    assert set(here.found("beagle")) == {"I adopted a beagle.", "The beagle ate my shoe."}


def test_what_another_process_forgets_is_gone(opened):
    here, there = Told(opened()), Told(opened())
    ids = here.say(("Maya", "I adopted a beagle."), ("Leo", "The beagle ate my shoe."), ("Maya", "Bad beagle!"))
    held = indexes(here.store)
    assert held.view("s").size == 3
    there.store.forget("s", turn=ids[1])
    assert "The beagle ate my shoe." not in here.found("beagle")
    view = held.view("s")
    assert list(view.ids[: view.size]) == [ids[0], ids[2]]
    assert view.previous.tolist() == [-1, 0]
    there.say(("Leo", "A new beagle."), session="2")
    assert len(here.found("beagle")) == 3


@pytest.mark.parametrize("hashed", [hash, len], ids=["by hash", "when all hashes meet"])
def test_rows_are_found_by_turn_id(told, monkeypatch, hashed):
    monkeypatch.setattr(index, "_hash_of_id", lambda turn: hashed(turn) & (2**64 - 1))
    held = indexes(told.store)
    for n in range(3):
        ids = told.say(*(("Maya", f"Turn {i} of batch {n}.") for i in range(30)), session=str(n))
        view = held.view("s")
        assert [view.rows[turn] for turn in ids] == list(range(view.size - 30, view.size))
    assert dict(view.rows) == {turn: row for row, turn in enumerate(view.ids)}
    assert view.rows.get("no turn", -1) == -1
    assert ids[0] in view.rows


def test_an_old_view_knows_no_later_turn(told):
    told.say(("Maya", "One."))
    held = indexes(told.store)
    old = held.view("s")
    (later,) = told.say(("Maya", "Two."))
    assert later in held.view("s").rows
    assert later not in old.rows
    assert len(old.rows) == len(old.ids) == old.size == 1


def test_what_is_held_is_counted(told):
    """The estimate that decides which space is dropped covers the arrays of a view."""
    told.say(*(("Maya", f"Turn {n} speaks of number {n * n}.") for n in range(200)))
    held = indexes(told.store)
    view = held.view("s")
    arrays = [view.sessions, view.at, view.previous, view.lengths, view.passages, view.ids.utf8, view.ids.ends]
    arrays += [array for block in view.vectors.blocks for array in (block.codes, block.scales)]
    assert sum(array.nbytes for array in arrays) + view.postings.nbytes < held._slots["s"].nbytes < 2**20


def test_the_turn_before_is_of_the_same_session(told):
    told.say(("Maya", "One."), session="a")
    told.say(("Maya", "Two."), session="b")
    told.say(("Maya", "Three."), session="a")
    assert indexes(told.store).view("s").previous.tolist() == [-1, -1, 0]


def test_an_old_view_does_not_change(told):
    told.say(*(("Maya", f"Beagle number {n} barks.") for n in range(70)))
    held = indexes(told.store)
    old = held.view("s")
    before = contents(old)
    told.say(*(("Maya", f"Poodle number {n} sleeps.") for n in range(70)))
    assert held.view("s").size == 140
    assert contents(old) == before


def test_the_space_used_least_goes_first(told):
    for space in "abc":
        told.say(*(("Maya", f"Turn {n} of this space.") for n in range(20)), space=space)
    held = indexes(told.store, most_bytes=1)
    views = {space: held.view(space) for space in "abc"}
    assert held.view("c") is views["c"]
    assert held.view("a") is not views["a"]
    assert contents(held.view("a")) == contents(views["a"])


def test_readers_never_see_half_of_an_addition(told):
    """Turns come two at a time; every view holds an even number of them, each with a vector and its words."""
    stop, seen = threading.Event(), []

    def read():
        held = indexes(told.store)
        while not stop.is_set():
            view = held.view("s")
            seen.append((view.size, len(nearest(view, np.zeros(64, dtype=np.float32)))))

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for n in range(30):
        told.say(("Maya", f"Question {n} about dogs."), ("Leo", f"Answer {n}."), at=datetime(2024, 5, 1, tzinfo=UTC))
    stop.set()
    for reader in readers:
        reader.join()
    assert all(size % 2 == 0 and scored == size for size, scored in seen)


def test_a_best_passage_speaks_for_its_turn(told):
    told.say(("user", "Can you help me find a good recipe for a cake? By the way, I adopted a beagle last Friday."))
    view = indexes(told.store).view("s")
    query = WordEmbedder().embed(["adopted beagle Friday"])[0]
    assert len(view.vectors) == 2
    assert nearest(view, query)[0] == pytest.approx(float((all_vectors(view) @ query).max()), abs=3e-3)
