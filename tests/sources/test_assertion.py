"""Words answer only from a clause that states them, of whom the question asks."""

from collections.abc import Callable

import pytest
from tests.language.conftest import MONDAY

from goalmem.language import Analyzer, Extractor, TurnContext
from goalmem.language.verb_forms import is_past
from goalmem.records import Fact, Turn
from goalmem.sources.assertion import said_by_another, unstated
from goalmem.sources.passages.contradiction import says_opposite
from goalmem.sources.spans import assertion_score

Told = Callable[[str], list[Fact]]


@pytest.fixture(scope="module")
def told(analyzer: Analyzer) -> Told:
    extractor = Extractor(analyzer)

    def facts(text: str) -> list[Fact]:
        turn = Turn("t", "space", "session", 0, "Ann", "user", text, MONDAY)
        return list(extractor.extract([turn], TurnContext())[0].facts)

    return facts


def place(text: str, words: str) -> tuple[int, int]:
    start = text.index(words)
    return start, start + len(words)


@pytest.mark.parametrize(
    ("text", "words", "question", "refused"),
    [
        ("I bought a yacht.", "a yacht", "What did Ann buy?", False),
        ("I failed to buy a yacht.", "a yacht", "What did Ann buy?", True),
        ("I failed to buy a yacht.", "to buy a yacht", "What did Ann buy?", True),
        ("I failed to buy a yacht.", "to buy a yacht", "What did Ann fail to do?", False),
        ("I want to buy a yacht.", "a yacht", "What did Ann buy?", True),
        ("I want to buy a yacht.", "a yacht", "What does Ann want to buy?", False),
        ("I'm going to buy a yacht.", "a yacht", "What will Ann buy?", False),
        ("I'm going to buy a yacht.", "a yacht", "What did Ann buy?", True),
        ("I used to live in Oslo.", "Oslo", "Where does Ann live?", True),
        ("I used to live in Oslo.", "Oslo", "Where did Ann live?", False),
        ("The launch is booked for Saturday 15 June.", "Saturday 15 June", "When was the launch booked for?", False),
    ],
)
def test_what_a_clause_only_mentions_answers_nothing(
    told: Told, text: str, words: str, question: str, refused: bool
) -> None:
    assert unstated(question, told(text), *place(text, words)) is refused


@pytest.mark.parametrize(
    ("text", "words", "question", "other"),
    [
        ("Ivo rented a van.", "a van", "What did Ann rent?", True),
        ("Ivo rented a van.", "a van", "What did Ivo rent?", False),
        ("Leo gave Nadia a book.", "Nadia", "Who gave Leo a book?", True),
        ("Leo gave Nadia a book.", "Leo", "Who gave Nadia a book?", False),
        ("Ivo gave me a book.", "a book", "What did Ann get?", False),
    ],
)
def test_what_somebody_else_did_is_theirs(told: Told, text: str, words: str, question: str, other: bool) -> None:
    def same(who: str, entity: str) -> bool:
        return who == entity

    assert said_by_another(question, told(text), *place(text, words), same) is other


def test_a_yes_no_question_takes_nothing_for_granted(told: Told) -> None:
    asked, granted = "Did I buy a yacht?", "How long have I played the piano?"
    assert assertion_score(told(asked), *place(asked, "a yacht"), asked) == 0.0
    assert assertion_score(told(granted), *place(granted, "the piano"), granted) > 0.0


@pytest.mark.parametrize(
    ("question", "refused"),
    [("What does Ann drink?", True), ("What did Ann drink?", False), ("What did Ann give up?", False)],
)
def test_what_is_given_up_is_no_longer_so(told: Told, question: str, refused: bool) -> None:
    text = "I gave up coffee."
    assert says_opposite(question, told(text), *place(text, "coffee")) is refused


@pytest.mark.parametrize(
    ("text", "past"),
    [
        ("Where does Ann live?", False),
        ("Ann lived in a place", True),
        ("Who bought it?", True),
        ("Has Ann a dog?", False),
    ],
)
def test_a_question_about_the_past_is_known_as_one(text: str, past: bool) -> None:
    assert is_past(text) is past
