"""Clauses whose verb is not repeated: `coffee in the morning and tea at night`; and who did what somebody is thanked or blamed for."""

from __future__ import annotations

import pytest

from tests.asking import asked
from tests.cases import one_in

TOLD = [
    ("I drink coffee in the morning and tea at night.", "What do I drink at night?", "tea"),
    ("I drink coffee in the morning and tea at night.", "What do I drink in the morning?", "coffee"),
    ("I play chess on Mondays and tennis on Fridays.", "When do I play tennis?", "Fridays"),
    ("I play chess on Mondays and tennis on Fridays.", "When do I play chess?", "Mondays"),
    ("I saw Tom in Rome and Ana in Oslo.", "Where did I see Ana?", "Oslo"),
    ("I saw Tom in Rome and Ana in Oslo.", "Who did I see in Oslo?", "Ana"),
    ("I put the milk in the fridge and bread in the cupboard.", "Where did I put the milk?", "fridge"),
    ("I went to Rome in May and Oslo in June.", "When did I go to Rome?", "May 2025"),
    ("Ana lives in Rome and Tom in Oslo.", "Where does Ana live?", "Rome"),
    ("Ana works at Selkon and Tom at Orbit.", "Where does Ana work?", "Selkon"),
    ("Ana works at Selkon and Orbit.", "Where does Ana work?", "Selkon and Orbit"),
    ("I saw Tom in Rome and Oslo.", "Where did I see Tom?", "Rome and Oslo"),
    ("I thanked Tom for fixing the sink.", "Who fixed the sink?", "Tom"),
    ("I apologized to Tom for breaking the vase.", "Who broke the vase?", "you"),
]


@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, TOLD))
def test_each_has_its_own_phrase(said: str, question: str, answer: str) -> None:
    assert asked(said, question) == ("proved", answer)


@pytest.mark.parametrize("said", ["I blamed Tom for breaking the vase.", "I accused Tom of breaking the vase."])
def test_who_is_blamed_need_not_have_done_it(said: str) -> None:
    assert asked(said, "Who broke the vase?")[0] != "proved"
