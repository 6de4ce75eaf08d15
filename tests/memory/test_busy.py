"""A busy machine answers as an idle one does: what is spent is counted in work, not in time."""

import time
from collections.abc import Callable

import pytest

from goalmem import Memory

SLOWER = 5
"""Times as long as everything takes on the busy machine; far below the ceiling of seconds for a question."""
TOLD = [
    ("Ines", "I moved to Ghent in May, my brother Tomas helped with the van."),
    ("Bo", "Tomas is a baker, isn't he? I bought a red kayak last week."),
    ("Ines", "he is. He lives in Bruges with his dog Pepper."),
    ("Bo", "I nearly bought a sailing boat too, it was too dear."),
    ("Ines", "my sister Ida paints portraits and teaches the cello in Antwerp"),
    ("Bo", "I work at the harbour office now, no longer at the school"),
    ("Ines", "Ida married Joost in 2019, they have two cats"),
    ("Bo", "Joost gave me a lamp for my birthday"),
]
PEOPLE = ("Ines", "Bo", "Tomas", "Ida", "Joost")
ASKED = (
    "Where does {} live?",
    "What does {} do for a living?",
    "What did {} buy?",
    "Who is {}'s brother?",
    "Where does {}'s sister teach?",
    "Did {} buy a sailing boat?",
    "When did {} move?",
    "What pets does {} have?",
    "What did {} give Bo?",
    "Who did {} marry?",
    "Where does {} work?",
    "How many cats does {} have?",
    "Does {} paint portraits?",
    "What is the name of {}'s dog?",
    "Where does the brother of {} live?",
    "What instrument does {} teach?",
    "Why did {} move to Ghent?",
    "Is {} a baker?",
    "What colour is {}'s kayak?",
    "Who helped {} with the van?",
)


def told() -> Memory:
    memory = Memory()
    messages = [{"role": "user", "name": name, "content": text} for name, text in TOLD]
    memory.add(messages, session="one", at="2024-06-01")
    return memory


def answered(memory: Memory, every: int) -> list[tuple[str, str, str]]:
    questions = [asked.format(PEOPLE[n % len(PEOPLE)]) for n, asked in enumerate(ASKED)]
    answers = [memory.ask(question) for question in questions[::every]]
    return [(a.question, a.text, a.proof.to_json()) for a in answers]


def slowed(clock: Callable[[], float]) -> Callable[[], float]:
    """A clock by which everything takes longer from now on."""
    began = clock()
    return lambda: began + SLOWER * (clock() - began)


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.thorough)])
def test_questions_are_answered_the_same_where_everything_takes_longer(
    every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with told() as memory:
        alone = answered(memory, every)
    for clock in ("monotonic", "perf_counter", "process_time", "thread_time", "time"):
        monkeypatch.setattr(time, clock, slowed(getattr(time, clock)))
    with told() as memory:
        busy = answered(memory, every)
    assert busy == alone
