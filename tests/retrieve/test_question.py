"""Questions taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalmem.questions.anatomy import (
    ADDRESSEE,
    ASKER,
    MOST_PARTS,
    MOST_TRIPLES,
    ClauseTriple,
    QuestionAnatomy,
    read_question,
)

from .reading import parsed, read


def phrases(text: str) -> list[str]:
    return [phrase.text for phrase in read(text).noun_phrases]


def parts(text: str) -> list[str]:
    return [part.text for part in read(text).parts]


def queries(text: str) -> list[str]:
    return [part.query for part in read(text).parts]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the name of my red bicycle?", ["red bicycle"]),
        ("How many days did I spend in Lisbon?", ["Lisbon"]),
        ("How many old records does Nadia own?", ["old records", "Nadia"]),
        ("Who did I see on the ferry in October?", ["ferry"]),
        ("Any tips for my kitchen garden?", ["kitchen garden"]),
        ("What happened to it?", []),
    ],
)
def test_noun_phrases_hold_what_is_asked_about_and_nothing_else(question: str, expected: list[str]) -> None:
    assert phrases(question) == expected


def test_the_sort_of_answer_is_set_apart() -> None:
    assert read("How many weeks did I stay in Lisbon?").asked == ("week",)
    assert read("Which restaurant did I visit with Nadia?").asked == ("restaurant",)
    assert read("Where did I go?").asked == ()


def test_names_are_found() -> None:
    assert read("Did Nadia fly to New York City with Omar?").names == ("Nadia", "New York City", "Omar")
    assert read("What did she eat in October?").names == ()


def test_predicates_are_lemmas_with_their_particle_and_polarity() -> None:
    found = {(p.lemma, p.negated) for p in read("Which shop did I not visit after I picked up the parcel?").predicates}
    assert found == {("visit", True), ("pick up", False)}


def test_a_frame_around_the_question_is_no_predicate() -> None:
    assert [p.lemma for p in read("Can you tell me where I parked the van?").predicates] == ["park"]
    assert [p.lemma for p in read("What did Nadia tell Omar?").predicates] == ["tell"]


@pytest.mark.parametrize(
    ("question", "triple"),
    [
        ("Where did I park the van?", ClauseTriple(ASKER, "park", "van")),
        ("What did you suggest for the garden?", ClauseTriple(ADDRESSEE, "suggest", "garden")),
        ("What did Omar Haddad buy?", ClauseTriple("Omar Haddad", "buy", "")),
        ("Who repaired the roof?", ClauseTriple("", "repair", "roof")),
        ("Which dog did Omar adopt?", ClauseTriple("Omar", "adopt", "dog")),
        ("How long did I look for the ring that I lost?", ClauseTriple(ASKER, "lose", "ring")),
        ("When did I sell my boat?", ClauseTriple(ASKER, "have", "boat")),
        ("Who didn't eat the soup?", ClauseTriple("", "eat", "soup", negated=True)),
    ],
)
def test_triples_say_who_does_what_and_leave_open_what_is_asked(question: str, triple: ClauseTriple) -> None:
    assert triple in read(question).triples


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "How many days passed between the day I planted the oak and the day I sold the farm?",
            ["the day I planted the oak", "the day I sold the farm?"],
        ),
        ("How many nights did I spend in Peru and New Zealand?", ["Peru", "New Zealand"]),
        ("Which came first, the wedding or the flood?", ["the wedding", "the flood"]),
        ("How old was my car when I moved to Oslo?", ["How old was my car?", "I moved to Oslo"]),
        ("I bought a loom in May. Which wool suits it?", ["I bought a loom in May", "Which wool suits it?"]),
        ("Where did I park the blue van?", []),
        ("Who makes the salt and pepper shakers?", []),
        ("How many days did it take?", []),
        ("", []),
    ],
)
def test_parts_are_the_things_asked_about(question: str, expected: list[str]) -> None:
    assert [part.rstrip("?") for part in parts(question)] == [part.rstrip("?") for part in expected]


def test_a_question_is_narrowed_to_each_part() -> None:
    assert queries("How many nights did I spend in Peru and New Zealand?") == [
        "How many nights did I spend in Peru?",
        "How many nights did I spend in New Zealand?",
    ]


RECOMMENDATION = [
    "Can you recommend a good novel?",
    "What should I cook tonight?",
    "Any tips for cleaning brass?",
    "Could you help me choose a tent?",
    "What do you think about a trip to Oslo?",
    "I need some advice about my lease.",
]
ASSISTANT = [
    "What did you recommend for my cough?",
    "You mentioned a museum in Oslo, which one?",
    "Remind me what you said about the lease.",
    "Going back to our previous chat, which wine was it?",
    "Can you remind me of the name of that bridge in Porto?",
    "Can you remind me what the code was?",
    "In our last chat, which hotel came first?",
    "Which of the two that you mentioned is cheaper?",
    "How did you split my study time?",
]
PLAIN = [
    "What did Nadia recommend to Omar?",
    "What advice did Nadia get?",
    "When did I sell my boat?",
    "Can you remind me when my flight leaves?",
    "Do you know who repaired the roof?",
    "What did I tell you?",
]


def test_a_wish_for_a_recommendation_is_told_from_a_question_about_one() -> None:
    assert all(read(question).asks_recommendation for question in RECOMMENDATION)
    assert not any(read(question).asks_recommendation for question in ASSISTANT + PLAIN)


def test_questions_about_what_the_assistant_said_are_told() -> None:
    assert all(read(question).about_assistant for question in ASSISTANT)
    assert not any(read(question).about_assistant for question in RECOMMENDATION + PLAIN)


def test_reminiscence_is_about_the_past_for_its_own_sake() -> None:
    assert read("I feel so nostalgic. Remember when we all lived by the sea?").reminiscence
    assert read("What were the good old days at the farm like?").reminiscence
    assert not read("I'm looking back at our previous chat about wool.").reminiscence
    assert not read("When did I sell my boat?").reminiscence


def test_nothing_has_no_anatomy() -> None:
    assert read_question(parsed("")) == QuestionAnatomy()


def test_a_question_without_end_is_read_in_time() -> None:
    verbs = read_question(parsed("What did I buy" + " and sell and mend" * 100 + "?"))
    things = read_question(parsed("Did I see " + ", ".join(f"bird number {n}" for n in range(150)) + " and a cat?"))
    assert verbs.predicates
    assert len(things.triples) <= MOST_TRIPLES
    assert len(things.parts) <= MOST_PARTS


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=120))
def test_any_text_can_be_read(text: str) -> None:
    found = read_question(parsed(text))
    assert len(found.parts) != 1
    assert all(phrase.text.strip() for phrase in found.noun_phrases)
