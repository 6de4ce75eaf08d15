"""What only introduces a question, or is polite, changes nothing about its answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.cases import one_in

from goalmem import Memory
from goalmem.questions.wording import normalise, without_pleasantries

SAID = [
    ("My boss is called Petra.", "what is my boss called", "what my boss is called", "Petra"),
    ("My sister moved to Oslo in May.", "where did my sister move", "where my sister moved", "Oslo"),
    ("I had lunch with Tom and Ida.", "who did I have lunch with", "who I had lunch with", "Tom and Ida"),
    ("My brother's wife works at Selkon.", "where does my brother's wife work", "where my brother's wife works", "Selkon"),
]  # fmt: skip
DIRECT = [
    "hey, {}?",
    "hi! {}? thanks",
    "Good morning! {}? Thank you so much!",
    "btw {} lol",
    "{} again?",
    "so {}?",
    "sorry, {}?",
    "{} pls",
    "{} 🤔",
    "quick question: {}?",
    "I forgot - {}?",
    "{}, once more?",
    "I was going through our last chat, and I wanted to confirm - {}?",
    "I'd like to check, {}?",
]
INDIRECT = [
    "do you know {}?",
    "Can you tell me {}?",
    "remind me {}",
    "I'm wondering {}",
    "any idea {}?",
    "I need to know {}",
    "did I mention {}?",
    "I looked at our last chat, and I just wanted to know {}",
]
WRAPPERS = [*DIRECT, *INDIRECT]


@pytest.fixture(scope="module")
def memory(module_memory: Callable[..., Memory]) -> Memory:
    made = module_memory()
    made.add([{"role": "user", "content": said} for said, *_ in SAID], at="2026-03-04")
    return made


@pytest.mark.parametrize("further", one_in(len(SAID), range(len(SAID))))
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_the_answer_is_as_without_it(wrapper: str, further: int, memory: Memory) -> None:
    _, direct, indirect, answer = SAID[(WRAPPERS.index(wrapper) + further) % len(SAID)]
    found = memory.ask(wrapper.format(direct if wrapper in DIRECT else indirect), at="2026-03-05")
    assert (found.text, found.status) == (answer, "proved")
    assert memory.verify(found).ok


@pytest.mark.parametrize(
    "question",
    [
        "Tom has a new job. Where does he work?",
        "I sold the car. Who bought it?",
        "Who said thanks?",
        "Do I need to know Danish?",
        "What did I forget?",
        "Why did I want to see if Tom came?",
        "Did I say I wanted to ask what the doctor thought?",
    ],
)
def test_what_a_question_says_itself_is_kept(question: str) -> None:
    assert without_pleasantries(question) == question


def test_a_pleasantry_alone_is_left() -> None:
    assert without_pleasantries("Thanks!") == "Thanks!"
    assert normalise("hello?") == "Hello?"
