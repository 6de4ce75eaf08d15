"""What a model knows by itself is given only where that is asked for and no walk answers; it is likely at most, and marked."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from goalmem import Memory
from goalmem.answer import Answer
from goalmem.proof.document import Proof
from goalmem.settings import load_settings
from goalmem.testing import ScriptedChat

FILMS = [("Kismet", "directed_by", "William Dieterle"), ("Kismet", "release_year", "1944")]
NOTHING = {"graph_relation": "unrelevant", "graph_rationality": "unreasonable", "graph_hypotheses": "none"}
QUESTION = "Who composed the music of Kismet?"


def asked(replies: Mapping[str, str], question: str = QUESTION, *, own: bool = True) -> tuple[Memory, Answer]:
    settings = load_settings(graph_critic="chat", graph_own_knowledge=own)
    memory = Memory(settings=settings, chat=ScriptedChat(replies))
    memory.import_graph(FILMS)
    return memory, memory.ask(question, reasoner="local")


def test_where_no_walk_answers_the_model_may_and_its_answer_is_marked() -> None:
    memory, answer = asked({**NOTHING, "graph_recall": "Ann Poe"})
    assert (answer.text, answer.proof.status, answer.citations) == ("Ann Poe", "likely", ())
    assumed = [node for _, node in answer.proof.root.walk() if node.rule is not None] if answer.proof.root else []
    assert [(node.source, node.judge.split(":")[0]) for node in assumed] == [("recalled", "chat")]
    assert memory.verify(answer).ok


@pytest.mark.parametrize("reply", ["unknown", "", "(x:person) if “a” and (y:b)", "Unknown."])
def test_what_the_model_does_not_know_or_says_as_syntax_is_no_answer(reply: str) -> None:
    assert asked({**NOTHING, "graph_recall": reply})[1].proof.status == "unknown"


def test_nothing_is_recalled_unless_it_is_asked_for_and_only_of_what_the_graph_knows() -> None:
    replies = {**NOTHING, "graph_recall": "Ann Poe"}
    assert asked(replies, own=False)[1].proof.status == "unknown"
    assert asked(replies, "Who composed the music of Laura?")[1].proof.status == "unknown"


def test_a_forged_answer_or_a_higher_status_is_refused() -> None:
    memory, answer = asked({**NOTHING, "graph_recall": "Ann Poe"})

    forged = Proof.from_json(answer.proof.to_json().replace("Ann Poe", "Ben Ray").replace("ann poe", "ben ray"))
    assert not memory.verify(forged).ok
    assert not memory.verify(answer.proof.model_copy(update={"status": "proved"})).ok
