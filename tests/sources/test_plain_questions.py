"""Plain questions for what one turn states are answered with a proof; what it only mentions, or tells of somebody else, answers none."""

from __future__ import annotations

import pytest
from tests.cases import one_in

from goalmem import Memory
from goalmem.sources.passages.over_time import former_value

STATED = [
    ("my cat Bazooka can't walk over wet paint anymore", "What's my cat's name?", "Bazooka"),
    ("We named the ferret Biscuit.", "What's the ferret called?", "Biscuit"),
    ("I have a sister, Pilar, and a brother, Tomás.", "What's my brother called?", "Tomás"),
    ("Mum lives in Zwolle with her cat Gerrit.", "What's my mother's cat called?", "Gerrit"),
    ("Main branch is called trunk.", "What's the main branch called?", "trunk"),
    ("Leo won't eat mushrooms.", "What won't Leo eat?", "mushrooms"),
    ("Ada doesn't like opera.", "What doesn't Ada like?", "opera"),
    ("Leo's school is St Anne's.", "Which school does Leo go to?", "St Anne's"),
    ("I started a new job as data engineer at Zalando.", "What's my job?", "data engineer"),
    ("I'm a nurse at St. Willibrord.", "Where do I work?", "St. Willibrord"),
    ("I paid 3,400 for the sofa.", "How much was the sofa?", "3,400"),
    ("Bins go out on Wednesdays.", "When do the bins go out?", "Wednesdays"),
    ("Leo's teacher is Mr. Brandt.", "leo's teacher?", "Mr. Brandt"),
    ("Mrs. Halina from downstairs brought me soup", "Who brought me soup?", "Mrs. Halina"),
    ("The food bank is open on Tuesday mornings.", "When is the food bank open?", "Tuesday mornings"),
    ("The pool opens at 6.30 in the morning.", "When does the pool open?", "6.30 in the morning"),
    ("The kids finish school at half three.", "When do the kids finish school?", "half three"),
    ("My sister's boyfriend is called Lachlan.", "whats my sisters boyfriend called", "Lachlan"),
    ("My sister's got a dog called Bo.", "What's my sister's dog called?", "Bo"),
    ("Mum's bought a caravan.", "What did Mum buy?", "caravan"),
    ("The shoes were 90 euros.", "How much were the shoes?", "90 euros"),
    ("I lent Sam my drill.", "Who did I lend my drill to?", "Sam"),
    ("Simon's glasses were 190, mine were 310.", "How much were my glasses?", "310"),
]
MENTIONED = [
    ("We nearly named the ferret Biscuit.", "What's the ferret called?"),
    ("My neighbour's cat is called Miso.", "What's my cat called?"),
    ("Chidi isn't Bela's husband, he's her brother.", "Who is Bela's husband?"),
    ("Ada likes opera.", "What doesn't Ada like?"),
    ("Leo's brother won't eat mushrooms.", "What won't Leo eat?"),
    ("My sister's school is St Anne's.", "Which school do I go to?"),
    ("I'm a student at Oxford.", "Where do I work?"),
    ("Ida started a job as a gardener but quit after a week.", "What does Ida do for a living?"),
    ("I work at Nopi. I got fired.", "Where do I work?"),
    ("I paid 100 for the sofa as a deposit.", "How much did the sofa cost?"),
    ("I bought two lamps for 90 euros.", "How much did the lamp cost?"),
    ("Deploys never happen on fridays.", "When do deploys happen?"),
]


@pytest.mark.parametrize(("turn", "question", "answer"), one_in(3, STATED))
def test_what_a_turn_states_is_proved(turn: str, question: str, answer: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": turn}], at="2026-05-04T10:00:00")
        found = memory.ask(question)
        assert (found.text, found.status) == (answer, "proved")
        assert memory.verify(found).ok


@pytest.mark.parametrize(("turn", "question"), one_in(2, MENTIONED))
def test_what_a_turn_only_mentions_is_left_open(turn: str, question: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": turn}], at="2026-05-04T10:00:00")
        assert memory.ask(question).status in ("unknown", "disproved")


BY_THE_WAY = [
    ("Someone stole my bike at the station", "What happened to my bike?", "stole my bike at the station"),
    ("I bought a blue car in May", "What colour is my car?", "blue"),
    ("My best man Idris broke his ankle", "Who is my best man?", "Idris"),
    ("I told my sister Anna left", "Who left?", "Anna"),
    ("I prefer tea to coffee", "Do I prefer tea or coffee?", "tea"),
    ("Leo drives a Skoda", "Does Leo drive a Skoda or a Ford?", "Skoda"),
    ("I drink tea and coffee", "Do I drink tea or coffee?", "coffee and tea"),
    ("My yoga class is on Thursday", "Which day is my yoga class?", "Thursday"),
    ("My yoga class is on Thursday", "When is my yoga class?", "7 May 2026"),
    ("I bought a second hand bike for 380, a blue Gazelle.", "How much did the Gazelle cost?", "380"),
    ("I bought a car, a blue Skoda", "What kind of car do I have?", "Skoda"),
]
OF_OTHERS = [
    ("I bought a blue seat for my car", "What colour is my car?"),
    ("Tom bought a blue car", "What colour is my car?"),
    ("I wanted to buy a blue car", "What colour is my car?"),
    ("My sister prefers tea to coffee", "Do I prefer tea or coffee?"),
    ("I might buy tea or coffee", "Did I buy tea or coffee?"),
    ("I have a dog called Rex", "Do I have a cat or a parrot?"),
    ("I bought a pump for 380, next to a blue Gazelle.", "How much did the Gazelle cost?"),
    ("I bought a blue and white car", "What colour is my car?"),
    ("My bike has a red saddle", "What colour is my bike?"),
    ("I nearly lost my phone", "What happened to my phone?"),
    ("I bought my bike in May", "What happened to my bike?"),
    ("Someone stole my bike at the station", "What happened to Tom's bike?"),
    ("I told my sister Anna left", "What's my sister's name?"),
    ("My brother named his boat Albatross", "My brother's name?"),
    ("Dad's boss is a welder", "What's Dad's job?"),
    ("Tom's mum lives in Oslo", "Where does Ann's mum live?"),
    ("Tom's mum lives in Oslo", "Where does Tom live?"),
    ("We saw a flat. The sofa comes on 5 June, I paid 3,400", "What did I pay for the flat?"),
    ("Mum lives in Zwolle with her cat", "Which hospital is mum's operation in?"),
    ("So the Gazelle only cost you 80 out of pocket.", "How much did the Gazelle cost?"),
]


@pytest.mark.parametrize(("turn", "question", "answer"), one_in(2, BY_THE_WAY))
def test_what_a_turn_says_by_the_way_is_found(turn: str, question: str, answer: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": turn}], at="2026-05-04T10:00:00")
        found = memory.ask(question)
        assert found.text == answer
        assert memory.verify(found).ok


@pytest.mark.parametrize(("turn", "question"), one_in(3, OF_OTHERS))
def test_what_a_turn_tells_of_something_else_is_left_open(turn: str, question: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": turn}], at="2026-05-04T10:00:00")
        assert memory.ask(question).status == "unknown"


FOLLOWED = [
    ("I smoke 12 cigarettes a day.", "six a day now, it gets better"),
    ("The dentist is on 3 February at 10:30.", "the dentist called, they moved me to 10 February at 9:00"),
]


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        (FOLLOWED[0], "How many cigarettes a day did I smoke at the beginning?", "12"),
        (FOLLOWED[0], "How many cigarettes a day do I smoke now?", "six"),
        (FOLLOWED[1], "When is my dentist appointment now?", "10 February 2026, 09:00"),
    ],
)
def test_of_values_that_followed_each_other_the_one_asked_for_is_told(
    told: tuple[str, str], question: str, answer: str
) -> None:
    with Memory() as memory:
        for day, text in enumerate(told, 12):
            memory.add([{"role": "user", "content": text}], session=str(day), at=f"2026-01-{day}T10:00:00")
        assert memory.ask(question).text in (answer, "I don't know")


@pytest.mark.parametrize(
    ("question", "former"),
    [
        ("How many did I smoke at the beginning?", True),
        ("Where did Ida live at first?", True),
        ("What was it called originally?", True),
        ("What did I eat before the exam?", False),
        ("What is her first name?", False),
        ("Where do I live now?", False),
    ],
)
def test_a_former_value_is_asked_for_by_words_of_order(question: str, former: bool) -> None:
    assert former_value(question) is former


def test_what_was_swapped_for_something_is_no_longer_had() -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": "I've swapped my old iPhone for a Pixel."}], at="2026-05-04T10:00:00")
        assert "iPhone" not in memory.ask("What phone do I have now?").text


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("I bake bread for the shelter on Sundays", "When do I bake bread for the school?"),
        ("I bought three lamps for 90 euros", "How much did the lamp cost?"),
        ("She works at a bakery.", "Where does Oona work?"),
    ],
)
def test_what_is_told_of_another_or_of_several_is_left_open(said: str, question: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": said}], at="2026-05-04T10:00:00")
        assert not memory.ask(question).known


OF_OTHERS = [
    (["My wife is allergic to cats."], "What am I allergic to?", "What is my wife allergic to?", "cats"),
    (["Joyce was born in Trinidad.", "She's ninety."], "Where was I born?", "Where was Joyce born?", "Trinidad"),
    (["The Hendersons have three kids."], "How many kids do I have?", "How many kids do the Hendersons have?", "3"),
    (["My mate Dario drives a Fiesta."], "What car do I have?", "What car does Dario drive?", "Fiesta"),
    (
        ["The other team is on Postgres 16."],
        "Which Postgres version are we on?",
        "Which Postgres version is the other team on?",
        "16",
    ),
    (["The rabbit weighs 2.1 kilos."], "How heavy is the ferret?", "How heavy is the rabbit?", "2.1 kilos"),
    (["My roommate's rent went up to 580."], "What is my rent?", "What is my roommate's rent?", "580"),
]
"""What is said of somebody, the question about somebody else, and the one that it answers."""


@pytest.mark.parametrize(("said", "of_other", "of_them", "answer"), OF_OTHERS)
def test_what_is_said_of_one_is_not_told_of_another(said: list[str], of_other: str, of_them: str, answer: str) -> None:
    with Memory() as memory:
        for message in said:
            memory.add([{"role": "user", "content": message}], at="2026-05-04T10:00:00")
        assert memory.ask(of_other).status == "unknown"
        assert memory.ask(of_them).text == answer


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("My parents named me after a river, the Ebro.", "Which river am I named after?", "Ebro"),
        ("The airline lost my suitcase in Doha.", "Where did my suitcase get lost?", "Doha"),
        ("The council gave us two brown bins.", "How many brown bins do we have?", "two"),
    ],
)
def test_what_others_do_to_the_asker_is_told(said: str, question: str, answer: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": said}], at="2026-05-04T10:00:00")
        assert answer in memory.ask(question).text


@pytest.mark.parametrize("said", ["I swim as well.", "I play bridge too."])
def test_what_somebody_does_again_and_again_has_no_day(said: str) -> None:
    with Memory() as memory:
        memory.add([{"role": "user", "content": said}], at="2026-05-04T10:00:00")
        assert memory.ask("When do I swim?").status == "unknown"
        assert memory.ask("When do I play bridge?").status == "unknown"
