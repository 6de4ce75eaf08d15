"""Updates in everyday words: the new value is told and the old one is not; words that only look like an update change nothing."""

import pytest

from goalmem import Memory
from tests.cases import one_in

UPDATES = [
    ("Tilda is a vegetarian.", "Tilda has gone vegan.", "Is Tilda vegan?", "Yes"),
    ("Leo works at Lidl.", "Leo does work at Tesco now.", "Where does Leo work?", "Tesco"),
    (
        "We are getting married on 11 July.",
        "We are getting married on 18 July, the church is taken on the 11th.",
        "When are we getting married?",
        "18 July",
    ),
    (
        "The code of the side door is 4471.",
        "The code of the side door has changed to 9062.",
        "What is the code of the side door?",
        "9062",
    ),
    ("I have a Fiesta.", "I swapped the Fiesta for a Polo.", "What car do I have?", "Polo"),
    ("My laptop runs Ubuntu 22.", "I upgraded my laptop to Ubuntu 24.", "What does my laptop run?", "Ubuntu 24"),
    ("Dinner is at 6 on Saturday.", "Dinner on Saturday is at 7 instead.", "What time is dinner on Saturday?", "7"),
    (
        "The parents' evening is on Tuesday 3 June.",
        "The parents' evening has been pushed back to Thursday 5 June.",
        "When is the parents' evening?",
        "5 June",
    ),
    ("We have five chickens.", "We're down to 3 chickens.", "How many chickens do we have?", "3"),
    ("The cat is called Biscuit.", "We renamed the cat Ziggy.", "What is the cat called?", "Ziggy"),
    ("The bathroom is green.", "The bathroom is back to blue.", "What colour is the bathroom?", "blue"),
    ("Kofi plays for Ashby.", "Kofi has signed for Corby.", "Who does Kofi play for?", "Corby"),
    (
        "Mina's piano teacher is Mrs Bell.",
        "Mina has a new piano teacher, Mr Okoro.",
        "Who is Mina's piano teacher?",
        "Okoro",
    ),
    ("Our broadband is with Sky.", "We switched our broadband to Zen.", "Who is our broadband with?", "Zen"),
    ("Swimming is on Mondays.", "Swimming is on Wednesdays these days.", "What day is swimming?", "Wednesday"),
    ("The rent is 640 a month.", "The rent went up to 690 in May.", "How much is the rent?", "690"),
    ("Gran lives in Hove.", "Gran has moved in with us in Crawley.", "Where does Gran live?", "Crawley"),
    ("Petra is studying law.", "Petra dropped law and is doing nursing.", "What is Petra studying?", "nursing"),
    (
        "I take the 42 bus to work.",
        "I take the 7 to work now because the 42 was cut.",
        "Which bus do I take to work?",
        "7",
    ),
    ("Zoe goes out with Finn.", "Zoe is seeing Marcus these days.", "Who is Zoe seeing?", "Marcus"),
    ("The spare key is under the pot.", "I put the spare key in the shed instead.", "Where is the spare key?", "shed"),
    ("My manager is Dana.", "Imran took over from Dana as my manager.", "Who is my manager?", "Imran"),
    ("Ola weighs 14 kilos.", "Ola is up to 16 kilos.", "How much does Ola weigh?", "16"),
    (
        "Rafi drinks two coffees a day.",
        "Rafi has cut down to one coffee a day.",
        "How many coffees a day does Rafi drink?",
        "1",
    ),
    ("The wifi password is plum22.", "The wifi password is fig73 as of today.", "What is the wifi password?", "fig73"),
    ("Ines is on the night shift.", "They've put Ines on the day shift.", "Which shift is Ines on?", "day"),
    (
        "We're flying to Porto in August.",
        "We're flying to Palermo in August after all.",
        "Where are we flying in August?",
        "Palermo",
    ),
    ("My phone number ends in 118.", "My phone number ends in 305 now.", "What does my phone number end in?", "305"),
]
"""Statement, update, question, new value."""
OPEN = [
    ("I bank with Barclays.", "I'm with Monzo now.", "Which bank am I with?", "Monzo"),
    ("Hamza is in year 5.", "Hamza has gone up to year 6.", "What year is Hamza in?", "6"),
    ("The cat is called Biscuit.", "My cousin renamed his cat Ziggy.", "What is the cat called?", "Biscuit"),
    ("Ola weighs 14 kilos.", "Ola's cousin is up to 16 kilos.", "How much does Ola weigh?", "14"),
]
"""Those that are not understood yet: nothing wrong is proved."""
ALIKE = [
    ("Tilda is a vegetarian.", "Tilda has gone shopping.", "Is Tilda a vegetarian?"),
    ("Leo works at Lidl.", "Leo does shop at Tesco now.", "Where does Leo work?"),
    ("We are getting married on 11 July.", "We are getting the keys on 18 July.", "When are we getting married?"),
    ("I bank with Barclays.", "I'm with Mum in Devon now.", "Which bank am I with?"),
    (
        "The code of the side door is 4471.",
        "The code of the front door has changed to 9062.",
        "What is the code of the side door?",
    ),
    ("I have a Fiesta.", "My brother swapped his Corsa for a Polo.", "What car do I have?"),
    ("My laptop runs Ubuntu 22.", "I upgraded my desktop to Ubuntu 24.", "What does my laptop run?"),
    ("Dinner is at 6 on Saturday.", "I made dinner for 7 people once.", "What time is dinner on Saturday?"),
    (
        "The parents' evening is on Tuesday 3 June.",
        "The school play has been pushed back to Thursday 5 June.",
        "When is the parents' evening?",
    ),
    ("We have five chickens.", "We're down to 3 rabbits.", "How many chickens do we have?"),
    ("The bathroom is green.", "The kitchen is back to blue.", "What colour is the bathroom?"),
    ("Kofi plays for Ashby.", "Kofi has signed for a parcel.", "Who does Kofi play for?"),
    ("Mina's piano teacher is Mrs Bell.", "Mina has a new maths teacher, Mr Okoro.", "Who is Mina's piano teacher?"),
    ("Our broadband is with Sky.", "My sister switched her broadband to Zen.", "Who is our broadband with?"),
    ("Swimming is on Mondays.", "Judo is on Wednesdays these days.", "What day is swimming?"),
    ("The rent is 640 a month.", "The gas bill went up to 690 in May.", "How much is the rent?"),
    ("Gran lives in Hove.", "Gran has moved her bed in the spare room.", "Where does Gran live?"),
    ("Petra is studying law.", "Petra dropped her phone and is doing fine.", "What is Petra studying?"),
    ("I take the 42 bus to work.", "I took the 7 to the hospital yesterday.", "Which bus do I take to work?"),
    ("Zoe goes out with Finn.", "Zoe is seeing the dentist on Monday.", "Who does Zoe go out with?"),
    ("The spare key is under the pot.", "I put the spare tyre in the shed.", "Where is the spare key?"),
    ("My manager is Dana.", "Imran took over the barbecue from Dana.", "Who is my manager?"),
    ("Rafi drinks two coffees a day.", "Rafi has cut down the hedge.", "How many coffees a day does Rafi drink?"),
    ("The wifi password is plum22.", "The password of the old laptop is fig73.", "What is the wifi password?"),
    ("Ines is on the night shift.", "They've put Ines on the guest list.", "Which shift is Ines on?"),
    ("We're flying to Porto in August.", "We flew to Palermo in August last year.", "Where are we flying in August?"),
    ("Hamza is in year 5.", "Hamza has gone up to bed.", "What year is Hamza in?"),
    ("My phone number ends in 118.", "My account number ends in 305.", "What does my phone number end in?"),
]
"""Statement, look-alike of its update, question."""


def told(question, *turns):
    with Memory() as memory:
        for day, turn in zip(("2025-03-04", "2025-05-04"), turns, strict=False):
            memory.add(turn, session=day, at=day)
        return memory.ask(question, at="2025-05-20")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("first", "second", "question", "new"), one_in(3, UPDATES))
def test_the_new_value_is_told(first, second, question, new):
    answer = told(question, first, second)
    assert new.casefold() in answer.text.casefold()
    assert answer.status != "unknown"


@pytest.mark.parametrize(("first", "second", "question", "value"), OPEN)
def test_nothing_wrong_is_proved(first, second, question, value):
    answer = told(question, first, second)
    assert answer.status != "proved" or value.casefold() in answer.text.casefold()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("first", "second", "question"), one_in(3, ALIKE))
def test_what_only_looks_like_an_update_changes_nothing(first, second, question):
    assert told(question, first, second).text == told(question, first).text


@pytest.mark.parametrize(
    "said",
    one_in(
        2,
        [
            "Tilda has almost gone vegan.",
            "Tilda has often gone vegan.",
            "Tilda has partly gone vegan.",
            "Tilda has gone vegan for Lent.",
            "Tilda has gone vegan a few times.",
            "Tilda had gone vegan.",
            "Tilda might have gone vegan.",
            "If Tilda has gone vegan, we need lentils.",
        ],
    ),
)
def test_a_change_that_is_not_said_to_last_proves_nothing_now(said):
    assert told("Is Tilda vegan?", said).status != "proved"


def test_a_change_in_the_perfect_proves_its_result():
    assert told("Is Tilda vegan?", "Tilda has finally gone vegan.").status == "proved"
