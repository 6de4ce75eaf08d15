"""What people tell a memory first, in the words that they use: it is proved, or at least told, whichever way it is asked for."""

from __future__ import annotations

from itertools import product

import pytest

from goalmem import Memory
from tests.asking import asked
from tests.cases import one_in

BEINGS = ("sister", "boss", "physio", "nanny", "plumber", "midwife", "dog")
NAMINGS = (
    "My {} is Millaray.",
    "My {}'s name is Millaray.",
    "The name of my {} is Millaray.",
    "My {} is called Millaray.",
    "my {}'s called Millaray",
    "I have a {} called Millaray.",
    "I have a {} named Millaray.",
    "I have a {}, her name is Millaray.",
    "My {}, Millaray, was late today.",
    "Millaray is my {}.",
    "I talked to Millaray, my {}.",
)
NAMES_ASKED = ("What is my {} called?", "What's the name of my {}?")

PROVED = {
    "Where do I live?": (
        "Ghent",
        "I live in Ghent.",
        "I moved to Ghent last year.",
        "I relocated to Ghent for work",
        "We've lived in Ghent since 2019.",
        "I live in a small flat in Ghent",
    ),
    "Where is my home?": ("Ghent", "I live in Ghent."),
    "Who is my employer?": ("Selkon", "I work at Selkon.", "I work for Selkon.", "I'm an engineer at Selkon"),
    "Who do I work for?": ("Selkon", "I work at Selkon.", "I got a job at Selkon.", "My employer is Selkon."),
    "What's my age?": ("34", "I'm 34.", "I am 34 years old.", "I turned 34 yesterday."),
    "How old am I?": ("34", "my age is 34", "I just turned 34"),
    "What's my birthday?": (
        "3 May",
        "My birthday is 3 May.",
        "it's my birthday on the 3rd of May",
        "I was born on 3 May 1990.",
    ),
    "What am I reading right now?": ("Dune", "I'm reading Dune."),
    "What is my phone number?": ("555-1234", "My phone number is 555-1234."),
    "Am I married?": ("Yes", "My wife is Ana.", "My wife Ana works a lot.", "I'm married to Ana."),
    "Who am I married to?": ("Ana", "My wife is Ana.", "Ana is my wife."),
    "How many kids do I have?": ("2", "I have two kids, Tom and Ella."),
    "How many languages do I speak?": ("2", "I speak Dutch and Polish.", "I can speak Czech and Irish."),
    "Who are my friends?": ("Ella and Tom", "My friends are Tom and Ella."),
    "What are my children called?": ("Ella and Tom", "I have two kids, Tom and Ella."),
    "Where am I from?": ("Brazil", "I'm from Brazil.", "I come from Brazil", "I grew up in Brazil"),
    "What instrument do I play?": ("cello", "I play the cello.", "My instrument is the cello."),
    "When do I get up?": ("6 every day", "I get up at 6 every day."),
    "What car do I have?": ("Volvo", "I got a new car, a Volvo"),
    "Who is our nanny?": ("Rosa", "We got a new nanny, Rosa.", "We have a nanny called Rosa."),
}
LIKELY = {
    "Where do I live?": ("Ghent", "my flat is in Ghent", "Our house is in Ghent."),
    "What is my job?": ("nurse", "I became a nurse in 2010"),
    "Where did I grow up?": ("Brazil", "I was born in Brazil", "I'm from Brazil."),
    "What instrument do I play?": ("cello", "I'm learning the cello."),
    "How many kids do I have?": ("2", "My kids are called Tom and Ella."),
}
NOT_KNOWN = [
    ("My ex-wife is Ana.", "Am I married?"),
    ("My late husband was Tom.", "Am I married?"),
    ("My boss's wife is Ana.", "Am I married?"),
    ("My kids are at school.", "How many kids do I have?"),
    ("My friends are nice and funny.", "Who are my friends?"),
    ("We went to Sintra on the Saturday.", "Where do I live?"),
    ("I speak Dutch, among others.", "How many languages do I speak?"),
    ("One of my brothers, Seamus, is a priest.", "How many brothers do I have?"),
    ("I run 10k.", "How often do I run?"),
    ("My gym days are Monday and Thursday.", "What date do I go to the gym?"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("naming", "being"), one_in(len(BEINGS) + 1, product(NAMINGS, BEINGS)))
def test_what_somebody_is_called_is_proved(naming: str, being: str) -> None:
    for question in NAMES_ASKED:
        assert asked(naming.format(being), question.format(being)) == ("proved", "Millaray")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("said", "question", "answer"),
    one_in(3, [(said, question, told[0]) for question, told in PROVED.items() for said in told[1:]]),
)
def test_what_is_said_plainly_is_proved(said: str, question: str, answer: str) -> None:
    status, text = asked(said, question)
    assert (status, answer in text) == ("proved", True), text


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    one_in(2, [(said, question, told[0]) for question, told in LIKELY.items() for said in told[1:]]),
)
def test_what_usually_follows_is_likely(said: str, question: str, answer: str) -> None:
    status, text = asked(said, question)
    assert (status, answer in text) == ("likely", True), text


@pytest.mark.parametrize(("said", "question"), one_in(2, NOT_KNOWN))
def test_what_does_not_follow_is_not_known(said: str, question: str) -> None:
    assert asked(said, question)[0] == "unknown"


@pytest.mark.parametrize(
    "since",
    one_in(
        2,
        [
            "Ana and I split up.",
            "We're getting divorced.",
            "We got divorced last year.",
            "Ana died last year.",
            "I'm single.",
        ],
    ),
)
def test_who_has_parted_is_no_longer_proved_to_be_married(since: str) -> None:
    with Memory() as memory:
        memory.add({"role": "user", "content": "My wife is Ana."}, at="2026-03-04T10:00:00")
        assert memory.ask("Am I married?", at="2026-03-04T12:00:00").status == "proved"
        memory.add({"role": "user", "content": since}, at="2026-03-06T10:00:00")
        for question in ("Am I married?", "Who is my wife?"):
            assert memory.ask(question, at="2026-03-10T10:00:00").status != "proved"


def test_a_place_is_told_with_what_it_is_in() -> None:
    assert asked("I parked the car in a garage on Elm Street", "Where did I park the car?")[1] == "garage on Elm Street"
    assert asked("I live in a house in a village near Ghent", "Where do I live?")[1] == "house in a village near Ghent"


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("We found out the roof is leaking.", "Is the roof leaking?"),
        ("I figured out that the code is wrong.", "Is the code wrong?"),
        ("Every room has its own bathroom.", "Does every room have its own bathroom?"),
    ],
)
def test_what_was_found_and_what_each_has_is_so(said: str, asks: str) -> None:
    assert asked(said, asks) == ("proved", "Yes")
