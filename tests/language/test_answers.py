"""An answer says what it says together with its question."""

from collections.abc import Callable

import pytest

from goalmem.records import Extraction, Fact, Modality
from tests.language.finding import named, one

Tell = Callable[..., list[Fact]]
Talk = Callable[..., list[Extraction]]


def test_yes_asserts_what_was_asked(tell: Tell) -> None:
    fact = one(tell("Maya: Did you move to Lisbon?", "Tom: Yes, in 2019!"), "move", subject="Tom", to="Lisbon")
    assert fact.modality is Modality.ASSERTED
    assert fact.text == "Yes, in 2019"
    assert str(fact.when) == "2019"


@pytest.mark.parametrize("answer", ["No.", "Nope!", "Not yet."])
def test_no_denies_it(tell: Tell, answer: str) -> None:
    fact = one(tell("Maya: Have you visited Rome?", f"Tom: {answer}"), "visit", subject="Tom", object="Rome")
    assert not fact.polarity


def test_a_plan_that_is_confirmed_is_a_plan(tell: Tell) -> None:
    fact = one(tell("Maya: Are you going to sell the house?", "Tom: Yes."), "sell", subject="Tom")
    assert fact.modality is Modality.PLANNED


@pytest.mark.parametrize(
    ("question", "answer", "predicate", "role", "value"),
    [
        ("What breed is your dog?", "A beagle!", "be", "attribute", "A beagle"),
        ("Where did you go last summer?", "Porto!", "go", "to", "Porto"),
        ("Where do you live?", "In Rome.", "live", "in", "Rome"),
        ("Who did you go with?", "My mom.", "go", "with", "Tom's mom"),
        ("Who painted it?", "Anna.", "paint", "subject", "Anna"),
        ("How long have you lived here?", "5 years already!", "live", "for", "5 years"),
    ],
)
def test_a_fragment_fills_the_question(
    tell: Tell, question: str, answer: str, predicate: str, role: str, value: str
) -> None:
    facts = tell(f"Maya: {question}", f"Tom: {answer}")
    assert value in [named(f, role) for f in facts if f.predicate == predicate]


def test_when_is_answered_with_a_time(tell: Tell) -> None:
    fact = one(tell("Maya: When did you get married?", "Tom: Last June!"), "marry")
    assert str(fact.when) == "June 2023"


def test_a_number_counts_what_was_asked_for(tell: Tell) -> None:
    fact = one(tell("Maya: How many cats do you have?", "Tom: Three."), "have", subject="Tom")
    assert (fact.arg("object").head, fact.arg("object").modifiers) == ("cat", ("three",))  # type: ignore[union-attr]


@pytest.mark.parametrize("reply", ["Great idea!", "Thanks!", "I sold it.", "Wow!"])
def test_a_remark_answers_nothing(tell: Tell, reply: str) -> None:
    facts = tell("Maya: What did you paint?", f"Tom: {reply}")
    assert not [f for f in facts if f.predicate == "paint"]


@pytest.mark.parametrize("reply", ["She was asleep.", "I was ill.", "I have a cold."])
def test_a_short_clause_of_its_own_confirms_nothing(tell: Tell, reply: str) -> None:
    facts = tell("Maya: Did you call the vet?", f"Tom: {reply}")
    assert not [f for f in facts if f.predicate == "call" and f.speaker == "Tom"]


def test_what_one_asks_oneself_is_not_answered_by_oneself(tell: Tell) -> None:
    assert not tell("Maya: Did Ana move to Rome?", "Maya: Yes!")


def test_offers_and_hypotheses_are_not_made_so_by_a_yes(tell: Tell) -> None:
    assert not tell("Maya: Would you buy a boat?", "Tom: Yes!")


@pytest.mark.parametrize("tag", ["right", "correct", "yes", "huh"])
def test_a_statement_with_a_question_behind_it_is_asked(tell: Tell, tag: str) -> None:
    fact = one(tell(f"Maya: You live in Rome, {tag}?"), "live")
    assert (fact.modality, named(fact, "subject")) == (Modality.QUESTION, "Tom")


def test_what_the_other_is_reminded_of_is_stated(tell: Tell) -> None:
    assert one(tell("Maya: I moved to Lisbon, remember?"), "move").modality is Modality.ASSERTED


@pytest.mark.parametrize("reply", ["Lived.", "I used to.", "Used to.", "Not any more.", "No longer.", "I did."])
def test_what_was_so_is_no_longer(tell: Tell, reply: str) -> None:
    facts = tell("Maya: You live in Rome, right?", f"Tom: {reply}")
    assert [f.polarity for f in facts if f.predicate == "live" and f.arg("in")] == [False]


def test_what_follows_a_no_is_not_denied(tell: Tell) -> None:
    facts = tell("Maya: Did you see Leo?", "Tom: No, but I saw Mia.")
    assert one(facts, "see", object="Mia").polarity
