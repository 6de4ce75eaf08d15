"""A short turn that gives a new value changes what was told before it, and nothing else; labels and bare answers tell values, too."""

from __future__ import annotations

import itertools

import pytest
from tests.cases import one_in

from goalmem import Memory
from goalmem.language import Analyzer

AT = "2026-03-02T10:00:00"
AMOUNTS = (
    ("The budget for the party is 60 euros.", "What is the budget for the party?"),
    ("The rent is 900 a month.", "How much is the rent now?"),
)
TOLD = ("Actually {}.", "Now {}.", "No wait, {}.", "It went up to {}.", "back to {}", "ok, {} now", "Correction: {}")
ASKED_FOR = ("Make it {}.", "Let's say {} then.", "raise it to {}")
DAYS = ("The dentist appointment is on Friday.", "The exam is on Friday.")
MOVED = ("Moved to {}.", "No, {}.", "It's been postponed to {}.", "rescheduled to {}", "Sorry, {} instead.")
VALUES = ("88", "105")


def asked(analyzer: Analyzer, turns: tuple[tuple[str, str], ...], question: str):
    """The answer, and whether its proof verifies."""
    with Memory(analyzer=analyzer) as memory:
        memory.add([{"role": "user", "name": n, "content": c} for n, c in turns], session="s", at=AT)
        answer = memory.ask(question, at="2026-03-02T18:00:00", speaker="Ana")
        return answer, memory.verify(answer.proof).ok


@pytest.mark.parametrize(("told", "form"), one_in(2, itertools.product(AMOUNTS, TOLD)))
def test_what_is_told_to_be_another_amount_now_is_that(analyzer, told, form: str) -> None:
    for speaker, value in (("Ana", VALUES[0]), ("Ben", VALUES[1])):
        answer, verified = asked(analyzer, (("Ana", told[0]), (speaker, form.format(value))), told[1])
        assert (str(answer.status), answer.text, verified) == ("proved", value, True)


@pytest.mark.parametrize("form", one_in(3, ASKED_FOR))
def test_what_another_proposes_is_likely_until_it_is_agreed_on(analyzer, form: str) -> None:
    told, question = AMOUNTS[0]
    turns = (("Ana", told), ("Ben", form.format(88)))
    for more, status in (((), "likely"), ((("Ana", "Deal."),), "proved"), ((("Ana", "Why?"),), "likely")):
        answer, verified = asked(analyzer, (*turns, *more), question)
        assert (str(answer.status), answer.text, verified) == (status, "88", True)
    answer, _ = asked(analyzer, (*turns, ("Ana", "No, leave it.")), question)
    assert answer.text != "88"


@pytest.mark.parametrize(("told", "form"), one_in(2, itertools.product(DAYS, MOVED)))
def test_what_is_moved_is_on_the_day_that_is_told(analyzer, told: str, form: str) -> None:
    answer, verified = asked(
        analyzer, (("Ana", told), ("Ben", form.format("Thursday"))), f"When is the {told.split(' is ')[0][4:]}?"
    )
    assert (str(answer.status), answer.text, verified) == ("proved", "5 March 2026", True)


@pytest.mark.parametrize(
    ("turns", "question", "right"),
    one_in(
        2,
        [
            (("When is the exam?", "Monday.", "No wait, Tuesday."), "When is the exam?", "3 March 2026"),
            (("The parser is at v2.", "Bump it to v3.", "Done."), "What version is the parser?", "v3"),
            (("The fence is green.", "No, blue."), "What colour is the fence?", "blue"),
            (("The ticket is 7.50 and the dinner is 20.", "9 instead of 7.50"), "How much is the ticket?", "9"),
            (("deadline: 3 May", "deadline = 10 May"), "What is the deadline?", "10 May 2026"),
            (("Notes\n- venue: Harbour Hall\n- price: 12 euros",), "What is the venue?", "Harbour Hall"),
            (("| room | 204 |\n| host | Mia |",), "Who is the host?", "Mia"),
            (("wifi password: tulip42",), "What is the wifi password?", "tulip42"),
        ],
    ),
)
def test_values_without_sentences(analyzer, turns: tuple[str, ...], question: str, right: str) -> None:
    answer, verified = asked(analyzer, tuple(zip(itertools.cycle(("Ana", "Ben")), turns, strict=False)), question)
    assert (str(answer.status), answer.text, verified) == ("proved", right, True)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "behind",
    [
        ("Nice. My bike cost 300 euros.", "Now 250."), ("Maybe 88?",), ("make it happen",), ("Make it Thursday.",), ("no, 3 people came",),
        ("I got 5 hours of sleep.", "No, 6 hours."), ("Could it be 88 now?",), ("Make it 88.", "No, leave it."),
    ],
)  # fmt: skip
def test_what_is_no_change_of_it_changes_nothing(analyzer, behind: tuple[str, ...]) -> None:
    told, question = AMOUNTS[0]
    turns = tuple(zip(itertools.cycle(("Ana", "Ben")), (told, *behind), strict=False))
    answer, verified = asked(analyzer, turns, question)
    assert verified
    assert answer.text == "60 euros"


def test_what_may_change_either_of_two_leaves_both_open(analyzer) -> None:
    both = "The budget for the party is 60 euros. The budget for the dinner is 40 euros."
    answer, verified = asked(analyzer, (("Ana", both), ("Ben", "Make it 88.")), AMOUNTS[0][1])
    assert (str(answer.status), verified) == ("unknown", True)


@pytest.mark.parametrize("text", ["Options:\nprice: 40\nprice: 50", "Suppose we say\nprice: 50", "price: maybe 50"])
def test_what_is_only_considered_is_not_proved(analyzer, text: str) -> None:
    answer, _ = asked(analyzer, (("Ana", text),), "What is the price?")
    assert answer.status != "proved"


def test_an_answer_to_a_question_between_is_no_change_of_what_was_told_before_it(analyzer) -> None:
    told, question = AMOUNTS[0]
    answer, verified = asked(
        analyzer, (("Ana", told), ("Ana", "How many eggs are left?"), ("Ben", "Now 12.")), question
    )
    assert (str(answer.status), verified) == ("unknown", True)
    answer, verified = asked(
        analyzer, (("Ana", told), ("Ana", "Is the budget still so?"), ("Ben", "Now 75.")), question
    )
    assert (answer.text, verified) == ("75", True)


def test_a_change_that_is_left_out_of_a_proof_is_missed(analyzer) -> None:
    told, question = AMOUNTS[0]
    with Memory(analyzer=analyzer) as memory:
        memory.add(
            [{"role": "user", "name": "Ana", "content": told}, {"role": "user", "name": "Ben", "content": "Now 88."}],
            session="s",
            at=AT,
        )
        proof = memory.ask(question, at=AT, speaker="Ana").proof
        assert proof.answer == "88"
        old = proof.model_copy(update={"answer": "60 euros"}).digested()
        assert not memory.verify(old).ok
        memory.add([{"role": "user", "name": "Ben", "content": "Now 95."}], session="s", at=AT)
        assert memory.ask(question, at=AT, speaker="Ana").text == "95"
        assert not memory.verify(proof).ok
