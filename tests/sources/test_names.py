"""Names that a parser does not know are replaced while it reads, and nothing of that is seen afterwards."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.cases import one_in

from goalmem import Memory
from goalmem.language.names import FAMILIAR, Names

KNOWN = {"Xochitl": "person", "Ysolde Vint": "person", "Ouagadougou": "place", "Brno": "place", "Alice": "person"}
NAMES = Names(KNOWN)
WORDS = st.sampled_from([*KNOWN, "Ysolde", "drinks", "coffee", "in", "the", "and", ",", "called", "'s", "Monday", "it"])
TEXTS = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=12).map(" ".join))


@given(TEXTS)
def test_what_is_disguised_is_revealed(text):
    assume(not any(familiar.casefold() in text.casefold() for familiar in FAMILIAR - {"Alice"}))
    disguise = NAMES.disguise(text)
    assert disguise.reveal(disguise.text) == text


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Where does Xochitl live?", ["Xochitl"]),
        ("Xochitl's sister met Ysolde Vint in Brno.", ["Xochitl", "Ysolde Vint", "Brno"]),
        ("Who is xochitl?", []),
        ("Xochitlan is something else.", []),
        ("Alice met Emma.", []),
        ("", []),
    ],
)
def test_known_names_are_replaced_and_nothing_else(text, hidden):
    disguise = NAMES.disguise(text)
    assert sorted(disguise.back.values()) == sorted(hidden)
    assert not any(name in disguise.text for name in hidden)
    assert set(disguise.back) <= FAMILIAR


def test_a_name_has_one_disguise_in_a_text_and_two_names_have_two():
    disguise = NAMES.disguise("Xochitl called Ysolde Vint, and Xochitl wept.")
    assert len(disguise.back) == 2
    assert disguise.text.count(next(f for f, n in disguise.back.items() if n == "Xochitl")) == 2


def test_a_disguise_never_takes_a_name_that_is_there_already():
    disguise = NAMES.disguise("Xochitl met Alice, Robert, Mary and Thomas's dog.")
    assert not {"Alice", "Robert", "Mary", "Thomas"} & set(disguise.back)


@pytest.mark.parametrize(
    ("told", "question", "name"),
    one_in(
        2,
        [
            ("My dog's name is Rex.", "What is my dog called?", "Rex"),
            ("My cat Miso is 3 years old.", "What do I call my cat?", "Miso"),
            ("Our wifi network is called Kestrel.", "what's our wifi network called", "Kestrel"),
            ("Our wifi network is called Kestrel.", "What is the name of our wifi network?", "Kestrel"),
            ("I have a dog.", "What is my dog called?", None),
            ("My dog Rex bit Paul.", "What is Paul's dog called?", None),
        ],
    ),
)
def test_what_is_called_so_has_that_name(told, question, name):
    with Memory(":memory:") as memory:
        memory.add([{"role": "user", "name": "Ana", "content": told}], at="2025-03-04T10:00:00")
        answer = memory.ask(question, speaker="Ana")
        assert (answer.text if answer.known else None) == name
        assert memory.verify(answer.proof).ok
