"""Items of a list are told by their place, out of the list on the topic that is asked about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem import Memory
from goalmem.sources.passages.list_items import is_marker, list_question, lists_in, named_end

VENUES = """Here are some places for live music in Ghent:

1. Handelsbeurs - a hall beside the canal
2. Missy Sippy: blues every night
3. **Charlatan** (late concerts)
4. Vooruit. The biggest of them."""
RECIPES = """Sure! These soups keep well in the freezer:
- Lentil soup, with cumin
- Borscht: beetroot and cabbage
- Minestrone - many vegetables"""


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("What was the third option?", 3),
        ("Which was the 27th parameter on that list?", 27),
        ("What is the name of the last venue you recommended in Ghent?", -1),
        ("What the fifth bottle was?", 5),
        ("What was the first suggestion?", 1),
        ("What was the first car that I had?", None),
        ("What was the second time like?", None),
        ("Who was the third guest?", None),
        ("When is the first lesson?", None),
        ("What is the chorus of the second song?", None),
    ],
)
def test_a_place_is_asked_for(question: str, place: int | None) -> None:
    asked = list_question(question)
    assert (asked.place if asked is not None else None) == place


@given(st.lists(st.from_regex(r"[A-Z][a-z]{2,9}", fullmatch=True), min_size=2, max_size=40, unique=True), st.data())
def test_each_item_is_at_its_place(names: list[str], data: st.DataObject) -> None:
    text = "A list:\n\n" + "\n".join(f"{n}. {name} - told of it" for n, name in enumerate(names, 1)) + "\n\nAnd so on."
    place = data.draw(st.integers(1, len(names)))
    asked = list_question(f"What was the {place}th entry?")
    assert asked is not None
    found = [(text[start:end], text[before:last]) for start, end, before, last in asked.named_in(text)]
    assert [name for name, _ in found] == [names[place - 1]]
    assert all(item.startswith("A list:") for _, item in found)


def test_a_text_may_have_several_lists() -> None:
    text = f"{VENUES}\n\n{RECIPES}\n\n7. not from one\n"
    assert [len(items) for items in lists_in(text)] == [4, 3]


def test_the_number_of_an_item_is_no_answer_and_what_is_told_of_it_no_part_of_its_name() -> None:
    start = VENUES.index("2.")
    assert is_marker(VENUES, start, start + 1)
    assert is_marker(VENUES, start, start + 2)
    name = VENUES.index("Missy")
    assert not is_marker(VENUES, name, name + 5)
    assert VENUES[name : named_end(VENUES, name, name + 20)] == "Missy Sippy"
    hall = VENUES.index("a hall")
    assert named_end(VENUES, hall, hall + 25) == hall + 25


@pytest.fixture(scope="module")
def memory(module_memory) -> Memory:
    memory = module_memory()
    told = [
        ("user", "Where can I hear live music in Ghent?"),
        ("assistant", VENUES),
        ("user", "And which soups can I freeze?"),
        ("assistant", RECIPES),
        ("user", "Thanks, my first car was a Saab by the way."),
    ]
    memory.add([{"role": role, "content": text} for role, text in told], at="2026-05-02T09:00:00")
    return memory


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What was the third place for live music in Ghent that you listed?", "Charlatan"),
        ("Can you remind me what the last soup on your list for the freezer was?", "Minestrone"),
    ],
)
def test_the_item_at_a_place_is_likely_and_verified(memory: Memory, question: str, told: str) -> None:
    answer = memory.ask(question)
    assert (answer.text, answer.status) == (told, "likely")
    assert memory.verify(answer).ok
    for other in ("Handelsbeurs", "Borscht"):
        assert not memory.verify(answer.proof.to_json().replace(told, other)).ok


@pytest.mark.parametrize(
    "question", ["What was the ninth place for live music that you listed?", "What was the third novel on your list?"]
)
def test_no_list_has_it(memory: Memory, question: str) -> None:
    assert memory.ask(question).text not in ("Charlatan", "Minestrone", "Vooruit")
