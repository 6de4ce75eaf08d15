"""Messages that begin with the verb tell what their author did; other sentences that begin with a form of the past do not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from goalmem.records import Fact, Modality

Tell = Callable[..., list[Fact]]

TOLD = [
    ("Finished Dune, on to Hyperion.", "finish", "Dune"),
    ("Paid Tess back.", "pay", "Tess"),
    ("Met Noor at the fair.", "meet", "Noor"),
    ("Lost my keys again.", "lose", "my keys"),
    ("Won the quiz!", "win", "the quiz"),
    ("Fed the cat.", "feed", "the cat"),
    ("Ground the beans.", "grind", "the beans"),
    ("paid 40 euros for the tyres", "pay", "40 euros"),
    ("Sold the Fiesta.", "sell", "the Fiesta"),
    ("Bought a Yaris.", "buy", "a Yaris"),
]
NOT_TOLD = [
    "Rose Miller called me.",
    "Lost Highway was great.",
    "Used cars are cheap.",
    "Provided the price is right, I'll buy it.",
    "United Airlines cancelled my flight.",
    "Dove Street is closed.",
    "Closed shops are sad.",
]


@pytest.mark.parametrize(("said", "verb", "thing"), TOLD)
def test_the_author_did_it(tell: Tell, said: str, verb: str, thing: str) -> None:
    (told,) = [f for f in tell(said) if f.kind == "clause"]
    found = told.arg("object")
    assert (told.predicate.split()[0], told.subject, told.modality) == (verb, "Maya", Modality.ASSERTED)
    assert found is not None
    assert found.text == thing


@pytest.mark.parametrize("said", NOT_TOLD)
def test_something_else_is_told(tell: Tell, said: str) -> None:
    told = [f for f in tell(said) if f.kind == "clause"]
    assert told
    assert all(subject.text for f in told if (subject := f.arg("subject")) is not None)


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ("I left my coat at Noor's.", "Noor's"),
        ("My keys are at Tom's.", "Tom's"),
        ("I took my bike to Tom's.", "Tom's"),
    ],
)
def test_a_place_named_by_whose_it_is_is_no_thing_of_theirs(tell: Tell, said: str, where: str) -> None:
    places = [a for f in tell(said) if f.kind == "clause" for a in f.args if a.role in ("at", "to")]
    assert [(a.text, " " in a.entity) for a in places] == [(where, False)]
