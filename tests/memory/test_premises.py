"""What a question takes for granted and somebody denied is named; what nobody denied is not."""

import pytest

from goalmem import Memory
from goalmem.answering.pipeline import premise_of
from goalmem.logic.syntax import parse_atom

TOLD = [
    {"role": "user", "name": "Bo", "content": "I nearly bought a boat, but it was too dear. My sister Ida paints."},
    {"role": "user", "name": "Lena", "content": "I drove to Porto last week, the sea was cold."},
]


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.add(TOLD, session="one", at="2026-05-01")
    return memory


@pytest.mark.parametrize(
    ("question", "premise"),
    [("When did Bo buy the boat?", "Bo bought the boat"), ("Where did Bo buy his boat?", "Bo bought Bo's boat")],
)
def test_a_denied_premise_is_named_with_the_words_that_deny_it(told: Memory, question: str, premise: str) -> None:
    answer = told.ask(question)
    assert not answer.known
    first = answer.missing[0]
    assert (first.stage, first.reason) == ("denied", f"what was said denies “{premise}”")
    assert first.nearest[0].quote == "I nearly bought a boat"
    assert told.verify(answer).ok
    assert told.why_not(question).stage == "denied"


def test_what_nobody_denied_is_not_called_denied(told: Memory) -> None:
    assert told.why_not("What does Ida's husband paint?").stage != "denied"


@pytest.mark.parametrize(
    ("atom", "premise"),
    [
        ("Bo bought a boat in (x:place)", "Bo bought a boat"),
        ("Bo named (x:name)", "Bo named some name"),
        ("(x:person) paints", "some person paints"),
    ],
)
def test_a_premise_leaves_the_answer_out(atom: str, premise: str) -> None:
    assert premise_of(parse_atom(atom)) == premise
