"""Generated stories of moves and hand-overs: answered, proved, and never proved wrong."""

from __future__ import annotations

from goalmem_lab.evals.attribute_world import ATTRIBUTE_KINDS
from goalmem_lab.evals.stories import evaluate
from goalmem_lab.evals.story_world import KINDS, stories


def test_a_story_is_the_same_whenever_it_is_generated() -> None:
    assert [s.turns for s in stories(10, 3)] == [s.turns for s in stories(10, 3)]


def test_stories_of_every_kind_are_answered_with_proofs_that_hold() -> None:
    figures = evaluate(len(KINDS) + len(ATTRIBUTE_KINDS), seed=2, held_out=False)
    assert figures["right"] >= 0.97
    assert figures["verified"] == 1.0
    assert figures["wrong_proved"] == 0
