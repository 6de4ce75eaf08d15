"""A question that goes on from the one before it is understood as the whole question that it stands for."""

from __future__ import annotations

import itertools

import pytest

from goalmem.language import Analyzer
from goalmem.language.names import Names
from goalmem.questions.follow_up import PreviousQuestion, complete_question

NAMES = Names(
    {"Ana": "person", "Kofi": "person", "Mireille": "person", "Ivo": "person", "Porto": "place", "Lyon": "place"}
)
ANALYZER = Analyzer()

PEOPLE = ["Ana", "Kofi", "Mireille"]
ABOUT = [
    ("Where does {} live?", "Where does {} live?"),
    ("When did {} move to Lyon?", "When did {} move to Lyon?"),
    ("What does {} eat for breakfast?", "What does {} eat for breakfast?"),
    ("Has {} sold the car?", "Has {} sold the car?"),
    ("Who taught {} to swim?", "Who taught {} to swim?"),
]
LEADS = ["and {}?", "And {}?", "what about {}?", "How about {}?", "and what about {}?"]


def follow(question: str, before: str, answer: str = "") -> str:
    return complete_question(question, PreviousQuestion(before, answer), lambda text: ANALYZER.docs([text])[0], NAMES)


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize(("asked", "understood"), ABOUT)
@pytest.mark.parametrize("person", PEOPLE)
def test_another_person_takes_the_place_of_the_one_asked_about(
    person: str, asked: str, understood: str, lead: str
) -> None:
    assert follow(lead.format("Ivo"), asked.format(person)) == understood.format("Ivo")


@pytest.mark.parametrize("relative", ["brother", "sister", "neighbour", "dog"])
@pytest.mark.parametrize(("person", "pronoun"), [("Ana", "her"), ("Kofi", "his"), ("Mireille", "her")])
def test_a_relative_is_the_relative_of_the_one_asked_about(person: str, pronoun: str, relative: str) -> None:
    assert (
        follow(f"and {pronoun} {relative}?", f"Where does {person} live?") == f"Where does {person}'s {relative} live?"
    )


@pytest.mark.parametrize(
    ("question", "before", "answer", "understood"),
    [
        ("when?", "Did Ana move to Lyon?", "Yes", "When did Ana move to Lyon?"),
        ("Since when?", "Where does Ana live?", "Porto", "Since when does Ana live in Porto?"),
        ("Where does he work?", "Who is Ana's brother?", "Ivo", "Where does Ivo work?"),
        ("Where does she work?", "Where does Ana live?", "Porto", "Where does Ana work?"),
        ("Where does she work?", "Who is Kofi's brother?", "Ivo", "Where does she work?"),
        ("and Kofi?", "Where do I live?", "Porto", "Where does Kofi live?"),
        ("and me?", "Where does Kofi live?", "Lyon", "Where do I live?"),
        ("and his parents?", "Where does Kofi live?", "", "Where do Kofi's parents live?"),
        ("And in 2019?", "Where did Kofi live in 2015?", "Lyon", "Where did Kofi live in 2019?"),
    ],
)
def test_what_is_left_out_is_taken_from_the_question_or_its_answer(
    question: str, before: str, answer: str, understood: str
) -> None:
    assert follow(question, before, answer) == understood


WHOLE = [
    "Where does Ivo work?",
    "Did Ana sell her car?",
    "Who is it that Ivo met?",
    "When is Kofi's birthday?",
    "Thanks!",
]


@pytest.mark.parametrize(
    ("question", "before"), list(itertools.product(WHOLE, ["Where does Mireille live?", "Did Kofi swim?"]))
)
def test_a_question_that_stands_alone_stays_as_it_is(question: str, before: str) -> None:
    assert follow(question, before, "Porto") == question
