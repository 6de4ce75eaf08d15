"""A plan proves when something is to happen, until its day has passed or something may have changed it."""

from functools import partial

import pytest

from tests.asking import asked
from tests.cases import one_in

ask = partial(asked, told="2026-05-04T10:00:00", at="2026-06-01")
PLANS = {
    "Nithya": ("Nithya arrives on 18 July.", "When does Nithya arrive?", "18 July 2026"),
    "Leo": ("Leo is moving to Ghent on 3 July.", "When is Leo moving to Ghent?", "3 July 2026"),
    "Porto": ("I fly to Porto on 27 July.", "When do I fly to Porto?", "27 July 2026"),
    "concert": ("The concert starts on 12 July.", "When does the concert start?", "12 July 2026"),
}
CHANGES = [
    ("Nithya", "Nithya can't come on the 18th."),
    ("Nithya", "Nithya isn't coming after all."),
    ("Nithya", "Nithya cancelled."),
    ("Nithya", "Nithya's visit is off."),
    ("Nithya", "Nithya has postponed her trip."),
    ("Nithya", "Nithya's arrival moved to 20 July."),
    ("Leo", "Leo has decided to stay in Leeds."),
    ("Leo", "Leo's move got pushed back a month."),
    ("Porto", "My flight to Porto got moved to the 29th."),
    ("Porto", "Changed my ticket, Porto is now on the 30th."),
    ("Porto", "I'm not flying to Porto any more."),
    ("concert", "The concert was moved to 19 July."),
    ("concert", "They called off the concert."),
]


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_proves_when_it_is_to_be(plan):
    told, question, day = PLANS[plan]
    assert ask(told, question) == ("proved", day)


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_whose_day_has_passed_proves_nothing(plan):
    told, question, _ = PLANS[plan]
    assert ask(told, question, at="2026-09-01")[0] != "proved"


@pytest.mark.parametrize(("plan", "later"), one_in(2, CHANGES))
def test_a_plan_that_may_have_changed_is_not_certain(plan, later):
    told, question, day = PLANS[plan]
    status, text = ask([told, later], question)
    assert (text, status) != (day, "proved")


def test_who_is_to_do_after_all_what_they_were_not_to_do_does_it():
    told = ["Leo is not moving to Ghent on 3 July.", "Leo is moving to Ghent on 3 July."]
    asks = "Is Leo moving to Ghent on 3 July?"
    assert ask(told[0], asks) == ("disproved", "No")
    assert ask([told[0], told[0]], asks) == ("disproved", "No")
    assert ask(told, asks) == ("proved", "Yes")


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("The committee met on the 3rd.", "When does the committee meet?"),
        ("Last year we held the fete on 14 July.", "When is the fete?"),
        ("The concert was on Saturday.", "When is the concert?"),
    ],
)
def test_what_was_over_when_it_was_told_is_no_plan(told, question):
    assert ask(told, question)[0] != "proved"


def test_the_newer_of_two_plans_is_told():
    told, question, _ = PLANS["Nithya"]
    assert ask([told, "Nithya is coming on 20 July instead."], question)[1] == "20 July 2026"


@pytest.mark.parametrize("later", ["Nithya loves mangoes.", "Nithya arrives on 18 July.", "Leo has a cold."])
def test_what_leaves_a_plan_as_it_is_leaves_it_certain(later):
    told, question, day = PLANS["Nithya"]
    assert ask([told, later], question) == ("proved", day)


@pytest.mark.parametrize("said", ["Nithya might arrive on 18 July.", "Nithya wants to arrive on 18 July."])
def test_a_wish_is_no_plan(said):
    assert ask(said, "When does Nithya arrive?")[0] != "proved"
