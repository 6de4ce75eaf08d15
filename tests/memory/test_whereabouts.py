"""Where things are that are under, behind or near something."""

from __future__ import annotations

import pytest

from tests.asking import TOLD, asked
from tests.cases import one_in

SAID = [
    ("The spare key is under the mat.", "Where is the spare key?", "under the mat"),
    ("The spare key is behind the blue pot.", "Where is the spare key?", "behind the blue pot"),
    ("I put the spare key under the mat.", "Where did I put the spare key?", "under the mat"),
    ("I hid the present behind the sofa.", "Where did I hide the present?", "behind the sofa"),
    ("I left my wallet in my coat.", "Where did I leave my wallet?", "coat"),
    ("The dog sleeps under the table.", "Where does the dog sleep?", "under the table"),
    ("The spare key is under the mat.", "Is the spare key under the mat?", "Yes"),
    ("My new job is at a GP practice.", "Is my new job at a GP practice?", "Yes"),
    ("The cat sleeps behind the sofa.", "Does the cat sleep behind the sofa?", "Yes"),
]
OTHERS = [
    ("The spare key is under the mat.", "Is the spare key in the mat?"),
    ("The cat is behind the sofa.", "Is the cat behind the door?"),
    ("The cat is near the sofa.", "Is the cat on the sofa?"),
    ("I paid in cash.", "Where did I pay?"),
    ("I met Ana in a red dress.", "Where did I meet Ana?"),
    ("I bought it on a credit card.", "Where did I buy it?"),
    ("I saw it on the news.", "Where did I see it?"),
]


@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, SAID))
def test_the_place_is_told_with_its_preposition(said: str, question: str, answer: str) -> None:
    assert asked(said, question, at=TOLD) == ("proved", answer)


@pytest.mark.parametrize(("said", "question"), one_in(2, OTHERS))
def test_what_is_no_place_of_it_proves_none(said: str, question: str) -> None:
    assert asked(said, question, at=TOLD)[0] not in ("proved", "disproved")
