"""Headings below which nothing is stated as so, and those below which all is."""

import pytest

from goalmem.language.words.doubts import is_doubtful


@pytest.mark.parametrize(
    "heading",
    [
        "Myths",
        "Rejected proposals",
        "What we do not do",
        "Plans › 2027",
        "EXAMPLES",
        "To do",
        "to-do",
        "If it rains",
        "Isn’t it",
        "Never:",
    ],
)
def test_doubtful(heading: str):
    assert is_doubtful(heading)


@pytest.mark.parametrize(
    "heading",
    [
        "",
        "Opening hours",
        "Leave policy",
        "History",
        "May 2024",
        "Parental leave",
        "Notes on Norway",
        "Planets",
        "Crew:",
    ],
)
def test_stated(heading: str):
    assert not is_doubtful(heading)
