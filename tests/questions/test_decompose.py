"""From a question to goals: its atoms, the variables that tie them together, its aggregate and its constraints."""

import pytest

from goalmem.logic.interval import Interval
from goalmem.logic.syntax import format_atom, parse_atom

ONE_ATOM = [
    ("Who adopted a beagle?", "(x:person) adopted a beagle"),
    ("Who did Nadia meet in Ghent?", "Nadia met (x:person) in Ghent"),
    ("What did Nadia adopt?", "Nadia adopted (x:thing)"),
    ("Which book did Ruben read?", "Ruben read (x:book)"),
    ("What kind of car does Nadia drive?", "Nadia drives (x:car)"),
    ("What color is Ruben's boat?", "Ruben's boat is (x:color)"),
    ("Where does Ruben live?", "Ruben lives in (x:place)"),
    ("Where is Nadia from?", "Nadia is from (x:place)"),
    ("Why did Nadia leave Ghent?", "Nadia left Ghent because of (x:reason)"),
    ("How did Nadia feel?", "Nadia felt like (x:manner)"),
    ("How old is Ilse?", "Ilse is (x:age)"),
    ("How much did the bicycle cost?", "the bicycle cost (x:amount)"),
    ("How long did Ruben stay in Oslo?", "Ruben stayed in Oslo for (x:duration)"),
    ("What does Nadia do for a living?", "Nadia works as (x:occupation)"),
    ("Who did Nadia go to Oslo with?", "Nadia went to Oslo with (x:person)"),
    ("With whom did Nadia travel to Oslo?", "Nadia traveled to Oslo with (x:person)"),
    ("What is Ruben allergic to?", "Ruben is allergic to (x:thing)"),
    ("Which park did Nadia walk the dog in?", "Nadia walked the dog in (x:park)"),
    ("What did Nadia give Ruben?", "Nadia gave Ruben (x:thing)"),
    ("What did Ruben give to Nadia?", "Ruben gave (x:thing) to Nadia"),
    ("What did Nadia want to buy?", "Nadia wanted to buy (x:thing)"),
    ("Whose bicycle did Ruben borrow?", "Ruben borrowed (x:person)'s bicycle"),
    ("Who is Nadia's sister?", "Nadia's sister is (x:person)"),
    ("When did Nadia move to Ghent?", "Nadia moved to Ghent on (t:time)"),
    ("When is Nadia's birthday?", "Nadia's birthday is on (t:time)"),
    ("To which city did Nadia move?", "Nadia moved to (x:city)"),
    ("Was Ruben born in Oslo?", "Ruben was born in Oslo"),
    ("Is Nadia's sister Ilse?", "Nadia's sister is Ilse"),
    ("Is Comet Nadia's dog?", "Comet is Nadia's dog"),
    ("Do you remember what Nadia adopted?", "Nadia adopted (x:thing)"),
    ("I wonder where Ruben lives.", "Ruben lives in (x:place)"),
    ("Can you tell me who Ruben met in Oslo?", "Ruben met (x:person) in Oslo"),
    ("Do you remember which book Ruben read?", "Ruben read (x:book)"),
    ("I forgot what Ilse's job is", "Ilse's job is (x:thing)"),
    ("Do you know who adopted Comet?", "(x:person) adopted Comet"),
    ("Do you know if Nadia sold the boat?", "Nadia sold the boat"),
    ("When did the last train leave?", "the last train left on (t:time)"),
    ("Did Nadia visit Oslo first?", "Nadia visited Oslo first"),
    ("When did Nadia pass her pilot's exam?", "Nadia passed Nadia's pilot's exam on (t:time)"),
    ("When did Ruben lose the driver's licence?", "Ruben lost the driver's licence on (t:time)"),
    ("What time does Nadia usually swim?", "Nadia swims at (x:clock time)"),
    ("What day of the week does Nadia teach a pottery class?", "Nadia teaches a pottery class on (x:weekday)"),
    ("Which species of birds did Nadia see in the marsh?", "Nadia saw (x:specie) of birds in the marsh"),
    ("How many boxes of tiles did Ruben order?", "Ruben ordered (x:number of box) of tiles"),
    ("How many different castles or churches did Nadia visit?", "Nadia visited (x:number of castle or church)"),
    ("How much money did Ruben spend on the boat?", "Ruben spent (x:amount) on the boat"),
    ("How many kayaks has Ruben rented so far?", "Ruben has rented (x:number of kayak)"),
    ("For the regatta, which boat did Ruben rent?", "Ruben rented (x:boat) for the regatta"),
    ("I was wondering if you could remind me where Ruben lives?", "Ruben lives in (x:place)"),
    ("We talked about inns. Could you please remind me of the name of the inn?", "the inn is (x:name)"),
    ("How many scarves did Nadia buy from P&Q?", "Nadia bought (x:number of scarf) from P&Q."),
    ("What did Nadia name the cat?", "Nadia named (x:name) the cat"),
]
"""Question, and the only atom of its preferred goal."""

SEVERAL_ATOMS = [
    (
        "Where does Ruben's sister live?",
        ["(y:sister) lives in (x:place)", "(y:sister) is Ruben's sister"],
    ),
    (
        "Where does Nadia's sister's teacher work?",
        ["(z:teacher) works in (x:place)", "(y:sister) is Nadia's sister", "(z:teacher) is (y:sister)'s teacher"],
    ),
    (
        "Where did Nadia's sister and Ruben's brother meet?",
        [
            "(y:sister) and (z:brother) met in (x:place)",
            "(y:sister) is Nadia's sister",
            "(z:brother) is Ruben's brother",
        ],
    ),
    (
        "What is the name of the dog that Nadia adopted?",
        ["(y:dog) is (x:name)", "Nadia adopted (y:dog)"],
    ),
    (
        "What breed is the dog Nadia adopted?",
        ["(y:dog) is (x:breed)", "Nadia adopted (y:dog)"],
    ),
    (
        "Where does the man who adopted Comet live?",
        ["(y:man) lives in (x:place)", "(y:man) adopted Comet"],
    ),
    (
        "What does the woman that Ruben met in Oslo teach?",
        ["(y:woman) teaches (x:thing)", "Ruben met (y:woman) in Oslo"],
    ),
    (
        "Who gave Nadia the lamp that Ruben repaired?",
        ["(x:person) gave Nadia (y:lamp)", "Ruben repaired (y:lamp)"],
    ),
    (
        "Where does the man whose dog bit Ruben live?",
        ["(y:man) lives in (x:place)", "(z:dog) is (y:man)'s dog", "(z:dog) bit Ruben"],
    ),
    (
        "Which of Nadia's friends lives in Oslo?",
        ["(x:friend) lives in Oslo", "(x:friend) is Nadia's friend"],
    ),
    (
        "Which of her friends did Nadia meet?",
        ["Nadia met (x:friend)", "(x:friend) is Nadia's friend"],
    ),
]


@pytest.mark.parametrize(("question", "atom"), ONE_ATOM, ids=lambda v: v)
def test_a_plain_question_is_one_atom_with_the_answer_in_its_place(goals, question, atom):
    (found,) = goals(question)[0].atoms
    assert format_atom(found) == atom
    answer = goals(question)[0].answer
    assert answer is None or answer in parse_atom(atom).variables


@pytest.mark.parametrize(("question", "atoms"), SEVERAL_ATOMS, ids=lambda v: v if isinstance(v, str) else "")
def test_descriptions_and_owners_become_atoms_of_their_own(goals, question, atoms):
    assert [format_atom(a) for a in goals(question)[0].atoms] == atoms
    assert goals(question)[0].answer.name == "x"


def test_owners_stay_together_in_a_second_reading(goals):
    readings = [[format_atom(a) for a in g.atoms] for g in goals("Where does Ruben's sister live?")]
    assert ["Ruben's sister lives in (x:place)"] in readings[1:]


@pytest.mark.parametrize(
    ("question", "aggregate", "answer"),
    [
        ("What did Nadia adopt?", "one", "(x:thing)"),
        ("Which books did Ruben read?", "list", "(x:book)"),
        ("Did Nadia adopt a beagle?", "whether", None),
        ("Does Ruben have a sister?", "whether", None),
        ("Which city did Nadia visit first?", "earliest", "(x:city)"),
        ("Where did Nadia first meet Ilse?", "earliest", "(x:place)"),
        ("How long ago did Nadia adopt Comet?", "duration", None),
        ("How long has it been since Nadia adopted Comet?", "duration", None),
        ("How much did Nadia spend on paint in total?", "sum", "(x:amount)"),
        ("How long after the wedding did Nadia move to Ghent?", "duration", None),
    ],
)
def test_how_the_answer_is_made_of_what_is_found(goals, question, aggregate, answer):
    goal = goals(question)[0]
    assert goal.aggregate == aggregate
    assert (str(goal.answer) if goal.answer else None) == answer


def test_a_number_may_have_been_said_or_may_have_to_be_counted(goals):
    said, counted = goals("How many pets does Nadia have?")
    assert (said.aggregate, [format_atom(a) for a in said.atoms]) == ("one", ["Nadia has (x:number of pet)"])
    assert (counted.aggregate, [format_atom(a) for a in counted.atoms]) == ("count", ["Nadia has (x:pet)"])


def test_a_length_may_have_been_said_or_may_have_to_be_reckoned(goals):
    said, reckoned = goals("How many days has Nadia lived in Ghent?")
    assert (said.unit, reckoned.unit) == ("days", "days")
    assert format_atom(said.atoms[0]) == "Nadia has lived in Ghent for (x:duration)"
    assert (reckoned.aggregate, reckoned.answer) == ("duration", None)


@pytest.mark.parametrize(
    ("question", "op", "other"),
    [
        ("Where did Nadia live before she moved to Ghent?", "before", "Nadia moved to Ghent on (u:time)"),
        ("What did Nadia buy after she moved to Ghent?", "after", "Nadia moved to Ghent on (u:time)"),
        ("What did Nadia buy after moving to Ghent?", "after", "Nadia moved to Ghent on (u:time)"),
        ("What did Ruben do after the wedding?", "after", "the wedding happened on (u:time)"),
        ("What did Nadia read while she lived in Oslo?", "overlaps", "Nadia lived in Oslo on (u:time)"),
        ("Did Ilse move to Ghent before Nadia adopted Comet?", "before", "Nadia adopted Comet on (u:time)"),
        ("What did Nadia buy when Ruben sold his boat?", "overlaps", "Ruben sold Ruben's boat on (u:time)"),
        ("What did Nadia give Ruben before she left?", "before", "Nadia left on (u:time)"),
        ("How long after the wedding did Nadia move to Ghent?", "after", "the wedding happened on (u:time)"),
    ],
)
def test_a_temporal_clause_is_an_event_and_a_constraint(goals, question, op, other):
    goal = goals(question)[0]
    assert format_atom(goal.atoms[-1]) == other
    constraint = goal.constraints[0]
    assert (constraint.left, constraint.op, constraint.right) == ("t", op, "u")
    assert format_atom(goal.atoms[0]).endswith(" on (t:time)")


@pytest.mark.parametrize(
    ("question", "interval"),
    [
        ("What did Nadia buy in May 2024?", "May 2024"),
        ("Where did Ruben go last summer?", "summer 2024"),
        ("Who won the race on 3 May 2024?", "3 May 2024"),
        ("Did Ruben move to Oslo in 2021?", "2021"),
        ("What did Nadia do in May?", "May 2024"),
    ],
)
def test_a_date_constrains_when_it_was_and_leaves_the_statement(goals, question, interval):
    goal = goals(question)[0]
    (constraint,) = goal.constraints
    assert isinstance(constraint.right, Interval)
    assert (constraint.left, constraint.op, str(constraint.right)) == ("t", "overlaps", interval)
    assert interval.split()[0].casefold() not in format_atom(goal.atoms[0]).casefold()


@pytest.mark.parametrize(
    ("question", "atom"),
    [
        ("When did Ruben sell his boat?", "Ruben sold Ruben's boat on (t:time)"),
        ("What do I drink?", "user drinks (x:thing)"),
        ("What is my job?", "user's job is (x:thing)"),
        ("What does she like?", "she likes (x:thing)"),
        ("How long after Ruben left did Nadia sell her boat?", "Nadia sold Nadia's boat on (t:time)"),
        ("What did Nadia give Ruben for her boat?", "Nadia gave Ruben (x:thing) for Nadia's boat"),
        ("Who sold his boat?", "(x:person) sold his boat"),
    ],
)
def test_pronouns_stand_for_the_name_in_the_question_or_for_who_asks(goals, question, atom):
    assert format_atom(goals(question)[0].atoms[0]) == atom


def test_doings_are_asked_for_as_such(goals):
    assert goals("What did Ruben do after the wedding?")[0].answer.type == "activity"


def test_a_negated_question_keeps_its_negation(goals):
    assert "not" in format_atom(goals("Did Nadia not buy the boat?")[0].atoms[0]).split()


@pytest.mark.parametrize("question", [q for q, _ in ONE_ATOM + SEVERAL_ATOMS], ids=lambda v: v)
def test_every_name_of_the_question_stands_in_every_goal(goals, question):
    named = {n for n in ("Nadia", "Ruben", "Ilse", "Ghent", "Oslo", "Comet") if n in question}
    for goal in goals(question):
        said = " ".join(format_atom(a) for a in goal.atoms)
        assert all(name in said for name in named)


@pytest.mark.parametrize(
    ("question", "aggregate", "atoms"),
    [
        ("What did Nadia last buy?", "latest", ["Nadia bought (x:thing) on (t:time)"]),
        ("Where did Nadia originally live?", "earliest", ["Nadia lived in (x:place) on (t:time)"]),
        ("Which city did Nadia visit first?", "earliest", ["Nadia visited (x:city) on (t:time)"]),
        ("What is the last book that Ruben read?", "latest", ["Ruben read (x:book) on (t:time)"]),
        ("What was the most recent book Ruben read?", "latest", ["Ruben read (x:book) on (t:time)"]),
        ("Who was the first person Nadia met?", "earliest", ["Nadia met (x:person) on (t:time)"]),
        (
            "What is the name of the first dog Nadia had?",
            "earliest",
            ["(y:dog) is (x:name)", "Nadia had (y:dog) on (t:time)"],
        ),
        ("How many times did Ruben visit Oslo?", "count", ["Ruben visited Oslo on (t:time)"]),
    ],
)
def test_what_is_first_or_last_is_told_by_when_it_was(goals, question, aggregate, atoms):
    (goal,) = goals(question)
    assert (goal.aggregate, [format_atom(a) for a in goal.atoms]) == (aggregate, atoms)


def test_the_last_of_several_is_not_the_last_week(goals):
    goal = goals("What did Nadia do last week?")[0]
    assert (goal.aggregate, len(goal.constraints)) == ("one", 1)


def test_the_owner_that_may_only_classify_is_split_off_last(goals):
    readings = [[format_atom(a) for a in g.atoms] for g in goals("When did Nadia pass her pilot's exam?")]
    assert [len(atoms) for atoms in readings] == [1, 2]
