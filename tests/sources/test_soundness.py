"""Questions that what was said does not answer, however near it comes, are left open (for tests/sources)."""

import pytest
from tests.cases import one_in

from goalmem import Memory

SAID = [
    ("Leo", "Maya's sister bought a lamp. Maya adopted a beagle."),
    ("Leo", "Ines's brother plays the violin. I learned French at school. My dog won a prize."),
    ("Maya", "I sold my motorbike to Tom. I borrowed a tent from Leo. I forgot my keys."),
    ("Maya", "My brother adopted Rex. I drink tea every morning."),
]


@pytest.fixture(scope="module")
def said(analyzer, embedder):
    with Memory(analyzer=analyzer, embedder=embedder) as memory:
        memory.add([{"role": "user", "name": n, "content": t} for n, t in SAID], at="2024-03-13T18:00:00")
        memory.add(
            [{"role": "user", "name": "Maya", "content": "I don't drink tea any more."}],
            session="later",
            at="2024-05-01",
        )
        yield memory


@pytest.mark.parametrize(
    "question",
    one_in(
        2,
        [
            "Did Maya buy a lamp?",
            pytest.param(
                "What did Maya buy?",
                marks=pytest.mark.xfail(reason="the bundled judge takes what was sold for what was bought"),
            ),
            "Which instrument did Maya adopt?",
            "What does Ines play?",
            "Does Ines's brother play the guitar?",
            "What did Leo teach?",
            "What did Leo's dog lose?",
            "Who lent a tent?",
            "What did Maya lend?",
            "Is Rex Maya's brother?",
        ],
    ),
)
def test_what_comes_near_is_not_taken_for_an_answer(said, question):
    answer = said.ask(question)
    assert not answer.known, answer.text
    assert said.verify(answer).ok


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who bought a lamp?", "Maya's sister"),
        ("What does Ines's brother play?", "violin"),
        ("What did Maya sell?", "motorbike"),
        ("Does Maya drink tea?", "No"),
        ("Did Maya remember her keys?", "No"),
    ],
)
def test_what_was_said_is_answered_with_a_proof_that_holds(said, question, answer):
    found = said.ask(question)
    assert answer in found.text
    assert said.verify(found).ok


def test_a_question_that_ends_in_much_space_is_still_a_question(said):
    assert said.ask("What did Maya sell?" + " " * 3000).known


def test_to_have_a_car_does_not_say_which_car() -> None:
    with Memory(":memory:") as memory:
        memory.add([{"role": "user", "name": "Ana", "content": "My car is a red Volvo."}], at="2025-03-04T10:00:00")
        assert memory.ask("What car do I have?", speaker="Ana").text != "car"


def test_what_was_moved_is_not_when_it_was() -> None:
    told = "The meeting was moved from Monday to Thursday."
    with Memory(":memory:") as memory:
        memory.add([{"role": "user", "name": "Ana", "content": told}], at="2025-03-04T10:00:00")
        assert memory.ask("When is the meeting?", at="2025-03-04T12:00:00").text == "6 March 2025"
