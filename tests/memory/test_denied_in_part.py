"""What only some of a sentence denies, ends or counts: `a brother but no sisters`, `finished reading`, `milk, eggs and bread`."""

from __future__ import annotations

import pytest

from tests.asking import asked

DECIDED = [
    ("I have a brother but no sisters.", "Do I have a sister?", ("disproved", "No")),
    ("I have a brother but no sisters.", "Do I have a brother?", ("proved", "Yes")),
    ("I have no sisters but a brother.", "Do I have a brother?", ("proved", "Yes")),
    ("I have no sisters but a brother.", "Do I have a sister?", ("disproved", "No")),
    ("I have no sisters or brothers.", "Do I have a brother?", ("disproved", "No")),
    ("I don't have a cat or a dog.", "Do I have a dog?", ("disproved", "No")),
    ("We have two kids and no pets.", "Do we have pets?", ("disproved", "No")),
    ("I bought a lamp but no chair.", "What did I buy?", ("proved", "lamp")),
    ("I finished reading Dune.", "Did I read Dune?", ("proved", "Yes")),
    ("I bought a lamp and a chair.", "How many things did I buy?", ("proved", "2")),
]
NOT_PROVED = [
    ("I finished reading Dune.", "What am I reading?"),
    ("I read Dune and started Emma.", "What am I reading?"),
    ("I have finished reading Dune.", "Am I reading Dune?"),
    ("I've finished painting the fence.", "Am I painting the fence?"),
    ("I bought milk, eggs and bread.", "How many things did I buy?"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("said", "question", "answer"), DECIDED)
def test_each_part_is_as_it_was_said(said: str, question: str, answer: tuple[str, str]) -> None:
    assert asked(said, question) == answer


@pytest.mark.parametrize(("said", "question"), NOT_PROVED)
def test_what_was_finished_or_cannot_be_counted_proves_nothing(said: str, question: str) -> None:
    assert asked(said, question)[0] not in ("proved", "disproved") or asked(said, question)[1] == "No"
