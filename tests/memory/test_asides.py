"""What only comments on a sentence, as people write in chats, changes nothing about what it says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from goalmem import Memory

SAID = [
    ("my boss is called Petra", "What is my boss called?", "Petra"),
    ("the code for the gate is 4471", "What is the code for the gate?", "4471"),
    ("I adopted a cat", "What did I adopt?", "cat"),
    ("Leo is allergic to nuts and pollen", "What is Leo allergic to?", "nuts and pollen"),
    ("I work at Selkon", "Where do I work?", "Selkon"),
]
BEFORE = ["ugh", "yay", "omg", "haha", "btw", "lol 😂", "tbh", "Fyi", "🎉"]
BEHIND = ["tho", "btw", "lol", "xx", "pls", "rn", "atm", "fwiw", "😂", "👍", "🙂🙂", "❤️", "ugh!!", "hahaha"]
OPENINGS = [
    "Remember that {}.",
    "please remember: {}",
    "Could you remember that {}?",
    "Don't forget that {}!",
    "Hi! Please note that {}.",
    "I wanted to tell you that {}.",
    "I forgot to mention that {}",
    "It's true that {}.",
    "to be honest, {}",
    "I'm telling you, {}",
    "did I mention {}?",
    "Did you know that {}?",
]
TEXTS = OPENINGS + [f"{before} {{}}" for before in BEFORE] + [f"{{}} {behind}" for behind in BEHIND]


# Two of the five sentences behind each text, and each sentence behind fourteen texts; the others are thorough.
@pytest.mark.sampled(4)
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_the_answers_are_as_without_it(text: str, part: int, open_memory: Callable[..., Memory]) -> None:
    number = TEXTS.index(text)
    said = SAID[number % 5 :] + SAID[: number % 5]
    for what, question, answer in said[2:] if part else said[:2]:
        memory = open_memory()
        memory.add([{"role": "user", "content": text.format(what)}], at="2026-03-04")
        found = memory.ask(question, at="2026-03-05")
        assert (found.text, found.status) == (answer, "proved"), text.format(what)


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("I work as an RN", "What do I work as?", "RN"),
        ("I moved to Tulsa OK", "Where did I move?", "Tulsa OK"),
        ("I lost my card at the ATM", "Where did I lose my card?", "ATM"),
        ("I work with Ty", "Who do I work with?", "Ty"),
    ],
)
def test_words_that_only_look_alike_are_read(said: str, question: str, answer: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": said}], at="2026-03-04")
        assert memory.ask(question, at="2026-03-05").text == answer


@pytest.mark.parametrize(
    "said",
    [
        "Remember to adopt a cat.",
        "Could you remember to adopt a cat?",
        "Remember that I might adopt a cat.",
        "Did I say that I adopted a cat?",
        "Did I adopt a cat?",
        "I wanted to tell Ida that I adopted a cat.",
        "Do you know if I adopted a cat?",
        "It's not true that I adopted a cat.",
    ],
)
def test_what_is_announced_is_read_as_it_is(said: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": said}], at="2026-03-04")
        assert memory.ask("Did I adopt a cat?", at="2026-03-05").status not in ("proved", "likely")


@pytest.mark.parametrize("said", ["I adopted a cat. jk lol", "I might adopt a cat lol", "haha no, I adopted no cat"])
def test_a_joke_is_none_the_less_one(said: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": said}], at="2026-03-04")
        assert memory.ask("What did I adopt?", at="2026-03-05").status != "proved"


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("guess what! I bought a boat", "What did I buy?", "boat"),
        ("I'm allergic to nuts + pollen.", "What am I allergic to?", "nuts and pollen"),
        ("had lunch w/ Tom + Ida", "Who did I have lunch with?", "Tom and Ida"),
        ("so tired today, the meeting is on Friday", "When is the meeting?", "6 March 2026"),
    ],
)
def test_shorthand_and_run_on_sentences_are_read(said: str, question: str, answer: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": said}], at="2026-03-04")
        found = memory.ask(question, at="2026-03-05")
        assert (found.text, found.status) == (answer, "proved")


def test_what_somebody_can_guess_was_not_done() -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": "I can guess what you bought."}], at="2026-03-04")
        assert memory.ask("What did I buy?", at="2026-03-05").status == "unknown"
