"""What a theory is asked, as a literal."""

import pytest

from goalmem.logic.terms import Variable
from goalmem.rules.terms import Literal
from tests.rules.printed import READER, said


@pytest.mark.parametrize(
    ("question", "literal"),
    [
        ("Bob is green.", "Bob is green"),
        ("Bob is green", "Bob is green"),
        ("Bob is green: true or false?", "Bob is green"),
        ("The bear is green, true or false?", "the bear is green"),
        ("True or false: Bob is not green.", "not Bob is green"),
        ("Is Bob green?", "Bob is green"),
        ("Is Bob not green?", "not Bob is green"),
        ("Is the bald eagle green?", "the bald eagle is green"),
        ("Is the cat in the house?", "the cat is in the house"),
        ("Is the cat kind to animals?", "the cat is kind to animals"),
        ("Is Arthur a bird?", "Arthur is a bird"),
        ("Are the lights on?", "the lights is on"),
        ("Does the bear chase the lion?", "the bear chases the lion"),
        ("Does the bald eagle fly?", "the bald eagle flies"),
        ("The bear does not visit the bear.", "not the bear visits the bear"),
        ("Can Arthur fly?", "Arthur can fly"),
        ("Arthur cannot fly.", "not Arthur can fly"),
        ("Should Maya eat the pad thai?", "Maya should eat the pad thai"),
        ("Does the circuit have the bell?", "the circuit has the bell"),
        ("Does Bob own a dog?", "Bob owns a dog"),
        ("Is it true that Bob is kind?", "Bob is kind"),
        ("Who is kind?", "x is kind"),
        ("Who likes Bob?", "x likes Bob"),
        ("Who should not eat the cake?", "not x should eat the cake"),
        ("Which people are kind?", "x is kind"),
        ("What can fly?", "x can fly"),
        ("What does the bear eat?", "the bear eats x"),
        ("Who does the bear chase?", "the bear chases x"),
        ("What is Bob allergic to?", "Bob is allergic to x"),
        ("Who is the mayor of Lisbon?", "x is a mayor of Lisbon"),
        ("Is anyone kind?", "x is kind"),
        ("Does anything chase the cat?", "x chases the cat"),
    ],
)
def test_statements_and_questions(question, literal):
    found = READER.read_statement(question)
    assert found is not None
    assert said(found) == literal


def test_what_is_asked_for_has_a_type():
    assert READER.read_statement("Who is kind?") == Literal("_ is kind", (Variable("x", "person"),))
    assert READER.read_statement("What is kind?") == Literal("_ is kind", (Variable("x", "thing"),))


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "Why is Bob kind?",
        "Where does Bob live?",
        "How many birds can fly?",
        "Isn't Bob kind?",
        "All birds can fly.",
        "If Bob is kind then Alice is kind.",
        "Bob is big and kind.",
        "Bob is big. Alice is big.",
        "Bob ist grün.",
        "Hello!",
    ],
)
def test_what_no_theory_could_decide(question):
    assert READER.read_statement(question) is None
