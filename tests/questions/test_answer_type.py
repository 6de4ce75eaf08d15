"""Which type of answer a question asks for, however it is put."""

import pytest
from tests.questions.conftest import ASKED

from goalmem.language.names import Names
from goalmem.logic.terms import Aggregate
from goalmem.questions.wh import CLOCK_TIME
from goalmem.questions.whole_question import passage_question

NOBODY = Names({})
TYPES = {
    "amount": [
        "what does a sack of lime cost", "What did the piano tuner charge?", "price of the kayak?", "rough cost of a new gearbox?",
        "what was the fine for parking on the quay", "the deposit on the flat, how much was it?", "how much for a child's ticket?",
        "what did we spend on curtains", "the plumber's bill was how much?", "what's my rent now", "what do I owe Petra", "How much did Ruben pay for the mast?", "what salary did the bakery offer", "repair bill for the lawnmower?",
    ],
    "time": [
        "Elio's date of birth?", "on what day did the boiler break", "which days had fire drills, dates", "the trial is when?",
        "when was the roof done", "In which year was the barn built?", "date of the next inspection?", "new deadline for the essay?",
        "Ines's birthday?", "the wedding, when is it?", "by when must the form be in", "what was the date of the launch",
        "What day did Nadia arrive?", "Kim's last day at the firm?", "which evening was the concert",
    ],
    CLOCK_TIME: ["what time does the ferry leave", "at what time was the vote", "at what hour do they ring the bell", "time of the vet's visit?"],
    "duration": [
        "By how many minutes did the overture start late?", "how long is the second part by then?", "how long does the paint take to dry",
        "How many weeks was Ruben in plaster?", "how late was the train", "what does the battery last", "how many hours is the drive?",
        "what interval did we agree on between doses",
    ],
    "colour": [
        "the mayor's hat, what colour was it in the end?", "What colour are the shutters?", "what colour lids did the jars get", "colour of the new van?",
        "which color did Ines paint the hall",
    ],
    "relation": ["what relation is the boy to Nadia", "What is Sam's relationship to the landlord?"],
    "person": [
        "who may open the safe now", "Whose was the red scarf?", "who was the Duke's understudy in the end", "on whom did the ladder fall",
        "the key to the shed, who has it?", "who fed the goats", "Who else knows?",
    ],
    "place": ["where was the short circuit on the 220?", "where's the spare fuse", "the ladder, where is it?", "Where did the leak come from?"],
    "identifier": [
        "order number of the pump?", "What was the code for the gate?", "which version are we running", "what number did the runner get",
        "what's the reference of the parcel",
    ],
    "name": ["name of the second referee?", "What's the surname of our guide?", "what was the cat called before", "the dog's name?"],
    "age": ["how old is the youngest", "age of the tortoise?", "what is Ann's age"],
    "weight": ["what does the bell weigh", "how heavy was the anchor", "weight of the parcel?", "How much does the roof weigh?"],
    "height": ["how high is the wall", "height of the mast?"],
    "score": ["my score on the driving theory?", "what was the score in the final"],
    "measure": ["how much of the tank is left", "By how much was the shelf too short?", "how hot was the kiln", "mileage on the van?"],
    "number of seat": ["How many seats were taken", "how many seats has the bus got", "number of seats in the hall?"],
    "number": ["how many were we at table"],
    "reason": ["why was there no rehearsal", "What was the reason for the delay?", "how come Ines left early"],
    "occupation": ["what's Linh's job", "What does Sam do for a living?"],
    "animal": ["what kind of animal is Rex"],
    "incident sheet": ["which incident sheet is the one for the trap door?"],
    "thing": ["what broke in the engine", "spare injectors on board?", "would Zoe rather have a dog or a cat?", "what did Ann pay with"],
}  # fmt: skip


@pytest.mark.parametrize(("question", "type_"), [(q, t) for t, questions in TYPES.items() for q in questions])
def test_the_type_asked_for_is_read_from_how_people_ask(reasoner, question, type_):
    goal = reasoner.passage_goal(question, ASKED, NOBODY)
    assert goal is not None
    read = passage_question(goal.atoms[0])
    assert read is not None
    assert read[1].type == type_
    assert goal.answer == read[1]


@pytest.mark.parametrize(
    "question", ["Is the roof done?", "did I pass, and with how many points?", "The car, which Ann sold, is it red?"]
)
def test_what_begins_as_a_question_of_yes_or_no_stays_one(reasoner, question):
    goal = reasoner.passage_goal(question, ASKED, NOBODY)
    assert goal is not None
    assert goal.answer is None


@pytest.mark.parametrize(
    "question", ["Elio's date of birth?", "what does a sack of lime cost", "the mast, how high is it?"]
)
@pytest.mark.parametrize("change", [str.lower, lambda q: q.rstrip("?"), lambda q: f"Hey, {q}", lambda q: f"  {q}  "])
def test_case_marks_and_greetings_change_no_type(reasoner, question, change):
    plain, changed = (reasoner.passage_goal(q, ASKED, NOBODY) for q in (question, change(question)))
    assert plain.answer == changed.answer


def test_several_days_are_a_list(reasoner):
    goal = reasoner.passage_goal("which days had fire drills, dates", ASKED, NOBODY)
    assert goal.aggregate is Aggregate.LIST
