"""A question about somebody described asks first who that is."""

import itertools

import pytest

from goalmem.logic.syntax import format_atom
from goalmem.questions.described import descriptions
from goalmem.questions.syntax import normalise

NOUNS = ("guy", "neighbour", "colleague")
CLAUSES = (
    ("who wrote the report", "wrote the report"),
    ("who looks after the cat", "looks after the cat"),
    ("that lent me a tent", "lent me a tent"),
    ("I met at the fair", "did I meet at the fair"),
)
ASKED = ("Where does {} live?", "What did {} study?", "In which city is {} working?", "What does the sister of {} do?")


@pytest.fixture
def described(analyzer):
    """The descriptions in a question asked by Ann: their words, the question for each, and the relation."""

    def read(text):
        return analyzer.docs([text])[0]

    def found(question):
        asked = normalise(question)
        return [(asked[d.start : d.end], d.question, d.relation) for d in descriptions(read(asked), "Ann", read)]

    return found


@pytest.mark.parametrize(("noun", "clause", "frame"), itertools.product(NOUNS, CLAUSES, ASKED))
def test_a_clause_that_describes_somebody_is_asked_for_itself(described, noun, clause, frame):
    told, asked = clause
    (first, *_) = described(frame.format(f"the {noun} {told}"))
    assert first == (f"the {noun} {told}", f"Which {noun} {asked}?", "")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does my wife do?", ("my wife", "Who is my wife?", "Ann's wife")),
        ("Where does Ivo's boss live?", ("Ivo's boss", "Who is Ivo's boss?", "Ivo's boss")),
        (
            "What car does the owner of the bakery drive?",
            ("the owner of the bakery", "Who is the owner of the bakery?", ""),
        ),
        ("Where is the flat of the man whose car broke?", ("the man whose car broke", "Whose car broke?", "")),
        ("When is the person who baked it leaving?", ("the person who baked it", "Who baked it?", "")),
    ],
)
def test_relations_and_owners_are_asked_for(described, question, expected):
    assert expected in described(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who is my wife?",
        "Who is the owner of the bakery?",
        "What is the name of my sister?",
        "What is my dog called?",
        "Where does Ivo live?",
        "When did the shop that Ivo likes open on the day we left?".split(" that")[0] + " open?",
    ],
)
def test_what_the_question_itself_asks_for_is_no_description(described, question):
    assert described(question) == []


def test_the_answer_of_the_first_step_stands_in_the_second(goals_described):
    (goal, *_) = goals_described("Which part does the guy who wrote the report do?")
    assert [format_atom(a) for a in goal.atoms] == [
        "“Which guy wrote the report?” is answered by (y:guy)",
        "“Which part does (y:guy) do?” is answered by (x:part)",
    ]
