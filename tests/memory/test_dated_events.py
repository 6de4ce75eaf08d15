"""When something happened is proved from what was said in passing, in whatever words it is asked for, and never from what did not happen."""

from __future__ import annotations

from itertools import product

import pytest

from goalmem import Memory
from tests.asking import asked
from tests.cases import one_in

UNMARKED = {
    "cut my hair": "cut my hair",
    "put up the tent": "put up the tent",
    "quit my job": "quit my job",
    "set up my thermostat": "set up the thermostat",
    "shut down my blog": "shut down my blog",
    "read Dune": "read Dune",
    "split the firewood": "split the firewood",
}
"""What was done, in verbs whose past is their base form (Quirk et al. 1985, section 3.11), and how it is asked for."""
TITLED = ('"{}"', "'{}'")
TITLES = ("Dune", "The Nightingale", "The Hitchhiker's Guide to the Galaxy", "Effective Time Management")
ATTENDED = (
    "I just got back from a pottery workshop today.",
    "I went to the pottery workshop today.",
    "I participated in a pottery workshop today, and it was fun.",
    "I attended a pottery workshop at the library today.",
)
SAID_IN_PASSING = [
    ("I just got back from a bird watching workshop at the library today, it was fun.", "the bird watching workshop"),
    ("I took a pottery making class on 4 March.", "the pottery making class"),
]
NOT_DONE = (
    "I didn't go to the pottery workshop today.",
    "I wanted to go to the pottery workshop today.",
    "I almost went to the pottery workshop today.",
    "I'm going to the pottery workshop tomorrow.",
    "My sister went to the pottery workshop today.",
)


@pytest.mark.parametrize("done", one_in(2, UNMARKED))
def test_a_past_that_looks_like_the_present_is_a_past(done: str) -> None:
    assert asked(f"I {done} on 10 February.", f"When did I {UNMARKED[done]}?") == ("proved", "10 February 2026")


@pytest.mark.parametrize(("marks", "title"), one_in(3, product(TITLED, TITLES)))
def test_a_title_in_quotation_marks_is_one_name(marks: str, title: str) -> None:
    said = f"I just finished reading {marks.format(title)} today, and I'm still thinking about it."
    for other in TITLED:
        assert asked(said, f"When did I finish reading {other.format(title)}?") == ("proved", "4 March 2026")
    kept = f"I went to the {marks.format(title)} workshop on 10 February."
    assert asked(kept, f"When did I attend the '{title}' workshop?") == ("proved", "10 February 2026")


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ('We watched the movie "{}" on 10 February.', "Which movie did we watch?"),
        ("We watched the movie {} yesterday.", "Which movie did we watch?"),
        ("I read a long novel, '{}', on 10 February.", "Which novel did I read?"),
        ('I joined a chess club called "{}" in May.', "What chess club did I join?"),
    ],
)
def test_what_has_a_title_is_called_by_it(said: str, question: str) -> None:
    assert asked(said.format("Bright Water"), question) == ("proved", "Bright Water")


@pytest.mark.parametrize("said", one_in(2, ATTENDED))
def test_whoever_was_there_attended(said: str) -> None:
    assert asked(said, "When did I attend the pottery workshop?") == ("proved", "4 March 2026")


@pytest.mark.parametrize(("said", "event"), SAID_IN_PASSING)
def test_a_noun_with_a_gerund_is_no_clause(said: str, event: str) -> None:
    verb = "take" if "took" in said else "attend"
    assert asked(said, f"When did I {verb} {event}?") == ("proved", "4 March 2026")


@pytest.mark.parametrize("said", one_in(2, NOT_DONE))
def test_whoever_was_not_there_did_not_attend(said: str) -> None:
    assert asked(said, "When did I attend the pottery workshop?")[0] == "unknown"
    assert asked(said, "Did I attend the pottery workshop?")[0] != "proved"


@pytest.mark.parametrize("place", ["bank", "hospital", "shop"])
def test_a_place_is_no_event(place: str) -> None:
    assert asked(f"I went to the {place} yesterday.", f"Did I attend the {place}?")[0] == "unknown"
    assert asked(f"I was at the {place} yesterday.", "What did I attend?")[0] != "proved"


@pytest.mark.parametrize(
    ("said", "question"),
    one_in(
        2,
        [
            ("I bought a gift for my brother on 4 March.", "When did I buy a gift for my brother?"),
            (
                "I baked a cake for my friend's birthday party today.",
                "When did I bake a cake for my friend's birthday party?",
            ),
            ("I'm visiting my friends Mark and Sarah, who I met on 4 March.", "When did I meet Sarah?"),
            ("I got a desk on the 3/4.", "When did I get the desk?"),
            ("I came from the Ash Wednesday service on 4 March.", "When did I come from the Ash Wednesday service?"),
            ("I started playing on my old piano today.", "When did I start playing on my piano?"),
        ],
    ),
)
def test_what_belongs_to_an_event_is_matched(said: str, question: str) -> None:
    assert asked(said, question) == ("proved", "4 March 2026")


@pytest.mark.parametrize(
    ("said", "question"),
    one_in(
        2,
        [
            ("I started playing on Leo's piano today.", "When did I start playing on my piano?"),
            ("I bought a gift for Leo's brother today.", "When did I buy a gift for my brother?"),
            ("My friends Mark and Sarah met Tom today.", "When did I meet Mark?"),
            ("I want to quit my job in May.", "When did I quit my job?"),
            ("I want to read 'Bright Water'.", "When did I read 'Bright Water'?"),
        ],
    ),
)
def test_what_belongs_to_another_event_is_not(said: str, question: str) -> None:
    assert asked(said, question)[0] == "unknown"


AMOUNTS = [
    (("The lamp cost $50.", "The desk cost $25."), "What is the total cost of the lamp and the desk?", "$75"),
    (
        ("I bought a lamp for $50.", "I bought a desk for $25."),
        "What is the total cost of the lamp and desk I purchased?",
        "$75",
    ),
    (
        ("I spent $50 on a lamp.", "I spent $25 on a desk."),
        "What is the total amount I spent on the lamp and the desk?",
        "$75",
    ),
    (
        ("I spent 8 days in Japan.", "I spent 4 days in Peru."),
        "What is the total number of days I spent in Japan and Peru?",
        "12 days",
    ),
    (
        ("I spent 8 days in Japan.", "I spent 4 days in Peru."),
        "How many days did I spend in total in Japan and in Peru?",
        "12 days",
    ),
    (
        ("The taxi cost $50.", "The train cost $25."),
        "How much more expensive was the taxi compared to the train?",
        "$25",
    ),
    (("I'm 32.", "My grandma is 75 years old."), "How many years older is my grandma than me?", "43 years"),
    (
        ("The lamp cost about $50.", "The desk cost $25."),
        "What is the total cost of the lamp and the desk?",
        "about $75",
    ),
]


@pytest.mark.parametrize(("told", "question", "right"), one_in(2, AMOUNTS))
def test_two_amounts_are_reckoned_with_in_the_words_of_the_question(
    told: tuple[str, str], question: str, right: str
) -> None:
    assert asked(" ".join(told), question) == ("proved", right)
    assert asked(told[0], question)[0] == "unknown"


def test_ages_of_different_years_are_not_compared() -> None:
    with Memory() as memory:
        memory.add({"role": "user", "content": "Tom is 12."}, at="2022-03-04T10:00:00")
        memory.add({"role": "user", "content": "Ines is 9."}, at="2026-03-04T10:00:00")
        assert memory.ask("How much older is Tom than Ines?", at="2026-03-10T10:00:00").status == "unknown"


def test_an_amount_that_is_only_bounded_is_not_added() -> None:
    said = "The lamp cost over $50. The desk cost $25."
    assert asked(said, "What is the total cost of the lamp and the desk?")[0] == "unknown"
