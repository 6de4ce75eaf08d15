"""A statement of NL-Logic is read back as the predicate and terms that it was made of."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from goalmem.logic.terms import Atom
from goalmem.rules import Literal
from goalmem.rules.terms import Vocabulary
from tests.rules.theories import PREDICATES, X, literals

WORDS = st.lists(
    st.sampled_from(["Bob", "the", "is", "likes", "big", "sees", "İs", "ß", "O'Hara", "_"]), min_size=1, max_size=4
)


@given(literals((X, "Anne", "the cat that sees well")), st.booleans())
def test_every_statement_is_read_back(literal: Literal, negated: bool) -> None:
    literal = literal.denied if negated else literal
    assert literal in Vocabulary(tuple(PREDICATES)).readings(literal.atom)


@given(WORDS.map(" ".join))
def test_any_text_is_read_or_not_and_what_is_read_says_the_text(text: str) -> None:
    for literal in Vocabulary(tuple(PREDICATES)).readings(Atom((text,))):
        (said,) = literal.atom.parts
        assert str(said).casefold() == text.casefold()


def test_a_term_may_hold_the_words_of_its_predicate() -> None:
    readings = Vocabulary(("_ sees _",)).readings(Atom(("The cat that sees well sees Bob.",)))
    assert Literal("_ sees _", ("The cat that sees well", "Bob")) in readings
    assert Vocabulary(("_ sees _",)).readings(Atom(("The cat oversees Bob",))) == []


def test_a_long_repetitive_text_takes_no_long_time() -> None:
    began = time.perf_counter()
    Vocabulary(("_ a _ a _ a _",)).readings(Atom((" a " * 2_000,)))
    assert time.perf_counter() - began < 5
