"""LoCoMo recalled: the turns that goal-oriented retrieval ranks first, against those of the raw utterance."""

import json

import pytest

from goalmem.maintenance import memory_turns
from goalmem.memory import Memory
from goalmem.models.minilm import MiniLM
from goalmem_lab.evals.asked_run import Run
from goalmem_lab.evals.locomo_recall import evaluate, figures_of, recall
from goalmem_lab.evals.memories import Memories
from goalmem_lab.evals.selection import Selection


@pytest.fixture
def measure(analyzer, tmp_path):
    def run(path, **options):
        with Memories(MiniLM(), tmp_path / "cache", analyzer) as memories:
            return evaluate(path, memories, Run(state=tmp_path / "state", **options))

    return run


def test_both_ways_are_measured_by_category_within_the_same_budget(locomo, measure, tmp_path):
    figures = measure(locomo, save=tmp_path / "found.jsonl")
    assert figures["questions"] == 3
    assert figures["without_evidence"] == 1
    assert figures["recall@20"] == figures["goal_recall@20"] == 1.0
    assert figures["by_category"]["multi-hop"].keys() >= {
        "recall@20",
        "goal_recall@20",
        "gain",
        "gain_low",
        "gain_high",
    }
    rows = [json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()]
    assert all(len(r["found"]) <= 20 and len(r["goal_found"]) <= 20 for r in rows)


def test_a_store_is_filled_once(locomo, measure, monkeypatch):
    measure(locomo)
    monkeypatch.setattr(memory_turns, "_remember", lambda *_: pytest.fail("filled again"))
    assert measure(locomo, selection=Selection(categories=frozenset({"temporal"})))["questions"] == 1


def test_what_was_measured_before_an_interruption_is_not_measured_again(locomo, measure, monkeypatch):
    asked = []
    found = Memory.recall

    def interrupted(memory, question, **options):
        asked.append(question)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return found(memory, question, **options)

    monkeypatch.setattr(Memory, "recall", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measure(locomo)
    measure(locomo)
    assert asked.count("What did Maya adopt?") == 2  # with goals and without


def test_recall_is_the_share_of_distinct_evidence():
    assert recall(["D1:1", "D1:2"], ["D1:2", "D3:1", None]) == 0.5


def test_the_gain_is_paired():
    rows = [
        {"category": "multi-hop", "recall": plain, "goal_recall": plain + 0.25, "seconds": 0.1, "goal_seconds": 0.2}
        for plain in (0.0, 0.25, 0.5, 0.75)
    ]
    part = figures_of(rows)["by_category"]["multi-hop"]
    # Every question gains the same: there is no doubt about the mean.
    assert (part["gain"], part["gain_low"], part["gain_high"]) == (0.25, 0.25, 0.25)
