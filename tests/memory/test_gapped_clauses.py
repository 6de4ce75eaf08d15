"""Coordination in which half a clause is left out: each half has its own words, and ordinary coordination stays what it is."""

from __future__ import annotations

import pytest

from tests.asking import asked
from tests.cases import one_in

OWN = [
    ("Tom teaches maths and Ana physics.", "Who teaches physics?", "Ana"),
    ("Tom teaches maths and Ana physics.", "What does Tom teach?", "maths"),
    ("tom teaches maths and ana physics", "Who teaches physics?", "ana"),
    ("I like tea and Leo coffee.", "What does Leo like?", "coffee"),
    ("I like tea but Leo coffee.", "Who likes coffee?", "Leo"),
    ("Tom ordered pasta, Ana pizza and Leo soup.", "What did Leo order?", "soup"),
    ("Tom ordered pasta, Ana pizza and Leo soup.", "Who ordered pizza?", "Ana"),
    ("Tom chose the fish, Ana the steak.", "What did Ana choose?", "steak"),
    ("Tom plays tennis and my sister chess.", "What does my sister play?", "chess"),
    ("I speak Dutch and my wife Spanish.", "What does my wife speak?", "Spanish"),
    ("Ana lives in Oslo, Tom in Bergen and Leo in Rome.", "Where does Leo live?", "Rome"),
    ("Tom is from Oslo and Ana from Rome.", "Where is Tom from?", "Oslo"),
    ("Tom has a dog, Ana a cat and Leo a parrot.", "Who has a cat?", "Ana"),
    ("Mia has two kids, Leo three.", "How many kids does Leo have?", "3"),
    ("Tom is 30 and Ana 28.", "How old is Tom?", "30"),
    ("My dad was a cook and my mum a nurse.", "What was my mum?", "nurse"),
    ("Yesterday Tom cooked dinner and Ana lunch.", "Who cooked lunch?", "Ana"),
    ("Ana's mobile is 555 1234, her landline 555 9999.", "What is Ana's landline?", "555 9999"),
    ("My email is a@b.com and my phone number 555 1234.", "What is my phone number?", "555 1234"),
    ("I was in Rome in May and in Oslo in June.", "Where was I in June?", "Oslo"),
    ("I was in Rome in May and in Oslo in June.", "When was I in Rome?", "May 2025"),
    ("I went to Rome in May and to Oslo in June.", "When did I go to Oslo?", "June 2025"),
    ("I went to Rome in May, to Oslo in June and to Paris in July.", "When did I go to Paris?", "July 2025"),
    ("We stayed at the Plaza in 2019 and at the Ritz in 2020.", "When did we stay at the Ritz?", "2020"),
    ("I met Leo in 2019 and his wife in 2020.", "When did I meet Leo?", "2019"),
    ("I bought the lamp at Ikea in May and the rug at Habitat in June.", "When did I buy the rug?", "June 2025"),
    ("I bought the lamp at Ikea in May and the rug at Habitat in June.", "Where did I buy the lamp?", "Ikea"),
    ("I have 3 kids with Ana and 1 with Eve.", "How many kids do I have with Eve?", "1"),
    ("My PIN is 1234 for the bank and 5678 for the phone.", "What is my PIN for the phone?", "5678"),
    ("My PIN is 1234 for the bank and 5678 for the phone.", "What is my PIN for the bank?", "1234"),
    ("I paid 20 euros for the book and 30 for the pen.", "How much did I pay for the pen?", "30"),
    ("I had three beers, Tom had two.", "How many beers did Tom have?", "2"),
    ("Tom and Ana went to Rome and Paris respectively.", "Where did Ana go?", "Paris"),
    ("Tom, Ana and Leo live in Rome, Oslo and Paris respectively.", "Where does Leo live?", "Paris"),
    ("Ana sings and her brother plays the cello.", "Who plays the cello?", "Ana's brother"),
    ("Tom runs and his wife swims.", "Who swims?", "Tom's wife"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, OWN))
def test_each_half_has_its_own_words(said: str, question: str, answer: str) -> None:
    assert asked(said, question) == ("proved", answer)


NOT_SAID = [
    ("Tom teaches maths and Ana physics.", "Does Tom teach physics?"),
    ("Tom teaches maths and Ana physics.", "Does Ana teach maths?"),
    ("I like tea and Leo coffee.", "Do I like coffee?"),
    ("I like tea and Leo coffee.", "Do I like Leo?"),
    ("I speak Dutch and my wife Spanish.", "Do I speak Spanish?"),
    ("Tom has a dog, Ana a cat and Leo a parrot.", "Does Tom have a cat?"),
    ("Ana sings and her brother plays the cello.", "Does Ana play the cello?"),
    ("My dad was a cook and my mum a nurse.", "Was my mum a cook?"),
    ("Tom and Ana went to Rome and Paris respectively.", "Did Tom go to Paris?"),
    ("Tom runs and his wife swims.", "Does Tom swim?"),
    ("Tom or Ana will pick me up.", "Who will pick me up?"),
    ("I'll be in Rome or Oslo in June.", "Where will I be in June?"),
    ("I will buy a car or a bike.", "Will I buy a bike?"),
]


@pytest.mark.parametrize(("said", "question"), one_in(2, NOT_SAID))
def test_the_words_of_the_other_half_are_not_proved(said: str, question: str) -> None:
    assert asked(said, question)[0] in ("unknown", "likely")


ORDINARY = [
    ("I like tea and green coffee.", "What do I like?", "tea and green coffee"),
    ("I like jam and Yorkshire pudding.", "What do I like?", "jam and Yorkshire pudding"),
    ("Ana Lopez and Tom came.", "Who came?", "Ana Lopez and Tom"),
    ("I met Tom and Ana in Rome.", "Who did I meet?", "Tom and Ana"),
    ("I met Ana and Tom Baker.", "Who did I meet?", "Ana and Tom Baker"),
    ("I was in Rome and Oslo in June.", "Where was I in June?", "Rome and Oslo"),
    ("I bought apples and Bosch drills.", "What did I buy?", "apples and Bosch drills"),
    ("I like Tom and his dog.", "What do I like?", "Tom and dog"),
    ("I visited my brother and my sister in Rome.", "Did I visit my sister?", "Yes"),
    ("I have a cat and two dogs.", "How many dogs do I have?", "2"),
]


@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, ORDINARY))
def test_ordinary_coordination_stays(said: str, question: str, answer: str) -> None:
    assert asked(said, question)[1] == answer


SO = [
    ("Ben speaks Polish, and so does Ana.", "Does Ana speak Polish?", ("proved", "Yes")),
    ("Ida plays chess, and Ole does too.", "Does Ole play chess?", ("proved", "Yes")),
    ("Ida is vegan, and so is Ole.", "Is Ole vegan?", ("proved", "Yes")),
    ("I went to Rome and so did Tom.", "Did Tom go to Rome?", ("proved", "Yes")),
    ("I have a cat, and so does Mia.", "Does Mia have a cat?", ("proved", "Yes")),
    ("I don't eat meat, and neither does Leo.", "Does Leo eat meat?", ("disproved", "No")),
    ("Ben speaks Polish, and so does Ana.", "Does Ana speak Greek?", ("unknown", "I don't know")),
]


@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, SO))
def test_so_does_somebody_else(said: str, question: str, answer: tuple[str, str]) -> None:
    assert asked(said, question) == answer
