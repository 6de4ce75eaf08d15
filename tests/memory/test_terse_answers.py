"""The proof of a terse answer cites what it answers too, and fails without it."""

from __future__ import annotations

import pytest

from goalmem import Memory
from tests.cases import one_in

TALKS = [
    ("What is Alfie going as?", "The BFG.", "What is Alfie going as?", "BFG"),
    ("Do you like tea or coffee?", "Both.", "Does Ben like coffee?", "Yes"),
    ("Did you book the hotel?", "👍", "Did Ben book the hotel?", "Yes"),
    ("Has Mara signed the lease?", "Not yet.", "Has Mara signed the lease?", "No"),
    ("I live in Porto.", "Same here.", "Where does Ben live?", "Porto"),
    ("Who broke the window?", "I did.", "Who broke the window?", "Ben"),
]


@pytest.mark.parametrize(("before", "reply", "question", "answer"), one_in(2, TALKS))
def test_both_turns_are_cited(before: str, reply: str, question: str, answer: str) -> None:
    with Memory() as memory:
        turns = memory.add(
            [{"role": "user", "name": "Ana", "content": before}, {"role": "user", "name": "Ben", "content": reply}]
        ).turns
        found = memory.ask(question)
        assert (found.text, found.status) in ((answer, "proved"), ("No", "disproved"))
        assert set(found.citations) == set(turns)
        assert memory.verify(found.proof).ok
        # The same proof without what the reply answers.
        text = found.proof.model_dump_json()
        alone = type(found.proof).model_validate_json(text)
        forged = alone.model_copy(update={"root": without(alone.root, turns[0])}).digested()
        assert not memory.verify(forged).ok


def without(node, turn):  # type: ignore[no-untyped-def]
    """The tree of a proof without the evidence of a turn."""
    kept = tuple(e for e in node.evidence if e.turn != turn)
    return node.model_copy(
        update={"evidence": kept, "children": tuple(without(child, turn) for child in node.children)}
    )
