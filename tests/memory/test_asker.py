"""Whom "I", "me" and "my" in a question mean: who asks, by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from goalmem import InputError, Memory
from tests.cases import one_in

MAYA = "I adopted a beagle last Friday. My sister Ines lives in Bergen."
LEO = "I adopted a parrot. My sister Ada lives in Porto."


@pytest.fixture(scope="module")
def pair(module_memory: Callable[..., Memory]) -> Memory:
    """What two people and an assistant said; tests must not write to it."""
    memory = module_memory()
    memory.add([{"role": "user", "name": "Maya", "content": MAYA}], at="2024-05-01", session="one")
    memory.add([{"role": "user", "name": "Leo", "content": LEO}], at="2024-05-02", session="two")
    memory.add([{"role": "assistant", "content": "Once I adopted a cat."}], at="2024-05-03", session="three")
    memory.add([{"role": "user", "name": "Zoe", "content": "I adopted a mouse."}], space="one", at="2024-05-01")
    memory.add([{"role": "assistant", "content": "Well done!"}], space="one", at="2024-05-01")
    return memory


@pytest.mark.parametrize(
    ("question", "speaker", "answer"),
    one_in(
        2,
        [
            ("What did I adopt?", "Maya", "beagle"),
            ("What did I adopt?", "Leo", "parrot"),
            ("What did I adopt?", "leo", "parrot"),
            ("Where does my sister live?", "Maya", "Bergen"),
            ("Where does my sister live?", "Leo", "Porto"),
            ("Where do I live?", "Ines", "Bergen"),
            ("Did I adopt a parrot?", "Leo", "Yes"),
        ],
    ),
)
def test_i_is_the_speaker_who_is_given(pair: Memory, question: str, speaker: str, answer: str) -> None:
    found = pair.ask(question, speaker=speaker)
    assert found.text == answer
    assert found.proof.asker.casefold() == speaker.casefold()
    assert pair.verify(found.proof.to_json()).ok


def test_without_one_it_is_the_only_person_who_speaks(pair: Memory) -> None:
    found = pair.ask("What did I adopt?", space="one")
    assert (found.text, found.proof.asker) == ("mouse", "Zoe")
    assert pair.verify(found.proof).ok


def test_without_one_several_people_leave_it_open(pair: Memory) -> None:
    found = pair.ask("What did I adopt?")
    assert (found.status, found.proof.asker) == ("unknown", "")


def test_the_speaker_of_messages_without_a_name_is_user(memory: Memory) -> None:
    memory.add("I adopted a goat.", at="2024-05-01")
    assert memory.ask("What did I adopt?").proof.asker == ""
    assert memory.ask("What did I adopt?", speaker="user").text == "goat"
    assert memory.ask("What did I adopt?", speaker="Maya").status == "unknown"


def test_who_asks_may_bear_a_name_that_stands_in_for_others_when_a_question_is_read(memory: Memory) -> None:
    memory.add([{"role": "user", "name": "Alice", "content": "I gave Ysolde a book."}], at="2024-05-01")
    memory.add([{"role": "user", "name": "Ysolde", "content": "I bought a lamp."}], at="2024-05-01")
    assert memory.ask("What did I give Ysolde?", speaker="Alice").text == "book"


@pytest.mark.parametrize("asker", ["", "Maya", "Ines"])
def test_a_proof_with_another_asker_does_not_verify(pair: Memory, asker: str) -> None:
    proof = pair.ask("What did I adopt?", speaker="Leo").proof
    assert not pair.verify(proof.model_copy(update={"asker": asker})).ok


def test_what_is_read_of_one_person_does_not_verify_for_another(memory: Memory) -> None:
    memory.add([{"role": "user", "name": "Maya", "content": "For breakfast it's porridge for me, always."}])
    memory.add([{"role": "user", "name": "Leo", "content": "For breakfast it's mostly toast for me."}])
    found = memory.ask("What do I have for breakfast?", speaker="Maya")
    assert (found.text, memory.verify(found.proof).ok) == ("porridge", True)
    assert not memory.verify(found.proof.model_copy(update={"asker": "Leo"})).ok


def test_a_question_without_i_has_the_same_proof_whoever_asks(pair: Memory) -> None:
    proofs = [pair.ask("What did Maya adopt?", speaker=s).proof for s in ("Maya", "Leo")]
    assert [p.asker for p in proofs] == ["Maya", "Leo"]
    assert len({p.model_copy(update={"asker": "", "digest": ""}).to_json() for p in proofs}) == 1


def test_context_speaks_of_who_asks(pair: Memory) -> None:
    found = pair.context("What did I adopt?", speaker="Leo")
    assert "parrot" in found.text.partition("##")[0]
    described = pair.context("Send my sister a card.", speaker="Leo")
    assert any("Leo" in subgoal for subgoal in described.facts)


def test_why_not_speaks_of_who_asks(pair: Memory) -> None:
    missing = pair.why_not("What did I sell?", speaker="Leo").missing
    assert any("Leo" in str(m.atom.parts[0]) for m in missing)


def test_search_ranks_what_the_asker_said_before_what_others_did_and_leaves_nobody_out(pair: Memory) -> None:
    for name, other in (("Maya", "Leo"), ("Leo", "Maya")):
        speakers = [h.turn.speaker for h in pair.search("What did I adopt?", speaker=name)]
        assert speakers.index(name) < speakers.index(other)
    assert {h.turn.speaker for h in pair.search("What did I adopt?", speaker="Maya", speakers=["Leo"])} == {"Leo"}


def test_search_knows_the_only_person_who_speaks(pair: Memory) -> None:
    best = pair.search("What did I adopt?", space="one")[0]
    assert best.turn.speaker == "Zoe"
    assert best.signals["person"] > 0


def test_recall_ranks_what_the_asker_said_before_what_others_did(pair: Memory) -> None:
    for name, other in (("Maya", "Leo"), ("Leo", "Maya")):
        speakers = [h.turn.speaker for h in pair.recall("What did I adopt?", speaker=name)]
        assert speakers.index(name) < speakers.index(other)


@pytest.mark.parametrize("speaker", ["", " ", "x" * 5000])
def test_what_is_no_name_is_refused(pair: Memory, speaker: str) -> None:
    with pytest.raises(InputError, match="speaker"):
        pair.ask("What did I adopt?", speaker=speaker)
    with pytest.raises(InputError, match="speaker"):
        pair.search("What did I adopt?", speaker=speaker)
