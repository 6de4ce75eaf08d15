"""What held on an earlier day is told of that day, and its proof holds, whatever was said later."""

from datetime import datetime

import pytest

from goalmem import Memory

MOVES = [("2025-03-04", "My sister lives in Rome."), ("2025-05-04", "My sister lives in Oslo now.")]
PRICES = [("2025-03-04", "I pay 30 euros for my phone."), ("2025-05-04", "I pay 12 euros for my phone now.")]
ASKED = [(MOVES, "Where does my sister live?", "Rome", "Oslo"), (PRICES, "How much do I pay for my phone?", "30", "12")]


@pytest.fixture
def memory():
    with Memory() as opened:
        yield opened


@pytest.mark.parametrize(("told", "question", "then", "now"), ASKED)
def test_of_an_earlier_day_what_held_then_is_told(memory, told, question, then, now):
    for day, text in told:
        memory.add(text, at=day)
    earlier = memory.ask(question, at="2025-04-01")
    assert then in earlier.text
    assert earlier.proof.as_of
    assert memory.verify(earlier).ok
    assert now in memory.ask(question, at="2025-06-01").text


@pytest.mark.parametrize(("told", "question", "then", "now"), ASKED)
def test_a_proof_that_is_replaced_later_fails(memory, told, question, then, now):
    (first, text), (second, later) = told
    memory.add(text, at=first)
    answer = memory.ask(question, at=datetime.fromisoformat("2025-04-01"))
    assert then in answer.text
    assert not answer.proof.as_of
    assert memory.verify(answer).ok
    memory.add(later, at=second)
    assert not memory.verify(answer).ok


def test_who_was_married_then_was_not_parted_yet(memory):
    memory.add("Tom is my husband.", at="2026-01-04")
    memory.add("Tom and I divorced.", at="2026-03-04")
    answer = memory.ask("Is Tom my husband?", at="2026-02-01")
    assert (answer.status, answer.text) == ("proved", "Yes")
    assert memory.verify(answer).ok
    assert memory.ask("Is Tom my husband?", at="2026-04-01").status != "proved"
