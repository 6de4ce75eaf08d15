"""What is told plainly to have changed: the new value is told, and never the old one."""

import pytest

from goalmem import Memory

NEW = [
    ("Book club is on Mondays.", "Book club moved to Thursdays.", "When is book club?", "Thursdays"),
    ("Book club is on Mondays.", "We moved book club to Thursdays.", "When is book club?", "Thursdays"),
    ("The puppy sleeps in the kitchen.", "The puppy sleeps in the hall now.", "Where does the puppy sleep?", "hall"),
    ("I start work at 9.", "I start work at 8 now.", "What time do I start work?", "8"),
    ("Nan is in ward 6.", "They've moved Nan to St Mary's.", "Where is Nan?", "St Mary's"),
    ("I live in Leeds.", "We moved house to York.", "Where do I live?", "York"),
]
OLD = [
    ("Book club meets on Mondays.", "Book club moved to Thursdays.", "When does book club meet?", "Mondays"),
    ("Nan is in ward 6.", "They moved Nan to ward 11.", "Which ward is Nan in?", "ward 6"),
    (
        "I take 20 mg of lisinopril a day.",
        "The doctor lowered my lisinopril to 10 mg.",
        "How much lisinopril do I take?",
        "20",
    ),
]
HELD = [
    ("I live in Leeds.", "I moved my savings to Monzo.", "Where do I live?", "Monzo"),
    ("I live in Leeds.", "We moved training to the school gym.", "Where do I live?", "gym"),
    ("The match is at 2.", "We had soup.", "When is the match?", "March"),
]  # fmt: skip


def told(first, second, question):
    with Memory() as memory:
        memory.add(first, at="2025-03-04")
        memory.add(second, at="2025-05-04")
        return memory.ask(question, at="2025-06-01")


@pytest.mark.parametrize(("first", "second", "question", "new"), NEW)
def test_the_new_value_is_told(first, second, question, new):
    assert new in told(first, second, question).text


@pytest.mark.parametrize(("first", "second", "question", "old"), OLD)
def test_the_old_value_is_told_no_more(first, second, question, old):
    assert old not in told(first, second, question).text


@pytest.mark.parametrize(("first", "second", "question", "wrong"), HELD)
def test_what_is_moved_is_not_who_moves_it(first, second, question, wrong):
    assert wrong not in told(first, second, question).text
