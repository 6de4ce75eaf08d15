"""How well words fit the type that is asked for, and which of them are cut out."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalmem.logic.terms import Derivation, Variable
from goalmem.records import Turn
from goalmem.sources.numbers import NUMBER_WORDS, number_in
from goalmem.sources.passages.span_values import SpanValues
from goalmem.sources.passages.type_fit import FORMS, fit
from goalmem.sources.similarity import Similarity

STANDING = SpanValues(Similarity({}, lambda one, other: 0.3))
SPOKEN = datetime(2026, 3, 11, 20, tzinfo=UTC)
FITS = {
    "amount": ["£30", "thirty quid", "30", "EUR 1 a year", "free", "1.1M", "35.90", "3%", "30 a week"],
    "duration": ["4 min late", "forty minutes", "14h", "half an hour", "till they carry me out", "3 wks"],
    "clock time": ["9.15", "0730", "half 7", "six thirty", "14h", "22:40", "noon", "three"],
    "time": ["23rd", "thu", "fri 16", "1974", "'84", "day 3", "el 29", "evenings after the dishes"],
    "age": ["13", "thirteen", "just turned 40", "in her fifties"],
    "number of seat": ["a hundred and ten", "110", "from 12 up to 20", "no seats"],
    "person": ["harlan", "mr oyelaran", "my niece Jördis", "dad", "Finja", "us two", "Me or Mireille"],
    "name": ["Rex", "mr oyelaran", "celeste"],
    "place": ["under the cat", "in the blue binder", "cyl 5", "behind the boiler casing. in a sock", "the relay box"],
    "occupation": ["a lorry driver", "nurse", "in a bakery", "teaches maths"],
    "diet": ["vegetarian"],
    "rank": ["sergeant"],
    "relation": ["my niece", "a cousin of my wife's"],
    "colour": ["white going grey", "red", "a sort of chestnut"],
    "identifier": ["13", "T-5561", "v2", "thirteen"],
    "incident sheet": ["13", "the long one", "Falkner's"],
    "wrist": ["left", "the right one"],
    "weight": ["38 kilos", "two tons"],
    "distance": ["about 4 km", "two metres"],
}
MISFITS = {
    "amount": ["in Ghent", "4 days", "12 kg"],
    "duration": ["Mireille", "61 cm", "£40", "2011", "14 march 1939"],
    "clock time": ["Mireille", "in the shed"],
    "occupation": ["£40", "Friday", "2 hours"],
    "age": ["Mireille", "£40", "12 kg", "1920"],
    "number of seat": ["red", "in Ghent"],
    "person": ["£40", "the garden", "on friday"],
    "relation": ["Finja", "the garden"],
    "colour": ["14", "a very long story about a goat"],
    "instrument": ["a beagle"],
    "place": ["£40", "2 weeks", "my sister"],
}


@pytest.mark.parametrize(("kind", "text"), [(k, t) for k, texts in FITS.items() for t in texts])
def test_a_value_in_any_notation_fits_its_type(kind, text):
    assert offered(kind, text)[0].score >= 0.5


@pytest.mark.parametrize(("kind", "text"), [(k, t) for k, texts in MISFITS.items() for t in texts])
def test_what_is_of_another_form_fits_little(kind, text):
    assert all(p.score < 0.5 for p in offered(kind, text))


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("person", "Finja, 13", "Finja"),
        ("age", "Finja, 13", "13"),
        ("duration", "was 4 min late", "4 min"),
        ("duration", "forty", "forty minutes"),
        ("amount", "7 April, Wells Road, £45", "£45"),
        ("amount", "30", "30 quid"),
        ("clock time", "6:15", "6:15 am"),
        ("clock time", "o'clock", "two o'clock"),
        ("person", "Branwell's", "Branwell"),
        ("person", "Ann and", "Ann"),
    ],
)
def test_the_words_that_fit_exactly_are_cut_out_with_their_unit(kind, text, words):
    whole = text if words in text else words
    (found,) = STANDING.offered(Variable("x", kind), turn(f"so {whole} then"), (), 3, 3 + len(text))
    assert found.span == words


@pytest.mark.parametrize(
    ("text", "named"),
    [("Me or Mireille", "Ann or Mireille"), ("Mireille and me", "Mireille and Ann"), ("me, Sam", "Ann, Sam"), ("my dad", "dad")],
)  # fmt: skip
def test_the_first_person_in_an_enumeration_is_the_speaker(text, named):
    (found,) = offered("person", text)
    assert found.value.text == named
    assert (found.derivation is Derivation.RESOLVED) is ("Ann" in named)


@pytest.mark.parametrize(
    ("text", "number"),
    [("a hundred and ten", 110), ("sixty-two", 62), ("two thousand five hundred", 2500), ("three dozen", 36), ("1,250.5", 1250.5),
     ("186 000", 186000), ("nobody", None)],
)  # fmt: skip
def test_numbers_are_read_in_digits_and_in_words(text, number):
    assert number_in(text) == number


WORDS = st.sampled_from(
    ["£30", "quid", "4", "min", "late", "Finja", "my", "niece", ",", ".", "and", "(", "13", "£", "'s", "at", "9.15", "am", "red", "\n", "the"]
)  # fmt: skip
TEXTS = st.lists(WORDS, min_size=1, max_size=9).map(" ".join)
KINDS = st.sampled_from([*FORMS, "number of seat", "thing", "wrist"])


@given(TEXTS, KINDS, st.data())
def test_to_cut_twice_is_to_cut_once(text, kind, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    once = STANDING.cut(kind, text, start, end)
    assert STANDING.cut(kind, text, *once) == once


@given(TEXTS, KINDS)
def test_a_fit_is_a_share_and_hangs_on_no_blanks_around(text, kind):
    assert 0.0 <= fit(kind, text) <= 1.0


@given(st.integers(0, 999))
def test_a_number_in_words_is_the_number(n):
    assert number_in(spelled(n)) == n


def spelled(n: int) -> str:
    """A number under a thousand in words."""
    names = {number: word for word, number in NUMBER_WORDS.items() if number < 100 and word != "dozen"}
    if n >= 100:
        rest = f" and {spelled(n % 100)}" if n % 100 else ""
        return f"{names[n // 100]} hundred{rest}"
    return names[n] if n in names else f"{names[n // 10 * 10]}-{names[n % 10]}"


def turn(text: str) -> Turn:
    """A turn of Ann's."""
    return Turn("t1", "s", "one", 0, "Ann", "user", text, SPOKEN)


def offered(kind: str, text: str):
    """What a span that is a whole turn stands for."""
    return list(STANDING.offered(Variable("t" if kind == "time" else "x", kind), turn(text), (), 0, len(text)))
