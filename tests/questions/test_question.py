"""A question becomes a statement with a gap: what is asked, of which type, and where the answer stands."""

import pytest

from goalmem.questions.syntax import plain
from goalmem.questions.wording import normalise

ASKED = [
    ("Who adopted a beagle?", "value", "person"),
    ("Who did Alice meet in London?", "value", "person"),
    ("What did Alice adopt?", "value", "thing"),
    ("Which books did Robert read?", "value", "book"),
    ("What kind of car does Alice drive?", "value", "car"),
    ("What color is Robert's boat?", "value", "color"),
    ("Whose bicycle did Robert borrow?", "value", "person"),
    ("When did Alice move to London?", "time", "time"),
    ("In which year did Robert move?", "time", "time"),
    ("What time does the bakery open?", "clock time", "clock time"),
    ("Where does Robert live?", "place", "place"),
    ("Why did Alice leave London?", "reason", "reason"),
    ("How did Alice feel about the move?", "manner", "manner"),
    ("How many pets does Alice have?", "count", "pet"),
    ("How old is Mary?", "number", "age"),
    ("How much did the bicycle cost?", "number", "amount"),
    ("How often does Robert ski?", "number", "frequency"),
    ("How long has Alice lived in London?", "duration", "duration"),
    ("How many days did Alice spend in Paris?", "duration", "duration"),
    ("How long ago did Alice adopt Peter?", "ago", "duration"),
    ("Did Alice adopt a beagle?", "whether", ""),
    ("Is Peter a beagle?", "whether", ""),
    ("Has Alice ever been to Paris?", "whether", ""),
]
STATED = [
    ("Who adopted a beagle?", "", "adopted", "a beagle", "subject"),
    ("What did Alice adopt?", "Alice", "adopted", "", "object"),
    ("Who did Alice go to Paris with?", "Alice", "went", "to Paris with", "object"),
    ("What is Robert allergic to?", "Robert", "is", "allergic to", "object"),
    ("Where is Alice from?", "Alice", "is", "from", "object"),
    ("What did Alice want to buy?", "Alice", "wanted", "to buy", "object"),
    ("What did Alice give Robert?", "Alice", "gave", "Robert", "object"),
    ("What was Alice called at school?", "Alice", "was called", "at school", "object"),
    ("What has Robert never tried?", "Robert", "has not tried", "", "object"),
    ("Who will Alice visit?", "Alice", "will visit", "", "object"),
    ("Where does Robert live?", "Robert", "lives", "", ""),
    ("Does Robert have a sister?", "Robert", "has", "a sister", ""),
    ("Did Alice not buy the boat?", "Alice", "did not buy", "the boat", ""),
    ("Where did Alice meet the woman who sold the boat?", "Alice", "met", "the woman who sold the boat", ""),
]


@pytest.mark.parametrize(("question", "asked", "type_"), ASKED, ids=lambda v: v)
def test_what_is_asked_for(read, question, asked, type_):
    found = read(question)
    assert (found.asked, found.type) == (asked, type_)


@pytest.mark.parametrize(("question", "subject", "verb", "rest", "gap"), STATED, ids=lambda v: v)
def test_the_statement_that_a_question_is_about(read, question, subject, verb, rest, gap):
    found = read(question)
    assert (plain(found.subject), found.verb, plain(found.rest), found.gap) == (subject, verb, rest, gap)


@pytest.mark.parametrize(
    ("question", "preposition"),
    [
        ("Who did Alice go to Paris with?", "with"),
        ("With whom did Alice travel to Paris?", "With"),
        ("What is Robert allergic to?", "to"),
        ("Which park did Alice walk the dog in?", "in"),
        ("What did Alice adopt?", None),
        ("Who moved to Paris?", None),
    ],
)
def test_the_preposition_that_the_answer_follows(read, question, preposition):
    stranded = read(question).stranded
    assert (stranded.text if stranded is not None else None) == preposition


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("Which city did Alice visit first?", "earliest"),
        ("Where did Alice first meet Mary?", "earliest"),
        ("Where did Alice meet Mary?", ""),
        ("What did Alice do last summer?", ""),
    ],
)
def test_first_asks_for_an_order(read, question, order):
    assert read(question).order == order


@pytest.mark.parametrize(
    ("question", "unit"),
    [
        ("How many days did Alice spend in Paris?", "days"),
        ("How many weeks ago did Alice move?", "weeks"),
        ("How long did Alice stay?", ""),
    ],
)
def test_the_unit_of_a_duration(read, question, unit):
    assert read(question).unit == unit


@pytest.mark.parametrize(
    "asked",
    [
        "So, where does Robert live?",
        "Hey, tell me where does Robert live?",
        "I moved house. Where does Robert live?",
        "Where does Robert live",
        "where does Robert live??",
        "Where does Robert currently live?",
    ],
)
def test_what_only_introduces_a_question_changes_nothing(read, asked):
    found = read(asked)
    assert (found.asked, plain(found.subject), found.verb) == ("place", "Robert", "lives")


@pytest.mark.parametrize("text", ["Alice likes tea.", "Hello", "Who?", "?", "What", "¿Dónde vive?", "🐶🐶"])
def test_what_is_no_question_of_a_known_form_is_not_taken_apart(read, text):
    assert read(text) is None


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("I am lost. Where does Ana live?", "Where does Ana live?"),
        ("what was wrong with the old injector of no. 5?", "What was wrong with the old injector of no. 5?"),
        ("What did Dr. Wu say at approx. 5 p.m. to St. John?", "What did Dr. Wu say at approx. 5 p.m. to St. John?"),
        ("We met at 5 p.m. Where was that?", "Where was that?"),
    ],
)
def test_an_abbreviation_ends_no_question(text, asked):
    assert normalise(text) == asked
