"""Without somebody or something is the opposite of with it."""

from __future__ import annotations

import pytest

from goalmem import Memory
from goalmem.sources.passages.contradiction import says_without

QUESTIONS = [
    ("I went to Rome without Leo.", "Did I go to Rome with Leo?", "disproved"),
    ("The flat comes without a kitchen.", "Does the flat come with a kitchen?", "disproved"),
    ("I never leave home without my keys.", "Do I leave home with my keys?", "proved"),
    ("I went to Rome w/ Tom.", "Did I go to Rome with Tom?", "proved"),
    ("I went to Rome without Leo.", "Did I go to Rome?", "proved"),
    ("I went to Rome without Leo.", "Who did I go to Rome with?", "unknown"),
    ("I went to Rome with Tom.", "Did I go to Rome without Leo?", "unknown"),
]


@pytest.mark.parametrize(("said", "question", "status"), QUESTIONS)
def test_it_is_its_opposite(said: str, question: str, status: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": said}], at="2026-03-04")
        found = memory.ask(question, at="2026-03-10")
        assert found.status == status
        assert memory.verify(found).ok


def test_nobody_is_told_to_have_been_there_who_was_not() -> None:
    text = "I went to Oslo without Ida."
    for words in ("without Ida", "Ida"):
        assert says_without("Who did I go to Oslo with?", text, text.index(words))
    assert not says_without("Who did I go to Oslo without?", text, text.index("Oslo"))
    assert not says_without("Where did I go with Tom?", text, text.index("Oslo"))
