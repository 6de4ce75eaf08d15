"""Every clause of a turn becomes a fact with its participants."""

from collections.abc import Callable

import pytest

from goalmem.records import Fact, Modality
from tests.language.finding import find, named, one

Tell = Callable[..., list[Fact]]


def test_a_clause_has_its_participants_with_their_places_in_the_turn(tell: Tell) -> None:
    text = "I adopted a beagle at the shelter last Friday."
    fact = one(tell(text), "adopt", subject="Maya")
    assert [a.text for a in fact.args if a.role == "object"] == ["a beagle"]
    assert named(fact, "at") == "the shelter"
    assert str(fact.when) == "14 July 2023"
    for argument in fact.args:
        assert text[argument.start : argument.end] == argument.text
    assert text[fact.start : fact.end] == fact.text


def test_what_begins_holds_too(tell: Tell) -> None:
    facts = tell("We recently started taking pottery classes after I moved to Lisbon.")
    assert named(one(facts, "start"), "complement").startswith("taking pottery classes")
    assert one(facts, "take", subject="Maya", object="pottery classes").modality is Modality.ASSERTED
    assert one(facts, "move", subject="Maya", to="Lisbon").modality is Modality.ASSERTED


def test_coordinated_verbs_share_their_subject_and_their_time(tell: Tell) -> None:
    facts = tell("Yesterday I cleaned the house and baked a cake.")
    assert str(one(facts, "bake", subject="Maya", object="a cake").when) == "16 July 2023"
    assert one(facts, "clean", subject="Maya").when is not None


def test_coordinated_participants_give_a_fact_each(tell: Tell) -> None:
    facts = tell("I have three dogs and a cat.")
    assert {named(f, "object") for f in find(facts, "have")} == {"three dogs", "a cat"}


def test_a_relative_clause_is_about_the_noun_it_describes(tell: Tell) -> None:
    facts = tell("I met a friend who lives in Porto. I loved the book I read.")
    assert one(facts, "live", subject="a friend", in_="Porto")
    assert one(facts, "read", subject="Maya", object="the book")


def test_a_passive_is_turned_round(tell: Tell) -> None:
    fact = one(tell("The painting was bought by Anna."), "buy", subject="Anna")
    assert named(fact, "object") == "The painting"
    given = one(tell("I was given a book by Anna."), "give", subject="Anna")
    assert (named(given, "indirect"), named(given, "object")) == ("Maya", "a book")


def test_the_particle_belongs_to_the_verb(tell: Tell) -> None:
    assert find(tell("I picked up the guitar again."), "pick up", object="the guitar")


def test_the_subject_that_chat_leaves_out_is_the_speaker(tell: Tell) -> None:
    assert one(tell("Went hiking with Anna yesterday!"), "hike", subject="Maya")
    assert one(tell("Just finished the report."), "finish", subject="Maya")


def test_lower_case_chat_is_read(tell: Tell) -> None:
    fact = one(tell("i moved to lisbon yesterday lol"), "move", subject="Maya")
    assert fact.arg("to").entity == "Lisbon"  # type: ignore[union-attr]
    assert fact.arg("to").text == "lisbon"  # type: ignore[union-attr]


def test_a_cause_is_an_argument_without_its_conjunction(tell: Tell) -> None:
    fact = one(tell("I quit because the commute was too long."), "quit")
    assert named(fact, "because") == "the commute was too long"


def test_what_was_so_for_a_while_is_dated_back(tell: Tell) -> None:
    fact = one(tell("I have lived here for 4 years."), "live")
    assert str(fact.when) == "17 July 2019 to 17 July 2023"


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("I don't drink coffee.", "Maya does not drink coffee"),
        ("I have two dogs.", "Maya has two dogs"),
        ("I'm a nurse.", "Maya is a nurse"),
        ("We've been to Rome.", "Maya has been to Rome"),
        ("I adopted a beagle named Biscuit.", "Maya adopted a beagle named Biscuit"),
        ("Your sister called me.", "Tom's sister called Maya"),
        ("I moved here in March.", "Maya moved here in March"),
    ],
)
def test_a_statement_is_in_the_third_person(tell: Tell, text: str, statement: str) -> None:
    assert statement in [f.statement for f in tell(text)]


def test_a_shared_picture_is_shown_by_the_speaker(tell: Tell) -> None:
    facts = tell("Maya: Look! | a photo of a beagle on a red sofa")
    shown = {a.head for f in find(facts, "show", subject="Maya") for a in f.args if a.role == "object"}
    assert shown == {"beagle", "sofa"}


def test_a_sentence_is_read_alone(extractor) -> None:  # type: ignore[no-untyped-def]
    fact = one(extractor.read("Maya's sister lives in Porto."), "live", subject="Maya's sister", in_="Porto")
    assert fact.modality is Modality.ASSERTED
