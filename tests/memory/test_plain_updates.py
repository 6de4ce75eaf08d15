"""What is told plainly to have changed: the new value is told, and never the old one."""

import pytest

from goalmem import Memory
from tests.cases import one_in

NEW = [
    ("Book club is on Mondays.", "Book club moved to Thursdays.", "When is book club?", "Thursdays"),
    ("Book club is on Mondays.", "We moved book club to Thursdays.", "When is book club?", "Thursdays"),
    ("The puppy sleeps in the kitchen.", "The puppy sleeps in the hall now.", "Where does the puppy sleep?", "hall"),
    ("I start work at 9.", "I start work at 8 now.", "What time do I start work?", "8"),
    ("Nan is in ward 6.", "They've moved Nan to St Mary's.", "Where is Nan?", "St Mary's"),
    ("I live in Leeds.", "We moved house to York.", "Where do I live?", "York"),
    (
        "Our code word is bluebell.",
        "The nursery has given us a new code word, marigold.",
        "What is our code word?",
        "marigold",
    ),
    (
        "Ffion's boyfriend is Luke.",
        "Ffion is going out with Gareth now instead of Luke.",
        "Who is Ffion's boyfriend?",
        "Gareth",
    ),
    (
        "Jonty plays the recorder.",
        "Jonty has taken up the clarinet, he's given up the recorder.",
        "Which instrument does Jonty play?",
        "clarinet",
    ),
    (
        "My landlord is Mr Webb.",
        "The flat's been sold and Mr Shah is my landlord now.",
        "What is my landlord's name?",
        "Mr Shah",
    ),
    (
        "Ishaan goes to university in Hull.",
        "Ishaan transferred from Hull to York.",
        "Where does Ishaan go to university?",
        "York",
    ),
    ("I drive a Corsa.", "I've got rid of the Corsa, I drive a Yaris now.", "What car do I drive?", "Yaris"),
    ("I drive a Fiesta.", "I traded the Fiesta in for a Kia.", "What car do I drive?", "Kia"),
    ("I have an iPhone.", "I've swapped my iPhone for a Pixel.", "What phone do I have now?", "Pixel"),
    ("A haircut at Toni's is £12.", "Toni's put a haircut up to £14.", "How much is a haircut at Toni's?", "14"),
]
OLD = [
    ("I drive a Fiesta.", "Sold the Fiesta.", "What do I drive?", "Fiesta"),
    ("I drive a Fiesta.", "I traded in the Fiesta.", "What car do I drive?", "Fiesta"),
    (
        "Nan is on warfarin.",
        "The consultant took Nan off the warfarin yesterday.",
        "What medication is Nan on?",
        "warfarin",
    ),
    ("Bin day is Thursday.", "Bin day is Tuesday from now on.", "What day is bin day?", "Thursday"),
    ("Book club meets on Mondays.", "Book club moved to Thursdays.", "When does book club meet?", "Mondays"),
    ("Nan is in ward 6.", "They moved Nan to ward 11.", "Which ward is Nan in?", "ward 6"),
    (
        "I take 20 mg of lisinopril a day.",
        "The doctor lowered my lisinopril to 10 mg.",
        "How much lisinopril do I take?",
        "20",
    ),
]
HELD = [
    ("I live in Leeds.", "I moved my savings to Monzo.", "Where do I live?", "Monzo"),
    ("I live in Leeds.", "We moved training to the school gym.", "Where do I live?", "gym"),
    ("The match is at 2.", "We had soup.", "When is the match?", "March"),
]  # fmt: skip


def told(first, second, question):
    with Memory() as memory:
        memory.add(first, at="2025-03-04")
        memory.add(second, at="2025-05-04")
        return memory.ask(question, at="2025-06-01")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("first", "second", "question", "new"), one_in(2, NEW))
def test_the_new_value_is_told(first, second, question, new):
    assert new in told(first, second, question).text


@pytest.mark.parametrize(("first", "second", "question", "old"), one_in(2, OLD))
def test_the_old_value_is_told_no_more(first, second, question, old):
    assert old not in told(first, second, question).text


@pytest.mark.parametrize(("first", "second", "question", "wrong"), HELD)
def test_what_is_moved_is_not_who_moves_it(first, second, question, wrong):
    assert wrong not in told(first, second, question).text


@pytest.mark.parametrize(
    ("first", "second", "question", "value"),
    one_in(
        2,
        [
            ("My sister lives in Leeds.", "My sister has changed her job.", "Where does my sister live?", "Leeds"),
            (
                "Our photographer is Delphine.",
                "The band has changed, it's a trio now.",
                "Who is our photographer?",
                "Delphine",
            ),
            ("The toll is 89 dollars.", "Silvia nearly changed the toll to 32 dollars.", "What is the toll?", "89"),
            ("The toll is 89 dollars.", "They did not put the toll up to 95 dollars.", "What is the toll?", "89"),
            ("The front door is blue.", "The front door is still blue now.", "What colour is the front door?", "blue"),
        ],
    ),
)
def test_a_change_of_something_else_replaces_nothing(first, second, question, value):
    assert value in told(first, second, question).text


def test_who_is_to_move_later_lives_and_works_where_they_did():
    with Memory() as memory:
        memory.add("I'm a backend developer at Nordlys in Bergen.", at="2026-03-02")
        memory.add("We're moving to Stavanger in August.", at="2026-03-05")
        for question in ("Where do I work?", "Where do I live?"):
            assert "Stavanger" not in memory.ask(question, at="2026-03-20").text
        assert "Nordlys" in memory.ask("Where do I work?", at="2026-03-20").text
        assert memory.ask("Where are we moving?", at="2026-03-20").text == "Stavanger"


def test_the_proof_of_what_is_told_otherwise_later_fails():
    with Memory() as memory:
        memory.add("Ffion's boyfriend is Luke.", at="2025-03-04")
        answer = memory.ask("Who is Ffion's boyfriend?", at="2025-04-01")
        assert memory.verify(answer).ok
        memory.add("Ffion is going out with Gareth now instead of Luke.", at="2025-05-04")
        assert not memory.verify(answer).ok


def test_a_name_that_no_dictionary_has_is_the_subject():
    assert told("Yolanda baked the bread.", "We ate it with butter.", "Who baked the bread?").text == "Yolanda"
