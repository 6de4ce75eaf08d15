"""The structure of a question against the structure of what was said."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from goalmem.questions.anatomy import QuestionAnatomy
from goalmem.retrieve.lexical import Postings
from goalmem.retrieve.signals import (
    LogicSettings,
    damped_scores,
    logic_scores,
    preference_scores,
    reminiscence_scores,
)

from .reading import indexed, read

TALK = (
    "Nadia: I adopted a dog in Porto.",
    "Omar: I saw a dog that somebody else adopted.",
    "Nadia: I painted the kitchen.",
    "Omar: I never visited the museum.",
    "Nadia: I visited the museum.",
    "Omar: The weather was fine.",
)


def scored(question: str, *lines: str, **changes: object) -> np.ndarray:
    postings, lengths = indexed(*(lines or TALK))
    return logic_scores(read(question), postings, len(lengths), LogicSettings(**changes))


def test_who_did_it_matters() -> None:
    scores = scored("What did Nadia adopt?")
    assert scores.argmax() == 0
    assert scores[5] == 0


def test_a_whole_trigram_is_worth_more_than_its_words_apart() -> None:
    scores = scored("When did Nadia adopt the dog?")
    assert scores[0] > scores[1] > 0


def test_a_denial_answers_the_question_whether_and_fits_a_denied_one_better() -> None:
    asked, denied = scored("Who visited the museum?"), scored("Who did not visit the museum?")
    assert min(asked[3], asked[4]) > 0
    assert denied[3] > denied[4]


def test_i_and_you_are_the_roles_of_the_conversation() -> None:
    lines = ("user: I bought a tent.", "assistant: I would buy a tent.", "user: Fine weather.")
    assert scored("Which tent did I buy?", *lines).argmax() == 0
    assert scored("Which tent did you buy?", *lines).argmax() == 1


def test_a_score_is_a_share_between_nothing_and_all() -> None:
    scores = scored("When did Nadia paint the kitchen?")
    assert scores.dtype == np.float32
    assert scores.shape == (6,)
    assert 0 <= scores.min() <= scores.max() <= 1
    assert not logic_scores(QuestionAnatomy(), Postings(), 3).any()
    assert logic_scores(read("Who painted the kitchen?"), Postings(), 0).shape == (0,)


def test_a_match_that_many_share_is_dampened() -> None:
    many = tuple(f"user: I painted wall {n}." for n in range(8))
    common = scored("What did I paint?", *many)
    undampened = scored("What did I paint?", *many, concentration=1.0)
    np.testing.assert_allclose(common, undampened * 0.3, rtol=1e-5)
    few = many[:2] + tuple(f"user: I saw bird {n}." for n in range(6))
    assert (scored("What did I paint?", *few) == scored("What did I paint?", *few, concentration=1.0)).all()


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=40))
def test_dampening_keeps_the_order_and_never_raises_a_score(values: list[float]) -> None:
    scores = np.array(values, dtype=np.float32)
    after = damped_scores(scores.copy(), LogicSettings())
    assert (after <= scores).all()
    assert (np.argsort(-after, kind="stable") == np.argsort(-scores, kind="stable")).all()
    if len(values) and scores.max() > 0:
        assert after.max() >= 0.29 * scores.max()


def test_likes_matter_to_a_recommendation_alone() -> None:
    postings, _ = indexed("user: I love jazz.", "user: I hate opera.", "user: I sold my piano.")
    assert preference_scores(read("Can you recommend some jazz or opera?"), postings, 3).tolist() == [1, 1, 0]
    assert preference_scores(read("When did I hear jazz?"), postings, 3).tolist() == [0, 0, 0]


def test_reminiscence_finds_those_who_look_back() -> None:
    postings, _ = indexed("user: I miss our summers at the lake.", "user: I booked a room at the lake.")
    assert reminiscence_scores(read("I feel nostalgic about the lake."), postings, 2).tolist() == [1, 0]
    assert reminiscence_scores(read("Which lake did I visit?"), postings, 2).tolist() == [0, 0]


def test_a_question_of_very_many_words_looks_up_a_bounded_number() -> None:
    question = "Did I see " + ", ".join(f"a big bird{n}" for n in range(200)) + "?"
    assert scored(question, "user: I saw a big bird3.", most_terms=4).max() <= 1
