"""What happens while a question is reasoned about is told as it happens."""

from __future__ import annotations

import pytest

from goalmem import Memory
from goalmem.engine.events import Event


def told(memory: Memory, question: str) -> list[Event]:
    events: list[Event] = []
    memory.ask(question, on_event=events.append)
    return events


def test_a_two_hop_question_is_told_from_goal_to_proof(remembered: Memory):
    events = told(remembered, "Where does Ruben's sister live?")
    kinds = [e.kind for e in events]
    assert kinds[:3] == ["question", "goal", "subgoals"]
    assert {"retrieval", "binding", "refinement"} <= {*kinds}
    assert kinds[-1] == "proof"
    goal = events[1]
    assert len(goal.data["atoms"]) == 2
    assert goal.data["answer"] == "(x:place)"


def test_a_binding_names_the_turn_it_was_read_from(remembered: Memory):
    sister = next(e for e in told(remembered, "Where does Ruben's sister live?") if e.kind == "binding")
    assert (sister.data["variable"], sister.data["value"]) == ("y", "Ilse")
    assert "My sister Ilse" in remembered.turn(sister.data["turn"]).text


def test_a_retrieval_tells_what_was_found(remembered: Memory):
    found = next(e for e in told(remembered, "What did Nadia adopt?") if e.kind == "retrieval")
    assert found.data["turns"] == remembered.stats().turns
    assert "beagle" in remembered.turn(found.data["best"][0]).text


def test_the_refinement_that_led_to_the_answer_is_told(remembered: Memory):
    refined = [e for e in told(remembered, "Where does Ruben's sister live?") if e.kind == "refinement"]
    assert any("moved to" in e.data["rule"] and e.data["by"] == "rule" for e in refined)


@pytest.mark.parametrize(("question", "status"), [("What did Nadia adopt?", "proved"), ("Who is Bo?", "unknown")])
def test_the_last_event_is_the_answer(remembered: Memory, question: str, status: str):
    events: list[Event] = []
    answer = remembered.ask(question, on_event=events.append)
    assert events[-1].data == {
        "status": status,
        "answer": answer.text,
        "confidence": answer.confidence,
        "seconds": answer.seconds,
        "turns": answer.citations,
    }


def test_nothing_is_told_twice(remembered: Memory):
    bindings = [(e.text, e.data["turn"]) for e in told(remembered, "What did Nadia adopt?") if e.kind == "binding"]
    assert len(bindings) == len({*bindings})


def test_what_a_listener_raises_ends_the_asking(remembered: Memory):
    def listen(event: Event) -> None:
        if event.kind == "retrieval":
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        remembered.ask("What did Ruben's brother-in-law sell?", on_event=listen)


def test_listening_changes_no_answer(remembered: Memory):
    question = "Where does Ruben's sister live?"
    heard = remembered.ask(question, on_event=lambda _: None)
    assert heard.proof.to_json() == remembered.ask(question).proof.to_json()
