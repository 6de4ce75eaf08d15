"""What a text may cost: work grows with its length, whatever it says, and what is over the budget is left out and named."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goalmem import Memory
from goalmem.language import Analyzer, Extractor
from goalmem.language.analyzer import plain, unanalysed
from goalmem.language.names import Names
from goalmem.language.pipeline import CHARACTERS, DEPTH, SENTENCE_TOKENS, TOKENS, excess
from goalmem.questions.local import LocalReasoner
from goalmem.records import Turn
from tests.cases import examples, one_in

ANALYZER = Analyzer()
EXTRACTOR = Extractor(ANALYZER)
NOW = datetime(2024, 5, 1, tzinfo=UTC)
SMALL = 700
MOST = 1.5
"""Exponent of the growth from `SMALL` characters to four times as many: 1 is linear, 2 quadratic. What every text costs makes it less."""

CLAUSES = (
    "and apples ",
    "said that ",
    "if you go then ",
    "because she ",
    "the man who ",
    "which is ",
    "I think she knows he hopes ",
    "not ",
    "never ",
    "to go to ",
    "the king of ",
    "my sister's ",
    "my sister Ines ",
    "a dog named Bo, ",
    "not me, but ",
    "either you or ",
)
SENTENCES = (
    "I went to Rome with my sister on Friday. ",
    "I'm Anna. ",
    "Go. ",
    "Why? ",
    "He told her. ",
    "They sold it! ",
    "My cat is my boss. ",
    "jk. ",
    "It's on Friday. ",
    'Ben said: "I am so happy". ',
    "> I am quoted\n",
    "- item\n",
    "def f(x): return x\n",
    "| a | b |\n",
)
PIECES = (
    "a, b, ",
    "12 3.5 ",
    "on 5 May 2023, ",
    "at 5 pm tomorrow ",
    "last week ",
    "Anna Bella ",
    "e.g. Dr. ",
    "http://a.b/c ",
    "a@b.co ",
    "HELLO ",
    '"Yes" "no" ',
    '"Anna',
    "'A b' ",
    "((a)",
    "[{<",
    "...",
    "!?",
    "🙂 ",
    "👨‍👩‍👧 ",
    "猫は好き。",
    "я люблю тебя ",
    "e\u0301",
    "a\x01b\x7f ",
    "a\tb\t",
    "a-b-",
    "'s ",
    "x",
    "\n",
    " ",
)
UNITS = (*CLAUSES, *SENTENCES, *PIECES)

units = st.lists(st.sampled_from(UNITS) | st.text(min_size=1, max_size=12), min_size=1, max_size=4).map("".join)


def repeated(unit: str, length: int) -> str:
    """So many characters of one unit."""
    return (unit * (length // len(unit) + 1))[:length]


def turn(text: str, name: str = "t") -> Turn:
    return Turn(name, "s", "one", 0, "Ann", "user", text, NOW)


def calls(act: Callable[[], object]) -> int:
    """How many calls an act makes, of Python's functions and C's: work, counted and the same on any machine."""
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


def exponent(act: Callable[[str], object], unit: str) -> float:
    """How the work for a repeated text grows with its length."""
    few, many = (calls(lambda n=n: act(repeated(unit, n))) for n in (SMALL, 4 * SMALL))
    return math.log(many / few, 4)


def read(text: str) -> object:
    return EXTRACTOR.extract([turn(text)])


def asked(text: str) -> object:
    reasoner = LocalReasoner(ANALYZER)
    names = Names({})
    return reasoner.goals(text, NOW, names), reasoner.passage_goal(text, NOW, names)


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    for text in ("I bought a car in May 2020 with my sister Ines.", "Who said that?"):
        read(text)
        asked(text)


@pytest.mark.parametrize("unit", one_in(6, UNITS))
def test_the_work_to_read_a_message_grows_with_its_length(unit: str) -> None:
    assert exponent(read, unit) < MOST


@given(units)
@settings(examples(2, 6), suppress_health_check=list(HealthCheck))
def test_no_repetition_makes_a_message_dear(unit: str) -> None:
    if plain(unit).strip():
        assert exponent(read, unit) < MOST


@pytest.mark.parametrize("unit", one_in(3, [*CLAUSES[::3], *PIECES[::3]]))
def test_the_work_to_read_a_question_grows_with_its_length(unit: str) -> None:
    few, many = (calls(lambda n=n: asked(f"{repeated(unit, n)}?")) for n in (500, 2_000))
    assert math.log(many / few, 4) < MOST


@given(st.lists(units, min_size=1, max_size=3), st.integers(1, 400))
@settings(examples(4, 10), suppress_health_check=list(HealthCheck))
def test_every_sentence_that_is_read_is_within_the_budget_and_keeps_its_place(parts: list[str], times: int) -> None:
    text = "".join(part * times for part in parts)
    (doc,) = ANALYZER.docs([text])
    assert len(doc) <= TOKENS
    assert len(doc.text) <= CHARACTERS
    assert not any(excess(doc))
    assert all(read == said or read.isspace() for read, said in zip(doc.text, plain(text), strict=False))


@pytest.mark.parametrize(
    ("unit", "times"),
    one_in(
        2,
        product(
            ["and apples ", "brother's ", "said that ", "(", "of the ", "who ", "'s "],
            [DEPTH, SENTENCE_TOKENS // 2, 1_000],
        ),
    ),
)
def test_no_nesting_is_too_deep_to_be_read(unit: str, times: int) -> None:
    read(f"I know my {unit * times}is here.")
    asked(f"Who is my {unit * times}?")


def test_a_receipt_names_the_turns_that_were_not_read_whole_and_search_finds_them() -> None:
    endless = "I keep parrots and " + "apples and " * 2_000 + "walnuts"
    with Memory(":memory:") as memory:
        receipt = memory.add([{"role": "user", "content": "I bake bread."}, {"role": "user", "content": endless}])
        again = memory.add([{"role": "user", "content": "I bake bread."}, {"role": "user", "content": endless}])
        (hit,) = memory.search("walnuts", k=1)
        assert receipt.unanalysed == (receipt.turns[1],) == (hit.turn.id,)
        assert again.unanalysed == ()
        assert hit.turn.text == endless


def test_what_is_read_around_a_sentence_over_the_budget_is_read_as_without_it() -> None:
    (whole,) = EXTRACTOR.extract([turn(f"I bought a car. {'apples and ' * 500}\nI sold a boat.")])
    (alone,) = EXTRACTOR.extract([turn("I bought a car.\nI sold a boat.")])
    assert not whole.whole
    assert alone.whole
    assert [f.text for f in whole.facts] == [f.text for f in alone.facts]


@pytest.mark.parametrize("text", ["I sold a car.", "", "  \u00a0\n", "“Hi” ’s", "x" * 300])
def test_a_text_within_the_budget_is_read_whole(text: str) -> None:
    (doc,) = ANALYZER.docs([text])
    assert not unanalysed(text, doc)
