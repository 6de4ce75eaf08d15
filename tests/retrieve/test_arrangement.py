"""What is displaced by noise comes back; every part of a question is covered."""

from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.retrieve.fusion import Candidates, cover, preserve
from goalmem.retrieve.query import QueryPart
from goalmem.store import open_store
from tests.retrieve.asking import asked, candidates, seen, terms, vector
from tests.retrieve.telling import Told, WordEmbedder


def by_vector(*places: int) -> Candidates:
    """Candidates that stand at these places (from 1) of the vector's list."""
    dense = -np.array(places, dtype=np.float32)
    return Candidates(None, np.arange(len(places)), -dense, np.zeros(len(places), dtype=np.intp), dense)


def ranking(count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(count), np.linspace(1, 0.5, count, dtype=np.float32)


def preserved(*places: int) -> list[int]:
    """Places by vector, as ranked after the correction."""
    order, _ = preserve(by_vector(*places), *ranking(len(places)))
    return [places[row] for row in order]


def test_what_an_intruder_displaced_comes_back_to_the_fifth_place():
    assert preserved(1, 2, 9, 4, 5, 6, 3, 7, 8) == [1, 2, 9, 4, 3, 5, 6, 7, 8]


def test_without_an_intruder_nothing_moves():
    assert preserved(1, 2, 7, 4, 6, 5, 3, 8, 9) == [1, 2, 7, 4, 6, 5, 3, 8, 9]


def test_what_fell_far_stays_there():
    places = [1, 2, 20, 4, 5, *range(6, 14), 3, *range(14, 20)]
    assert places.index(3) == 13
    assert preserved(*places) == places


def test_of_several_displaced_the_best_ranked_comes_back():
    assert preserved(1, 9, 10, 4, 6, 7, 3, 2, 5, 8)[4:9] == [3, 6, 7, 2, 5]


@given(st.permutations(range(1, 21)))
def test_preserving_moves_one_turn_at_most_and_scores_still_fall(places):
    order, scores = preserve(by_vector(*places), *ranking(len(places)))
    assert sorted(order.tolist()) == list(range(len(places)))
    assert (np.diff(scores) <= 0).all()
    moved = [n for n in order.tolist() if n != order.tolist().index(n)]
    assert not moved or (order[4] == max(moved) and sorted(moved) == list(range(4, max(moved) + 1)))


@pytest.mark.parametrize("count", [0, 1, 4])
def test_a_short_ranking_stays(count):
    assert preserved(*range(1, count + 1)) == list(range(1, count + 1))


# -- parts --------------------------------------------------------------------------------------------------------------


TOPICS = "piano violin garden bread train coffee bicycle lamp sofa kitchen".split()


@pytest.fixture
def topics(told):
    """Ten sessions of one turn, each on a topic of its own."""
    for number, topic in enumerate(TOPICS):
        told.say(("user", f"My {topic} is new."), session=f"{number}")
    return told


@pytest.fixture(scope="module")
def space():
    """The same, for many searches."""
    with closing(open_store(":memory:", model=WordEmbedder.name, dimension=WordEmbedder.dimension)) as store:
        told = Told(store)
        for number, topic in enumerate(TOPICS):
            told.say(("user", f"My {topic} is new."), session=f"{number}")
        return seen(told)


def parts(*texts: str) -> tuple[QueryPart, ...]:
    return tuple(QueryPart(terms(text), vector(text)) for text in texts)


def covered(topics, *texts: str) -> tuple[list[int], list[float]]:
    query = asked(topics, " and ".join(texts), parts=parts(*texts))
    order, scores = cover(candidates(query, list(range(10))), *ranking(10))
    return order.tolist(), scores.tolist()


def test_a_part_that_is_missing_among_the_first_sessions_is_raised(topics):
    # Two parts leave room for four sessions.
    order, scores = covered(topics, "my piano", "my kitchen")
    assert order == [0, 1, 2, 9, 3, 4, 5, 6, 7, 8]
    assert scores == sorted(scores, reverse=True)


def test_parts_that_are_covered_change_nothing(topics):
    assert covered(topics, "my piano", "my bread")[0] == list(range(10))


def test_several_missing_parts_are_all_raised(topics):
    order, _ = covered(topics, "my sofa", "my kitchen", "my lamp")
    assert {7, 8, 9} <= {*order[:5]}


def test_a_part_is_not_raised_in_the_place_of_another(topics):
    assert {3, 9} <= {*covered(topics, "my kitchen", "my bread")[0][:4]}


@given(st.lists(st.sampled_from(TOPICS), min_size=2, max_size=6, unique=True), st.permutations(range(10)))
def test_every_part_is_covered_and_scores_still_fall(space, wanted, ranked):
    query = asked(None, "all of it", view=space, parts=parts(*(f"My {topic} is new." for topic in wanted)))
    found = candidates(query, ranked)
    order, scores = cover(found, *ranking(10))
    assert sorted(order.tolist()) == list(range(10))
    assert (np.diff(scores) <= 0).all()
    leading = {TOPICS[row] for row in found.rows[order[: len(wanted) + 2]]}
    assert {*wanted} <= leading
    if {*wanted} <= {TOPICS[row] for row in ranked[: len(wanted) + 2]}:
        assert order.tolist() == list(range(10))


def test_a_query_of_one_thing_is_left_alone(topics):
    assert covered(topics)[0] == list(range(10))


def test_coverage_counts_sessions_not_turns(told):
    told.say(*(("user", f"My piano needs tuning {n}.") for n in range(8)), session="piano")
    for number in range(4):
        told.say(("user", f"Day {number} was fine."), session=f"{number}")
    told.say(("user", "My kitchen is new."), session="kitchen")
    query = asked(told, "piano and kitchen", parts=parts("my piano", "my kitchen"))
    order, _ = cover(candidates(query, list(range(13))), *ranking(13))
    # The first four sessions: piano (eight turns), then three more, of which the kitchen becomes the last.
    assert order.tolist() == [*range(10), 12, 10, 11]


def test_no_candidates_no_coverage(topics):
    query = asked(topics, "piano and kitchen", parts=parts("piano", "kitchen"))
    order, scores = cover(candidates(query, []), *ranking(0))
    assert len(order) == len(scores) == 0
