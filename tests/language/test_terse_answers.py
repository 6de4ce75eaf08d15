"""A terse reply says what it answers says with it; what hedges, jokes or evades says nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from goalmem.records import Fact, Modality
from tests.language.finding import find, named

Tell = Callable[..., list[Fact]]

DOINGS = [
    ("Did you book the hotel?", "book", "object", "the hotel"),
    ("Did you paint the fence?", "paint", "object", "the fence"),
    ("Have you returned the drill?", "return", "object", "the drill"),
    ("Did you invite Ivo?", "invite", "object", "Ivo"),
]
AGREES = ["Yes.", "yep", "Yes, on Sunday.", "Sure.", "👍", "✅", "👍🏽", "yeah, yesterday"]
DENIES = ["No.", "nope", "Not yet.", "👎", "❌", "No, not yet.", "No, I didn't."]
EVADES = [
    "Not sure.",
    "No idea.",
    "No clue.",
    "Yeah right.",
    "Yes, I think so.",
    "Yes, probably.",
    "Maybe.",
    "Never mind.",
    "Not really sure.",
    "Yes and no.",
    "No worries!",
    "No problem.",
    "No way!",
    "Not only that.",
    "🤷",
    "haha yes sure, kidding",
    "Why?",
    "Who knows.",
    "Yes, if it rains.",
]


def stated(facts: list[Fact], predicate: str) -> list[bool]:
    return [f.polarity for f in facts if f.predicate == predicate and f.modality is Modality.ASSERTED]


@pytest.mark.parametrize(("question", "predicate", "role", "what"), DOINGS)
@pytest.mark.parametrize(("answer", "agrees"), [*((a, True) for a in AGREES), *((a, False) for a in DENIES)])
def test_yes_and_no_in_any_form_decide_what_was_asked(
    tell: Tell, question: str, predicate: str, role: str, what: str, answer: str, agrees: bool
) -> None:
    facts = tell(f"Maya: {question}", f"Tom: {answer}")
    found = [f for f in facts if f.predicate == predicate and named(f, role) == what and named(f, "subject") == "Tom"]
    assert [f.polarity for f in found] == [agrees]


@pytest.mark.parametrize(("question", "predicate", "role", "what"), DOINGS)
@pytest.mark.parametrize("answer", EVADES)
def test_what_is_no_answer_says_nothing(
    tell: Tell, question: str, predicate: str, role: str, what: str, answer: str
) -> None:
    assert stated(tell(f"Maya: {question}", f"Tom: {answer}"), predicate) == []


CHOICES = [("like", "tea", "coffee"), ("like", "dogs", "cats"), ("want", "rice", "pasta"), ("drink", "beer", "wine")]


@pytest.mark.parametrize(("verb", "one", "other"), CHOICES)
@pytest.mark.parametrize(
    ("answer", "held"), [("Both.", True), ("both!", True), ("Neither.", False), ("Neither, thanks.", False)]
)
def test_both_and_neither_say_it_of_each(tell: Tell, verb: str, one: str, other: str, answer: str, held: bool) -> None:
    facts = tell(f"Maya: Do you {verb} {one} or {other}?", f"Tom: {answer}")
    told = {f.args[-1].entity: f.polarity for f in facts if f.modality is Modality.ASSERTED}
    assert told == {one: held, other: held}


@pytest.mark.parametrize(("verb", "one", "other"), CHOICES)
@pytest.mark.parametrize("answer", ["Yes.", "Hmm.", "Depends.", "Juice.", "Both, maybe."])
def test_a_choice_is_decided_by_nothing_else(tell: Tell, verb: str, one: str, other: str, answer: str) -> None:
    assert stated(tell(f"Maya: Do you {verb} {one} or {other}?", f"Tom: {answer}"), verb) == []


@pytest.mark.parametrize("same", ["Same here.", "Me too!", "So do I.", "yeah, same here"])
@pytest.mark.parametrize(
    ("said", "predicate", "role", "what"),
    [
        ("I live in Porto.", "live", "in", "Porto"),
        ("I work at a bakery.", "work", "at", "a bakery"),
        ("I play chess.", "play", "object", "chess"),
    ],
)
def test_the_same_is_said_of_the_speaker(
    tell: Tell, said: str, predicate: str, role: str, what: str, same: str
) -> None:
    found = find(tell(f"Maya: {said}", f"Tom: {same}"), predicate, subject="Tom", **{f"{role}_": what})
    assert len(found) == 1


@pytest.mark.parametrize(
    ("said", "same"),
    [
        ("I might move to Porto.", "Same here."),
        ("I love my wife.", "Same here."),
        ("Ines lives in Porto.", "Me too."),
        ("I live in Porto. Ines lives in Rome.", "Same here."),
        ("I don't eat meat.", "Me too, I want to say."),
        ("Would I live in Porto?", "Me too."),
    ],
)
def test_the_same_as_nothing_stated_says_nothing(tell: Tell, said: str, same: str) -> None:
    told = tell(f"Maya: {said}", f"Tom: {same}")
    assert not [f for f in told if named(f, "subject") == "Tom" and f.predicate in ("live", "move", "love", "eat")]


@pytest.mark.parametrize(
    ("question", "answer", "when"),
    [
        ("Did you move in 2019?", "No, in 2020.", "2020"),
        ("Did you marry in 2001?", "Nope, in 2003.", "2003"),
        ("Did you retire in 2015?", "No, in 2016", "2016"),
    ],
)
def test_a_correction_denies_and_states(tell: Tell, question: str, answer: str, when: str) -> None:
    facts = tell(f"Maya: {question}", f"Tom: {answer}")
    assert max((f.polarity, str(f.when)) for f in facts) == (True, when)
    assert [f for f in facts if not f.polarity and str(f.when) == when] == []


@pytest.mark.parametrize("question", ["Who broke the window?", "Who broke the vase?"])
@pytest.mark.parametrize("answer", ["Me.", "I did.", "me!"])
def test_me_names_the_speaker(tell: Tell, question: str, answer: str) -> None:
    assert find(tell(f"Maya: {question}", f"Tom: {answer}"), "break", subject="Tom")


@pytest.mark.parametrize("third", ["Both.", "Yes.", "Thursday."])
def test_an_answer_behind_another_topic_answers_nothing(tell: Tell, third: str) -> None:
    facts = tell("Maya: Do you like tea or coffee?", "Tom: It rains here.", "Maya: Oh dear.", f"Tom: {third}")
    assert stated(facts, "like") == []
