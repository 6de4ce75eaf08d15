"""One score from many: two stages, the corrections, and what is kept of each."""

from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalmem.retrieve import vectors
from goalmem.retrieve.fusion import CANDIDATE_SIGNALS, CORRECTIONS, SIGNAL_NAMES, fuse
from goalmem.retrieve.settings import PRESETS, RetrievalSettings, Weights
from goalmem.store import open_store
from tests.retrieve.asking import asked, day, seen
from tests.retrieve.telling import Told, WordEmbedder

WORDS = "lamp piano garden bread train coffee bicycle sofa kitchen beagle".split()


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Three hundred short turns in sixty sessions, which no test here adds to."""
    path = tmp_path_factory.mktemp("many") / "s.db"
    with closing(open_store(path, model=WordEmbedder.name, dimension=WordEmbedder.dimension)) as store:
        yield filled(Told(store))


def filled(told: Told) -> Told:
    for session in range(60):
        said = [
            ("user" if n % 2 else "Maya", f"{WORDS[(session * n) % 10]} {WORDS[(session + 3 * n) % 10]} {session % 7}")
            for n in range(5)
        ]
        told.say(*said, session=f"{session}", at=day(1 + session % 28))
    return told


def few(count: int) -> RetrievalSettings:
    return RetrievalSettings(candidates=count)


def test_scores_fall_and_are_the_weighted_sum_of_what_signals_said(many):
    query = asked(many, "Did I play the piano in the garden?")
    found = fuse(query, None, 10, without=list(CORRECTIONS))
    weights = query.settings.weights
    total = sum(weights[name] * said for name, said in found.signals.items())
    assert found.scores.tolist() == pytest.approx(total.tolist(), abs=1e-5)
    assert (np.diff(found.scores) <= 0).all()
    assert (np.diff(fuse(query, None, 10).scores) <= 0).all()


def test_a_candidate_is_what_the_first_stage_finds_best(many):
    query = asked(many, "piano garden", settings=few(20))
    sole = fuse(query, None, 1)
    everyone = fuse(replace(query, settings=few(300)), None, 1)
    plain = {name for name in everyone.signals if name not in CANDIDATE_SIGNALS} - {"session"}
    first = sum(query.settings.weights[name] * everyone.signals[name] for name in plain)
    chosen = np.lexsort((everyone.rows, -first))[:20]
    assert len(sole.rows) == 20
    assert sorted(first[chosen]) == pytest.approx(sorted(first[np.isin(everyone.rows, sole.rows)]), abs=1e-6)


def test_as_many_candidates_as_asked_for(many):
    query = asked(many, "piano", settings=few(5))
    assert len(fuse(query, None, 50).rows) == 50
    assert len(fuse(query, None, 5_000).rows) == 300


def test_estimated_cosines_choose_turns_and_score_none(many, monkeypatch):
    query = asked(many, "Did I play the piano in the garden?")
    found = fuse(query, None, 10)
    monkeypatch.setattr(vectors, "ESTIMATED_FROM", 1)
    estimated = fuse(replace(query, closeness=query.view.vectors.estimates(query.vector)), None, 10)
    assert estimated.scores[:10] == pytest.approx(found.scores[:10], abs=1e-5)  # of equal turns any may come first


@given(st.lists(st.booleans(), min_size=300, max_size=300))
@settings(max_examples=20, deadline=None)
def test_rows_not_allowed_never_come_through(view, mask):
    allowed = np.array(mask)
    query = asked(None, "piano in the garden", view=view)
    rows = fuse(query, allowed, 300).rows
    assert sorted(rows.tolist()) == np.flatnonzero(allowed).tolist()


@pytest.fixture(scope="module")
def view():
    with closing(open_store(":memory:", model=WordEmbedder.name, dimension=WordEmbedder.dimension)) as store:
        told = Told(store)
        told.say(*(("user", f"{WORDS[n % 10]} {WORDS[n % 7]}") for n in range(300)))
        return seen(told)


def test_nobody_allowed_nothing_found(many):
    query = asked(many, "piano")
    found = fuse(query, np.zeros(query.view.size, dtype=bool), 10)
    assert len(found.rows) == len(found.scores) == 0


def test_a_turn_left_out_still_lends_to_its_neighbours(told):
    told.say(("Leo", "What is the beagle called?"), ("Maya", "Biscuit!"))
    query = asked(told, "beagle")
    found = fuse(query, np.array([False, True]), 5)
    assert found.rows.tolist() == [1]
    assert found.signals["context"][0] > 0


@pytest.mark.parametrize("name", sorted(SIGNAL_NAMES))
def test_without_a_signal_the_rest_says_what_it_said(many, name):
    query = asked(many, "Did I play the piano in the garden?")
    full, less = fuse(query, None, 300), fuse(query, None, 300, without=[name])
    assert name not in less.signals
    assert sorted(less.rows.tolist()) == sorted(full.rows.tolist())
    # What is worked out of other signals changes with them.
    derived = (
        {"session", "order"} | ({"context"} if name == "lexical" else set()) | ({"theme"} if name == "dense" else set())
    )
    for other in {*less.signals} - derived:
        before, after = (dict(zip(f.rows.tolist(), f.signals[other].tolist(), strict=True)) for f in (full, less))
        assert before == after, other


def test_a_weight_of_nothing_is_a_signal_switched_off(many):
    query = asked(many, "Did I play the piano in the garden?")
    silenced = replace(query, settings=RetrievalSettings(weights=replace(Weights(), lexical=0.0, theme=0.0)))
    off = fuse(query, None, 300, without=["lexical", "theme"])
    zero = fuse(silenced, None, 300)
    assert off.rows.tolist() == zero.rows.tolist()
    assert off.scores.tolist() == zero.scores.tolist()


def test_everything_switched_off_still_gives_the_turns(many):
    found = fuse(asked(many, "piano"), None, 7, without=SIGNAL_NAMES)
    assert len(found.rows) == 300
    assert not found.scores.any()
    assert found.signals == {}


def test_of_equal_turns_the_earlier_comes_first(told):
    told.say(*(("user", "The very same words.") for _ in range(5)))
    assert fuse(asked(told, "words"), None, 5, without=["context", *CORRECTIONS]).rows.tolist() == [0, 1, 2, 3, 4]


def test_every_signal_with_a_weight_can_be_switched_off_and_every_weight_is_of_one():
    assert {*Weights().as_dict()} == SIGNAL_NAMES - {*CORRECTIONS}
    assert all(weight >= 0 for weight in Weights().as_dict().values())


@pytest.mark.parametrize(
    ("preset", "kept"), [("vector", {"dense"}), ("logic", {"logic", "preference", "reminiscence"})]
)
def test_a_preset_keeps_its_signals_alone(many, preset, kept):
    assert SIGNAL_NAMES - PRESETS[preset] == kept
    assert {*fuse(asked(many, "piano"), None, 5, without=PRESETS[preset]).signals} <= kept
