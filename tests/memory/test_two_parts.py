"""A question that asks two things is answered with both, proved and verified; where one of them was not said, with neither."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import datetime

import pytest

from goalmem import Memory
from goalmem.language import Analyzer
from goalmem.language.names import Names
from goalmem.questions.two_parts import OPEN, two_parts
from tests.cases import one_in

PEOPLE = ("Ines", "Oskar", "Petra", "Lukas")
TOWNS = ("Bergen", "Ghent", "Porto", "Turin")
THINGS = ("bike", "tent", "lamp", "sofa")
SHOPS = ("Brandt", "Moreau", "Lindqvist", "Castelli")
AT = datetime(2024, 6, 20, 9)
ASKED = (
    "Where and when did {p} meet Greta?", "When and where did {p} meet Greta?", "Where did {p} meet Greta, and when?",
    "When did {p} meet Greta and in which town?", "Who bought a {t} and at what shop?", "What did {p} buy and where?",
    "Who bought a {t}, and where did {p} meet Greta?",
)  # fmt: skip
HALF = (
    "Who sold the {t} and when?", "Where and why did {p} meet Greta?", "Where did {p} meet Greta, and what did Greta order?",
    "What did {p} buy and what did Greta sell?",
)  # fmt: skip


@pytest.fixture(scope="module")
def talk(analyzer: Analyzer):
    """A memory, and what was told in it: four people who met Greta in a town on a day and bought something in a shop."""
    draw = random.Random(5)  # noqa: S311
    told = list(zip(*(draw.sample(x, len(x)) for x in (PEOPLE, TOWNS, THINGS, SHOPS)), strict=True))
    with Memory(analyzer=analyzer) as memory:
        for n, (person, town, thing, shop) in enumerate(told):
            said = (f"I met Greta in {town} on {n + 3} May 2024.", f"I bought a {thing} at {shop}.")
            for k, text in enumerate(said):
                memory.add([{"role": "user", "name": person, "content": text}], session=f"s{n}{k}", at=AT)
        yield memory, told


def rights(question: str, town: str, day: str, who: str, thing: str, shop: str) -> tuple[str, ...]:
    """Both answers, in the order in which they are asked for."""
    first = {"Where": town, "When": day, "Who": who, "What": thing}[question.split()[0]]
    second = day if question.endswith("when?") or question.startswith("Where and when") else town
    return first, shop if "shop" in question or "buy and where" in question else second


@pytest.mark.parametrize("form", one_in(2, ASKED))
def test_both_things_are_answered_and_verified(talk, form: str) -> None:
    memory, told = talk
    for n, (person, town, thing, shop) in enumerate(told[:2]):
        answer = memory.ask(form.format(p=person, t=thing), at=AT)
        one, other = rights(form, town, f"{n + 3} May 2024", person, thing, shop)
        assert answer.known, form
        assert answer.text.casefold() == f"{one}; {other}".casefold()
        assert memory.verify(answer.proof).ok


@pytest.mark.parametrize("form", one_in(2, HALF))
def test_where_one_thing_was_not_said_neither_is_told(talk, form: str) -> None:
    memory, told = talk
    for person, _, thing, _ in told[:2]:
        answer = memory.ask(form.format(p=person, t=thing), at=AT)
        assert not answer.known, answer.text
        assert memory.verify(answer.proof).ok


def test_a_proof_whose_halves_are_mixed_is_refused(talk) -> None:
    memory, told = talk
    mine, others = (memory.ask(f"Where and when did {p} meet Greta?", at=AT).proof for p, *_ in told[:2])
    swapped = mine.model_copy(update={"answer": others.answer, "values": others.values}).digested()
    assert not memory.verify(swapped).ok
    assert not memory.verify(mine.model_copy(update={"answer": mine.answer.split("; ")[0]}).digested()).ok
    reversed_ = mine.model_copy(update={"question": f"When and where did {told[0][0]} meet Greta?"}).digested()
    assert not memory.verify(reversed_).ok


NAMES = Names(dict.fromkeys(PEOPLE, "person"))


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("who won the raffle and with which number?", "Who won the raffle?", f"With which number did {OPEN} win the raffle?"),
        ("How old is Ines and where does she live?", "How old is Ines?", "Where does Ines live?"),
        ("What's Petra's job, and who is her brother?", "What's Petra's job?", "Who is Petra's brother?"),
        ("When does the roofer start & what does he charge?", "When does the roofer start?", "What does the roofer charge?"),
        ("on which day and at what time is the exam", "On which day is the exam?", "At what time is the exam?"),
        ("Which boat did we rent, and how long is it?", "Which boat did we rent?", f"How long is the {OPEN}?"),
    ],
)  # fmt: skip
def test_the_second_question_is_completed_from_the_first(analyzer, question: str, first: str, second: str) -> None:
    found = two_parts(question, lambda text: analyzer.docs([text])[0], NAMES)
    assert found is not None
    assert replace(found, second=found.second.replace(OPEN.capitalize(), OPEN)) == replace(
        found, first=first, second=second
    )


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between what I paid and what Ines paid?", "How long was it between when we met and when we married?",
        "What did Ines and Oskar buy?", "Did Ines move and where?", "What did Ines, who lives in Porto, buy?", "Who narrated it and why not me?",
    ],
)  # fmt: skip
def test_what_asks_one_thing_is_left_whole(analyzer, question: str) -> None:
    assert two_parts(question, lambda text: analyzer.docs([text])[0], NAMES) is None
