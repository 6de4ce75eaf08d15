"""What a message takes for known is found in it, whatever its form."""

from __future__ import annotations

from datetime import datetime

import pytest

from goalmem.language import Analyzer
from goalmem.language.names import Names
from goalmem.logic.syntax import format_atom
from goalmem.questions.local import LocalReasoner
from goalmem.questions.utterance import UtteranceReading, understand

NAMES = Names(dict.fromkeys(("Maya", "Ruben", "Ines", "Anton", "Ysolde", "Ada"), "person"))


def understood(analyzer: Analyzer, utterance: str) -> UtteranceReading:
    at = datetime(2024, 5, 9)
    return understand(utterance, at, NAMES, LocalReasoner(analyzer), lambda text: analyzer.docs([text])[0])


@pytest.mark.parametrize(
    ("utterance", "goal"),
    [
        ("book us a table at that place Maya liked", "Maya liked (x:place)"),
        ("Could you order the book that my sister recommended?", "(y:sister) recommended (x:book)"),
        ("Buy the tea Ada likes", "Ada likes (x:tea)"),
        ("We should visit the museum Ines talked about", "Ines talked about (x:museum)"),
        ("I want to buy the book Anton told me about", "Anton told user about (x:book)"),
        ("Send Ruben's sister a birthday card.", "(x:sister) is Ruben's sister"),
        ("Plan a weekend trip with my brother.", "(x:brother) is user's brother"),
        ("Compare the two laptops I looked at", "user looked at (x:laptop)"),
    ],
)
def test_descriptions_become_goals(analyzer: Analyzer, utterance: str, goal: str):
    found = understood(analyzer, utterance)
    assert not found.questions
    assert goal in [format_atom(atom) for described in found.described for atom in described.atoms]


def test_parts_of_one_description_are_one_goal(analyzer: Analyzer):
    (goal,) = understood(analyzer, "Order the book that my sister recommended.").described
    assert len(goal.atoms) == 2
    assert goal.answer is not None


def test_a_question_for_what_was_said_is_a_question(analyzer: Analyzer):
    (goal,) = understood(analyzer, "I need to write to her. Where does Ruben's sister live?").questions
    assert goal.question == "Where does Ruben's sister live?"


@pytest.mark.parametrize("asked", ["Could you call Ines?", "What should I cook for Ines?", "Shall we invite Ines?"])
def test_a_wish_or_a_call_for_advice_is_none(analyzer: Analyzer, asked: str):
    found = understood(analyzer, asked)
    assert not found.questions
    assert found.topics == ("Ines",)


@pytest.mark.parametrize(
    ("utterance", "topics"),
    [
        ("I'm going to Lisbon with Anton next week.", ("Lisbon", "Anton")),
        ("Remind me to call the dentist tomorrow.", ("dentist",)),
        ("Cancel my subscription", ("my subscription",)),
        ("write an email to the landlord about the broken heating", ("landlord", "broken heating")),
        ("hi", ()),
        ("🐶🐶🐶", ()),
        ("Order it again", ()),
    ],
)
def test_names_and_definite_phrases_are_topics(analyzer: Analyzer, utterance: str, topics: tuple[str, ...]):
    found = understood(analyzer, utterance)
    assert found.topics == topics
    assert not found.described


def test_a_pronoun_stands_for_who_was_named_before(analyzer: Analyzer):
    found = understood(analyzer, "Ysolde is coming on Friday. Can you suggest a wine she'd enjoy?")
    assert "Ysolde" in format_atom(found.described[0].atoms[0])
    assert found.topics == ("Ysolde",)


@pytest.mark.parametrize("odd", ["", " ", "?", "...", "\n\n", "a" * 50_000, "that " * 3_000, "(x:thing)", "\ud800"])
def test_any_text_is_understood_as_far_as_it_goes(analyzer: Analyzer, odd: str):
    found = understood(analyzer, odd)
    assert len(found.questions) + len(found.described) + len(found.topics) < 20
