"""What was, is, will be, should be and may be are different things; so are being at something, its end, and wanting it."""

from __future__ import annotations

from itertools import product

import pytest
from tests.asking import asked
from tests.cases import one_in

DONE = (
    ("I sold my car.", "sell my car"),
    ("I called the landlord.", "call the landlord"),
    ("I moved to Graz.", "move to Graz"),
    ("I gave Freya the earrings.", "give Freya the earrings"),
    ("I take the night bus.", "take the night bus"),
    ("I live in Rome.", "live in Rome"),
    ("I teach ceramics on Thursdays.", "teach ceramics"),
)
AHEAD = ("Will I {}?", "Am I going to {}?", "Should I {}?", "Must I {}?", "Might I {}?")
NOT_NOW = (
    ("I don't have a garden.", "Did I have a garden?"),
    ("I'm not a nurse.", "Was I a nurse?"),
    ("The shop isn't open.", "Was the shop open?"),
    ("My mother doesn't work.", "Did my mother work?"),
    ("I stopped playing the harp.", "Did I play the harp?"),
    ("I no longer live in Rome.", "Did I live in Rome?"),
    ("I don't play chess any more.", "Did I play chess?"),
    ("I don't have a dog.", "Will I have a dog?"),
    ("I didn't pay the fine.", "Will I pay the fine?"),
    ("I don't drive.", "May I drive?"),
)
UNFINISHED = (
    ("The bridge is being repaired.", "Was the bridge repaired?"),
    ("Rolf is writing a novel.", "Has Rolf written a novel?"),
    ("I was knitting a scarf for Lou.", "Did I knit a scarf for Lou?"),
    ("The contract is being translated.", "Is the contract translated?"),
    ("I've been reading Emma.", "Have I read Emma?"),
    ("The ice was melting.", "Did the ice melt?"),
)
SUGGESTED = (
    ("I went to the library to borrow an atlas.", "Did I borrow an atlas?"),
    ("I hate driving at night.", "Do I drive at night?"),
    ("I don't like to travel by bus.", "Do I travel by bus?"),
    ("I was reluctant to join the club.", "Did I join the club?"),
    ("I didn't have to bring a gift.", "Did I bring a gift?"),
    ("I learned how to solder.", "Did I solder?"),
    ("I said I'd finished the report, but I hadn't.", "Did I finish the report?"),
    ("I told the dentist I floss daily, which isn't true.", "Do I floss daily?"),
    ("I said I'd been to Bali, but that was a joke.", "Have I been to Bali?"),
)
OVER = (
    (["I'm looking for a job.", "I found a job at a nursery!"], "Am I looking for a job?"),
    (["I'm reading Dune.", "I finished Dune."], "Am I reading Dune?"),
    (["I'm waiting for a parcel.", "The parcel came."], "Am I waiting for a parcel?"),
    (["I go to choir on Tuesdays.", "I left the choir."], "Do I go to choir on Tuesdays?"),
    (["I subscribe to two magazines.", "I cancelled both magazines."], "Do I subscribe to two magazines?"),
    (["I have a headache.", "My headache is gone."], "Do I have a headache?"),
    (["I'm on antibiotics.", "I finished the antibiotics."], "Am I on antibiotics?"),
    (["I need a babysitter.", "I found a babysitter."], "Do I need a babysitter?"),
    (["I drive a Fiat.", "I traded the Fiat in for a Toyota."], "Do I drive a Fiat?"),
)
OVERTAKEN = (
    (["I have no car.", "I bought a Skoda."], "Do I have a car?"),
    (["We have no pets.", "We adopted a cat."], "Do we have a pet?"),
    (["I've never been to Rome.", "I went to Rome last week."], "Have I ever been to Rome?"),
    (["My sister isn't married.", "My sister got married on Saturday."], "Is my sister married?"),
    (["I've never eaten snails.", "I ate snails in Paris."], "Have I ever eaten snails?"),
)
TOLD = (
    ("I will sell the car.", "Will I sell the car?", ("proved", "Yes")),
    ("I won't come to the party.", "Will I come to the party?", ("disproved", "No")),
    ("My exam is in room 5.", "Where will my exam be?", ("proved", "room 5")),
    ("I can swim.", "Can I swim?", ("proved", "Yes")),
    ("Tom speaks French.", "Can Tom speak French?", ("proved", "Yes")),
    ("I didn't play.", "Did I play?", ("disproved", "No")),
    ("I failed to reach the summit.", "Did I reach the summit?", ("disproved", "No")),
    ("I've never been to Rome.", "Have I been to Rome?", ("disproved", "No")),
    ("I knitted a scarf for Lou.", "Did I knit a scarf for Lou?", ("proved", "Yes")),
    ("I'm knitting a scarf for Lou.", "Am I knitting a scarf for Lou?", ("proved", "Yes")),
    ("I was running.", "Did I run?", ("proved", "Yes")),
    ("I managed to join the club.", "Did I join the club?", ("proved", "Yes")),
    ("I paid the fine.", "Haven't I paid the fine?", ("proved", "Yes")),
    ("I can't swim.", "Can't I swim?", ("disproved", "No")),
)
GOING_ON = (
    (["I live in Leeds.", "I left the office at nine."], "Do I live in Leeds?"),
    (["I go to the gym on Mondays.", "I met Tom at the gym."], "Do I go to the gym on Mondays?"),
    (["I have a dog.", "I took the dog to the vet."], "Do I have a dog?"),
    (["I like olives.", "I bought olives."], "Do I like olives?"),
)
OPEN = ("unknown", "I don't know")


@pytest.mark.parametrize(("said", "form"), one_in(5, product(DONE, AHEAD)))
def test_what_was_or_is_says_nothing_of_what_will_or_should_be(said: tuple[str, str], form: str) -> None:
    assert asked(said[0], form.format(said[1])) == OPEN


@pytest.mark.parametrize(("said", "question"), one_in(2, NOT_NOW))
def test_what_is_not_so_now_may_have_been_or_will_be(said: str, question: str) -> None:
    assert asked(said, question) == OPEN


@pytest.mark.parametrize(("said", "question"), one_in(2, UNFINISHED))
def test_what_somebody_is_at_is_not_done(said: str, question: str) -> None:
    assert asked(said, question) == OPEN


@pytest.mark.parametrize(("said", "question"), one_in(2, SUGGESTED))
def test_what_is_only_suggested_is_not_proved(said: str, question: str) -> None:
    assert asked(said, question)[0] not in ("proved", "disproved")


@pytest.mark.parametrize(("said", "question"), one_in(2, (*OVER, *OVERTAKEN)))
def test_what_later_words_end_is_no_longer_so(said: list[str], question: str) -> None:
    assert asked(said, question) == OPEN


@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, TOLD))
def test_what_is_told_in_its_own_tense_is_known(said: str, question: str, answer: tuple[str, str]) -> None:
    assert asked(said, question) == answer


@pytest.mark.parametrize(("said", "question"), one_in(2, GOING_ON))
def test_what_has_to_do_with_it_ends_nothing(said: list[str], question: str) -> None:
    assert asked(said, question) == ("proved", "Yes")
