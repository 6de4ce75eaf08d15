"""A node with more relations or neighbours than a question may look at costs little, and nothing wrong is said of it."""

from __future__ import annotations

import pytest

from goalmem import Memory
from goalmem.engine.budget import Budget
from goalmem.language import Analyzer
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
