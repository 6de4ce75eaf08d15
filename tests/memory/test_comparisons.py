"""A comparison says the converse of the other side, and denies what it excludes; nothing follows from one that is not stated."""

from __future__ import annotations

from itertools import product

import pytest

from tests.asking import asked
from tests.cases import one_in

SIDES = [("Ana", "Tom"), ("My sister", "my brother"), ("The lamp", "the chair")]
SCALES = [
    ("is older than", "is younger than"),
    ("was taller than", "was shorter than"),
    ("is more expensive than", "is cheaper than"),
    ("is more interesting than", "is less interesting than"),
    ("costs more than", "costs less than"),
    ("is bigger than", "is smaller than"),
]


def question(one: str, verb: str, other: str) -> str:
    """`Is Tom older than Ana?`."""
    head, _, rest = verb.partition(" ")
    aux = {"costs": "Does", "runs": "Does", "leaves": "Does"}.get(head)
    names = [n if n in ("Ana", "Tom") else f"{n[0].lower()}{n[1:]}" for n in (one, other)]
    start = f"{aux} {names[0]} {head[:-1]} {rest}" if aux else f"{head.capitalize()} {names[0]} {rest}"
    return f"{start} {names[1]}?"


def compared() -> list[tuple[str, str, str, str]]:
    """What is said, what is asked, and the answer."""
    cases = []
    for (one, other), (verb, opposite) in product(SIDES, SCALES):
        if (one == "The lamp") is not ("cost" in verb or "big" in verb or "expensive" in verb or "interest" in verb):
            continue
        said = f"{one} {verb} {other}."
        cases += [
            (said, question(one, verb, other), "proved", "Yes"),
            (said, question(other, verb, one), "disproved", "No"),
            (said, question(other, opposite, one), "proved", "Yes"),
            (said, question(one, opposite, other), "disproved", "No"),
        ]
    return cases


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("said", "asks", "status", "answer"), one_in(3, compared()))
def test_a_comparison_holds_the_other_way_round(said: str, asks: str, status: str, answer: str) -> None:
    assert asked(said, asks) == (status, answer)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("said", "asks", "answer"),
    [
        ("Ana is older than Tom.", "Who is older, Ana or Tom?", "Ana"),
        ("Ana is older than Tom.", "Who is older, Tom or Ana?", "Ana"),
        ("Ana is two years older than Tom.", "Who is younger, Ana or Tom?", "Tom"),
        ("I am taller than my brother.", "Who is taller, me or my brother?", "you"),
        ("My kitchen is bigger than my bedroom.", "Which is bigger, my kitchen or my bedroom?", "kitchen"),
        ("The lamp costs more than the chair.", "Which costs more, the lamp or the chair?", "lamp"),
        ("The lamp costs more than the chair.", "Which costs less, the lamp or the chair?", "chair"),
        ("Ana runs faster than Tom.", "Who runs faster, Ana or Tom?", "Ana"),
        ("I like tea better than coffee.", "What do I like better, tea or coffee?", "tea"),
        ("I prefer trains to planes.", "Do I prefer trains or planes?", "trains"),
        ("I prefer walking to driving.", "Do I prefer walking or driving?", "walking"),
        ("I prefer trains to planes.", "What do I prefer to planes?", "trains"),
        ("I like tea more than coffee.", "Do I prefer tea or coffee?", "tea"),
        ("Ana prefers tea to coffee.", "What does Ana prefer, tea or coffee?", "tea"),
        ("Ana is older than Tom.", "Who is the younger of the two?", "Tom"),
    ],
)
def test_one_of_the_two_is_told(said: str, asks: str, answer: str) -> None:
    status, text = asked(said, asks)
    assert status in ("proved", "likely")
    assert answer in text


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("I prefer trains to planes.", "Do I prefer planes to trains?"),
        ("I prefer walking to driving.", "Do I prefer driving to walking?"),
        ("I like tea more than coffee.", "Do I like coffee more than tea?"),
        ("Leo is as tall as Max.", "Is Max taller than Leo?"),
        ("Leo is as tall as Max.", "Is Leo taller than Max?"),
        ("Leo is not as tall as Max.", "Is Leo taller than Max?"),
        ("Ana runs faster than Tom.", "Does Tom run faster than Ana?"),
        ("My brother is taller than I am.", "Am I taller than my brother?"),
    ],
)
def test_what_a_comparison_excludes_is_denied(said: str, asks: str) -> None:
    assert asked(said, asks)[1] == "No"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("Ana is older than Tom.", "Is Ana old?"),
        ("Ana is older than Tom.", "Is Tom young?"),
        ("Ana is older than Tom.", "Is Ana older than Leo?"),
        ("Ana is older than Tom.", "Is Tom taller than Ana?"),
        ("Ana is not older than Tom.", "Is Tom older than Ana?"),
        ("Ana is no older than Tom.", "Is Tom older than Ana?"),
        ("Our dog is heavier than our cat.", "Is our dog heavy?"),
        ("Ana is not much older than Tom.", "Is Tom younger than Ana?"),
        ("Ana is older than I thought.", "Am I younger than Ana?"),
        ("Ana is older than thirty.", "Is Tom younger than Ana?"),
        ("Ana used to be taller than Tom.", "Is Tom shorter than Ana?"),
        ("Ana says that she is taller than Tom.", "Is Tom shorter than Ana?"),
        ("If Ana is taller than Tom, I will be surprised.", "Is Tom shorter than Ana?"),
        ("Is Ana taller than Tom?", "Is Tom shorter than Ana?"),
        ("Tom is as busy as a bee.", "Is a bee as busy as Tom?"),
        ("I prefer trains to planes.", "Do I prefer buses to trains?"),
        ("I ate more than the cake.", "Did the cake eat less than me?"),
        ("I like coffee less than tea.", "Do I prefer coffee to tea?"),
    ],
)
def test_nothing_follows_from_other_words(said: str, asks: str) -> None:
    assert asked(said, asks)[0] != "proved"
