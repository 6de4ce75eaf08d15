"""Words that a reader proposes and that tell nothing."""

import pytest

from goalmem.sources.passages.answer_words import says_nothing


@pytest.mark.parametrize(
    ("question", "words", "nothing"),
    [
        ("Which new games did Ruben play?", "new games", True),
        ("Which games did Ruben play?", "one more game", True),
        ("What did Nadia read?", "stuff", True),
        ("What did Nadia buy?", "a kayak", False),
        ("Did Nadia order tea or coffee?", "tea", False),
        ("What did Ruben say?", "“”", False),
    ],
)
def test_an_answer_names_what_the_question_does_not(question: str, words: str, nothing: bool) -> None:
    assert says_nothing(question, words) is nothing
