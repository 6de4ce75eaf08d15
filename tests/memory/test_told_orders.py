"""Which of two events was first is known where it was told, from both sides, also without a date."""

from __future__ import annotations

import pytest

from tests.asking import asked

BEFORE = "Freya arrived before Magnus."
LAUNDRY = "I did my laundry before I went out."


@pytest.mark.parametrize(
    ("said", "question", "status", "answer"),
    [
        (BEFORE, "Did Freya arrive before Magnus?", "proved", "Yes"),
        (BEFORE, "Did Magnus arrive after Freya?", "proved", "Yes"),
        (BEFORE, "Did Magnus arrive before Freya?", "disproved", "No"),
        (BEFORE, "Who arrived first, Freya or Magnus?", "proved", "Freya"),
        (BEFORE, "Who arrived last, Freya or Magnus?", "proved", "Magnus"),
        (LAUNDRY, "Did I do my laundry before I went out?", "proved", "Yes"),
        (LAUNDRY, "Did I go out after I did my laundry?", "proved", "Yes"),
        ("I did my laundry before going out.", "Did I do my laundry before I went out?", "proved", "Yes"),
        ("I ate and then called Stefan.", "What did I do after I ate?", "proved", "called Stefan"),
        ("I called Stefan after I ate.", "What did I do after I ate?", "proved", "called Stefan"),
        ("I called Stefan after I ate.", "When did I call Stefan?", "proved", "after I ate"),
        ("We got engaged right after the festival.", "When did we get engaged?", "proved", "right after the festival"),
        ("I proposed the day before we flew home.", "When did I propose?", "proved", "the day before we flew home"),
        ("We moved here when Ada was two.", "When did we move here?", "proved", "when Ada was two"),
    ],
)
def test_an_order_is_known_from_both_sides(said: str, question: str, status: str, answer: str) -> None:
    assert asked(said, question) == (status, answer)


@pytest.mark.parametrize(
    ("said", "question"),
    [
        (LAUNDRY, "Did I do my laundry before Ana went out?"),
        (LAUNDRY, "Did I go out after Ana did my laundry?"),
        ("I'll call Stefan before I go out.", "Did I go out after I called Stefan?"),
        ("I spoke before Judge Tom.", "Did Tom speak?"),
        ("I left before the end.", "Did I leave after the end?"),
        ("I ate before she went out.", "Did I eat before going out?"),
        ("I called Stefan and went out.", "Did I go out after I called Stefan?"),
        ("I called Stefan while cooking.", "Did I call Stefan today?"),
    ],
)
def test_no_order_is_made_up(said: str, question: str) -> None:
    assert asked(said, question)[0] == "unknown"
