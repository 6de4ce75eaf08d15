"""A later statement that gives one value and not another replaces the other; and a value is told without what it is not."""

from __future__ import annotations

import pytest

from goalmem import Memory

REPLACED = [
    (
        ("The heroine is 19 when the book starts.", "She's 17, not 19."),
        "How old is the heroine when the book starts?",
        "19",
    ),
    (("My heroine is 19.", "The heroine is 17 not 19."), "How old is my heroine?", "19"),
    (("I start on 1 February.", "It's 1 March, not February."), "When do I start?", "February"),
    (("I'm area lead from 1 February.", "I said yes but 1 March, not Feb."), "From when am I area lead?", "February"),
    (("Delivery is on 19 September.", "Friday is the 26th, not the 19th."), "When is the delivery?", "19"),
    (("I take the 17 bus.", "It's the 42, not the 17."), "Which bus do I take?", "17"),
    (("We meet at the library.", "We meet at the café, not the library."), "Where do we meet?", "library"),
    (("Ishbel is the team's medic.", "As of today Kit is the medic."), "Who is the team's medic?", "Ishbel"),
]
KEPT = [
    (("The exam is on 3 May.", "I am ready, not nervous."), "When is the exam?", "3 May 2026"),
    (("The exam is on 3 May.", "Why not 4 May?"), "When is the exam?", "3 May 2026"),
    (("My son is 6.", "He wants a dog, not a cat."), "How old is my son?", "6"),
    (("Leo is 17, not 19.", "My heroine is 19."), "How old is my heroine?", "19"),
]
TOLD_PLAINLY = [
    (("The dress is pink.", "The dress is red, not pink."), "What colour is the dress?", "red"),
    (("Rent is 900 euros.", "The rent is 950, not 900."), "How much is the rent?", "950"),
    (("Ines teaches maths.", "Ines teaches physics, not maths."), "What does Ines teach?", "physics"),
    (("The password is tulip.", "The password is now rose."), "What is the password?", "rose"),
]


def told(turns: tuple[str, ...]) -> Memory:
    memory = Memory()
    for day, text in enumerate(turns):
        memory.add([{"role": "user", "content": text}], at=f"2026-03-{2 + 3 * day:02d}")
    return memory


@pytest.mark.parametrize(("turns", "question", "old"), REPLACED)
def test_what_a_value_is_said_not_to_be_is_not_told(turns: tuple[str, ...], question: str, old: str) -> None:
    with told(turns) as memory:
        assert old not in memory.ask(question).text


@pytest.mark.parametrize(("turns", "question", "answer"), KEPT)
def test_not_of_something_else_replaces_nothing(turns: tuple[str, ...], question: str, answer: str) -> None:
    with told(turns) as memory:
        found = memory.ask(question)
        assert (found.status, found.text) == ("proved", answer)


@pytest.mark.parametrize(("turns", "question", "answer"), TOLD_PLAINLY)
def test_a_value_is_told_without_what_it_is_not(turns: tuple[str, ...], question: str, answer: str) -> None:
    with told(turns) as memory:
        found = memory.ask(question)
        assert (found.status, found.text) == ("proved", answer)


SHOWN = [
    ("My hip has hurt since Easter.", "Since when has my hip hurt?", "since 20 April 2025"),
    ("Nadia has lived in Oslo since July 2021.", "Since when has Nadia lived in Oslo?", "since 1 July 2021"),
    ("I'm on leave until 3 May.", "Until when am I on leave?", "until 3 May 2026"),
    ("I came off the tablets in mid June last year.", "When did I come off the tablets?", "mid June 2025"),
    ("My week starts on monday, I work sundays off.", "Which day does my week start on?", "monday"),
    ("We have swimming on Tuesday.", "What day do we have swimming?", "Tuesday"),
    ("Leo arrives on Friday.", "When does Leo arrive?", "6 March 2026"),
]


@pytest.mark.parametrize(("said", "question", "answer"), SHOWN)
def test_a_time_is_shown_by_what_was_said_of_it(said: str, question: str, answer: str) -> None:
    with told((said,)) as memory:
        found = memory.ask(question)
        assert found.text == answer
        assert memory.verify(found.proof).ok


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("From Monday the shop closes at 8.", "When does the shop close?", "8"),
        ("From May the ferry leaves at 9.", "When does the ferry leave?", "9"),
        ("I start at Lidl from Monday.", "When do I start at Lidl?", "9 March 2026"),
        ("The exhibition runs from 3 May.", "When does the exhibition run?", "3 May 2026"),
    ],
)
def test_a_timetable_gives_the_hour_and_not_the_day_from_which_it_holds(said: str, question: str, answer: str) -> None:
    with told(("The shop closes at 6.", said)) as memory:
        assert memory.ask(question).text == answer


def test_how_long_is_counted_from_what_began_then() -> None:
    with told(("I've had this cough since 12 February.",)) as memory:
        assert memory.ask("How long have I had this cough?", at="2026-03-05").text == "3 weeks"
