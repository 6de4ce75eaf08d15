"""A question about somebody described asks first who that is."""

import itertools

import pytest
from hypothesis import given
from tests.cases import one_in
from tests.questions.conftest import ASKED, KNOWN
from tests.questions.test_local import QUESTIONS

from goalmem.logic.syntax import canonical, format_atom, parse_atom
from goalmem.models.minilm import MiniLM
from goalmem.questions.described import descriptions
from goalmem.questions.wording import normalise
from goalmem.sources.passages.description_fit import fits_description, only_repeats
from goalmem.sources.phrase_cosine import PhraseCosine

NOUNS = ("guy", "neighbour", "colleague")
CLAUSES = (
    ("who wrote the report", "wrote the report"),
    ("who looks after the cat", "looks after the cat"),
    ("that lent me a tent", "lent me a tent"),
    ("I met at the market", "did I meet at the market"),
)
FRAMES = ("Where does {} live?", "What did {} study?", "In which city is {} working?")


@pytest.fixture
def described(analyzer):
    """The descriptions in a question asked by Ann: their words, the question for each, and the relation."""

    def read(text):
        return analyzer.docs([text])[0]

    def found(question):
        asked = normalise(question)
        return [(asked[d.start : d.end], d.question, d.relation) for d in descriptions(read(asked), "Ann", read)]

    return found


@pytest.fixture(scope="module")
def alike():
    """The cosine of two words."""
    return PhraseCosine(MiniLM())


@pytest.mark.parametrize(("noun", "clause", "frame"), one_in(2, [*itertools.product(NOUNS, CLAUSES, FRAMES)]))
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
        "When did the shop open?",
    ],
)
def test_what_the_question_itself_asks_for_is_no_description(described, question):
    assert described(question) == []


def test_the_answer_of_the_first_step_stands_in_the_second(reasoner):
    _, goal, *_ = reasoner.read_goals("Which part does the guy who wrote the report do?", ASKED, KNOWN)
    assert [format_atom(a) for a in goal.atoms] == [
        "“Which guy wrote the report?” is answered by (y:guy)",
        "“Which part does (y:guy) do?” is answered by (x:part)",
    ]


@given(QUESTIONS)
def test_any_text_is_read_without_an_error_and_its_steps_can_be_written(reasoner, text):
    for goal in reasoner.read_goals(text, ASKED, KNOWN):
        if len(goal.atoms) == 1 or goal.answer is None:
            continue
        assert all(parse_atom(format_atom(canonical(a))) == canonical(a) for a in goal.atoms)
        assert goal.atoms[-1].variables[-1] == goal.answer


LINE = "I have hung the washing out, {} baked the lemon tart for the fair"


@pytest.mark.parametrize(
    ("question", "kind", "line", "fits"),
    [
        ("Who baked the tart?", "person", LINE, True),
        ("Which neighbour made the tart?", "neighbour", LINE, True),
        ("Who sold me the tart?", "person", LINE, False),
        ("Which guy wrote the report?", "guy", "{} translated the report", False),
        ("Who fixed the bike?", "person", "{} repaired my bike", True),
        ("Which guy do I share the flat with?", "guy", "I share the office with {}", False),
    ],
)
def test_a_passage_speaks_of_what_is_described_if_it_says_most_of_it(alike, question, kind, line, fits):
    assert fits_description(question, kind, line.format("Solvei"), alike) is fits


def test_words_that_repeat_the_description_name_nobody():
    assert only_repeats("my old colleague", "colleague")
    assert not only_repeats("my colleague Solvei", "colleague")
    assert not only_repeats("Solvei", "colleague")
