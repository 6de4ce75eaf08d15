"""The signals that rank candidates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.retrieve.fusion import bridge, order, session_means, session_words, theme
from goalmem.retrieve.temporal import QuestionTimes
from tests.retrieve.asking import asked, candidates, day, seen, vector
from tests.retrieve.telling import nearest


@pytest.fixture
def sessions(told):
    """Three sessions of two turns."""
    told.say(("user", "I baked rye bread today."), ("assistant", "Well done."), session="bread", at=day(1))
    told.say(("user", "The piano needs tuning."), ("assistant", "Rye bread, rye bread, rye bread."), session="piano")
    told.say(("user", "My sister moved house."), ("user", "She likes her garden."), session="house", at=day(3))
    return told


EVERYONE = list(range(6))


def test_a_theme_is_the_nearest_of_the_session_given_to_each_of_its_turns(sessions):
    query = asked(sessions, "rye bread")
    found = candidates(query, EVERYONE)
    scores = theme(found)
    assert scores[0] == scores[1] == pytest.approx(found.dense[:2].max())
    assert scores[2] == scores[3] == pytest.approx(found.dense[2:4].max())
    assert scores[4] == scores[5] < scores[0]


def test_a_theme_is_of_candidates_alone(sessions):
    query = asked(sessions, "rye bread")
    assert theme(candidates(query, [1, 2]))[0] == pytest.approx(candidates(query, [1]).dense[0])


def test_words_of_a_session_are_those_of_people(sessions):
    scores = session_words(candidates(asked(sessions, "rye bread"), EVERYONE))
    assert scores[0] == scores[1] > 0
    assert not scores[2:].any()  # only the assistant speaks of bread there


def test_words_of_a_session_are_counted_over_the_whole_space(sessions):
    query = asked(sessions, "rye bread")
    assert session_words(candidates(query, [1, 4])).tolist() == pytest.approx(
        session_words(candidates(query, EVERYONE))[[1, 4]].tolist()
    )


def test_a_query_without_words_has_none_in_sessions(sessions):
    assert session_words(candidates(asked(sessions, "!?"), EVERYONE)) is None


def test_the_bridge_takes_the_nearest_noun_phrase(sessions):
    phrases = np.stack([vector("tuned piano"), vector("garden")])
    query = asked(sessions, "What of it?", noun_phrases=phrases)
    scores = bridge(candidates(query, EVERYONE))
    expected = np.maximum(np.max([nearest(query.view, phrase) for phrase in phrases], axis=0), 0)
    assert scores.tolist() == pytest.approx(
        expected.tolist(), abs=0.005
    )  # similarities are coded in 8 bits on both sides
    assert {*np.argsort(-scores)[:2].tolist()} == {2, 5}


def test_the_bridge_looks_at_every_passage(told):
    told.say(
        (
            "user",
            "The train left the station without any of us on board. My piano needs tuning before the winter comes.",
        ),
        ("user", "Yes."),
    )
    query = asked(told, "instrument", noun_phrases=vector("My piano needs tuning before the winter comes.")[None])
    assert len(query.view.vectors) == 3
    assert bridge(candidates(query, [1, 0]))[1] == pytest.approx(1, abs=0.01)


def test_without_noun_phrases_there_is_no_bridge(sessions):
    assert bridge(candidates(asked(sessions, "Well?"), EVERYONE)) is None


@pytest.mark.parametrize(("ordering", "expected"), [("first", 0), ("last", 2)])
def test_order_prefers_the_asked_end_of_what_is_on_the_topic(told, ordering, expected):
    for number in range(4):
        told.say(("user", f"Run number {number}."), session=f"{number}", at=day(1 + number))
    query = asked(told, "run", times=QuestionTimes(ordering=ordering))
    # The last of all is not on the topic.
    scores = order(candidates(query, [0, 1, 2, 3], scores=[1.0, 0.95, 0.9, 0.1]))
    assert int(scores.argmax()) == expected
    assert scores[3] == 0
    assert scores[1] == pytest.approx(0.95 / 2)


def test_without_an_ordering_nothing_is_said_of_order(sessions):
    assert order(candidates(asked(sessions, "bread"), EVERYONE)) is None
    assert order(candidates(asked(sessions, "bread", times=QuestionTimes(ordering="first")), [])) is None


@given(
    st.lists(st.tuples(st.integers(0, 5), st.floats(-2, 2, width=16)), max_size=40),
    st.integers(1, 5),
)
def test_a_session_is_worth_the_mean_of_its_best(turns, count):
    sessions = np.array([session for session, _ in turns], dtype=np.intp)
    scores = np.array([score for _, score in turns], dtype=np.float32)
    means = session_means(sessions, scores, count)
    for place, session in enumerate(sessions):
        best = np.sort(scores[sessions == session])[::-1][:count]
        assert means[place] == pytest.approx(best.sum() / count, abs=1e-5)


def test_how_many_sessions_candidates_are_of(sessions):
    query = asked(sessions, "rye", view=seen(sessions))
    assert candidates(query, EVERYONE).sessions == 3
    assert candidates(query, [0, 1]).sessions == 1
    assert candidates(query, []).sessions == 0
