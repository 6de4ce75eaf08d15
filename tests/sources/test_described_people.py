"""What is asked about somebody described: two turns say it, others say the same of others, and some descriptions fit nobody.

Generated: names, places and things vary, and so do the words of the question.
"""

import random

import pytest

from goalmem import Memory

NAMES = "Otieno Ketevan Ruaridh Jagoda Kacper Sietse Paavo Morag Nolwenn Branko Mireia Dafydd".split()
CITIES = "Vienna Graz Porto Lisbon Turin Bergen Ghent Leeds".split()
CAKES = ("lemon tart", "plum cake", "walnut bread", "apple strudel")
SHOPS = ("bakery", "flower shop", "bookshop", "laundry")
CARS = "Skoda Volvo Fiat Saab Peugeot".split()
FILLING = ("rain again, no walk for me", "did you see the match on sunday?", "lunch was soup", "I slept badly")


def cake(draw):
    """Who baked something, and where they live."""
    (a, b), (city, other), (one, two) = draw(NAMES, 2), draw(CITIES, 2), draw(CAKES, 2)
    told = (
        f"that {one} on saturday? {a} baked it, I had three slices",
        f"{b} brought the {two}, a bit dry",
        f"{a} lives in {city} since the spring",
        f"{b} still lives in {other}",
    )
    asked = (
        f"Where does the woman who baked the {one} live?",
        f"In which city does the person who baked the {one} live?",
        f"what city does the woman who made the {one} live in",
    )
    return told, asked, city, f"Where does the woman who ordered the {one} live?"


def owner(draw):
    """Whose a shop is, and what they drive."""
    (a, b), (car, other), (one, two) = draw(NAMES, 2), draw(CARS, 2), draw(SHOPS, 2)
    told = (
        f"the owner of the {one} is called {a}, lovely woman",
        f"the {two} belongs to {b}",
        f"{a} drives an old {car}",
        f"{b} bought a {other} last year",
    )
    asked = (f"What kind of car does the owner of the {one} drive?", f"which car does the owner of the {one} drive")
    return told, asked, car, f"What kind of car does the cleaner of the {one} drive?"


def office(draw):
    """With whom somebody shares a room, and where they move."""
    (a, b), (city, other) = draw(NAMES, 2), draw(CITIES, 2)
    told = (
        f"I share an office with {a} from monday",
        f"{b} sits next door, by the kitchen",
        f"{a} is moving to {city} in May",
        f"{b} is moving to {other} in June",
    )
    asked = ("Where is the colleague I share an office with moving to?",)
    return told, asked, city, "Where is the colleague I share a flat with moving to?"


@pytest.mark.parametrize(("cases", "seed"), [(2, 22), pytest.param(4, 20, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("told_by", [cake, owner, office])
def test_most_are_answered_by_way_of_the_name_and_few_if_nobody_fits(told_by, cases, seed):
    chance = random.Random(seed)  # noqa: S311
    grades, invented = [], 0
    for _ in range(cases):
        told, asked, answer, of_nobody = told_by(lambda of, n: chance.sample(of, n))
        with Memory() as memory:
            for n, line in enumerate(told):
                turns = [{"role": "user", "content": text} for text in (line, FILLING[n])]
                memory.add(turns, session=f"s{n}", at=f"2026-03-0{n + 1}T10:00:00")
            for question in asked:
                given = memory.ask(question)
                assert memory.verify(given).ok
                grades.append("open" if not given.known else "right" if answer in given.text else "wrong")
            invented += memory.ask(of_nobody).known
    assert grades.count("wrong") <= len(grades) * 0.1
    assert grades.count("right") >= len(grades) * 0.5
    assert invented <= cases // 4
