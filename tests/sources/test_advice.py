"""What somebody advised is told with the topic it was advised on, and with no other."""

from __future__ import annotations

from itertools import product

import pytest
from tests.cases import one_in

from goalmem import Memory
from goalmem.sources.passages.advice import advice_in, advice_question

FRAMES = (
    ("I'd suggest {}.", "{}"),
    ("Good. I would recommend {}, since many people do.", "{}"),
    ("My advice is {}.", "{}"),
    ("How about {}?", "{}"),
    ("I'd go for {}.", "{}"),
    ("You should get {} because it lasts.", "get {}"),
    ("You could buy {}", "buy {}"),
)
ADVISED = ("a wool blanket", "copper tape around the pots", "two short walks a day")
ASKED = (
    "What did you suggest for the slugs?",
    "What was your advice against the slugs?",
    "What did you tell me to do about the slugs?",
    "Which remedy did you recommend against the slugs?",
)


@pytest.mark.parametrize(("frame", "words"), list(product(FRAMES, ADVISED)))
def test_what_stands_behind_words_of_advice_is_advised(frame: tuple[str, str], words: str) -> None:
    text, said = (form.format(words) for form in frame)
    assert [text[a.start : a.end] for a in advice_in(text, ())] == [said]


@pytest.mark.parametrize(
    "text", ["I wouldn't recommend a pump.", "Should I suggest a pump?", "Ann suggested a pump.", "I'd love a pump."]
)
def test_what_is_not_advised_is_no_advice(text: str) -> None:
    assert not list(advice_in(text, ()))


@pytest.mark.parametrize("question", ASKED)
def test_a_question_for_advice_says_whose(question: str) -> None:
    asked = advice_question(question)
    assert asked is not None
    assert asked.by == "you"


@pytest.mark.parametrize(
    "question",
    [
        "Did you suggest a pump?",
        "How often did you suggest that?",
        "What did I buy?",
        "What is the website that you recommended for free lessons?",
        "Who suggested the title?",
    ],
)
def test_other_questions_ask_for_no_advice(question: str) -> None:
    assert advice_question(question) is None


@pytest.fixture(scope="module")
def memory(module_memory) -> Memory:
    memory = module_memory()
    told = [
        ("user", "the slugs eat my lettuce"),
        ("assistant", "You could put copper tape around the pots. It lasts for years."),
        ("user", "my back hurts from weeding"),
        ("assistant", "Sorry to hear that. Stand up every half hour and stretch your hips."),
        ("user", "I painted the shed, and would recommend a red door to everybody"),
    ]
    memory.add([{"role": role, "content": text} for role, text in told], at="2026-05-02T09:00:00")
    return memory


@pytest.mark.parametrize("question", one_in(2, ASKED))
def test_advice_on_a_topic_is_likely_and_verified(memory: Memory, question: str) -> None:
    answer = memory.ask(question)
    assert (answer.text, answer.status) == ("put copper tape around the pots", "likely")
    assert memory.verify(answer.proof).ok


def test_an_imperative_advises(memory: Memory) -> None:
    answer = memory.ask("What did you suggest for my back?")
    assert answer.text.startswith("Stand up every half hour")
    altered = answer.proof.to_json().replace("Stand up every half hour", "Sit down every half hour")
    assert not memory.verify(altered).ok


@pytest.mark.parametrize("topic", one_in(2, ["the shed", "the roses", "my headaches", "the door"]))
def test_what_was_not_advised_is_unknown(memory: Memory, topic: str) -> None:
    assert memory.ask(f"What did you suggest for {topic}?").status == "unknown"


NOW = (
    "Can you suggest some activities for the evening?",
    "I have an hour tonight, any recommendations?",
    "Could you recommend a remedy against the slugs?",
    "My back hurts again. Any tips on what to do?",
    "The slugs are back. What do you think?",
    "Do you have any advice about the shed?",
)


@pytest.mark.parametrize("question", one_in(2, NOW))
def test_a_request_for_advice_is_no_question_about_what_was_said(memory: Memory, question: str) -> None:
    answer = memory.ask(question)
    assert answer.status == "unknown"
    assert memory.verify(answer).ok


@pytest.mark.parametrize("question", NOW)
def test_the_turns_that_matter_to_such_a_request_are_found(memory: Memory, question: str) -> None:
    assert memory.search(question, k=3)
