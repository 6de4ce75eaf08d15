"""A node with more relations or neighbours than a question may look at costs little, and nothing wrong is said of it."""

from __future__ import annotations

import pytest

from goalmem import Memory
from goalmem.engine.budget import Budget
from goalmem.graph.local_alignment import MOST_NAMES
from goalmem.language import Analyzer
from goalmem.models.minilm import MiniLM
from goalmem.sources.graph.source import FAN


def test_a_node_with_too_many_relations_is_left_out_and_said_to_be(analyzer: Analyzer):
    relations = int(Budget().relations) + 1
    with Memory(analyzer=analyzer) as memory:
        memory.import_graph([("Hub", f"relation {n}", f"Thing {n}") for n in range(relations)])
        answer = memory.ask("What is Hub linked to?", at="2024-01-01")
        assert answer.status == "unknown"
        assert answer.missing[0].stage == "over-budget"
        assert f"{relations - 1} relations" in answer.missing[0].reason
        assert memory.verify(answer).ok
        assert memory.ask("What is Hub linked to?", at="2024-01-01").proof.to_json() == answer.proof.to_json()


@pytest.mark.parametrize(("neighbours", "answer"), [(FAN, str(FAN)), (FAN + 1, "I don't know")])
def test_neighbours_are_not_counted_where_not_all_are_looked_at(analyzer: Analyzer, neighbours: int, answer: str):
    with Memory(analyzer=analyzer) as memory:
        memory.import_graph([("Hub", "knows", f"Person {n}") for n in range(neighbours)])
        found = memory.ask("How many people does Hub know?", at="2024-01-01")
        assert found.text == answer
        assert memory.verify(found).ok


@pytest.mark.parametrize("question", ["Who likes what Start leads to?", "Who likes Hub?"])
def test_names_of_relations_are_embedded_within_the_budget(
    analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch, question: str
):
    """Also those that lead on from where a walk arrives, and those of the graph that the question's words are compared with."""
    embedded: list[str] = []
    embed = MiniLM.embed
    monkeypatch.setattr(MiniLM, "embed", lambda self, texts: embedded.extend(texts) or embed(self, texts))
    hub = [
        ("Hub", f"paints {number} of {ink}", f"Thing {number}") for number in range(2_500) for ink in ("blue", "red")
    ]
    with Memory(analyzer=analyzer) as memory:
        memory.import_graph([("Start", "leads to", "Hub"), *hub])
        answer = memory.ask(question, at="2024-01-01")
        assert answer.status == "unknown"
        assert f"{int(Budget().relations)} relations" in answer.missing[0].reason
        assert len(embedded) < 2 * MOST_NAMES
        assert memory.verify(answer).ok
