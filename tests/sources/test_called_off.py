"""What was arranged and then called off is no date to reckon with."""

from __future__ import annotations

import pytest

from goalmem import Memory

ARRANGED = ["The gala was scheduled for 5 May.", "The rehearsal is planned for 3 May."]


@pytest.fixture
def memory(module_memory):
    memory = module_memory()
    memory.add([{"role": "user", "name": "Ana", "content": text} for text in ARRANGED], at="2024-04-16T21:10:00")
    return memory


def test_a_date_is_proved_until_the_event_is_called_off(memory: Memory) -> None:
    old = memory.ask("When is the gala?")
    assert (old.text, old.status) == ("5 May 2024", "proved")
    said = [{"role": "user", "name": "Ben", "content": "They called off the gala."}]
    memory.add(said, at="2024-04-18T21:10:00")
    checked = memory.verify(old.proof)
    assert not checked.ok
    assert checked.superseded
    assert any("called off the gala" in failure.detail for failure in checked.failures)
    assert memory.ask("When is the gala?").status != "proved"
    assert memory.ask("When is the rehearsal?").text == "3 May 2024"


def test_a_plan_that_is_cancelled_in_the_same_breath_gives_no_duration(module_memory) -> None:
    memory = module_memory()
    told = ["The concert was planned for 5 April but we cancelled it.", "I moved to Oslo on 1 April."]
    memory.add([{"role": "user", "name": "Ana", "content": text} for text in told], at="2024-04-16T21:10:00")
    assert memory.ask("How many days passed between the concert and when Ana moved?").status == "unknown"


def test_what_several_cost_together_is_not_the_price_of_one(module_memory) -> None:
    memory = module_memory()
    memory.add([{"role": "user", "name": "Ana", "content": "Two lamps cost 40 euros."}], at="2024-04-16T21:10:00")
    assert memory.ask("How much does the lamp cost?").status != "proved"
    assert memory.ask("How much do the lamps cost?").text == "40 euros"
