"""What is asked for by a noun is of its kind: a composer who is played is no instrument."""

from __future__ import annotations

import pytest

from goalmem import Memory
from goalmem.answer import Answer
from goalmem.logic.terms import KIND_OPEN
from goalmem.proof.document import Node, Proof
from goalmem.proof.status import READ, kind_of
from goalmem.sources.passages.type_fit import fit


@pytest.mark.parametrize("name", ["Brahms", "Bach", "Mozart", "Beethoven", "Schubert"])
@pytest.mark.parametrize("kind", ["instrument", "car", "tool", "bike"])
def test_an_author_is_no_thing(name: str, kind: str) -> None:
    assert fit(kind, name) == 0


@pytest.mark.parametrize(
    ("kind", "name"), [("composer", "Brahms"), ("car", "Ford"), ("instrument", "viola"), ("piece", "Bach")]
)
def test_what_may_be_meant_stays(kind: str, name: str) -> None:
    assert fit(kind, name) > 0


def asked(said: str, question: str) -> tuple[Memory, Answer]:
    memory = Memory()
    memory.add([{"role": "user", "content": said}], at="2024-05-01")
    return memory, memory.ask(question)


def open_kinds(proof: Proof) -> list[str]:
    nodes = proof.root.walk() if proof.root is not None else ()
    return [entry.goal for _, node in nodes for entry in node.alignment if entry.how == KIND_OPEN]


@pytest.mark.parametrize(
    ("said", "question", "kind"),
    [
        ("We ate at Brunello on Friday.", "Which restaurant did we eat at?", "restaurant"),
        ("I bought a Zorvex yesterday.", "Which car did I buy?", "car"),
    ],
)
def test_a_value_that_is_not_known_to_be_of_the_kind_is_likely_at_most_and_its_step_says_so(
    said: str, question: str, kind: str
) -> None:
    memory, answer = asked(said, question)
    assert answer.proof.status in ("likely", "unknown")
    assert answer.proof.status == "unknown" or kind_of(answer.proof) == READ or open_kinds(answer.proof) == [kind]
    assert memory.verify(answer).ok


def test_a_value_that_is_known_to_be_of_the_kind_is_proved() -> None:
    for said, question in (
        ("I bought a guitar yesterday.", "Which instrument did I buy?"),
        ("My sister lives in Paris.", "Which city does my sister live in?"),
        ("Maya adopted Kelpo last week.", "What did Maya adopt?"),
        ("My sister Ines lives in Ovestry.", "Where does my sister live?"),
    ):
        _, answer = asked(said, question)
        assert (answer.proof.status, open_kinds(answer.proof)) == ("proved", [])


def test_a_proof_that_hides_an_open_kind_is_refused() -> None:
    memory, answer = asked("We ate at Brunello on Friday.", "Which restaurant did we eat at?")

    def without(node: Node) -> Node:
        kept = tuple(entry for entry in node.alignment if entry.how != KIND_OPEN)
        return node.model_copy(update={"alignment": kept, "children": tuple(map(without, node.children))})

    assert answer.proof.root is not None
    forged = answer.proof.model_copy(update={"root": without(answer.proof.root), "status": "proved"})
    assert any(check.name == "kinds" for check in memory.verify(forged).failures)
