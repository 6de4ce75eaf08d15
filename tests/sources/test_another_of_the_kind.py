"""Words about another thing of the kind that is asked about answer nothing: by its owner, its modifiers, or because it is a former one."""

import pytest
from tests.cases import one_in

from goalmem import Memory
from goalmem.sources.passages.told_apart import NounPhrase, is_about_another, mentions, phrases_asked

ALIKE = {frozenset({"mobile", "phone"}): 0.7}
ANOTHER = [
    ("My brother's birthday is 8 April.", "When's my birthday?"),
    ("My favourite colour is teal.", "What's my daughter's favourite colour?"),
    ("His wife's called Ingrid.", "What's my wife's name?"),
    ("The email for my accountant is k@ledger.example.", "What's my email address?"),
    ("My old phone number was 555-0177.", "What's my phone number?"),
    ("My ex-boss, Lorraine, rang me.", "Who's my boss?"),
    ("My former landlord is Mr Quigley.", "Who is my landlord?"),
    ("My dress size is a 16.", "What's my shoe size?"),
    ("Our maths lecturer is Professor Adeyemi.", "Who's our physics lecturer?"),
    ("My return train is at 18:20.", "What time is my outbound train?"),
]
THE_SAME = [
    ("My birthday is 8 April.", "When's my birthday?"),
    ("My mobile number is 555-1234.", "What's my phone number?"),
    ("My new phone number is 555-1234.", "What's my phone number?"),
    ("My old dog Rex is 14.", "How old is my dog?"),
    ("Our landlord is Mr Quigley.", "Who is my landlord?"),
    ("My appointment with the dentist is on Monday.", "When is my dentist appointment?"),
    ("Ana's birthday is 8 April.", "When is my sister's birthday?"),
    ("It is on Monday.", "When is my dentist appointment?"),
    ("My old phone number was 555-0177.", "What was my old phone number?"),
]


def likeness(a: str, b: str) -> float:
    return ALIKE.get(frozenset({a, b}), 0.2)


@pytest.mark.parametrize(("said", "question"), ANOTHER)
def test_another_of_the_kind_is_told_apart(said: str, question: str) -> None:
    assert is_about_another(question, said, said, "user", likeness)


@pytest.mark.parametrize(("said", "question"), THE_SAME)
def test_the_same_is_not(said: str, question: str) -> None:
    assert not is_about_another(question, said, said, "user", likeness)


def test_the_asker_may_be_called_by_name() -> None:
    assert not is_about_another("When is Mia's birthday?", "My birthday is 8 April.", "", "Mia", likeness)


def test_every_noun_behind_a_determiner_may_be_what_is_asked_about() -> None:
    assert list(phrases_asked("What is my wife's shoe size?")) == [
        NounPhrase("wife", "my"),
        NounPhrase("shoe", "wife"),
        NounPhrase("size", "wife", ("shoe",)),
    ]
    assert list(mentions("boss", "my ex-boss and Tom's new boss")) == [
        NounPhrase("boss", "my", ("ex",)),
        NounPhrase("boss", "tom", ("new",)),
    ]


@pytest.mark.parametrize(("said", "question"), one_in(2, ANOTHER))
def test_it_answers_nothing(said: str, question: str) -> None:
    with Memory() as memory:
        memory.add({"role": "user", "content": said}, at="2026-03-04")
        assert memory.ask(question, at="2026-03-10").status == "unknown"
