"""Questions that differ from what was told in one thing are not proved; those that differ in words alone are."""

from __future__ import annotations

import pytest
from tests.asking import asked
from tests.cases import one_in

from goalmem.sources.numbers import counts
from goalmem.sources.rates import is_other_rate

NOT_TOLD = [
    # circumstances
    ("I saw Tom yesterday.", "Did I see Tom in the park?"),
    ("Ana plays tennis.", "Does Ana play tennis at night?"),
    ("Ana plays tennis.", "Does Ana play tennis well?"),
    ("I met Leo at work.", "Did I meet Leo by accident?"),
    ("I visit my gran every other week.", "Do I visit my gran every week?"),
    ("I visit my gran every other week.", "Do I visit my gran daily?"),
    # places
    ("I run in a park.", "Do I run a park?"),
    ("I'm on the train to Leeds.", "Am I in Leeds?"),
    ("I grew up in a village near Graz.", "Did I grow up in Graz?"),
    ("I put the letters in the drawer.", "Did I put the letters on the drawer?"),
    ("I walked to the park.", "Did I walk in the park?"),
    ("I work in the Paris office.", "Do I work in Paris?"),
    # names with numbers
    ("I live at 12 Mill Road.", "Do I live at 2 Mill Road?"),
    ("I work on floor 3.", "Do I work on floor 4?"),
    # numbers that count nothing
    ("I take bus 38.", "How many buses do I take?"),
    ("I read chapter 5.", "How many chapters did I read?"),
    ("We had a three course meal.", "How many meals did we have?"),
    ("I got a bike for my 10th birthday.", "How many bikes do I have?"),
    ("I bought another two tickets.", "How many tickets do I have?"),
    # rates and parts
    ("My rent is 900 euros a month.", "What is my yearly rent?"),
    ("The ticket cost 40 dollars each way.", "How much did the ticket cost in total?"),
    ("We drove 300 km on the first day.", "How far did we drive?"),
    ("I paid 30 dollars for two shirts.", "How much did I pay for the shirt?"),
    # modifiers
    ("Leo is an English teacher.", "Is Leo English?"),
    ("Ana is a student nurse.", "Is Ana a nurse?"),
    ("My work wife is called Bo.", "Who is my wife?"),
    ("I speak a little Dutch.", "Do I speak fluent Dutch?"),
    ("I'm a nurse by training.", "Do I work as a nurse?"),
    # results are no reasons
    ("I was so tired that I fell asleep on the bus.", "Why was I tired?"),
    ("I was too tired to cook.", "Why was I tired?"),
    ("Ida is ill.", "Who is there?"),
    # complements
    ("Tom is allergic to dust.", "Is Tom allergic to nuts?"),
    ("I have a degree in law.", "Do I have a degree in physics?"),
    ("I sold the bike to a student on 4 May.", "When did I sell the bike to a teacher?"),
    ("I have a son with asthma.", "Do I have asthma?"),
    ("Ana is a nurse in a prison.", "Is Ana in prison?"),
    ("Ana is short of money.", "Is Ana short?"),
    ("I go to the gym three times a week.", "Do I go to the gym twice a week?"),
    ("I have 2 shares of Acme.", "How many shares do I have?"),
    ("I have a brother called Tom.", "Do I have another brother?"),
    # names in longer names
    ("I live in York.", "Do I live in New York?"),
    ("I live in New York.", "Do I live in York?"),
    ("I went to Korea in May.", "When did I go to North Korea?"),
    ("I studied at Oxford Brookes.", "Did I study at Oxford?"),
    ("I work at Bosch.", "Do I work at Bosch Rexroth?"),
    ("I saw Ana.", "Did I see Ana Lopez?"),
    ("I have a Tesla.", "Do I have a white Tesla?"),
    # a day of an interval
    ("Tom died in 2020.", "Did Tom die on 1 January 2020?"),
    ("I met Ana last week.", "Did I meet Ana on Monday?"),
    ("The concert is in July.", "Is the concert on 4 July?"),
    # denials of less
    ("I don't eat meat on Fridays.", "Do I eat meat?"),
    ("I don't have a red car.", "Do I have a car?"),
    ("I'm not married to Tom.", "Am I married?"),
    ("I didn't sleep well.", "Did I sleep?"),
    ("I've never been happier.", "Have I been happy?"),
    ("I didn't sell all my books.", "Did I sell my books?"),
    ("I don't often see Ana.", "Do I see Ana?"),
    ("I have no brothers who can swim.", "Do I have brothers?"),
    ("My mum isn't coming on Friday.", "Is my mum coming?"),
    ("The shop is closed on Sundays.", "Is the shop open?"),
    ("I hate cold coffee.", "Do I like coffee?"),
    ("The milk is gone.", "Is there any milk?"),
    ("It wasn't Kim who called, it was Lee.", "Who called?"),
    ("Jan was almost my husband.", "Was Jan my husband?"),
    # determiners
    ("I sold a painting.", "Did I sell all the paintings?"),
    ("A student failed.", "Did every student fail?"),
    ("I lost a glove.", "Did I lose both gloves?"),
    ("I ate two sweets.", "Did I eat half the sweets?"),
    ("I saw a fox.", "Did I see your fox?"),
    ("I drove their car.", "Did I drive your car?"),
    # ranks
    ("I came second in the race.", "Did I come first in the race?"),
    ("Mia was served last.", "Was Mia served first?"),
    ("I drive to work.", "Do I always drive to work?"),
    # bounds
    ("It takes up to six weeks.", "Does it take six weeks?"),
    ("My son ate fewer than five carrots.", "Did my son eat five carrots?"),
    ("I paid over 200 euros.", "Did I pay 200 euros?"),
    # words before names
    ("We rented the blue Ford.", "Did we rent the red Ford?"),
    ("I adopted a grey cat named Smudge.", "Did I adopt a black cat?"),
    ("I read the illustrated Odyssey.", "Did I read the abridged Odyssey?"),
    # what many can have
    ("My sister has Covid.", "Does my brother have Covid?"),
    ("My roommate has Netflix.", "Do I have Netflix?"),
    ("Ida has the Spotify password.", "Do I have the Spotify password?"),
]
TOLD = [
    ("The letters are in the box.", "What is in the box?", "letters"),
    ("Tom is at the door.", "Who is at the door?", "Tom"),
    ("Ana is allergic to nuts.", "Who is allergic to nuts?", "Ana"),
    ("Leo is a nurse.", "Who is a nurse?", "Leo"),
    ("Ida is ill.", "Who is ill?", "Ida"),
    ("My room is next to the kitchen.", "Which room is next to the kitchen?", "your room"),
    ("There are six eggs in the fridge.", "How many eggs are in the fridge?", "6"),
    ("Tom is taller than Leo.", "Who is taller than Leo?", "Tom"),
    ("My rent was 900 euros last year.", "What was my rent last year?", "900 euros"),
    ("My rent is 900 euros a month.", "What is my monthly rent?", "900 euros a month"),
    ("We drove 300 km on the first day.", "How far did we drive on the first day?", "300 km"),
    ("I live in a village in Austria.", "Do I live in Austria?", "Yes"),
    ("I finally fixed the bike.", "Have I fixed the bike yet?", "Yes"),
    ("I visit my gran every other week.", "Do I visit my gran every other week?", "Yes"),
    ("I met Ana Lopez at work.", "Did I meet Ana?", "Yes"),
    ("I bought a Fiat Panda.", "Did I buy a Fiat?", "Yes"),
    ("I met Ana on 3 May.", "Did I meet Ana in May?", "Yes"),
    ("I was in Rome from 3 to 10 May 2025.", "Was I in Rome on 5 May 2025?", "Yes"),
    ("Ana is married to Tom.", "Is Ana married?", "Yes"),
    ("Ana won, not Tom.", "Who won?", "Ana"),
    ("Paula is the mother of Finn.", "Who is Finn's mother?", "Paula"),
    ("My hair is brown.", "Is my hair brown?", "Yes"),
    ("My car is dark green.", "Is my car green?", "Yes"),
    ("The baby isn't awake.", "Is the baby asleep?", "Yes"),
    ("I sold all the paintings.", "Did I sell all the paintings?", "Yes"),
    ("I lost both gloves.", "Did I lose both gloves?", "Yes"),
    ("We rented the blue Ford.", "Did we rent the blue Ford?", "Yes"),
    ("I came first in the race.", "Did I come first in the race?", "Yes"),
    ("It takes six weeks.", "Does it take six weeks?", "Yes"),
]
DENIED = [
    ("I don't eat meat.", "Do I eat meat?"),
    ("I don't have a car.", "Do I have a car?"),
    ("Ana isn't a nurse.", "Is Ana a nurse?"),
    ("Tom is not allergic to nuts.", "Is Tom allergic to nuts?"),
    ("The shop is closed.", "Is the shop open?"),
    ("Ana won, not Tom.", "Did Tom win?"),
    ("Igor is no longer my manager.", "Is Igor my manager?"),
    ("Omar hates mushrooms.", "Does Omar like mushrooms?"),
    ("Tom has the drill.", "Do I have the drill?"),
]
APART = [
    ("My red bike is in the garage.", "My blue bike is at Tom's.", "Where is my bike?"),
    ("The gate code is 44.", "The door code is 55.", "What is the code?"),
    ("The Paris office has 20 staff.", "The Rome office has 35 staff.", "How many staff does the office have?"),
    ("The upstairs bathroom is green.", "The downstairs bathroom is white.", "Is the bathroom green?"),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("said", "question"), one_in(2, NOT_TOLD))
def test_what_was_not_told_is_not_proved(said: str, question: str) -> None:
    assert asked(said, question)[0] not in ("proved", "disproved")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("said", "question", "answer"), one_in(2, TOLD))
def test_what_was_told_is_proved(said: str, question: str, answer: str) -> None:
    assert asked(said, question) == ("proved", answer)


@pytest.mark.parametrize(("said", "question"), one_in(2, DENIED))
def test_what_was_denied_is_disproved(said: str, question: str) -> None:
    assert asked(said, question) == ("disproved", "No")


@pytest.mark.parametrize(("one", "other", "question"), APART)
def test_which_of_two_is_meant_is_not_known(one: str, other: str, question: str) -> None:
    assert asked([one, other], question)[0] != "proved"


def test_the_newer_of_two_is_meant() -> None:
    assert asked(["My old car was a Saab.", "My new car is a Volvo."], "What is my car?") == ("proved", "Volvo")


@pytest.mark.parametrize(
    ("phrase", "noun", "counted"),
    [
        ("two old green cars", "car", True),
        ("a hundred sheep", "sheep", True),
        ("about 20 guests", "guest", True),
        ("Tom's three sons", "son", True),
        ("5 people", "people", True),
        ("one dog", "dog", True),
        ("3 GB", "gb", True),
        ("bus 38", "bus", False),
        ("12 Mill Road", "road", False),
        ("12 Monkeys", "monkey", False),
        ("a 12 volt drill", "drill", False),
        ("two more tickets", "ticket", False),
    ],
)
def test_numbers_that_count(phrase: str, noun: str, counted: bool) -> None:
    assert counts(phrase, noun) == counted


@pytest.mark.parametrize(
    ("type_", "question", "sentence", "amount", "other"),
    [
        ("amount", "How much is my rent per week?", "My rent is 900 a month.", "900", True),
        ("amount", "How much do I earn a month?", "I earn 3000 monthly.", "3000", False),
        ("number of mile", "How many miles has my car done?", "My car does 50 miles to the gallon.", "50 miles", True),
        ("number of hour", "How many hours a week do I work?", "I work 38 hours a week.", "38 hours", False),
        ("distance", "How far did I run?", "I have run 12 km so far.", "12 km", True),
    ],
)
def test_rates(type_: str, question: str, sentence: str, amount: str, other: bool) -> None:
    assert is_other_rate(type_, question, sentence, sentence.partition(amount)[2]) == other


def test_who_is_single_is_not_married() -> None:
    assert asked("Tom is single at the moment.", "Is Tom married?")[1] != "Yes"
