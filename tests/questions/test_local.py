"""What holds for any text that is asked: goals without an exception, the same every time, in the words of the question."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.questions.conftest import ASKED, KNOWN

from goalmem.language.names import Names
from goalmem.logic.evaluate import OPERATORS
from goalmem.logic.syntax import canonical, format_atom, parse_atom
from goalmem.logic.terms import Aggregate

WORDS = st.sampled_from(
    [
        *("who", "what", "which", "whose", "where", "when", "why", "how", "many", "long", "ago", "old", "did", "does"),
        *(
            "is",
            "was",
            "has",
            "Nadia",
            "Nadia's",
            "Ruben",
            "she",
            "her",
            "sister",
            "dog",
            "that",
            "who",
            "move",
            "moved",
        ),
        *("live", "adopt", "to", "in", "with", "of", "the", "a", "Ghent", "before", "after", "May", "2024", "last"),
        *("first", "not", "and", "or", ",", "?", ".", "(x:thing)", "'s", '"', "\\", "🐶", "\n"),
    ]
)
QUESTIONS = st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=14).map(" ".join)).filter(str.strip)
"""Any text but none: `ask` refuses what is empty."""
NO_ANSWER_VARIABLE = (
    Aggregate.WHETHER,
    Aggregate.COMPARE,
    Aggregate.DURATION,
    Aggregate.FIRST_OF,
    Aggregate.LAST_OF,
)
"""What is answered from times, or with yes or no."""


@given(QUESTIONS)
@example("?")
@example("Whose?")
@example("How many")
@example("who " * 800)
@example("When did (x:person) move to (y:place)?")
def test_any_text_gives_goals_that_can_be_asked(reasoner, text):
    found = reasoner.goals(text, ASKED, KNOWN)
    assert found
    for goal in found:
        assert goal.question == text
        assert goal.atoms
        assert goal.answer is not None or goal.aggregate in NO_ANSWER_VARIABLE
        assert all(c.op in OPERATORS for c in goal.constraints)
        for atom in map(canonical, goal.atoms):
            assert canonical(parse_atom(format_atom(atom))) == atom


@pytest.mark.parametrize(
    "text", ["Hello", "Nadia likes tea.", "Who?", "Blorp the fnord?", "?", "…", "¿Dónde vive Ruben?"]
)
def test_what_is_no_question_is_its_own_only_goal(goals, text):
    (goal,) = goals(text)
    assert (goal.aggregate, goal.answer, goal.constraints, len(goal.atoms)) == (Aggregate.WHETHER, None, (), 1)


@pytest.mark.parametrize("question", ["Where does Ruben's sister live?", "What did Nadia buy before the wedding?"])
def test_the_same_question_has_the_same_goals(goals, question):
    assert goals(question) == goals(question)


def test_alternative_goals_differ(goals):
    for question in ("Where does Ruben's sister live?", "How many pets does Nadia have?", "Who lives in Ghent?"):
        assert len(set(goals(question))) == len(goals(question))


def test_names_that_a_parser_does_not_know_are_read_when_memory_knows_them(reasoner):
    known = Names({"Xochitl": "person", "Ouagadougou": "place"})
    goal = reasoner.goals("When did Xochitl move to Ouagadougou?", ASKED, known)[0]
    assert format_atom(goal.atoms[0]) == "Xochitl moved to Ouagadougou on (t:time)"


def test_of_a_very_long_question_the_end_is_read(goals):
    goal = goals("It rained. " * 1_000 + "Where does Ruben live?")[0]
    assert format_atom(goal.atoms[0]) == "Ruben lives in (x:place)"


@pytest.mark.parametrize("question", ["In Oslo, where did Nadia live?", "Nadia lives in Oslo?"])
def test_a_goal_that_would_lose_a_name_of_the_question_is_not_asked(goals, question):
    for goal in goals(question):
        said = " ".join(format_atom(a) for a in goal.atoms)
        assert all(name in said for name in ("Nadia", "Oslo"))


def test_names_stand_in_types_as_they_were_asked(goals):
    goal = goals("Which Oslo museum did Nadia visit?")[0]
    assert str(goal.answer) == "(x:Oslo museum)"
    assert goal.answer in goal.atoms[0].variables
