"""Names that a parser does not know are replaced while it reads, and nothing of that is seen afterwards."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

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
