"""Wherever a question is cancelled, nothing half done stays behind: the next answer is as if it had never been asked."""

from __future__ import annotations

from contextlib import suppress

import pytest

from goalmem import Memory, WorkCancelledError
from goalmem.cancellation import OutOfTimeError, until
from goalmem.language import Analyzer

QUESTIONS = (
    "Where does Hub lie?",
    "What is the city of the employer of Ada?",
    "Is Ada careful?",
    "Where does Lucia keep the kayak?",
)


def filled(analyzer: Analyzer) -> Memory:
    memory = Memory(analyzer=analyzer)
    memory.add("My sister Lucia keeps the kayak in the boathouse.", at="2024-01-01")
    memory.add_rules("If someone is kind then they are nice. If someone is nice then they are careful. Ada is kind.")
    memory.import_graph(
        [("Ada", "works at", "Hub"), ("Hub", "founded by", "Bo"), ("Hub", "lies in", "Oslo")]
        + [("Hub", f"relation {n}", f"Thing {n}") for n in range(300)]
    )
    return memory


@pytest.mark.parametrize("places", [3, pytest.param(10, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("question", QUESTIONS)
def test_after_a_question_was_cancelled_anywhere_it_is_answered_as_ever(analyzer: Analyzer, question: str, places: int):
    """It is cancelled at so many checkpoints, evenly apart."""
    seen = list[int]()

    def asked(memory: Memory, last: int) -> str | None:
        seen.clear()
        with (
            suppress(OutOfTimeError, WorkCancelledError),
            until(lambda: len(seen) >= last or seen.append(1) is not None),
        ):
            return memory.ask(question, at="2024-02-01").proof.to_json()
        return None

    with filled(analyzer) as memory:
        answered = asked(memory, 1_000_000)
    checkpoints = len(seen)
    for place in range(places):
        last = place * checkpoints // places
        with filled(analyzer) as memory:
            asked(memory, last)
            assert asked(memory, 1_000_000) == answered, f"cancelled at checkpoint {last} of {checkpoints}"
