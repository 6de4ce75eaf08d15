"""Messages that are added in one call, with one time, keep their order: of two values, that of the later message holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from goalmem import Memory
from tests.cases import one_in

CHANGED = [
    ("I drive a Fiat.", "I drive a Volvo.", "What do I drive?", "Fiat", "Volvo"),
    ("I use Vim.", "I use Emacs.", "What do I use?", "Vim", "Emacs"),
    ("I'm reading Emma.", "I'm reading Dracula.", "What am I reading?", "Emma", "Dracula"),
    ("I live in Oslo.", "I live in Bergen.", "Where do I live?", "Oslo", "Bergen"),
    ("My favourite colour is red.", "My favourite colour is blue.", "What is my favourite colour?", "red", "blue"),
    ("Tom is my boss.", "Ana is my boss.", "Who is my boss?", "Tom", "Ana"),
    (
        "My phone number is 555-1234.",
        "My phone number is 555-9876.",
        "What is my phone number?",
        "555-1234",
        "555-9876",
    ),
    ("The wifi password is plum.", "The wifi password is fig.", "What is the wifi password?", "plum", "fig"),
    ("I'm a nurse.", "I'm a teacher.", "What is my job?", "nurse", "teacher"),
    ("I have two cats.", "I have three cats.", "How many cats do I have?", "2", "3"),
    ("The rent is 800.", "The rent is 900.", "What is the rent?", "800", "900"),
]
JOINT = [
    ("I like tea.", "I like cocoa.", "What do I like?", "tea and cocoa"),
    ("I met Tom in Paris.", "I met Liv in Paris.", "Who did I meet in Paris?", "Tom and Liv"),
]


@pytest.mark.parametrize(("first", "second", "question", "before", "after"), one_in(2, CHANGED))
def test_the_value_of_the_later_message_holds(first: str, second: str, question: str, before: str, after: str) -> None:
    for messages, value in (((first, second), after), ((second, first), before)):
        with Memory() as memory:
            memory.add([{"role": "user", "content": text} for text in messages], at="2026-03-02")
            found = memory.ask(question)
            assert (found.text, found.status) == (value, "proved")
            assert memory.verify(found).ok


@pytest.mark.parametrize(("first", "second", "question", "answer"), JOINT)
def test_values_that_hold_together_are_told_in_order(first: str, second: str, question: str, answer: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": text} for text in (first, second)], at="2026-03-02")
        assert memory.ask(question).text == answer


def test_a_proof_that_moves_a_message_in_its_session_is_refused() -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": text} for text in ("I use Vim.", "I use Emacs.")], at="2026-03-02")
        proof = memory.ask("What do I use?").proof
        assert proof.root is not None
        (solution,) = proof.root.children
        (step,) = solution.children
        (cited,) = step.evidence
        assert cited.position == 1
        moved = step.model_copy(update={"evidence": (replace(cited, position=7),)})
        root = proof.root.model_copy(update={"children": (solution.model_copy(update={"children": (moved,)}),)})
        assert not memory.verify(proof.model_copy(update={"root": root}).digested()).ok
