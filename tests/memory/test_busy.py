"""A busy machine answers as an idle one does: what is spent is counted in work, not in time."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from goalmem import Memory

SPINNING = "while True: pass"
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


@contextmanager
def beside(processes: int) -> Iterator[None]:
    """So many processes that do nothing but compute."""
    spinning = [subprocess.Popen([sys.executable, "-c", SPINNING]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def told() -> Memory:
    memory = Memory()
    messages = [{"role": "user", "name": name, "content": text} for name, text in TOLD]
    memory.add(messages, session="one", at="2024-06-01")
    return memory


def answered(memory: Memory) -> list[tuple[str, str, str]]:
    questions = [asked.format(name) for asked in ASKED for name in PEOPLE]
    assert len(questions) == 100
    answers = [memory.ask(question) for question in questions]
    return [(a.question, a.text, a.proof.to_json()) for a in answers]


def test_a_hundred_questions_are_answered_the_same_beside_busy_processes() -> None:
    with told() as memory:
        alone = answered(memory)
    with told() as memory, beside(2):
        busy = answered(memory)
    assert busy == alone
