"""The grammar reads what it reads rightly, and says why it does not read the rest."""

import time

import pytest

from goalmem.rules.grammar.reader import GrammarReader
from goalmem.rules.theory import Theory
from tests.rules.printed import READER, line, lines, reason


@pytest.mark.parametrize(
    ("sentence", "clauses"),
    [
        ("Bob is green.", ["Bob is green"]),
        ("The bald eagle is not rough.", ["not the bald eagle is rough"]),
        ("The squirrel sees the cow.", ["the squirrel sees the cow"]),
        ("The bear does not visit the bald eagle.", ["not the bear visits the bald eagle"]),
        ("The rabbit doesn't like the dog.", ["not the rabbit likes the dog"]),
        ("Bob is red, big and kind.", ["Bob is red", "Bob is big", "Bob is kind"]),
        ("Bob and Alice are kind.", ["Bob is kind", "Alice is kind"]),
        ("Bob and Alice aren't sad.", ["not Bob is sad", "not Alice is sad"]),
        ("Bob owns a dog.", ["Bob owns a dog"]),
        ("Bob is big and chases the cat.", ["Bob is big", "Bob chases the cat"]),
        ("Bob is big but not kind.", ["Bob is big", "not Bob is kind"]),
        ("Bob is neither big nor red.", ["not Bob is big", "not Bob is red"]),
        ("Arthur is a bird.", ["Arthur is a bird"]),
        ("Bob is a kind person.", ["Bob is kind"]),
        ("Rex is a big dog.", ["Rex is big", "Rex is a dog"]),
        ("Tom is a former president.", ["Tom is a former president"]),
        ("The light bulb is glowing.", ["the light bulb is glowing"]),
        ("The circuit has the switch.", ["the circuit has the switch"]),
        ("The bulb does not glow.", ["not the bulb glows"]),
        ("Bob cannot fly.", ["not Bob can fly"]),
        ("The cat is on the mat.", ["the cat is on the mat"]),
        ("The book on the table is red.", ["the book on the table is red"]),
        ("Bob is older than Alice.", ["Bob is older than Alice"]),
        ("Bob is as tall as Alice.", ["Bob is as tall as Alice"]),
        ("Bob gives Alice the book.", ["Bob gives Alice the book"]),
        ("Bob wants to eat the cake.", ["Bob wants to eat the cake"]),
        ("Bob quickly chases the cat.", ["Bob quickly chases the cat"]),
        ("Bob never eats meat.", ["not Bob eats meat"]),
        ("Dr. Smith is kind.", ["Dr. Smith is kind"]),
        ("Bob visited the bear.", ["Bob visited the bear"]),
        ("Bob did not visit the bear.", ["not Bob visited the bear"]),
        ("Ana is the mayor of Lisbon.", ["Ana is a mayor of Lisbon"]),
        ("Ana is Bob's mother.", ["Ana is a mother of Bob"]),
        ("It is not true that Bob is kind.", ["not Bob is kind"]),
        ("Plague occurred between 1361 and 1528.", ["Plague occurred between 1361 and 1528"]),
        ("Rex is allergic to nuts and milk.", ["Rex is allergic to nuts", "Rex is allergic to milk"]),
        ("Rex is allergic to nuts and sad.", ["Rex is allergic to nuts", "Rex is sad"]),
        ("Nuts are ingredients of the cake.", ["x is an ingredient of the cake <- x is a nut"]),
        ("Bob is young, very kind and a bit round.", ["Bob is young", "Bob is very kind", "Bob is a bit round"]),
        (
            "Fred is a very nice man who happens to be round.",
            ["Fred is very nice", "Fred is a man", "Fred happens to be round"],
        ),
        ("Bob likes fish.", ["Bob likes fish"]),
        ("The black cat drinks milk.", ["the black cat drinks milk"]),
        ("Maya loves pad thai.", ["Maya loves pad thai"]),
        ("Ines trusts Ada.", ["Ines trusts Ada"]),
        ("Ines visited Paris.", ["Ines visited Paris"]),
        ("Bob adopted a dog.", ["Bob adopted a dog"]),
        ("Everyone who adopted a dog is kind.", ["x is kind <- x adopted a dog"]),
        ("The adopted dog chases the cat.", ["the adopted dog chases the cat"]),
        ("It is raining.", ["it is raining"]),
        ("BOB IS KIND.", ["Bob is kind"]),
        ("The wumpus glorps the snark.", ["the wumpus glorps the snark"]),
    ],
)
def test_facts(sentence, clauses):
    assert lines(sentence) == clauses


@pytest.mark.parametrize(
    ("sentence", "clauses"),
    [
        ("Big people are rough.", ["x is rough <- x is big"]),
        ("Red, big things are not kind.", ["not x is kind <- x is red, x is big"]),
        ("All red, big and cold things are kind.", ["x is kind <- x is red, x is big, x is cold"]),
        ("Red and big people are kind.", ["x is kind <- x is red, x is big"]),
        ("Red or big people are kind.", ["x is kind <- x is red", "x is kind <- x is big"]),
        ("Birds can fly.", ["x can fly <- x is a bird"]),
        ("An ostrich is a bird.", ["x is a bird <- x is an ostrich"]),
        ("Every ostrich is a bird.", ["x is a bird <- x is an ostrich"]),
        ("All mice are animals.", ["x is an animal <- x is a mouse"]),
        ("No ostrich can fly.", ["not x can fly <- x is an ostrich"]),
        ("Cats and dogs are animals.", ["x is an animal <- x is a cat", "x is an animal <- x is a dog"]),
        (
            "Ostriches are birds that cannot fly.",
            ["x is a bird <- x is an ostrich", "not x can fly <- x is an ostrich"],
        ),
        (
            "Penguins are birds but they cannot fly.",
            ["x is a bird <- x is a penguin", "not x can fly <- x is a penguin"],
        ),
        ("Everyone who is big and round is kind.", ["x is kind <- x is big, x is round"]),
        (
            "Nice and kind people are blue and rough.",
            ["x is blue <- x is nice, x is kind", "x is rough <- x is nice, x is kind"],
        ),
        ("People who are big and chase the cat are kind.", ["x is kind <- x is big, x chases the cat"]),
        ("Green plants make food.", ["x makes food <- x is a plant, x is green"]),
        ("Birds can fly unless they are ostriches.", ["x can fly <- x is a bird, not x is an ostrich"]),
        ("Whoever likes peanuts is kind.", ["x is kind <- x likes peanuts"]),
        ("Big cows eat green grass.", ["x eats green grass <- x is a cow, x is big"]),
        ("Whoever is kind is nice.", ["x is nice <- x is kind"]),
        ("Anyone who chases the cat eats the mouse.", ["x eats the mouse <- x chases the cat"]),
        ("Everyone who is big and red is rough.", ["x is rough <- x is big, x is red"]),
        ("Things that chase the cow are green.", ["x is green <- x chases the cow"]),
        ("Students who pass an exam get a degree.", ["x gets a degree <- x is a student, x passes an exam"]),
        ("People in Paris are happy.", ["x is happy <- x is in Paris"]),
        ("Anyone allergic to nuts should not eat the cake.", ["not x should eat the cake <- x is allergic to nuts"]),
        ("Everyone is kind.", ["x is kind"]),
        ("Nobody likes Bob.", ["not x likes Bob"]),
        ("Gasoline engines burn gasoline.", ["x burns gasoline <- x is a gasoline engine"]),
    ],
)
def test_rules_about_all_of_a_kind(sentence, clauses):
    assert lines(sentence) == clauses


@pytest.mark.parametrize(
    ("sentence", "clauses"),
    [
        ("If someone is young and round then they are kind.", ["x is kind <- x is young, x is round"]),
        ("If someone is big and red, they are kind.", ["x is kind <- x is big, x is red"]),
        ("When someone is kind, they are nice.", ["x is nice <- x is kind"]),
        ("Someone is kind if they are nice.", ["x is kind <- x is nice"]),
        ("The alarm rings if the door is open.", ["the alarm rings <- the door is open"]),
        ("Bob is kind unless he is sad.", ["Bob is kind <- not Bob is sad"]),
        ("Unless the door is open, the alarm is silent.", ["the alarm is silent <- not the door is open"]),
        (
            "If something chases the cow and it is not green then the cow is rough.",
            ["the cow is rough <- x chases the cow, not x is green"],
        ),
        (
            "If someone likes the bear and the bear is red then they do not eat the lion.",
            ["not x eats the lion <- x likes the bear, the bear is red"],
        ),
        (
            "If someone is a bird and not abnormal then they can fly.",
            ["x can fly <- x is a bird, not x is abnormal"],
        ),
        ("If a bird is wounded then it is abnormal.", ["x is abnormal <- x is a bird, x is wounded"]),
        ("If someone is red or big then they are kind.", ["x is kind <- x is red", "x is kind <- x is big"]),
        ("If someone is kind then they are big and red.", ["x is big <- x is kind", "x is red <- x is kind"]),
        (
            "If someone chases the cat and the dog then they are rough.",
            ["x is rough <- x chases the cat, x chases the dog"],
        ),
        ("If Bob or Alice is red then Eric is blue.", ["Eric is blue <- Bob is red", "Eric is blue <- Alice is red"]),
        ("If something is not big and not red then it is kind.", ["x is kind <- not x is big, not x is red"]),
        ("If a person owns a dog then they walk it.", ["x walks y <- y is a dog, x owns y"]),
        ("If X is a parent of Y then Y is a child of X.", ["y is a child of x <- x is a parent of y"]),
        (
            "A user can read a document if the user owns the document.",
            ["x can read y <- x is a user, y is a document, x owns y"],
        ),
        (
            "If someone lives in a city then they know its mayor.",
            ["x knows z <- y is a city, x lives in y, z is a mayor of y"],
        ),
        (
            "If someone lives in a city then they know the mayor of the city.",
            ["x knows z <- y is a city, x lives in y, z is a mayor of y"],
        ),
        (
            "Whoever is allergic to an ingredient of a dish should not eat it.",
            ["not x should eat z <- z is a dish, y is an ingredient of z, x is allergic to y"],
        ),
        ("If someone's mother is kind then they are kind.", ["x is kind <- y is a mother of x, y is kind"]),
        ("If nobody likes Bob then Bob is sad.", ["Bob is sad <- not someone likes Bob"]),
    ],
)
def test_conditions(sentence, clauses):
    assert lines(sentence) == clauses


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("Bob ist grün.", "it has no verb that is known"),
        ("Боб зелёный.", "it is not English ('Б')"),
        ("Bob likes 🍕.", "'🍕' is not part of a plain sentence"),
        ("Bob is\x07green.", "the character U+0007 is not part of a plain sentence"),
        ("Bob (a bear) is kind.", "it holds a remark in brackets"),
        ("He is kind.", "it does not say what 'he' stands for"),
        ("Bob is red or big.", "it says that one of several things holds, but not which"),
        ("Someone is kind.", "it says that there is someone or something, but not which"),
        ("There is a cat.", "it says that there is something, but not what it is called"),
        ("Most birds can fly.", "'most' speaks of some of several, which no rule here can hold"),
        ("Bob is usually kind.", "it says 'usually': no rule without exceptions can hold it"),
        ("Only Bob is kind.", "its 'only' says something of what it does not name"),
        ("Clark is Superman.", "it says that two names mean one thing, which no rule here can hold"),
        ("Because Bob is kind, Alice is happy.", "it joins its clauses with 'because': write two sentences"),
        ("Bob thinks that Alice is kind.", "it holds a statement inside of a statement"),
        ("Is Bob kind?", "it is a question"),
        ("Bob chase the cat.", "'chase' is not a verb form that fits its subject"),
        ("Bob likes cats and dogs.", "'dogs' may be a verb or not: write two sentences"),
        ("Bob has eaten the cat.", "it is told in the perfect tense: write 'is' or 'was'"),
        ("Paris, France is nice.", "its parts are joined by commas alone: write 'and' or 'or'"),
        ("Bob has no money.", "it is unclear what its 'no' denies: write 'not' and 'a'"),
        ("The dog that barks is big.", "it describes 'the dog' where it should name it"),
        ("Being big makes Bob blue.", "'Being' is an action, not a thing"),
        ("The cat and dog are big.", "it is open whether 'dog' is 'the dog': repeat 'the'"),
        (
            "Nice folks with blue and red hair are kind.",
            "it is unclear what its parts are joined to: write two sentences",
        ),
        ("Young dogs bark.", "its verb may be 'dogs' or 'bark'"),
        ("A big statue was completed in 1989.", "it tells what happened to some, not what holds of all"),
        ("Bob was hired and surrendered.", "'surrendered' may go with 'was' or not: repeat 'was'"),
        ("Bob is.", "nothing follows 'is'"),
        ("If Bob is kind then.", "a part of it is empty"),
        (
            "Bob is happy only if he is rich.",
            "'only if' tells what follows where nothing is said: write a rule with 'if … not'",
        ),
        (
            "If someone is kind then if they are big then they are nice.",
            "it holds a condition inside of another: write two sentences",
        ),
        (
            "If something is not big or red then it is kind.",
            "it is open how far its 'not' reaches: repeat 'is not', or write two sentences",
        ),
        (
            "If Bob is kind and Alice is big or Eric is red then Dave is big.",
            "it mixes 'and' with 'or': write two sentences",
        ),
        ("If a cat chases a mouse and it is small then Bob is sad.", "'it' may stand for 'cat' or 'mouse': name it"),
        (
            "If everyone is kind then Bob is sad.",
            "it asks whether something holds of everything, which cannot be decided",
        ),
    ],
)
def test_what_is_not_read_says_why(sentence, why):
    assert reason(sentence) == why


def test_every_sentence_is_read_or_said_to_be_unread_with_its_place():
    text = "Bob is big. Bob ist grün.\nBig people are rough; Most cats purr. 1. Alice is kind."
    reading = READER.read(text)
    places = sorted(
        [(c.start, c.end, c.text) for c in reading.clauses] + [(u.start, u.end, u.text) for u in reading.unread]
    )
    assert [t for _, _, t in places] == [
        "Bob is big.",
        "Bob ist grün.",
        "Big people are rough;",
        "Most cats purr.",
        "Alice is kind.",
    ]
    assert all(text[start:end] == said for start, end, said in places)


def test_what_the_text_shows_of_its_words_decides():
    assert lines("The zorp blargs. If something is a zorp then it does not blarg.")[0] == "the zorp blargs"
    assert lines("Bob likes pizza. Pizza is good.")[1] == "pizza is good"
    assert lines("Rex is flurgish. All flurgish dogs bark.")[1] == "x barks <- x is a dog, x is flurgish"


def test_a_thing_is_what_its_name_says_where_a_rule_asks():
    said = "The bald eagle sees the cow. If an eagle sees something then the eagle is fast."
    assert lines(said)[-1] == "the bald eagle is an eagle"
    assert "the bear is a bear" not in lines("The bear is big. Big people are rough.")


def test_who_owns_rex_owns_a_dog():
    theory = Theory.read("Bob owns Rex. Rex is a dog. Ann owns a dog. Whoever owns a dog is happy.")
    for name in ("Bob", "Ann"):
        assert theory.decide(READER.read_statement(f"{name} is happy.")).status == "proved"
    assert theory.decide(READER.read_statement("Rex is happy.")).status == "disproved"


def test_what_a_fact_brings_in_is_what_the_text_goes_on_about():
    said = "The circuit has a switch. The switch is on. If the circuit has the switch and the switch is on then the bulb glows."
    theory = Theory.read(said)
    assert theory.decide(READER.read_statement("The bulb glows.")).status == "proved"


def test_a_thing_with_two_names_is_not_read():
    reading = READER.read("Ana is the mayor of Lisbon. Lisbon's mayor is kind.")
    assert [line(c) for c in reading.clauses] == ["Ana is a mayor of Lisbon"]
    assert reading.unread[0].reason == '"Lisbon\'s mayor" is Ana, as another sentence says: use that name'


def test_an_empty_text_says_nothing():
    for text in ("", " \n\t ", "\n\n"):
        assert READER.read(text) == GrammarReader().read("")
        assert not READER.read(text).clauses


@pytest.mark.parametrize(
    "text",
    ["if " * 100_000, "a" * 300_000, "👍" * 100_000, ". " * 50_000, "a, " * 100_000, "\x00" * 100_000, '"' * 99_999],
    ids=["if", "a", "emoji", "dots", "commas", "nul", "quotes"],
)
def test_a_long_text_of_anything_ends(text):
    assert READER.read(text).unread


@pytest.mark.parametrize(
    "sentence",
    [
        "People " + "in the house with people " * 38 + "are kind.",
        "The cat " + "in the house " * 60 + "is big.",
        "A bird " + "that chases a bird " * 45 + "is big.",
        "Everyone " + "who likes everyone " * 60 + "is big.",
        "If " + "Bob is big or " * 45 + "Alice is red then Bob is red.",
    ],
    ids=["people in", "the cat in", "that", "who", "or"],
)
def test_a_nested_sentence_is_read_in_no_time(sentence):
    began = time.perf_counter()
    assert READER.read(sentence).clauses
    assert time.perf_counter() - began < 5


def test_no_text_is_an_error():
    for text in (
        "the of and.",
        "If. Then. And.",
        "Bob's.",
        "n't",
        "'s is",
        "who who who.",
        "all all all are.",
        "no.",
        "X.",
    ):
        READER.read(text)
        READER.read_statement(text)
