"""Questions of yes or no are answered by clauses that say the same in other words; what only mentions it answers none."""

from __future__ import annotations

import pytest
from tests.asking import asked
from tests.cases import one_in

from goalmem import Memory

ANSWERED = [
    (["statistics for sure. I failed it in June"], "Did I fail statistics in June?", "Yes"),
    (["I passed statistics in June"], "Did I fail statistics in June?", "No"),
    (["Tom failed his driving test again"], "Did Tom pass his driving test?", "No"),
    (["My sister missed the party"], "Did my sister attend the party?", "No"),
    (["Baxter says yes to the cat but wants 100 quid extra"], "Did Baxter allow the cat?", "Yes"),
    (["The school said no to the trip"], "Did the school approve the trip?", "No"),
    (["We found the dress. 780, ivory, with pockets!"], "Does the dress have pockets?", "Yes"),
    (["I bought a house in Wells, third floor, no lift."], "Does my house have a lift?", "No"),
    (["Leafolk has not paid the invoice.", "they paid on the 4th."], "Did Leafolk pay their invoice?", "Yes"),
    (["otter book handed in, two days late but they were happy."], "Did I hand in the otter book on time?", "No"),
    (["otter book handed in, two days late but they were happy."], "Did I hand in the otter book?", "Yes"),
    (["I arrived before Ben did"], "Was I there before Ben?", "Yes"),
    (["Ben arrived before Ana"], "Did Ana arrive before Ben?", "No"),
    (["The wedding was before the move"], "Was the move before the wedding?", "No"),
    (["We lost the game at home yesterday"], "Did we win the game?", "No"),
    (["I didn't buy the jacket because it was too dear"], "Did I buy the jacket?", "No"),
    (["Anja stopped eating meat last year"], "Does Anja eat meat?", "No"),
]
OPEN = [
    (["statistics for sure. My sister failed it in June"], "Did I fail statistics in June?"),
    (["statistics for sure. I failed it in May"], "Did I fail statistics in June?"),
    (["chemistry for sure. I failed it in June"], "Did I fail statistics in June?"),
    (["We looked at a house with a garden, too dear"], "Does my house have a garden?"),
    (["I want to find a house with a garden"], "Does my house have a garden?"),
    (["Two flats. We booked the flat by the river, with a terrace and no lift."], "Does the flat have a garage?"),
    (["Baxter says no to the dog"], "Did Baxter allow the cat?"),
    (["Baxter's sister says yes to the cat"], "Did Baxter allow the cat?"),
    (["otter book handed in"], "Did I hand in the otter book on time?"),
    (["Ben arrived before Ana"], "Did Ana arrive before Carla?"),
    (["Ben's brother arrived before Ana"], "Did Ana arrive before Ben?"),
    (["The report was long. I did not send it to Tom"], "Did I send the report?"),
    (["I did not eat meat on Friday"], "Did I eat meat?"),
    (["I don't own a black suit"], "Do I own a suit?"),
    (["Tom lost the first match"], "Did Tom win the match?"),
    (["I moved the fridge before the wedding"], "Did I move before the wedding?"),
    (["I ordered a pizza with ham"], "Did I order ham?"),
    (["Tom is poor at spelling"], "Is Tom poor?"),
]
FRAMES = [
    "I hope that {}",
    "Maybe {}",
    "If {}, I will be sad",
    "I dreamt that {}",
    "Somebody told Ilse that {}",
    "In the film {}",
    "Ilse pretends that {}",
    "I doubt that {}",
]
STATED = [
    ("Tom failed the test", "Did Tom pass the test?"),
    ("Ben arrived before Ana", "Did Ana arrive before Ben?"),
    ("Baxter said yes to the cat", "Did Baxter allow the cat?"),
    ("my sister missed the party", "Did my sister attend the party?"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("turns", "question", "answer"), one_in(2, ANSWERED))
def test_a_clause_answers_what_it_says_in_other_words(turns: list[str], question: str, answer: str) -> None:
    assert asked(turns, question) == ("likely", answer)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("turns", "question"), one_in(2, OPEN))
def test_a_clause_about_something_else_answers_nothing(turns: list[str], question: str) -> None:
    assert asked(turns, question)[0] == "unknown"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("frame", one_in(2, FRAMES))
@pytest.mark.parametrize(("statement", "question"), STATED)
def test_a_clause_that_is_only_mentioned_answers_nothing(frame: str, statement: str, question: str) -> None:
    assert asked(frame.format(statement), question)[0] == "unknown"


def test_a_proof_of_a_clause_fails_once_it_says_the_opposite() -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": "Tom failed his driving test"}], at="2026-05-04T10:00:00")
        proof = memory.ask("Did Tom pass his driving test?").proof
        root = proof.root
        assert root is not None
        forged = proof.model_copy(update={"root": root.model_copy(update={"negated": not root.negated})}).digested()
        assert memory.verify(proof).ok
        assert not memory.verify(forged).ok
