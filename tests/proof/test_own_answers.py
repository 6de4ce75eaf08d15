"""The system's own answer, of every status, verifies right after it was given. (The demo's: `test_forgery`.)"""

from __future__ import annotations

import pytest

from goalmem import Memory
from goalmem.language import Analyzer
from tests.cases import one_in
from tests.proof import own_answers as own

LIFE = "a-old-friends"
EVERY = pytest.mark.parametrize("every", [48, pytest.param(16, marks=pytest.mark.thorough)])
"""Of a life's questions one in so many is asked; all lives with all their questions: `python -m tests.proof own`."""
LOSING = (
    "Who was meant to travel with Zsófi to Pécs originally?",
    "how long did I sleep once the marriage was officially over",
    "which part of the book had the dog's snoring in it",
    "why couldn't we borrow the old car after all",
)
"""Each reading of these loses a word."""


def statuses(memory: Memory, questions: list[own.Asked]) -> set[str]:
    found = list(own.refused(memory, questions))
    assert [why for _, why in found if why is not None] == []
    return {status for status, _ in found}


def test_of_rules(analyzer: Analyzer) -> None:
    with own.ruled(analyzer) as memory:
        assert statuses(memory, [own.Asked(q) for q in own.RULE_QUESTIONS]) == {"proved", "disproved", "unknown"}


def test_of_a_node_with_a_hundred_relation_types(analyzer: Analyzer) -> None:
    assert len({relation for _, relation, _ in own.EDGES}) == 100
    with own.linked(analyzer) as memory:
        assert statuses(memory, [own.Asked(q) for q in own.GRAPH_QUESTIONS]) == {"proved", "unknown"}


@pytest.fixture(scope="module")
def life(analyzer: Analyzer):
    with own.lived(analyzer, LIFE) as memory:
        yield memory


@EVERY
def test_of_a_life(life: Memory, every: int) -> None:
    assert "unknown" in statuses(life, own.life_questions(LIFE)[::every])


@pytest.mark.parametrize("every", [8, pytest.param(4, marks=pytest.mark.thorough)])
def test_of_an_everyday_conversation(analyzer: Analyzer, every: int) -> None:
    with own.lived(analyzer, "p-dog") as memory:
        assert statuses(memory, own.life_questions("p-dog")[::every]) >= {"likely", "unknown"}


def test_of_questions_whose_readings_lose_a_word(life: Memory) -> None:
    asked = [q for q in own.life_questions(LIFE) if q.question in LOSING]
    assert len(asked) == len(LOSING)
    assert statuses(life, asked) <= {"unknown", "likely"}


@pytest.mark.parametrize(
    "question", one_in(2, ["?", "…", "blah " * 700 + "Where does Dénes live?", "Who\x00?", "and " * 300])
)
def test_of_what_is_hardly_a_question(life: Memory, question: str) -> None:
    statuses(life, [own.Asked(question)])
