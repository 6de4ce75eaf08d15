"""A node with more relations than a question may compare costs little, and the answer says that it was not searched."""

from __future__ import annotations

from goalmem import Memory
from goalmem.engine.budget import Budget
from goalmem.language import Analyzer


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
